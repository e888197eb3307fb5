"""One block of ours in a file of instructions that the user owns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.clients import marked_block
from foreword.errors import ForewordError

PATH = "/home/dev/AGENTS.md"
BODY = "## Memory\n\nSearch first.\n"


def part(body=BODY, limit=None):
    return marked_block.part(PATH, body, limit)


LINES = st.lists(
    st.sampled_from(["", "# Mine", "- søren", "<!-- foreword -->", "日本", "  x", "END"]), max_size=6
)
TEXTS = st.tuples(
    LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.sampled_from(["", "\ufeff"])
).map(lambda drawn: drawn[3] + drawn[1].join(drawn[0]) + (drawn[1] if drawn[2] else ""))


@given(TEXTS)
def test_taking_the_block_out_gives_every_byte_back(text):
    made = part().footprint(text)
    after = part().with_ours(text)
    assert after.startswith(text)
    assert part().holds_ours(after)
    assert part().with_ours(after) == after
    assert part().without_ours(after, made) == text


@given(TEXTS, TEXTS)
def test_a_new_body_replaces_the_old_block_and_nothing_else(text, more):
    after = part().with_ours(text) + more
    renewed = part("## Memory\n\nAnother text.\n").with_ours(after)
    assert renewed.startswith(text)
    assert renewed.endswith(more)
    assert renewed.count("foreword: begin") == 1
    assert "Another text." in renewed
    assert "Search first." not in renewed


@given(TEXTS, st.lists(st.sampled_from(["# Theirs", "words", ""]), min_size=1, max_size=4))
def test_what_the_user_wrote_behind_the_block_stays(text, lines):
    made = part().footprint(text)
    newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text else "\n"
    behind = newline + newline.join(lines) + newline
    left = part().without_ours(part().with_ours(text) + behind, made)
    assert left.startswith(text.rstrip("\r\n"))
    assert left.endswith(behind)
    assert "foreword: begin" not in left


def test_the_line_ends_of_the_file_are_kept():
    after = part().with_ours("# Mine\r\n")
    assert "\n" not in after.replace("\r\n", "")


def test_a_block_that_an_earlier_version_wrote_is_known():
    text = "# Mine\n\n<!-- foreword: begin (1.9) -->\nold\n<!-- foreword: end -->\n"
    assert part().holds_ours(text)
    assert part().with_ours(text).count("foreword: begin") == 1
    assert part().without_ours(text, None) == "# Mine\n"


def test_a_block_that_is_there_twice_is_written_once():
    twice = part().with_ours("# Mine\n") + part().with_ours("")
    assert part().with_ours(twice).count("foreword: begin") == 1


@pytest.mark.parametrize("torn", ["{begin}\nours\n", "{begin}\nours\n{begin}\nours\n{end}\n"])
def test_a_block_without_an_end_is_refused_with_its_line(torn):
    text = "# Mine\n\n" + torn.format(begin=marked_block.BEGIN, end=marked_block.END)
    for change in (part().with_ours, lambda text: part().without_ours(text, None)):
        with pytest.raises(ForewordError, match=r"AGENTS\.md:3:1"):
            change(text)


def test_marks_in_the_middle_of_a_line_are_the_user_s_words():
    text = f"we write {marked_block.BEGIN} around it\n"
    assert not part().holds_ours(text)
    assert part().without_ours(text, None) == text


def test_a_file_that_grows_past_what_the_client_reads_is_told():
    text = part(limit=400).with_ours("x" * 390 + "\n")
    assert "the client reads 400" in part(limit=400).warning(text)
    assert part(limit=4_000).warning(text) == ""
    assert part(limit=400).warning("x" * 500) == ""


# -- what the user does to the file in between -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("alpha\n{block}beta\n", "alpha\nbeta\n"),
        ("alpha\n{block}", "alpha\n"),
        ("alpha\n{block}mid\n{block}end\n", "alpha\nmid\nend\n"),
        ("para\n{block}\ntail", "para\n\ntail"),
        ("{block}alpha\n", "alpha\n"),
        ("\n{block}alpha\n", "\nalpha\n"),
        ("alpha\r\n{block}beta", "alpha\r\nbeta"),
        ("one\ntwo\r\n{block}beta", "one\ntwo\r\nbeta"),
    ],
)
@pytest.mark.parametrize("made", [{"gap": ["\n"]}, {"gap": ["\n\n"]}, {"gap": ["\r\n"]}, {"gap": [""]}, None])
def test_a_block_without_its_empty_line_took_the_end_of_the_user_s_line_with_it(text, left, made):
    text = text.format(block=part().with_ours(""))
    assert part().without_ours(text, made) == left


def test_a_line_feed_behind_a_line_that_ends_in_cr_was_no_empty_line():
    text = "one\ntwo\r"
    after = part().with_ours(text)
    assert after.startswith("one\ntwo\r\r<!--")
    assert part().without_ours(after, part().footprint(text)) == text


@st.composite
def edited(draw):
    """(what the record keeps, the text before our block, the block, the text behind it): put in by an
    install, then lines before it were added, replaced and taken out, and some written behind it."""
    text = draw(TEXTS)
    after, made = part().with_ours(text), part().footprint(text)
    at = after.index(marked_block.BEGIN)
    block = after[at:]
    head, behind = after[:at].splitlines(keepends=True), draw(TEXTS).removeprefix("\ufeff")
    for _ in range(draw(st.integers(0, 3))):
        n = draw(st.integers(0, len(head)))
        line = draw(st.sampled_from(["new\n", "new\r\n", "\n", "\r\n", "new\r"]))
        head[n : n + draw(st.integers(0, 1))] = draw(st.sampled_from([[], [line]]))
    return made, "".join(head), block, behind


@given(edited(), st.booleans())
def test_whatever_stands_around_the_block_no_line_is_lost_or_joined(case, is_lost):
    made, head, block, behind = case
    if head.removeprefix("\ufeff") and not head.endswith(("\n", "\r")):
        head += "\n"  # else the mark is in the middle of a line: words of the user's
    if block.endswith("\r"):
        behind = behind.lstrip("\n")  # else one line end, half of it ours
    left = part().without_ours(head + block + behind, None if is_lost else made)
    assert _lines(left) == _lines(head) + _lines(behind)
    gone = len(head) + len(behind) - len(left)
    assert gone <= 4  # an empty line, and the end of a last line that had none
    if behind:
        assert left.endswith(behind)
        assert gone <= 2
        assert not gone or head.splitlines()[-1] == ""


def _lines(text):
    """The lines that are not empty."""
    return [line for line in text.removeprefix("\ufeff").splitlines() if line]


@given(TEXTS, TEXTS)
def test_what_is_written_right_behind_the_block_follows_the_text_without_it(text, behind):
    behind = behind.removeprefix("\ufeff")
    after, made = part().with_ours(text), part().footprint(text)
    if after.endswith("\r") and behind.startswith("\n"):
        return  # one line end of two that the user did not write
    left = part().without_ours(after + behind, made)
    if text.endswith(("\n", "\r")) or not text.removeprefix("\ufeff") or not behind:
        assert left == text + behind
    else:
        assert left in [text + newline + behind for newline in ("\n", "\r\n", "\r")]  # never one line


@given(TEXTS, TEXTS)
def test_a_block_that_was_moved_or_doubled_joins_no_lines(text, behind):
    behind = behind.removeprefix("\ufeff")
    head = text if not text.removeprefix("\ufeff") or text.endswith(("\n", "\r")) else text + "\n"
    block = part().with_ours("")
    twice = head + block + "mid\n" + block + behind
    for made in (None, {"gap": ["\n"]}, {"gap": ["\n\n"]}):
        left = part().without_ours(twice, made)
        assert _lines(left) == [*_lines(head), "mid", *_lines(behind)]
