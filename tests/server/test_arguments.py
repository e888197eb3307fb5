"""Arguments as models send them against the schemas of tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.errors import ForewordError
from foreword.server import graph, notes
from foreword.server.arguments import faults, fit

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "what it is called"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        "whole": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "parts": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        },
    },
    "required": ["name"],
}


def test_absent_arguments_get_their_default_or_nothing():
    assert fit(SCHEMA, {"name": "x"}) == {
        "name": "x", "kind": "", "limit": 10, "whole": False, "tags": [], "parts": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "sent", "meant"),
    [
        ("limit", "7", 7),
        ("limit", 7.0, 7),
        ("limit", 0, 1),
        ("limit", 10**30, 50),
        ("limit", None, 10),
        ("whole", "True", True),
        ("whole", "false", False),
        ("tags", "a, b,", ["a", "b"]),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("tags", [], []),
        ("tags", [1], ["1"]),
        ("kind", "", ""),
        ("name", 404, "404"),
        ("name", "  kept ", "  kept "),
        ("parts", '[{"n": "3"}]', [{"n": 3}]),
    ],
)
def test_what_can_mean_only_one_thing_is_taken(key, sent, meant):
    assert fit(SCHEMA, {"name": "x", key: sent})[key] == meant


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "name is missing"),
        ({"name": " \n"}, "name is empty"),
        ({"name": ["x"]}, "name must be a string, not a list"),
        ({"name": True}, "name must be a string, not true or false"),
        ({"name": "x", "limit": "many"}, "limit must be a whole number, not a string"),
        ({"name": "x", "limit": 1.5}, "limit must be a whole number, not a number"),
        ({"name": "x", "limit": True}, "limit must be a whole number, not true or false"),
        ({"name": "x", "kind": "c"}, "kind must be one of: a, b"),
        ({"name": "x", "whole": 1}, "whole must be true or false, not a number"),
        ({"name": "x", "tags": {"a": 1}}, "tags must be a list, not an object"),
        ({"name": "x", "tags": "[1"}, "tags must be a list, not a string"),
        ({"name": "x", "tags": [["a"]]}, "tags[0] must be a string, not a list"),
        ({"name": "x", "tags": ["a", None]}, "tags[1] must be a string, not null"),
        ({"name": "x", "parts": [{}]}, "parts[0].n is missing"),
        ({"name": "x", "parts": ["y"]}, "parts[0] must be an object, not a string"),
        ([1], "arguments must be an object, not a list"),
        ("x", "arguments must be an object, not a string"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_what_to_send(sent, told):
    with pytest.raises(ForewordError) as raised:
        fit(SCHEMA, sent)
    assert raised.value.message == told


def test_an_error_carries_the_description_of_what_is_missing():
    with pytest.raises(ForewordError) as raised:
        fit(SCHEMA, {})
    assert raised.value.hint == "what it is called"


# -- texts that are kept as they are sent ---------------------------------------------------------

LITERAL = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "items": {"type": "string"}},
        "query": {"type": "string"},
        "parts": {"type": "array", "items": SCHEMA["properties"]["parts"]["items"]},
        "limit": {"type": "integer", "minimum": 1},
    },
    "required": ["names"],
}


@pytest.mark.parametrize(
    ("key", "sent", "meant"),
    [
        ("names", "one, and all of it", ["one, and all of it"]),
        ("names", '["a, b", "c"]', ["a, b", "c"]),
        ("names", "[2026-03-02] moved", ["[2026-03-02] moved"]),
        ("names", "[broken", ["[broken"]),
        ("names", "", [""]),
        ("names", ["", " "], ["", " "]),
        ("names", [7], ["7"]),
        ("query", "", ""),
        ("parts", {"n": 3}, [{"n": 3}]),
        ("parts", '{"n": "3"}', [{"n": 3}]),
        ("parts", '[{"n": 3}]', [{"n": 3}]),
        ("parts", ['{"n": 3}'], [{"n": 3}]),
        ("limit", None, 0),
        ("limit", 0, 1),
    ],
)
def test_a_literal_text_is_one_item_commas_and_all(key, sent, meant):
    assert fit(LITERAL, {"names": [], key: sent}, literal=True)[key] == meant


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "names is missing"),
        ({"names": None}, "names is missing"),
        ({"names": {"a": 1}}, "names[0] must be a string, not an object"),
        ({"names": 7}, "names must be a list, not a number"),
        ({"names": [None]}, "names[0] must be a string, not null"),
        ({"names": [], "parts": "n"}, "parts[0] must be an object, not a string"),
        ({"names": [], "parts": "{n"}, "parts[0] must be an object, not a string"),
        ({"names": [], "parts": [{}]}, "parts[0].n is missing"),
    ],
)
def test_literal_texts_do_not_make_everything_fit(sent, told):
    with pytest.raises(ForewordError) as raised:
        fit(LITERAL, sent, literal=True)
    assert raised.value.message == told


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"names": ["a"], "limit": "many", "extra": 1}, []),
        ({"names": []}, []),
        ({}, ["expected array, received undefined at names"]),
        ({"names": None}, ["expected array, received null at names"]),
        ({"names": "a"}, ["expected array, received string at names"]),
        ({"names": {"a": 1}}, ["expected array, received object at names"]),
        (
            {"names": ["a", None, 1.5, True]},
            [
                "expected string, received null at names[1]",
                "expected string, received number at names[2]",
                "expected string, received boolean at names[3]",
            ],
        ),
    ],
)
def test_faults_are_told_in_the_reference_servers_words(sent, told):
    assert faults(LITERAL, sent) == ["Invalid input: " + one for one in told]


def test_faults_inside_objects_name_their_place():
    schema = {"properties": {"parts": LITERAL["properties"]["parts"]}, "required": ["parts"]}
    assert faults(schema, {"parts": [{"n": 3}]}) == []
    assert faults(schema, {"parts": [{}, 3, {"n": "3"}]}) == [
        "Invalid input: expected number, received undefined at parts[0].n",
        "Invalid input: expected object, received number at parts[1]",
        "Invalid input: expected number, received string at parts[2].n",
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from([*notes.TOOLS, *graph.tools(), *graph.tools(reference_output=True)]), st.data())
def test_arguments_fit_or_are_refused_and_never_anything_else(tool, data):
    unlisted = ["project"] if tool in notes.TOOLS else []
    names = sorted([*tool.schema["properties"], *unlisted])
    given_ = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), _JSON) | _JSON)
    try:
        fitted = tool.fit(tool.schema, given_)
    except ForewordError as refused:
        assert refused.message
        return
    assert sorted(fitted) == names
    for name, rule in tool.schema["properties"].items():
        kinds = {"string": str, "integer": int, "boolean": bool, "array": list}
        assert isinstance(fitted[name], kinds[rule["type"]])
    # A limit that nobody sent is 0, which nobody can send.
    sent = {name: value for name, value in fitted.items() if value or name != "limit"}
    assert tool.fit(tool.schema, sent) == fitted
