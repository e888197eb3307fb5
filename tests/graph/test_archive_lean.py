"""Archives of memory-lean: read as they are, and nothing cut of them but what was asked for."""

import os
import unicodedata

import pytest

from foreword.graph.archive import Archive, file_name

LEAN = """
## auto-archived (over cap) 2026-03-02 10:00:00 from `shop backend`
- 2026-01-01: deployed 1.0
- 2026-01-02: two lines
of one observation

after an empty one

## compacted 2026-04-02 10:00:00 from `shop/backend`
- 2026-01-03: of another entity
- "quoted" as it stands
"""


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


TWO_LINES = "2026-01-02: two lines\nof one observation\n\nafter an empty one"


def test_archives_of_memory_lean_are_read(folder):
    put(folder, "shop_backend.md", LEAN)
    store = Archive(folder)
    assert store.entries() == {
        "shop backend": ["2026-01-01: deployed 1.0", TWO_LINES],
        "shop/backend": ["2026-01-03: of another entity", '"quoted" as it stands'],
    }
    assert store.unreadable == []


def test_taking_out_of_memory_lean_s_cuts_its_lines_alone(folder):
    put(folder, "shop_backend.md", LEAN)
    store = Archive(folder)
    assert store.remove("shop backend", [TWO_LINES]) == [TWO_LINES]
    first = (
        "\n## auto-archived (over cap) 2026-03-02 10:00:00 from `shop backend`\n- 2026-01-01: deployed 1.0\n"
    )
    second = LEAN[LEAN.index("\n## compacted") :]
    assert got(folder, "shop_backend.md") == first + second
    store.remove("shop backend", ["2026-01-01: deployed 1.0"])
    assert got(folder, "shop_backend.md") == second
    assert store.drop("shop/backend") == 2
    assert names(folder) == []


def test_our_items_stand_above_memory_lean_s_in_one_file(folder):
    put(folder, "shop.md", "\n## compacted 2026-03-02 10:00:00 from `shop`\n- theirs\n# and on\n")
    store = Archive(folder)
    store.add("shop", ["ours", "theirs\n# and on"])
    assert got(folder, "shop.md") == (
        "# shop\n\n- ours\n\n## compacted 2026-03-02 10:00:00 from `shop`\n- theirs\n# and on\n"
    )
    assert store.of("shop") == ["ours", "theirs\n# and on"]
    assert store.remove("shop", ["ours"]) == ["ours"]
    assert got(folder, "shop.md").lstrip() == (
        "## compacted 2026-03-02 10:00:00 from `shop`\n- theirs\n# and on\n"
    )


def test_an_entity_that_memory_lean_renamed_has_its_archive_by_the_file_s_name(folder):
    """It moves the file and leaves the sections' old names; the exact new name stands nowhere."""
    put(folder, "web_shop.md", "\n## compacted 2026-03-02 10:00:00 from `shop`\n- a\n")
    store = Archive(folder)
    assert store.of("web shop") == ["a"]
    assert store.of("shop") == []
    assert store.entries() == {"web_shop": ["a"]}
    assert store.remove("web shop", ["a"]) == ["a"]
    assert names(folder) == []


def test_all_entries_give_it_to_the_entity_that_the_graph_has(folder):
    """Callers that looked at all entries missed what `of` finds."""
    put(folder, "Web_Shop.md", "\n## compacted 2026-03-02 10:00:00 from `shop`\n- 2025-01-01: opened\n- a\n")
    put(folder, "web_shop.md", "\n## compacted 2026-03-02 10:00:00 from `store`\n- b\n- a\n")
    put(folder, "db_old.md", "\n## compacted 2026-03-02 10:00:00 from `db`\n- c\n")
    store = Archive(folder)
    store.add("Web Shop", ["a", "z"])
    known = ["2025-01-01: opened", "a", "b", "z"]
    entries = store.entries(["api", "Web Shop", "db"])
    assert set(entries) == {"Web Shop", "db_old"}
    assert sorted(entries["Web Shop"]) == sorted(store.of("Web Shop")) == known
    both = store.entries({"Web Shop": 1, "web/shop": 2})
    assert sorted(both["Web Shop"]) == known
    assert both["web/shop"] == store.of("web/shop") == ["2025-01-01: opened", "a", "b"]
    assert set(store.entries()) == {"Web Shop", "Web_Shop", "web_shop", "db_old"}
    assert store.drop("Web Shop") == 4
    assert store.entries(["Web Shop"]) == {"db_old": ["c"]}


def test_another_section_of_the_file_tells_the_new_name(folder):
    put(
        folder,
        "web_shop.md",
        "\n## compacted 2026-03-02 10:00:00 from `shop`\n- a\n"
        "\n## compacted 2026-03-03 10:00:00 from `web shop`\n- b\n",
    )
    assert Archive(folder).entries() == {"web shop": ["a", "b"]}


def test_sections_without_a_name_are_the_file_s_entity_s(folder):
    put(folder, "shop.md", "# shop\n\n- by hand\n\n## archived\n- a\n")
    put(folder, "db.md", "## archived 2026-03-02-100000 from `db`\n- d\n\n## more\n- e\n")
    put(folder, "数据_库.md", "## archived 2026-03-02-100000 from entity `数据 库`\n- b\n")
    put(folder, "_.md", "## archived 2026-03-02-100000 from entity `产品`\n- c\n")
    assert Archive(folder).entries() == {
        "shop": ["by hand", "a"],
        "数据 库": ["b"],
        "产品": ["c"],
        "db": ["d", "e"],
    }


HINDI = "हिन्दी शब्द"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("shop/backend", "shop_backend"),  # every release
        (HINDI, "_"),  # until 1.0, ASCII only
        (HINDI, "हिन्दी_शब्द"),  # since, with marks
        (HINDI, "ह_न_द_शब_द"),  # its script for compacting, without
        ("Étoile", "Étoile"),
        ("Étoile", unicodedata.normalize("NFD", "Étoile")),  # as macOS may list it
        ("Étoile", "étoile"),
        ("shop backend", file_name("shop backend")[:-3]),  # put into ours by hand
    ],
)
def test_a_section_is_believed_in_a_file_of_any_name_that_memory_lean_gave(folder, name, stem):
    put(folder, stem + ".md", f"\n## compacted 2026-03-02 10:00:00 from `{name}`\n- a\n")
    assert Archive(folder).entries() == {name: ["a"]}
    assert Archive(folder).of(name) == ["a"]


def test_line_ends_of_windows_are_no_part_of_memory_lean_s_observations(folder):
    text = "## compacted 2026-03-02 10:00:00 from `shop`\n- a\nand on\n- b\n"
    put(folder, "shop.md", "\ufeff" + text.replace("\n", "\r\n"))
    store = Archive(folder)
    assert store.entries() == {"shop": ["a\nand on", "b"]}
    put(folder, "shop.md", text.replace("- b", "- b\r"))  # one such line is as it was written
    assert store.entries() == {"shop": ["a\nand on", "b\r"]}
    put(folder, "shop.md", text + "- \ufeffc\n")
    assert store.entries() == {"shop": ["a\nand on", "b", "\ufeffc"]}


def test_an_entity_of_memory_lean_s_archive_is_renamed_and_dropped(folder):
    put(folder, "shop_backend.md", LEAN)
    store = Archive(folder)
    store.rename("shop backend", "shop")
    assert store.of("shop") == ["2026-01-01: deployed 1.0", TWO_LINES]
    assert store.of("shop backend") == []
    assert "shop backend" not in got(folder, "shop_backend.md")
    assert store.drop("shop/backend") == 2
    assert names(folder) == ["shop.md"]


def test_a_file_name_that_memory_lean_gives_to_no_entity_is_a_name_as_it_stands(folder):
    put(folder, "web shop.md", "\n## compacted 2026-03-02 10:00:00 from `shop`\n- a\n")
    store = Archive(folder)
    assert store.entries(["Web Shop"]) == {"web shop": ["a"]}
    assert (store.of("web shop"), store.of("Web Shop")) == (["a"], [])
    assert store.drop("Web Shop") == 0
    assert store.drop("web shop") == 1
