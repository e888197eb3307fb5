"""TOML is read by its tables, wherever they stand, and refused with a place where it is malformed."""

import math
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from edit.toml_texts import NASTY, OURS_PATH, documents, is_valid, values
from foreword.edit import jsonc, toml
from foreword.errors import ForewordError

# -- reading -------------------------------------------------------------------------------------


def test_headers_are_found_among_strings_and_arrays_that_look_like_them():
    found = toml.headers(NASTY)
    start, hooks = ("hooks", "SessionStart"), ("hooks", "SessionStart", "hooks")
    assert [(header.path, header.is_array) for header in found] == [
        (("projects", '/home/u/a "b".c'), False),
        (start, True),
        (hooks, True),
        (hooks, True),
        (start, True),
        (hooks, True),
        (("hooks", "state", "/home/u/.codex/hooks.json:session_start:0:0"), False),
        (("mcp_servers", "probe", "env"), False),
        (("tui",), False),
        (("mcp_servers", "probe"), False),
    ]


def test_a_header_says_which_element_of_an_array_it_is():
    found = [header for header in toml.headers(NASTY) if header.is_array]
    assert [header.at[2:] for header in found] == [
        (0,),
        (0, "hooks", 0),
        (0, "hooks", 1),
        (1,),
        (1, "hooks", 0),
    ]
    assert [toml.at_path(toml.parse(NASTY), header.at).get("type") for header in found] == [
        None,
        "command",
        "mcp_tool",
        None,
        "command",
    ]


def test_a_table_goes_from_its_header_to_its_last_key():
    texts = {header.path[-1]: NASTY[header.start : header.end] for header in toml.headers(NASTY)}
    assert texts['/home/u/a "b".c'].startswith('  [projects."/home')
    assert texts['/home/u/a "b".c'].endswith('"trusted"\n')
    assert texts["/home/u/.codex/hooks.json:session_start:0:0"].endswith('"sha256:7011"\n')
    assert texts["tui"] == "[tui]\n"
    assert texts["probe"] == "[mcp_servers.probe]\ncommand = 'C:\\probe'\n"


def test_comments_inside_a_table_are_part_of_it():
    text = "[a]\n# one\nx = 1\n# two\n\ny = 2 # three\n# of b\n[b]\n"
    header = toml.headers(text)[0]
    assert text[header.body : header.end] == "# one\nx = 1\n# two\n\ny = 2 # three\n"


PIECES = """[a]  [[b]]  [b.c]  ["d.e"]  x=  y=  z.w =  "  '  [  ]  {  }  ,  #  \\  1  k=1"""
FRAGMENTS = st.sampled_from([*PIECES.split("  "), '"""', "'''", "\n", "\n", "\r\n", " ", "[\n", "\ufeff"])


@given(documents() | st.lists(FRAGMENTS, max_size=14).map("".join))
def test_what_python_reads_falls_into_its_tables_and_back_together(text):
    assume(is_valid(text))
    found = toml.headers(text)
    assert toml.append(text, "[zz]").count("[zz]") == 1  # raises if the tables are not the values
    ends = [header.end for header in found]
    assert all(end <= header.start for end, header in zip(ends, found[1:], strict=False))
    for header in found:
        assert isinstance(toml.at_path(toml.parse(text), header.at), dict)
        assert text[header.start : header.end].lstrip(" \t").startswith("[")
        alone = values(text[header.body : header.end])
        within = toml.at_path(toml.parse(text), header.at)
        assert alone.keys() <= within.keys()


@given(st.lists(FRAGMENTS, max_size=10).map("".join) | st.text(max_size=10))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text):
    try:
        toml.parse(text)
    except jsonc.MalformedError as error:
        lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        assert error.what


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("a = 1\nb = \n", 2, 5, "value"),
        ("a = 1\nb 2\n", 2, 3, "expected '='"),
        ("a = 1 2\n", 1, 7, "newline"),
        ("\n  = 1\n", 2, 3, "statement"),
        ("a = 1\n\na = 2\n", 3, 6, "overwrite"),
        ("[a]\n[a]\n", 2, 3, "twice"),
        ("a = {}\n[a.b]\n", 2, 5, "overwrite|twice"),
        ("[[a]]\n[a]\n", 2, 3, "overwrite|twice|namespace"),
        ("[a\nx = 1\n", 1, 3, "expected ']'"),
        ("x = 1\na.", 2, 3, "key"),
        ("x = 1\n [a", 2, 2, "'\\[' is never closed"),
        ("x = [\n  [1, '[', # [\n  2],\n", 1, 5, "'\\[' is never closed"),
        ("a = 1\nx = [1,\n[b]\ny = 2\n", 3, 2, "invalid value"),
        ("x = { a = 1\n", 1, 12, "unclosed"),
        ('x = "abc\n', 1, 9, "illegal character"),
        ("x = 'abc\n", 1, 5, "a string is never closed"),
        ('y = 1\nx = """abc\n"z = 1\n[a]\n', 2, 5, "a string is never closed"),
        ("y = 1\nx = '''abc\n[a]\n", 2, 5, "a string is never closed"),
        ('x = "\\q"\n', 1, 7, "unescaped"),
        ("x = 2026-02-30\n", 1, 5, "date"),
        ("x = 1\rb", 1, 6, "newline"),
        ("# \x00\n", 1, 3, "illegal|invalid"),
    ],
)
def test_each_kind_of_mistake_is_refused_with_its_place(text, line, column, what, newline):
    text = text.replace("\n", newline)
    with pytest.raises(jsonc.MalformedError) as raised:
        toml.headers(text)
    error = raised.value
    assert (error.line, abs(error.column - column) <= 1) == (line, True), str(error)
    assert re.search(what, error.what), error.what
    assert "(at" not in error.what
    with pytest.raises(jsonc.MalformedError) as behind_bom:
        toml.headers("\ufeff" + text)
    assert str(behind_bom.value) == str(error)


def test_a_text_too_deep_to_read_is_refused():
    with pytest.raises(jsonc.MalformedError, match="deep"):
        toml.parse("x = " + "[" * 100_000)
    with pytest.raises(jsonc.MalformedError):
        toml.parse("x = " + "9" * 10_000)


def test_values_are_those_of_tomllib_and_a_bom_is_none():
    assert toml.parse("\ufeffx = 1.5\r\n") == {"x": 1.5}
    assert math.isnan(toml.parse(NASTY)["quo.ted"]['li"t']["bare"])
    assert toml.parse("") == {}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", ""),
        ("[mcp_servers]\n", ""),
        ("[mcp_servers.other]\nforeword = 1\n", ""),
        ('x = "[mcp_servers.foreword]"\n# [mcp_servers.foreword]\n', ""),
        ("[mcp_servers.foreword]\n", "table"),
        ("[ \"mcp_servers\" . 'foreword' ]\n", "table"),
        ("[mcp_servers.foreword.env]\nA = ''\n", "table"),
        ("[[mcp_servers.foreword]]\n", "table"),
        ("mcp_servers = { foreword = { command = 'x' } }\n", "inline"),
        ("mcp_servers.foreword.command = 'x'\n", "inline"),
        ("[mcp_servers]\nforeword = { command = 'x' }\n", "inline"),
        ("[mcp_servers]\n'foreword'.command = 'x'\n", "inline"),
        ("mcp_servers.foreword.command = 'x'\n[mcp_servers.foreword.env]\n", "inline"),
        ("mcp_servers = 1\n", ""),
    ],
)
def test_a_path_is_found_in_whatever_form_it_is_given(text, form):
    assert toml.form(text, OURS_PATH) == form


# -- writing -------------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_strings_come_back_as_they_were(texts):
    assert toml.parse("x = " + toml.array(texts)) == {"x": texts}
    assert "\n" not in toml.array(texts)
    for text in texts:
        (header,) = toml.headers("[a." + toml.dotted([text]) + "]")
        assert header.path == ("a", text)


def test_every_ascii_character_can_be_written():
    text = "".join(map(chr, range(128)))
    assert toml.parse("x = " + toml.string(text)) == {"x": text}


def test_keys_are_quoted_only_where_they_must_be():
    path = ("hooks", "state", "/home/u/.codex/hooks.json:stop:0:0", "a-b_1", "")
    assert toml.dotted(path) == 'hooks.state."/home/u/.codex/hooks.json:stop:0:0".a-b_1.""'


def test_what_is_not_unicode_is_refused():
    with pytest.raises(ForewordError, match="not Unicode"):
        toml.string("/tmp/\udcff")
