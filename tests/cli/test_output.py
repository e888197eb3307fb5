"""How text is made to fit a terminal."""

import string
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from foreword.cli.output import cells, fit, wrapped

TEXTS = st.text(alphabet=string.ascii_letters + " .,-é数据库🦓e\u0301", max_size=120)
WIDTHS = st.integers(min_value=4, max_value=60)


@given(TEXTS, WIDTHS)
def test_what_fits_stays_and_what_does_not_ends_in_an_ellipsis(text, most):
    shown = fit(text, most)
    assert cells(shown) <= most
    if cells(text) <= most:
        assert shown == text
    else:
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])
        assert text[len(shown) - 1 :].startswith(" ") or cells(shown) >= most - 1


@given(TEXTS, WIDTHS, st.integers(min_value=1, max_value=4))
def test_wrapped_lines_fit_and_hold_the_text_from_its_start(text, most, lines):
    text = " ".join(text.split())
    found = wrapped(text, most, lines)
    assert len(found) <= lines
    assert all(cells(line) <= most for line in found)
    assert all(line and line == line.strip() for line in found)
    told = "".join(found).removesuffix("…").replace(" ", "")
    assert text.replace(" ", "").startswith(told)
    if not "".join(found).endswith("…"):
        assert told == text.replace(" ", "")


def test_lines_break_between_words():
    assert wrapped("one two three four five", 9, lines=3) == ["one two", "three", "four five"]
    assert wrapped("one two three four five", 9, lines=2) == ["one two", "three fo…"]
    assert wrapped("onetwothreefour", 9, lines=2) == ["onetwothr", "eefour"]


def test_wide_letters_take_two_columns_and_marks_none():
    assert cells("数据") == 4
    assert cells(unicodedata.normalize("NFD", "é")) == 1
    assert fit("数据库的", 6) == "数据…"
    assert wrapped("AAA库\u0301", 4, lines=2) == ["AAA", "库\u0301"]
