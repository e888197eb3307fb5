"""One block of ours in a file of instructions that the user owns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.clients import marked_block
from foreword.errors import ForewordError

PATH = "/home/dev/AGENTS.md"
BODY = "## Memory\n\nSearch first.\n"


def part(body=BODY, limit=None):
    return marked_block.part(PATH, body, "instructions", limit)


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
