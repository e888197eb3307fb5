"""Our tables go into TOML and come out again; everything else stays to the byte."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from edit.toml_texts import HOOKS, NASTY, OURS, OURS_PATH, STATE, appended, blocks, documents, ours_in, values
from foreword.edit import jsonc, toml

# -- in and out ----------------------------------------------------------------------------------


@given(documents(), blocks())
def test_append_then_drop_gives_the_original_bytes_back(text, block):
    new = appended(text, block)
    assert toml.drop(new, ours_in(new, block, text)) == text


@given(documents(), blocks())
def test_append_keeps_the_text_and_adds_only_the_block(text, block):
    new = appended(text, block)
    assert new.startswith(text)
    assert re.sub(r"\s", "", new[len(text) :]) == re.sub(r"\s", "", block)
    newline = re.search(r"\r?\n", text)
    ends = set(re.findall(r"\r?\n", new[len(text) :]))
    assert ends <= {newline[0] if newline else "\n"}


@given(
    documents(), documents(is_later=True), blocks(), st.sampled_from(["", "\n", "# mine\n", "\n# mine\n\n"])
)
def test_drop_leaves_what_the_user_added_around_the_block(before, behind, block, added):
    new = appended(before, block)
    new += "" if new.endswith("\n") else "\n"
    bom = new[: new.startswith("\ufeff")]
    text = bom + "# top\n" + new.removeprefix("\ufeff") + added + behind
    left = toml.drop(text, ours_in(text, block, before))
    assert left.startswith(bom + "# top\n" + before.removeprefix("\ufeff"))
    assert left.endswith(added + behind)
    assert left_lines(left) == left_lines(bom + "# top\n" + before + "\n" + added + behind)
    assert values(left) == values(before + "\n" + behind)


@given(documents(is_later=True), blocks(), st.sampled_from(["", "\n", "# mine\n", "\n# mine\n\n"]))
def test_drop_at_the_start_of_a_file_leaves_the_rest(behind, block, added):
    """A file that was made for ours and has since been written to."""
    text = toml.append("", block) + added + behind
    assert toml.drop(text, ours_in(text, block)) == re.sub(r"\A\r?\n", "", added + behind)


@given(documents(), st.data())
def test_drop_takes_the_values_of_the_tables_and_no_others(text, data):
    found = toml.headers(text)
    assume(found)
    gone = data.draw(st.sets(st.sampled_from(found), min_size=1))
    gone = [header for header in found if any(header.at[: len(top.at)] == top.at for top in gone)]
    left = toml.drop(text, [header.span for header in gone])
    expected = values(text)
    for header in reversed(found):
        if header in gone:
            take_out(expected, text, header)
    assert without_empty(values(left)) == without_empty(expected)
    assert left_lines(left) == left_lines_outside(text, gone)


def take_out(expected, text, header):
    """Delete what a table holds from plain values, knowing nothing of how it is written."""
    node = expected
    for step in header.at:
        node = node[step]

    def delete(node, own):
        for key, value in own.items():
            if isinstance(value, dict) and value and isinstance(node[key], dict):
                delete(node[key], value)
            if node.get(key) in ({}, value):
                del node[key]

    delete(node, values(text[header.body : header.end]))
    if header.is_array:
        outer = expected
        for step in header.at[:-1]:
            outer = outer[step]
        assert not without_empty(outer[header.at[-1]])
        del outer[header.at[-1]]


def without_empty(value):
    if isinstance(value, dict):
        inner = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in ({}, [])}
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    return value


def left_lines(text):
    """The lines that are not blank, without their ends."""
    lines = text.replace("\ufeff", "").replace("\r\n", "\n").split("\n")
    return [line for line in lines if line.strip()]


def left_lines_outside(text, gone):
    cuts = sorted(header.span for header in gone)
    parts, at = [], 0
    for start, end in cuts:
        parts.append(text[at:start])
        at = end
    return left_lines("".join([*parts, text[at:]]))


EXAMPLES = [
    ("", OURS),
    ("\ufeff", "\ufeff" + OURS),
    ("\n", "\n\n" + OURS),
    ("x = 1\n", "x = 1\n\n" + OURS),
    ("x = 1", "x = 1\n\n" + OURS[:-1]),
    ("# c", "# c\n\n" + OURS[:-1]),
    ("x = 1\n  ", "x = 1\n  \n\n" + OURS[:-1]),
    ("[a]\n\n\n", "[a]\n\n\n\n" + OURS),
    ("[a]\r\nx = 1\r\n", "[a]\r\nx = 1\r\n\r\n" + OURS.replace("\n", "\r\n")),
    ("\ufeff[a]\r\nx = 1", "\ufeff[a]\r\nx = 1\r\n\r\n" + OURS.replace("\n", "\r\n")[:-2]),
    (NASTY, NASTY + "\n" + OURS),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_a_block_goes_to_the_end_behind_a_blank_line_and_out_again(text, expected):
    new = toml.append(text, OURS)
    assert new == expected
    assert toml.drop(new, [header.span for header in toml.headers(new) if header.path == OURS_PATH]) == text


@pytest.mark.parametrize("text", ["", "x = 1\n", "x = 1", "[a]\r\n", "\ufeff# c\n\n"])
def test_several_blocks_come_out_in_any_order(text):
    new = toml.append(toml.append(toml.append(text, OURS), HOOKS), STATE)
    tops = [OURS_PATH, ("hooks", "SessionStart"), ("hooks", "state")]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]):
        left = new
        for n in order:
            found = [header for header in toml.headers(left) if header.path[:2] == tops[n]]
            left = toml.drop(left, [header.span for header in found])
        assert left == text


def test_drop_takes_our_tables_out_of_the_middle_of_a_file():
    text = (
        "model = 'o'\n\n# what remembers\n" + OURS + "startup_timeout_sec = 9 # slow disk\n\n# theirs\n"
        "[tui]\n\n[mcp_servers.foreword.tools.note]\napproval_mode = 'approve'\n[tail]\n# end"
    )
    spans = [header.span for header in toml.headers(text) if header.path[:2] == OURS_PATH]
    assert toml.drop(text, spans) == "model = 'o'\n\n# what remembers\n\n# theirs\n[tui]\n[tail]\n# end"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\n[ours]\n", ""),
        ("\n[ours]\nx = 1", ""),
        ("\ufeff\r\n[ours]\r\n", "\ufeff"),
        ("\ufeff[ours]\n\n[b]\n", "\ufeff[b]\n"),
        ("[b]\n[ours]\nx = 1", "[b]"),
        ("[b]\n  \n[ours]\n\n\n# end", "[b]\n  \n\n\n# end"),
        ("# top\n[ours] # ours\n# inside\nx = 1 # ours\n# end", "# top\n# end"),
    ],
)
def test_one_blank_line_goes_with_a_table_that_was_moved_by_hand(text, left):
    spans = [header.span for header in toml.headers(text) if header.path == ("ours",)]
    assert toml.drop(text, spans) == left


def test_drop_takes_one_element_out_of_an_array_of_tables():
    text = toml.append(NASTY, HOOKS)
    text = toml.append(text, '[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ncommand = "later"\n')
    found = [header for header in toml.headers(text) if header.at[:3] == ("hooks", "SessionStart", 2)]
    left = toml.drop(text, [header.span for header in found])
    assert left == NASTY + '\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ncommand = "later"\n'


def test_drop_refuses_an_element_whose_tables_would_join_another():
    text = "[[a]]\n[a.b]\nx = 1\n[[a]]\ny = 1\n[[a.c]]\n"
    spans = {header.at: header.span for header in toml.headers(text)}
    with pytest.raises(toml.ClashError, match=r"\[a\.c\] belongs"):
        toml.drop(text, [spans["a", 1]])
    assert toml.drop(text, [spans["a", 1], spans["a", 1, "c", 0]]) == "[[a]]\n[a.b]\nx = 1\n"


def test_drop_refuses_what_is_no_table():
    with pytest.raises(ValueError, match="no span"):
        toml.drop(NASTY, [(0, 10)])
    assert toml.drop(NASTY, []) == NASTY


@pytest.mark.parametrize(
    "text",
    [
        OURS,
        "mcp_servers = {}\n",
        "mcp_servers = 1\n",
        "mcp_servers.foreword.command = 'x'\n",
        "[mcp_servers]\nforeword = { command = 'x' }\n",
        "[[mcp_servers.foreword]]\n",
    ],
)
def test_append_refuses_a_table_that_is_there_in_any_form(text):
    with pytest.raises(toml.ClashError, match="do not fit"):
        toml.append(text, OURS)


@pytest.mark.parametrize(
    "block", ["", "\n", "x = 1\n", "# c\n" + OURS, OURS + "\n# c\n[b]\n", OURS + "# c\n"]
)
def test_append_takes_whole_tables_only(block):
    with pytest.raises(ValueError, match="whole tables"):
        toml.append("", block)


@pytest.mark.parametrize("edit", [lambda text: toml.append(text, OURS), lambda text: toml.drop(text, [])])
def test_edits_refuse_a_malformed_file(edit):
    with pytest.raises(jsonc.MalformedError, match="line 2, column 3"):
        edit("x = 1\ny 2\n")


# -- in place ------------------------------------------------------------------------------------


@given(documents(), blocks(), st.sampled_from([OURS, OURS + "\n[mcp_servers.foreword.env]\nA = ''\n"]))
def test_replace_renews_a_table_where_it_stands(text, block, newer):
    new = appended(appended(text, OURS), "[[last]]\n\n[foreword_other]\nx = 1")
    header = next(header for header in toml.headers(new) if header.path == OURS_PATH)
    changed = toml.replace(new, header, newer.replace('"serve"', '"mcp"'))
    assert changed.startswith(new[: header.start])
    assert changed.endswith(new[header.end :])
    again = next(header for header in toml.headers(changed) if header.path == OURS_PATH)
    assert toml.at_path(toml.parse(changed), again.at)["args"] == ["mcp"]
    if newer == OURS:
        assert toml.replace(changed, again, OURS) == new


def test_replace_keeps_a_missing_final_newline_and_refuses_another_table():
    text = "x = 1\r\n\r\n[a]\r\ny = 1"
    (header,) = toml.headers(text)
    assert toml.replace(text, header, "[a]\ny = 2\nz = 3\n") == "x = 1\r\n\r\n[a]\r\ny = 2\r\nz = 3"
    with pytest.raises(ValueError, match="another table"):
        toml.replace(text, header, "[b]\n")
    with pytest.raises(toml.ClashError):
        toml.replace(text, header, "[a]\n[x]\n")


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("[a]\nx = 1 # why\ny = 2\n", "x", "[a]\nx = 'new' # why\ny = 2\n"),
        ('[a]\n "x"=[\n1, # [\n] # why', "x", "[a]\n \"x\"='new' # why"),
        ("[a]\ny = 2\n# of b\n[b]\nx = 1\n", "x", "[a]\ny = 2\nx = 'new'\n# of b\n[b]\nx = 1\n"),
        ("[a]\r\ny = 2", "x y", "[a]\r\ny = 2\r\n\"x y\" = 'new'"),
        ("[a]", "x", "[a]\nx = 'new'"),
        ("x = 1\n[[a]]\n[[a]]\nx = 2\n", "x", "x = 1\n[[a]]\nx = 'new'\n[[a]]\nx = 2\n"),
    ],
)
def test_set_key_changes_one_value_and_keeps_its_place_and_comment(before, key, after):
    header = next(header for header in toml.headers(before) if header.path == ("a",))
    assert toml.set_key(before, header, key, "'new'") == after


@pytest.mark.parametrize("text", ["[a]\nx.y = 1\n", "[a]\n[a.x]\n", "[a.x]\n[a]\n", "[a]\nx = 1\n"])
def test_set_key_refuses_a_key_in_another_form_and_more_than_one_value(text):
    header = next(header for header in toml.headers(text) if header.path == ("a",))
    with pytest.raises(toml.ClashError):
        toml.set_key(text, header, "x", "1\ny = 2")
    if text != "[a]\nx = 1\n":
        with pytest.raises(toml.ClashError):
            toml.set_key(text, header, "x", "2")


@given(documents(), st.data())
def test_set_key_changes_no_other_value(text, data):
    found = toml.headers(text)
    assume(found)
    header = data.draw(st.sampled_from(found))
    key = data.draw(st.sampled_from(["k00", "k10", "new", 'n "e" w']))
    try:
        new = toml.set_key(text, header, key, "[ 'v' ]")
    except toml.ClashError:
        assert isinstance(toml.at_path(toml.parse(text), header.at)[key], dict)
        return
    expected = values(text)
    at_path = toml.at_path(expected, header.at)
    at_path[key] = [("str", "v")]
    assert values(new) == expected
