"""JSON with comments: what others do to a file around our entries, and files of megabytes."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edit.jsonc_texts import VALUES, depth_of, documents, documents_and_paths
from foreword.edit import jsonc

# -- what stands around an entry, and what is done to it in between ------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("empty", ["[]", "[{n}]", "[{n}  ]", "[ {n}]", "[{n}{n}]", "[ ]", "[\t]"])
@pytest.mark.parametrize("beside", ['"b": [/* c */]', '"b": {{}}', '"b": [{n}  1{n}    ]', '"b": 1'])
def test_an_empty_array_gained_a_line_break_when_another_entry_on_its_line_had_gone(newline, empty, beside):
    """The line's white space is another one by then: `[` + line break + `]` came back as two of them."""
    text = f'{{{{{{n}}{beside}, "a": {empty}, "c": 0{{n}}}}}}'.format(n=newline)
    for first, second in (("a", "b"), ("b", "a")):
        edited = text
        for key in (first, second):
            if jsonc.at_path(jsonc.parse(text), [key]).kind == "array":
                edited = jsonc.push(edited, [key], {"x": [1]})
            elif jsonc.at_path(jsonc.parse(text), [key]).kind == "object":
                edited = jsonc.put(edited, [key, "x"], {"x": [1]})
        for key in (first, second):
            if jsonc.at_path(jsonc.parse(text), [key]).kind == "array":
                edited = jsonc.drop(edited, [key, 0])
            else:
                edited = jsonc.drop(edited, [key, "x"])
        assert edited == text


@pytest.mark.parametrize("tail", ["\n  // mine\n", "\n\n  // mine\n", " // mine\n", "\n  /* mine */ "])
def test_a_comment_that_the_user_writes_behind_our_only_entry_stays_on_its_line(tail):
    edited = jsonc.put('{\n  "a": {}\n}', ["a", "ours"], 1).replace("1\n  }", "1" + tail + "}")
    left = jsonc.drop(edited, ["a", "ours"])
    assert left == '{\n  "a": {' + tail.removeprefix("\n" if tail.startswith("\n\n") else "") + "}\n}"


@given(documents, st.data())
def test_many_entries_go_in_and_come_out_in_any_order(case, data):
    value, text = case
    places = [[key, "ours"] for key in value if isinstance(value[key], dict)]
    places += [[key, 0] for key in value if isinstance(value[key], list)]
    edited = text
    for path in data.draw(st.permutations(places)):
        new = data.draw(VALUES)
        edited = jsonc.push(edited, path[:1], new) if path[1] == 0 else jsonc.put(edited, path, new)
    for path in data.draw(st.permutations(places)):
        edited = jsonc.drop(edited, path)
    assert edited == text


@given(documents_and_paths(), VALUES, st.data())
def test_what_the_user_writes_elsewhere_stays_to_the_byte(case, new, data):
    """A blank, a comment or a member goes in anywhere outside ours; taking ours out leaves exactly that."""
    value, text, path = case
    there = depth_of(value, path)
    if there == len(path):
        path = [*path[:-1], "absent"]
        there -= 1
    edited = jsonc.put(text, path, new)
    at = data.draw(st.integers(0, len(text)))
    own = data.draw(
        st.sampled_from([" ", "\n", "\r", "/* own */", "// own\n", '"own": 1, ', ', "own": 1', "0,"])
    )
    shared = next((n for n, (a, b) in enumerate(zip(text, edited, strict=False)) if a != b), len(text))
    cuts = [n for n in range(shared + 1) if edited.endswith(text[n:]) and edited.startswith(text[:n])]
    if cuts[0] <= at <= cuts[-1]:
        return  # at the edge of ours: part of it, for all that anybody can tell
    if _is_half(text, at, own) or _is_half(edited, at + (len(edited) - len(text)) * (at > cuts[0]), own):
        return
    changed = text[:at] + own + text[at:]
    both = edited[:at] + own + edited[at:]
    if at > cuts[0]:
        both = edited[: at + len(edited) - len(text)] + own + edited[at + len(edited) - len(text) :]
    try:
        jsonc.parse(changed), jsonc.parse(both)
    except jsonc.MalformedError:
        return
    if jsonc.at_path(jsonc.parse(both), path) is None:
        return  # a blank within a key: another key
    left = jsonc.drop(both, path[: there + 1])
    node = jsonc.at_path(jsonc.parse(text), path[:there])
    if not node.members and node.start < at < node.end:  # blanks in what was empty may be ours
        assert re.sub(r"\s", "", left) == re.sub(r"\s", "", changed)
    else:
        assert left == changed


def _is_half(text, at, own):
    """Whether words put in there would make another line end or a comment of what stands beside them."""
    return text[at - 1 : at + 1] == "\r\n" or (text[at - 1 : at] + own + text[at : at + 1])[:2] in (
        "\r\n",
        "//",
        "/*",
    )


# -- large files: what is strict is read by another reader ---------------------------------------------


def test_a_node_that_was_never_opened_says_what_an_opened_one_does():
    text = '{"a": {"b": [1, {"c": "d", "e": []}], "b2": null}, /* c */ "f": [true, [], {}]}'
    closed = jsonc.parse(text).plain()
    root = jsonc.parse(text + " ")

    def opened(node):
        return [node.start, node.end, node.kind, node.tail, [opened(member.node) for member in node.members]]

    assert [part[2] for part in opened(root)[4]] == ["object", "array"]
    assert root.plain() == closed == {"a": {"b": [1, {"c": "d", "e": []}], "b2": None}, "f": [True, [], {}]}


@given(documents)
def test_every_node_ends_where_its_value_ends(case):
    value, text = case

    def check(node, value):
        end = node.end
        assert node.plain() == value
        assert (node.opened().end, node.plain()) == (end, value)
        assert jsonc.parse(text[node.start : end]).plain() == value
        for member in node.members:
            check(member.node, value[member.key if node.kind == "object" else node.members.index(member)])

    check(jsonc.parse(text), value)


def test_a_value_that_was_handed_out_is_the_caller_s_own():
    text = '{"a": {"b": [1]}, "c": [[2]]}'
    jsonc.value_at(text, ["a"])["b"].append(2)
    jsonc.value_at(text, [])["c"].clear()
    assert jsonc.value_at(text, []) == {"a": {"b": [1]}, "c": [[2]]}


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_only_python_s_json_knows_are_refused_at_any_depth(word):
    with pytest.raises(jsonc.MalformedError, match="line 1, column 9: expected a value"):
        jsonc.parse('{"a": [[%s]]}' % word)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("comment", ["", "/* c */"])
def test_a_value_below_the_two_hundredth_level_is_refused_whoever_reads_it(opening, comment):
    def nested(levels, inner):
        return opening * levels + comment + inner + ("]" if opening == "[" else "}") * levels

    assert jsonc.parse(nested(jsonc.DEEPEST, "1")) is not None
    assert jsonc.parse(nested(jsonc.DEEPEST, "[]")) is not None
    for inner in ("[1]", '{"a": {}}', "[[]]"):
        with pytest.raises(jsonc.MalformedError, match="nested too deeply"):
            jsonc.parse(nested(jsonc.DEEPEST, inner))


class Counted(jsonc._STRICT.__class__):
    """json's reader, counting the characters that it read."""

    read = 0

    def raw_decode(self, s, idx=0):
        value, end = super().raw_decode(s, idx)
        Counted.read += end - idx
        return value, end


def test_a_file_of_megabytes_was_read_anew_by_each_look_and_each_edit(monkeypatch):
    """34 s for one server, 172 s for Gemini's hooks."""
    monkeypatch.setattr(jsonc, "_STRICT", Counted())
    monkeypatch.setattr(Counted, "read", 0)
    opened = []
    members = jsonc._Reading.inside
    monkeypatch.setattr(jsonc._Reading, "inside", lambda *seen: (opened.append(1), members(*seen))[1])
    value = {"k%d" % n: {"a": [1, 2, {"b": "words"}]} for n in range(5000)}
    text = json.dumps({**value, "deep": {"er": value}}, indent=2)
    for _ in range(20):
        assert jsonc.value_at(text, ["deep", "er", "k1", "a", 0]) == 1
    assert Counted.read < 4 * len(text)  # the whole, then twice what was opened on the way
    assert len(opened) == 5
    edited = jsonc.put(text, ["deep", "ours"], 1)
    assert jsonc.drop(edited, ["deep", "ours"]) == text
    assert Counted.read < 9 * len(text)
    assert len(opened) == 7
