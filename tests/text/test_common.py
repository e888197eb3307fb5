"""The background table: what it says of words, and that its script writes what it counts."""

import importlib.util
import os
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import common, words

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="module")
def background():
    spec = importlib.util.spec_from_file_location("background", os.path.join(TOP, "bench", "background.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def running(source):
    """What the source of a table defines."""
    names = {}
    exec(compile(source, "common.py", "exec"), names)
    return names


def near(share):
    """A share as the table keeps it: in steps of 5 %."""
    return pytest.approx(share, rel=0.03)


def test_it_holds_thousands_of_terms_each_with_a_share():
    table = common.table()
    assert 4_500 < len(table) <= 5_000
    assert all(0 < share < 1 for share in table.values())


def test_every_term_is_a_word_as_the_tokeniser_leaves_it():
    for term in common.table():
        assert re.fullmatch(r"\^?\w+", term)
        assert term == term.lower()
        assert len(term) <= words.LONGEST


def test_a_term_has_the_same_share_asked_alone_and_in_the_whole_table():
    assert {term: common.share(term) for term in common.table()} == common.table()


def test_a_term_stands_in_one_place_only():
    listed = f"{common._TERMS} {common._EASTERN}".split()
    terms = [word for word in listed if word[0] not in ":="]
    assert len(terms) == len(set(terms)) == len(common.table())


@pytest.mark.parametrize(
    "term", ["", "e", "x", "zzqqx", "foreword", "é", "überladen", "鬱鬱", "ck", "nge", "12345678"]
)
def test_what_is_not_in_it_has_the_share_0(term):
    assert common.share(term) == 0.0


@given(st.text())
def test_whatever_is_asked_its_share_is_one(text):
    for term in words.terms(text):
        assert 0 <= common.share(term) < 1


def test_what_agents_are_asked_in_is_usual():
    for term in words.USUAL_STEMS:
        assert common.share(term) >= words.USUAL_SHARE * 0.97, term


@pytest.mark.parametrize(
    ("usual", "rarer"),
    [
        ("return", "transaction"),
        ("error", "timeout"),
        ("fix", "regression"),
        ("file", "symlink"),
        ("使用", "配置"),
    ],
)
def test_a_usual_word_has_a_greater_share_than_a_telling_one(usual, rarer):
    usual, rarer = words.terms(usual)[-1], words.terms(rarer)[-1]  # a pair comes behind its characters
    assert common.share(usual) > 3 * common.share(rarer) > 0


@pytest.mark.parametrize(
    "name", ["sqlalchemy", "knex", "cesium", "viem", "undici", "appium", "cocotb", "leveldown"]
)
def test_names_of_the_projects_it_was_made_from_are_no_usual_words(name):
    assert common.share(name) < 0.003


TERMS = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=9) | st.text(
    "ひらがな漢字", min_size=2, max_size=2
)


@given(st.dictionaries(TERMS, st.floats(0.001, 0.9), min_size=1))
def test_what_is_counted_is_what_the_written_table_says(background, shares):
    written = running(background.module(shares))
    assert written["table"]().keys() == shares.keys()
    for term, share in shares.items():
        assert written["share"](term) == near(share)


def test_the_table_is_written_in_lines_that_fit(background):
    shares = {f"{first}{n}": 0.5 / (n + 1) for first in "abc" for n in range(300)}
    assert max(map(len, background.module(shares).splitlines())) <= background.WIDTH


def test_the_table_holds_what_the_script_would_write(background):
    with open(background.TABLE, encoding="utf-8") as f:
        text = f.read()
    head, _, rest = text.partition("_TOP, _STEP")
    wanted = background.module(common.table())
    assert wanted.partition("_TOP, _STEP")[0] == head
    assert wanted.partition('"""\n\n_rows')[2] == rest.partition('"""\n\n_rows')[2]


@pytest.mark.parametrize(
    ("licence", "may"),
    [
        ("MIT", True), ("Apache-2.0 OR MIT", True), ("MIT OR GPL-2.0-only", True),
        ("BSD-3-Clause AND MIT", True), ("MIT AND GPL-2.0-only", False), ("GPL-3.0-or-later", False),
        ("MPL-2.0", False),
        ("SEE LICENSE IN x", False), ("", False),
    ],
)  # fmt: skip
def test_only_a_permissive_licence_may_ship(background, licence, may):
    assert background.may_ship(licence) is may


def test_no_project_dominates_and_a_name_of_one_counts_little(background):
    many = [frozenset({"add", "loud"})] * 1000
    few = [frozenset({"add"}), frozenset({"quiet", "loud"})]
    found = background.shares([many, few, few])
    assert found["add"] == pytest.approx((0.5 + 0.5 + 0.5) / 3)  # the greatest counts as the second does
    assert found["quiet"] == pytest.approx(1 / 3)
    assert "alone" not in background.shares([[frozenset({"alone"})], few])


def test_what_tools_put_into_change_logs_is_no_text(background):
    entry = "- Fix the [cache](https://example.com/x) (#123) 018d5605fb23 thanks to @someone and @scope/name"
    assert words.terms(background.clean(entry)) == ["fix", "cach", "scop", "name"]


def test_entries_sections_and_comments_are_texts_of_their_own(background):
    changes = "# 2.0\n\n- Add a\n  b\n- Fix c\n"
    assert background.pieces("package/CHANGELOG.md", changes)[0] == "changes"
    assert [p.strip() for p in background.pieces("CHANGES.md", changes)[1]] == [
        "# 2.0",
        "- Add a\n  b",
        "- Fix c",
    ]
    assert background.pieces("docs/a.md", "# A\nx\n## B\ny") == ("pages", ["# A\nx", "## B\ny"])
    assert background.pieces("a.py", '"""Top."""\n\n\ndef f():\n    "One."\n') == (
        "comments",
        ["Top.", "One."],
    )
    source = "/// one\n/// two\nint a;\n/** three\n * four */\nint b; // five\n"
    assert [p.split() for p in background.pieces("a.h", source)[1]] == [["one", "two"], ["three", "four"]]
    assert background.pieces("a.png", "") == ("", [])
