"""Texts of JSON with comments as people write them, and what plain values say after the same edit."""

import json

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
KEYS = st.sampled_from("abcdef") | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcdef"), VALUES, max_size=5)


@st.composite
def written(draw, value):
    """A value in a style of somebody's own: white space, comments, trailing commas."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    blank = st.sampled_from(["", "", " ", "  ", "\t", newline, newline + "  ", newline * 2 + "\t"])
    comment = st.sampled_from(["/* c */", "/**/", '/* , } " */', "// c, ]" + newline, "/*" + newline + "*/"])
    gap = st.lists(st.one_of(blank, blank, blank, comment), max_size=2).map("".join)

    def write(value):
        if not isinstance(value, (list, dict)):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        parts = []
        for item in value:
            name = (
                json.dumps(item) + draw(gap) + ":" + draw(gap) + write(value[item])
                if isinstance(value, dict)
                else write(item)
            )
            parts.append(draw(gap) + name + draw(gap))
        text = ",".join(parts)
        if parts and draw(st.booleans()):
            text += "," + draw(gap)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return opening + (text or draw(gap)) + closing

    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return bom + draw(gap) + write(value) + draw(gap)


documents = OBJECTS.flatmap(lambda value: st.tuples(st.just(value), written(value)))


@st.composite
def documents_and_paths(draw):
    """(value, text, a path of keys through it that may end at nothing)."""
    value, text = draw(documents)
    path = []
    at = value
    while isinstance(at, dict):
        key = draw(st.sampled_from([*at, "new", 'neu ünd " ']))
        path.append(key)
        at = at.get(key)
        if draw(st.booleans()):
            break
    return value, text, path


def with_value(value, path, new):
    """What a plain dict says after the same edit."""
    if not path:
        return new
    return {**value, path[0]: with_value(value.get(path[0], {}), path[1:], new)}


def depth_of(value, path):
    """How much of a path is there."""
    for n, key in enumerate(path):
        if not isinstance(value, dict) or key not in value:
            return n
        value = value[key]
    return len(path)
