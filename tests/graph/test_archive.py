"""The archive of observations: what is written is read back exactly, and what people wrote there
stays as it is."""

import os
import stat

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from foreword import files
from foreword.errors import ForewordError
from foreword.graph.archive import Archive, file_name
from foreword.graph.archive_lines import whole

# Every code point, halves of characters too; two halves side by side are one character, in JSON as well.
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=30).map(whole),
    st.text("ab \n\r\t\"\\#-–é\ufeff\u2028\ud800'`", max_size=12).map(whole),
    st.sampled_from(["", " ", "- a", "# b", "## c", '"d"', "a\n\nb", "a\n- b", "e\r", "\ufefff"]),
)
NAMES = st.one_of(TEXTS, st.sampled_from(["shop", "Shop", "shop backend", "shop_backend", "CON", "a" * 300]))
FIXTURES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "archive")


def put(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def got(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read().decode()


def names(folder):
    return sorted(os.listdir(folder))


# -- writing and reading back ------------------------------------------------------------------


@FIXTURES
@given(st.dictionaries(NAMES, st.lists(TEXTS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_what_was_archived_is_read_back_exactly(tmp_path, told):
    folder = str(tmp_path / os.urandom(6).hex())
    written = Archive(folder)
    for name, texts in told.items():
        written.add(name, texts)
    wanted = {name: list(dict.fromkeys(texts)) for name, texts in told.items()}
    assert Archive(folder).entries() == wanted
    for name in told:
        assert Archive(folder).of(name) == wanted[name]


@FIXTURES
@given(NAMES, st.lists(TEXTS, min_size=1, max_size=6, unique=True), st.data())
def test_taking_out_leaves_the_rest_and_at_last_no_file(tmp_path, name, texts, data):
    folder = str(tmp_path / os.urandom(6).hex())
    store = Archive(folder)
    store.add(name, texts)
    out = data.draw(st.lists(st.sampled_from(texts), unique=True))
    assert store.remove(name, [*out, "not there"]) == out
    assert store.of(name) == [text for text in texts if text not in out]
    assert store.drop(name) == len(texts) - len(out)
    assert names(folder) == []


@FIXTURES
@given(
    st.text('ab #-`"\n', max_size=60).map(lambda text: "x" + text.rstrip("\n") + "\n"),
    st.lists(TEXTS, min_size=1, max_size=3, unique=True),
)
def test_adding_to_a_file_of_somebody_s_and_taking_out_again_gives_its_lines_back(tmp_path, text, texts):
    folder = str(tmp_path / os.urandom(6).hex())
    assume("\n# shop\n" not in text)
    put(folder, "shop.md", text)
    store = Archive(folder)
    there = store.of("shop")
    new = [t for t in texts if t not in there]
    store.add("shop", texts)
    assert set(store.of("shop")) == {*there, *new}
    assert store.remove("shop", new) == new
    assert [line for line in got(folder, "shop.md").split("\n") if line] == [
        line for line in text.split("\n") if line
    ]
    assert store.of("shop") == there


def test_a_file_reads_well(folder):
    store = Archive(folder)
    store.add("shop backend", ["2026-01-01: deployed 1.0", "two\nlines"])
    store.add("shop backend", ["2026-01-02: deployed 1.1", "2026-01-01: deployed 1.0"])
    assert got(folder, file_name("shop backend")) == (
        '# shop backend\n\n- 2026-01-01: deployed 1.0\n- "two\\nlines"\n- 2026-01-02: deployed 1.1\n'
    )


def test_an_observation_is_archived_once(folder):
    store = Archive(folder)
    store.add("shop", ["a", "a"])
    store.add("shop", ["a"])
    assert got(folder, "shop.md") == "# shop\n\n- a\n"


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_the_folder_and_its_files_are_private(folder):
    Archive(folder).add("shop", ["a"])
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(os.path.join(folder, "shop.md")).st_mode) == 0o600


def test_nothing_archived_is_no_folder(folder):
    store = Archive(folder)
    assert store.entries() == {}
    assert store.of("shop") == []
    assert store.remove("shop", ["a"]) == []
    assert store.drop("shop") == 0
    store.rename("shop", "store")
    store.add("shop", [])
    assert not os.path.exists(folder)


def test_a_file_that_changed_is_read_anew(folder):
    store = Archive(folder)
    store.add("shop", ["a"])
    assert store.entries() == {"shop": ["a"]}
    assert store.entries() is store.entries()
    put(folder, "shop.md", "# shop\n\n- a\n- by hand\n")
    assert store.entries() == {"shop": ["a", "by hand"]}
    os.unlink(os.path.join(folder, "shop.md"))
    assert store.entries() == {}


def test_a_change_is_seen_after_it_was_made(folder):
    store = Archive(folder)
    store.add("shop", ["a", "b"])
    assert store.of("shop") == ["a", "b"]
    store.remove("shop", ["a"])
    assert store.of("shop") == ["b"]
    assert store.entries() == {"shop": ["b"]}


def test_two_halves_of_a_character_are_that_character(folder):
    store = Archive(folder)
    store.add("a \ud83d\ude00", ["\ud83d\ude00", "\ud83d"])
    assert store.entries() == {"a 😀": ["😀", "\ud83d"]}
    assert store.of("a \ud83d\ude00") == ["😀", "\ud83d"]
    assert store.remove("a \ud83d\ude00", ["\ud83d\ude00"]) == ["😀"]
    assert store.of("a 😀") == ["\ud83d"]


def test_several_entities_are_archived_at_once(folder):
    store = Archive(folder)
    store.add("shop", ["a"])
    store.add_all({"shop": ["a", "b"], "Shop": ["c"], "none": []})
    assert store.entries() == {"shop": ["a", "b"], "Shop": ["c"]}
    assert names(folder) == sorted([file_name("Shop"), "shop.md"])


# -- names that change -------------------------------------------------------------------------


def test_an_archive_follows_its_entity(folder):
    store = Archive(folder)
    store.add("shop", ["a", "b"])
    store.add("Store", ["b", "c"])
    store.rename("shop", "Store")
    assert store.entries() == {"Store": ["b", "c", "a"]}
    assert names(folder) == [file_name("Store")]


def test_a_rename_to_itself_changes_nothing(folder):
    store = Archive(folder)
    store.add("shop", ["a"])
    store.rename("shop", "shop")
    assert store.entries() == {"shop": ["a"]}


def test_two_names_with_one_file_name_live_in_it_together(folder):
    """Digits of a hash may meet, and people put headings where they like."""
    put(folder, "shop.md", "# shop\n\n- a\n\n# Store\n\n- b\n")
    store = Archive(folder)
    assert store.entries() == {"shop": ["a"], "Store": ["b"]}
    store.add("shop", ["c"])
    assert got(folder, "shop.md") == "# shop\n\n- a\n- c\n\n# Store\n\n- b\n"
    assert store.drop("shop") == 2
    assert got(folder, "shop.md").strip() == "# Store\n\n- b"


# -- edited by hand ----------------------------------------------------------------------------


def test_lines_of_people_stay_where_they_are(folder):
    mine = "A remark.\n\n# shop\n\nMore about it.\n\n- a\n-   b  \n\nThe end, without a newline"
    put(folder, "shop.md", mine)
    store = Archive(folder)
    assert store.of("shop") == ["a", "b"]
    store.add("shop", ["c"])
    assert got(folder, "shop.md") == mine.replace("-   b  \n", "-   b  \n- c\n")
    assert store.remove("shop", ["a", "b", "c"]) == ["a", "b", "c"]
    assert got(folder, "shop.md") == "A remark.\n\n# shop\n\nMore about it.\n\n\nThe end, without a newline"
    store.add("shop", ["d"])
    assert store.of("shop") == ["d"]


def test_of_a_dropped_entity_no_name_and_no_observation_stays(folder):
    put(
        folder,
        "shop.md",
        "A remark.\n\n# shop\n\n- a\n  and more of it\n\nKept.\n\n## old 2026-03-02 from `shop`\n- b\n",
    )
    store = Archive(folder)
    assert store.entries() == {"shop": ["a\nand more of it", "b"]}
    assert store.drop("shop") == 2
    assert [line for line in got(folder, "shop.md").split("\n") if line] == ["A remark.", "Kept."]


@pytest.mark.parametrize(
    "text",
    [
        "# my_app\n\n- kept\n# my/app\nA remark.\n- gone\n",
        "# my_app\n\n- kept\n## old 2026-03-02 from `my/app`\nA remark.\n- gone\n",
        "\n## old 2026-03-02 from `my_app`\n- kept\n\n## old 2026-03-02 from `my/app`\nA remark.\n- gone\n",
    ],
)
def test_what_stays_of_a_dropped_entity_s_lines_joins_no_other_observation(folder, text):
    put(folder, "my_app.md", text)
    store = Archive(folder)
    assert store.drop("my/app") == 1
    assert store.entries() == {"my_app": ["kept"]}
    assert "A remark.\n" in got(folder, "my_app.md")
    assert "my/app" not in got(folder, "my_app.md")


def test_a_windows_file_keeps_its_line_ends_and_mark(folder):
    put(folder, "shop.md", "\ufeff# shop\r\n\r\n- a\r\n- b\r\n\r\nA remark.\r\n")
    store = Archive(folder)
    assert store.of("shop") == ["a", "b"]
    store.add("shop", ["c"])
    store.remove("shop", ["a"])
    assert got(folder, "shop.md") == "\ufeff# shop\r\n\r\n- b\r\n- c\r\n\r\nA remark.\r\n"
    store.drop("shop")
    assert got(folder, "shop.md").split("\r\n") == ["\ufeff", "", "", "A remark.", ""]


def test_a_last_line_without_its_end_gets_one(folder):
    put(folder, "shop.md", "# shop\n\n- a")
    store = Archive(folder)
    store.add("shop", ["b"])
    assert got(folder, "shop.md") == "# shop\n\n- a\n- b\n"


def test_bytes_that_are_no_utf8_are_reported_and_stay(folder):
    put(folder, "shop.md", b"# shop\n\n- a\n- caf\xe9\n- b\n")
    store = Archive(folder)
    assert store.entries() == {"shop": ["a", "b"]}
    assert store.unreadable == [("shop.md", "line 4 is not UTF-8")]
    store.add("shop", ["c"])
    store.remove("shop", ["a"])
    with open(os.path.join(folder, "shop.md"), "rb") as f:
        assert f.read() == b"# shop\n\n- caf\xe9\n- b\n- c\n"
    assert store.drop("shop") == 3
    assert names(folder) == []
    assert store.entries() == {}
    assert store.unreadable == []


def test_what_is_no_archive_file_is_passed_over(folder):
    for name in (".shop.md.tmp.md", "shop.md.bak", "readme.txt"):
        put(folder, name, "# shop\n\n- a\n")
    os.mkdir(os.path.join(folder, "inner.md"))
    os.symlink("nowhere", os.path.join(folder, "gone.md"))
    store = Archive(folder)
    assert store.entries() == {}
    assert store.unreadable == []


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_a_link_stays_one_and_a_pipe_is_not_waited_for(folder, tmp_path):
    put(folder, "other.md", "")
    put(str(tmp_path), "elsewhere", "# shop\n\n- a\n")
    os.symlink(str(tmp_path / "elsewhere"), os.path.join(folder, "shop.md"))
    os.mkfifo(os.path.join(folder, "pipe.md"))
    store = Archive(folder)
    store.add("shop", ["b"])
    assert os.path.islink(os.path.join(folder, "shop.md"))
    assert got(str(tmp_path), "elsewhere") == "# shop\n\n- a\n- b\n"


def test_a_file_that_cannot_be_written_is_told(folder):
    os.makedirs(os.path.join(folder, "shop.md"))
    with pytest.raises(ForewordError) as told:
        Archive(folder).add("shop", ["a"])
    assert os.path.join(folder, "shop.md") in told.value.message
    assert told.value.hint


def test_a_folder_that_is_a_file_is_told(folder):
    with open(folder, "w") as f:
        f.write("mine")
    with pytest.raises(ForewordError):
        Archive(folder).add("shop", ["a"])
    assert files.read(folder) == b"mine"
