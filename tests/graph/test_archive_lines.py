"""Names of archive files, and their text taken apart: nothing is lost of any text, and none takes long."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.graph.archive_lines import (
    DEVICES,
    FOREIGN,
    ITEM,
    NAME_LIMIT,
    SECTION,
    _name_of,
    file_name,
    pieces,
    read_spelled,
    spelled,
    whole,
)

NAMES = st.one_of(
    st.text(st.characters(codec=None), max_size=30).map(whole),
    st.sampled_from(["", " ", "shop", "Shop", "shop backend", "shop_backend", "CON", "a" * 300]),
)


@pytest.mark.parametrize("name", ["shop", "shop-backend", "v2.4.0", "0", "a_b.c-d", "a" * 197])
def test_a_safe_name_is_the_file_s_name(name):
    assert file_name(name) == name + ".md"


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("Shop", "shop-"),
        ("shop backend", "shop-backend-"),
        ("../../etc/passwd", "etc-passwd-"),
        (".hidden", "hidden-"),
        ("con", "con-"),
        ("lpt1.txt", "lpt1-txt-"),
        ("shop-0a1b2c3d", "shop-0a1b2c3d-"),
        ("Übung", "übung-"),
        ("数据库 设计", "数据库-设计-"),
        ("", "entity-"),
        ("...", "entity-"),
        ("a" * 198, "a" * 100 + "-"),
    ],
)
def test_another_name_gets_its_letters_and_digits_of_its_own(name, begins):
    made = file_name(name)
    assert made.startswith(begins)
    assert len(made) == len(begins) + 8 + len(".md")


@given(st.lists(NAMES, min_size=2, max_size=2, unique=True))
def test_two_names_never_share_a_file_whatever_the_file_system_folds(pair):
    def folded(name):
        return unicodedata.normalize("NFD", unicodedata.normalize("NFC", name).casefold()).casefold()

    assert folded(file_name(pair[0])) != folded(file_name(pair[1]))


@given(NAMES)
def test_a_file_name_is_one_that_every_file_system_takes(name):
    made = file_name(name)
    assert len(made.encode()) <= NAME_LIMIT
    assert made.endswith(".md")
    assert not made.startswith((".", "-", " "))
    assert not set(made) & set('/\\:*?"<>| \x00\n')
    assert made.partition(".")[0] not in DEVICES
    assert made == unicodedata.normalize("NFC", made)


@given(st.text('ab #-`"\n\r\ufefffrom', max_size=80), st.sampled_from(["shop", "my_app", "ab"]))
def test_the_pieces_of_any_text_are_that_text(text, stem):
    assert "".join(piece.raw for piece in pieces(text, stem)) == text


@given(st.one_of(st.text(st.characters(codec=None)), st.sampled_from(['"a"', '"', "# a", "- a"])).map(whole))
def test_what_is_spelled_is_one_line_and_reads_as_it_was(text):
    assert len(spelled(text).splitlines()) == 1
    assert read_spelled(spelled(text)) == text


MANY = 150_000
COMPACTED = "## compacted 2026-03-02 from `shop`\n"


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (COMPACTED + "- a\n" + "b\n" * MANY, ["\n".join(["a", *["b"] * MANY])]),
        (COMPACTED + "- a\n" + "\n\nb\n" * MANY, ["\n".join(["a", *["", "", "b"] * MANY])]),
        ("# shop\n- a\n" + "  b\n" * MANY, ["\n".join(["a", *["b"] * MANY])]),
        (COMPACTED + "- a\n" + "\n" * MANY + "b\n", ["a" + "\n" * (MANY + 1) + "b"]),
        ("# shop\n" + "- a\n" * MANY, ["a"] * MANY),
    ],
    ids=["lines", "lines-apart", "ours", "empty-lines", "items"],
)
def test_an_item_of_very_many_lines_is_read(text, texts):
    """Each line was put to all of those before it: minutes of an agent's first call."""
    found = pieces(text, "shop")
    assert "".join(piece.raw for piece in found) == text
    assert [piece.text for piece in found if piece.kind == ITEM] == texts


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## compacted 2026-03-02" + " from `x" * MANY, None),
        ("## compacted 2026-03-02" + " from `" * MANY + "x` ", " from `" * (MANY - 1) + "x"),
        ("## " + "2026-3-" * MANY + " from `x`", None),
        ("## compacted 2026-03-02 from `x" + " " * MANY + "y", None),
    ],
    ids=["open", "closed", "days", "spaces"],
)
def test_a_heading_of_great_length_is_read(heading, name):
    (piece,) = pieces(heading, "shop")
    assert (piece.kind, piece.raw) == (FOREIGN if name is None else SECTION, heading)
    assert name is None or _name_of(heading) == name


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## why 2026-03-02 10:00:00 from `shop`", "shop"),
        ("## 2026-03-02-100000 from entity `a `b` c`  ", "a `b` c"),
        ("## from Ann from 2026-03-02 from `a from `b`", "a from `b"),
        ("## 2026-03-02 from ``", ""),
        ("## 2026-03-02 from `", None),
        ("## 2026-03-02 from `a` and more", None),
        ("## what I got from `shop`", None),
        ("## old from `shop` 2026-03-02 from `b`", None),
        ("## 2026-03-02", None),
    ],
)
def test_a_heading_of_memory_lean_s_has_a_day_and_a_name(heading, name):
    assert _name_of(heading) == name
