"""What a text cites of a file: lines and names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.marks import marks

PATH = "src/auth.py"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("src/auth.py:42 is wrong", [(42, "")]),
        ("`src/auth.py:42`", [(42, "")]),
        ("src/auth.py:42:7: error", [(42, "")]),
        ("`src/auth.py:42-61`", [(42, ""), (61, "")]),
        ("src/auth.py#L42", [(42, "")]),
        ("src/auth.py#L42-L61.", [(42, ""), (61, "")]),
        ("src/auth.py(42)", [(42, "")]),
        ("src/auth.py(42,7): error", [(42, "")]),
        ("`src/auth.py`:42", [(42, "")]),
        ("src/auth.py::Client::send", [(0, "Client.send")]),
        ("tests in src/auth.py::test_login pass", [(0, "test_login")]),
        ("line 42 of src/auth.py", [(42, "")]),
        ("src/auth.py, line 42", [(42, "")]),
        ("lines 40-61 in `src/auth.py`", [(40, ""), (61, "")]),
        ("src/auth.py (lines 40 to 61)", [(40, ""), (61, "")]),
        ("src/auth.py の 42 行目", [(42, "")]),
        ("src/auth.py 第42行", [(42, "")]),
        ("`refresh_token()` in src/auth.py", [(0, "refresh_token")]),
        ("`refresh_token` in src/auth.py", [(0, "refresh_token")]),
        ("refresh_token() in src/auth.py", [(0, "refresh_token")]),
        ("`Client.send(text)` in src/auth.py", [(0, "Client.send")]),
        ("`Client::send` in src/auth.py", [(0, "Client.send")]),
        ("`refresh_token()` in src/auth.py:42", [(42, "")]),
        ("src/auth.py:9 and src/auth.py:2", [(9, ""), (2, "")]),
        ("src/auth.py", []),
        ("src/auth.py: see below", []),
        ("src/auth.py.\n\nAnother matter is `send()`.", []),
        ("src/auth.py:0", []),
        ("src/auth.python:3", []),
        ("xsrc/auth.py:3", []),
        ("src/auth.py and `x` and `ok`", []),
    ],
)
def test_lines_and_names_are_found_as_people_and_agents_write_them(text, found):
    assert marks(text, [PATH]) == found


def test_a_line_far_away_is_not_about_the_file():
    assert marks(PATH + " " + "x" * 200 + " line 42", [PATH]) == []


def test_every_spelling_of_a_file_counts():
    assert marks("./src/auth.py:1, auth.py:2", ["./src/auth.py", "auth.py"]) == [(1, ""), (2, "")]


def test_a_text_of_lines_costs_a_bounded_number_of_marks():
    assert len(marks(" ".join(f"{PATH}:{n}" for n in range(1, 5_000)), [PATH])) <= 12


@given(st.text(max_size=150), st.integers(1, 9_999_999), st.text(max_size=150))
def test_a_line_right_behind_a_path_is_found_in_any_text(before, line, behind):
    if behind[:1].isdigit() or PATH in before + behind:
        return
    assert (line, "") in marks(f"{before} {PATH}:{line} {behind}", [PATH])


@given(st.text(st.sampled_from("ab`():#-L12 \n.lines行第/"), max_size=200))
def test_no_text_makes_it_fail(text):
    for line, name in marks(text + PATH + text, [PATH]):
        assert bool(line) != bool(name)
