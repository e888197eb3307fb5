"""JSON with comments, edited by text span: values as asked, everything else to the byte."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edit.jsonc_texts import OBJECTS, VALUES, depth_of, documents, documents_and_paths, with_value, written
from foreword.edit import jsonc

# -- reading -------------------------------------------------------------------------------------


@given(VALUES.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_a_text_in_any_style_reads_as_its_value(case):
    value, text = case
    assert jsonc.parse(text).plain() == value


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_plain_json_is_strict(value, indent):
    assert jsonc.relaxed(json.dumps(value, indent=indent)) is None


@given(st.text(alphabet='{}[]",:/*\\ \n\r\tab0.-1eEtrufalsn\ufeff\x00', max_size=30))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text):
    try:
        root = jsonc.parse(text)
    except jsonc.MalformedError as error:
        lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        return
    if root is not None and jsonc.relaxed(text) is None:
        assert root.plain() == json.loads(text.removeprefix("\ufeff"))


@given(st.text(alphabet='{}[]",: \n01eab.-\\u', max_size=14))
def test_what_json_refuses_is_never_called_strict(text):
    try:
        strict = jsonc.relaxed(text) is None
    except jsonc.MalformedError:
        strict = False
    try:
        json.loads(text)
        is_json = not re.search("NaN|Infinity", text)
    except ValueError:
        is_json = not text.strip()
    assert strict == is_json


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ('{"a": }', 1, 7, "expected a value"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ','"),
        ('{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3, "expected ','"),
        ('{\r  "a": 1\r  b\r}', 3, 3, "expected ','"),
        ("\ufeff{a: 1}", 1, 2, "expected a key"),
        ('{"a" 1}', 1, 6, "expected ':'"),
        ('{"a": 1', 1, 1, "never closed"),
        ('{"a": [1, 2}', 1, 12, "expected ','"),
        ('{"a": "x', 1, 7, "never closed"),
        ('{"a": "x\ty"}', 1, 7, "control character"),
        ('{"a": "\\x"}', 1, 7, "escape"),
        ("{} {}", 1, 4, "follows"),
        ("{}}", 1, 3, "follows"),
        ("{,}", 1, 2, "expected a key"),
        ("[,]", 1, 2, "expected a value"),
        ('{"a": 1,, }', 1, 9, "expected a key"),
        ("/* x", 1, 1, "a comment is never closed"),
        ('{"a": NaN}', 1, 7, "expected a value"),
        ('{"a": 01}', 1, 7, "expected a value"),
        ('{"a": +1}', 1, 7, "expected a value"),
        ("'a'", 1, 1, "expected a value"),
        ("[" * 500, 1, 202, "too deeply"),
    ],
)
def test_a_malformed_text_is_refused_with_line_and_column(text, line, column, what):
    with pytest.raises(jsonc.MalformedError) as caught:
        jsonc.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert what in caught.value.what


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ('{\n  "a": 1, // x\n}', 2, 9, "a trailing comma"),
        ('{\n  // x\n  "a": 1,\n}', 2, 3, "a comment"),
        ("[1,]", 1, 3, "a trailing comma"),
        ("\ufeff/* x */{}", 1, 1, "a comment"),
    ],
)
def test_the_first_thing_that_is_not_strict_is_named(text, line, column, what):
    found = jsonc.relaxed(text)
    assert (found.line, found.column, found.what) == (line, column, what)


def test_the_last_of_two_equal_keys_counts_and_both_are_kept():
    text = '{"a": 1, "b": 0, "a": 2}'
    assert jsonc.value_at(text, ["a"]) == 2
    assert jsonc.put(text, ["a"], 3) == '{"a": 1, "b": 0, "a": 3}'


def test_a_number_of_five_thousand_digits_is_read():
    assert jsonc.value_at('{"a": %s}' % ("9" * 5000), ["a"]) == float("inf")


# -- setting -------------------------------------------------------------------------------------


@given(documents_and_paths(), VALUES)
def test_what_was_set_is_what_is_read_and_all_else_is_as_before(case, new):
    value, text, path = case
    edited = jsonc.put(text, path, new)
    assert jsonc.parse(edited).plain() == with_value(value, path, new)


@given(documents_and_paths(), VALUES)
def test_a_set_and_a_drop_give_the_original_text_back(case, new):
    value, text, path = case
    there = depth_of(value, path)
    if there == len(path):
        path = [*path[:-1], "absent"]
        there -= 1
    edited = jsonc.put(text, path, new)
    assert jsonc.drop(edited, path[: there + 1]) == text


@given(documents_and_paths(), VALUES)
def test_a_new_member_is_one_piece_put_into_the_text(case, new):
    value, text, path = case
    if depth_of(value, path) == len(path):
        path = [*path[:-1], "absent"]
    edited = jsonc.put(text, path, new)
    shared = next((n for n, (a, b) in enumerate(zip(text, edited, strict=False)) if a != b), len(text))
    assert any(edited.endswith(text[cut:]) and edited.startswith(text[:cut]) for cut in range(shared + 1))


@given(documents_and_paths(), VALUES)
def test_replacing_leaves_every_other_character(case, new):
    value, text, path = case
    if depth_of(value, path) < len(path):
        path = path[: depth_of(value, path)]
    node = jsonc.at_path(jsonc.parse(text), path)
    edited = jsonc.put(text, path, new)
    assert edited.startswith(text[: node.start])
    assert edited.endswith(text[node.end :])
    assert jsonc.replace(text, path, new) == edited


@given(documents, st.lists(VALUES, min_size=1, max_size=4))
def test_pushed_elements_come_first_and_drop_out_again(case, new):
    value, text = case
    lists = [key for key in value if isinstance(value[key], list)]
    path = [lists[0]] if lists else ["absent"]
    old = value.get(path[0], [])
    texts = [text]
    for n, element in enumerate(new):
        texts.append(jsonc.push(texts[-1], path, element))
        assert jsonc.value_at(texts[-1], path) == [*reversed(new[: n + 1]), *old]
    for before in reversed(texts[1:-1] if not lists else texts[:-1]):
        texts.append(jsonc.drop(texts[-1], [*path, 0]))
        assert texts[-1] == before
    if not lists:
        assert jsonc.drop(texts[-1], path) == text


@given(documents, st.lists(VALUES, min_size=1, max_size=4))
def test_elements_pushed_to_the_end_come_last_and_drop_out_again(case, new):
    value, text = case
    lists = [key for key in value if isinstance(value[key], list)]
    path = [lists[0]] if lists else ["absent"]
    old = value.get(path[0], [])
    texts = [text]
    for n, element in enumerate(new):
        texts.append(jsonc.push(texts[-1], path, element, last=True))
        assert jsonc.value_at(texts[-1], path) == [*old, *new[: n + 1]]
    for n, before in reversed(list(enumerate(texts[:-1]))):
        if lists or n:
            texts.append(jsonc.drop(texts[-1], [*path, len(old) + n]))
            assert texts[-1] == before
    if not lists:
        assert jsonc.drop(texts[-1], path) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1]}', '{"a": [1, 2]}'),
        ('{"a":[1]}', '{"a":[1,2]}'),
        ('{"a": []}', '{"a": [2]}'),
        ('{"a": [1,]}', '{"a": [1, 2,]}'),
        ('{"a": [\r\n\t1\r\n]}', '{"a": [\r\n\t1,\r\n\t2\r\n]}'),
        ('{"a": [\n  1 // one\n]}', '{"a": [\n  1, // one\n  2\n]}'),
        ('{"a": [1 // one\n]}', '{"a": [1, // one\n2\n]}'),
    ],
)
def test_what_is_pushed_to_the_end_is_written_as_the_rest(text, expected):
    assert jsonc.push(text, ["a"], 2, last=True) == expected


@given(documents, st.data())
def test_dropping_any_member_leaves_the_others_and_the_comments(case, data):
    value, text = case
    path = []
    at = value
    while isinstance(at, (dict, list)) and len(at):
        path.append(data.draw(st.sampled_from(list(at) if isinstance(at, dict) else list(range(len(at))))))
        at = at[path[-1]]
        if data.draw(st.booleans()):
            break
    if not path:
        return
    edited = jsonc.drop(text, path)
    parent = jsonc.value_at(text, path[:-1])
    del parent[path[-1]]
    assert jsonc.value_at(edited, path[:-1]) == parent
    assert jsonc.parse(edited).plain() == put_plain(value, path[:-1], parent)


def put_plain(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put_plain(value[path[0]], path[1:], new)
    return copy


@given(
    st.sampled_from(
        ["", "\ufeff", "\n", " ", "// c", "// c\n", "/* c */", "/* // */ ", "\r\n// c", "\ufeff// c\r\n"]
    )
)
def test_a_text_without_a_value_gets_one_and_loses_it_again(text):
    edited = jsonc.put(text, ["a", "b"], [1])
    assert jsonc.parse(edited).plain() == {"a": {"b": [1]}}
    assert jsonc.drop(edited, []) == text


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        ("{}", ["a"], 1, '{\n  "a": 1\n}'),
        ("{}\n", ["a"], 1, '{\n  "a": 1\n}\n'),
        ("", ["a"], 1, '{\n  "a": 1\n}\n'),
        ('{"b":2}', ["a"], {"c": 1}, '{"a":{"c":1},"b":2}'),
        ('{"b": 2}', ["a"], {"c": 1}, '{"a": {"c": 1}, "b": 2}'),
        ('{ "b": 2 }', ["a"], 1, '{ "a": 1, "b": 2 }'),
        ('{\n\t"b": 2\n}', ["a", "c"], 1, '{\n\t"a": {\n\t\t"c": 1\n\t},\n\t"b": 2\n}'),
        ('{\r\n    "b": 2\r\n}', ["a"], [1], '{\r\n    "a": [\r\n        1\r\n    ],\r\n    "b": 2\r\n}'),
        ('{ // mine\n  "b": 2\n}', ["a"], 1, '{ // mine\n  "a": 1,\n  "b": 2\n}'),
        ('{\n  // about b\n  "b": 2\n}', ["a"], 1, '{\n  "a": 1,\n  // about b\n  "b": 2\n}'),
        ('{\n  "b": {}\n}', ["b", "c"], 1, '{\n  "b": {\n    "c": 1\n  }\n}'),
        ("{\n  // nothing yet\n}", ["a"], 1, '{\n  // nothing yet\n  "a": 1\n}'),
    ],
)
def test_what_is_new_is_written_as_the_rest_of_the_file(text, path, value, expected):
    assert jsonc.put(text, path, value) == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ["b"], '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2}', ["b"], '{"a": 1}'),
        ('{"a": 1, "b": 2}', ["a"], '{"b": 2}'),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', ["b"], '{\n  "a": 1 // one\n // two\n}'),
        ('{\n  "a": 1 // stays\n}', ["a"], "{ // stays\n}"),
        ('{"a": [1, 2, 3]}', ["a", 1], '{"a": [1, 3]}'),
        ('{"a": 1}', ["b"], '{"a": 1}'),
        ('{"a": [1]}', ["a", 7], '{"a": [1]}'),
        ('{"a": [1]}', ["b", "c"], '{"a": [1]}'),
        ("", ["b"], ""),
    ],
)
def test_dropping_takes_the_comma_and_leaves_the_comments(text, path, expected):
    assert jsonc.drop(text, path) == expected


@pytest.mark.parametrize(
    ("edit", "line", "column"),
    [
        (lambda text: jsonc.put(text, ["a", "b"], 1), 2, 8),
        (lambda text: jsonc.push(text, ["a"], 1), 2, 8),
        (lambda text: jsonc.push(text, ["c"], 1), 3, 8),
    ],
)
def test_a_value_of_another_shape_on_the_way_is_refused_with_its_place(edit, line, column):
    with pytest.raises(jsonc.MalformedError) as caught:
        edit('{\n  "a": 1,\n  "c": {}\n}')
    assert (caught.value.line, caught.value.column) == (line, column)


def test_replacing_what_is_not_there_is_a_bug_of_the_caller():
    with pytest.raises(KeyError):
        jsonc.replace("{}", ["a"], 1)


def test_half_a_surrogate_pair_is_written_as_an_escape():
    edited = jsonc.put("{}", ["a"], "\ud800")
    assert edited.encode()
    assert jsonc.value_at(edited, ["a"]) == "\ud800"


PATHS = st.lists(st.sampled_from(["", "a", "b", 0, 1]), max_size=3)
KEY_PATHS = st.lists(st.sampled_from(["", "a", "b"]), max_size=3)
SCRAPS = st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"a"',
            '"b"',
            '""',
            "1",
            "null",
            " ",
            "\n",
            "\r",
            "//",
            "/*",
            "*/",
            "\ufeff",
        ]
    ),
    max_size=14,
).map("".join)


@given(SCRAPS | st.text(max_size=10), PATHS, KEY_PATHS, VALUES)
def test_no_text_and_no_path_gets_more_than_a_refusal_out_of_an_edit(text, path, keys, value):
    for edit in (
        lambda: jsonc.put(text, keys, value),
        lambda: jsonc.push(text, keys, value),
        lambda: jsonc.replace(text, path, value),
        lambda: jsonc.drop(text, path),
    ):
        try:
            edited = edit()
        except (jsonc.MalformedError, KeyError):
            continue
        jsonc.parse(edited)


@given(SCRAPS)
def test_no_text_gets_more_than_a_refusal_out_of_any_way_to_look_at_it(text):
    try:
        jsonc.relaxed(text)
        jsonc.value_at(text, ["a", 0])
    except jsonc.MalformedError as error:
        assert (error.line, error.column) >= (1, 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(
    "style", [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}]
)
@given(value=OBJECTS, new=VALUES)
def test_in_every_layout_an_editor_writes_push_and_put_leave_no_trace(style, bom, newline, value, new):
    text = bom + json.dumps(value, **style).replace("\n", newline) + newline
    put = jsonc.put(text, ["new", "inner"], new)
    assert jsonc.value_at(put, []) == {**value, "new": {"inner": new}}
    assert jsonc.drop(put, ["new"]) == text
    pushed = jsonc.push(jsonc.push(text, ["list"], new), ["list"], 1)
    assert jsonc.value_at(pushed, ["list"]) == [1, new]
    assert jsonc.drop(pushed, ["list"]) == text
    assert not newline.startswith("\r") or "\n" not in put.replace("\r\n", "")
