"""Arguments as models send them against the schemas of tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.errors import ForewordError
from foreword.server.arguments import fit
from foreword.server.notes import TOOLS

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


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(TOOLS), st.data())
def test_arguments_fit_or_are_refused_and_never_anything_else(tool, data):
    names = sorted(tool.schema["properties"])
    given_ = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), _JSON) | _JSON)
    try:
        fitted = fit(tool.schema, given_)
    except ForewordError as refused:
        assert refused.message
        return
    assert sorted(fitted) == names
    for name, rule in tool.schema["properties"].items():
        kinds = {"string": str, "integer": int, "boolean": bool, "array": list}
        assert isinstance(fitted[name], kinds[rule["type"]])
    assert fit(tool.schema, fitted) == fitted
