"""Lint tells what is odd, of real files, and changes no byte of them. Stats count the same things."""

import json
import os
import re

import pytest

from foreword.graph import archive, backups, lint, place

NAME = "memory.jsonl"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "graph"
    path.mkdir(mode=0o755)
    path.chmod(0o755)
    return str(path)


def entity(name, *observations, kind="thing"):
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(from_, to, kind="uses"):
    return {"type": "relation", "from": from_, "to": to, "relationType": kind}


def graph(folder, *records, mode=0o600):
    """The GraphFile of these records; bytes stand for themselves."""
    path = os.path.join(folder, NAME)
    with open(path, "wb") as f:
        for record in records:
            line = record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()
            f.write(line + b"\n")
    os.chmod(path, mode)
    return place.GraphFile(path, place.limits({}))


def put(path, text, mode=0o600):
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def told(file, kind=None):
    """[(what, where)] of one kind, or [(kind, where)] of all."""
    found = lint.lint(file)
    if kind is None:
        return [(finding.kind, finding.where) for finding in found]
    return [(finding.what, finding.where) for finding in found if finding.kind == kind]


def tree(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                found[path] = (f.read(), os.stat(path).st_mtime_ns)
    return found


def test_a_graph_in_order_has_no_finding(folder):
    file = graph(folder, entity("shop", "2026-01-01: made"), entity("web"), relation("web", "shop"))
    file.archive.add("shop", ["2025-01-01: planned"])
    backups.daily(file.real, 7, "2026-11-01")
    assert lint.lint(file) == []


def test_no_file_has_no_finding(folder):
    assert lint.lint(place.GraphFile(os.path.join(folder, NAME), place.limits({}))) == []


ODD = [
    # kind, records, [(what, where)]
    ("repeated name", [entity("a", "x"), entity("a", "y")], [("2 entities have this name", "a")]),
    ("similar names", [entity("Shop A", "x"), entity("shop-a", "y")], [("Shop A, shop-a", "Shop A")]),
    ("similar names", [entity("e\u0301", "x"), entity("\u00c9", "y")], [("e\u0301, \u00c9", "e\u0301")]),
    (
        "no entity",
        [entity("a"), relation("a", "b"), relation("b", "a", "is"), relation("c", "c d")],
        [("a -uses-> b and 1 more", "b"), ("c -uses-> c d", "c"), ("c -uses-> c d", "c d")],
    ),
    (
        "repeated relation",
        [entity("a"), entity("b"), *[relation("a", "b")] * 2, relation("b", "a")],
        [("a -uses-> b stands 2 times", "a")],
    ),
    ("relation to itself", [entity("a"), relation("a", "a")], [("a -uses-> a", "a")]),
    ("alone", [entity("a"), entity("b", "x"), entity("c"), relation("c", "b")],
     [("neither an observation nor a relation", "a")]),
    ("empty text", [entity(" ", "x")], [("an entity without a name", " ")]),
    ("empty text", [entity("a", "x", kind="")], [("an entity without a type", "a")]),
    ("empty text", [entity("a", "x", "", "\t")], [("2 empty observations", "a")]),
    ("empty text", [entity("a"), relation("a", "a", " ")], [('a -" "-> a has no type', "a")]),
    ("too long", [entity("a", "x" * 300), entity("b", "x" * 301, "y" * 1_500)],
     [("2 observations over 300 characters, the longest has 1,500", "b")]),
    ("too many observations", [entity("a", *map(str, range(15))), entity("b", *map(str, range(16)))],
     [("16 observations, 15 is the limit", "b")]),
    ("repeated observation", [entity("a", "x", "y", "x", "x")], [("2 observations more than once", "a")]),
    ("unknown records", [entity("a", "x"), {"type": "note", "text": "x"}],
     [("1 of a type that is neither entity nor relation; kept as they are", NAME)]),
    ("unreadable line", [entity("a", "x"), b"{torn", entity("b", "x"), b'{"type":"entity"}', b"\xff"],
     [("no JSON", "line 2"),
      ("an entity without a name, an entityType or a list of texts as observations", "line 4"),
      ("no UTF-8", "line 5")]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "records", "wanted"), ODD)
def test_what_is_odd_in_the_graph_is_told(folder, kind, records, wanted):
    file = graph(folder, *records)
    wanted = [(what, file.path if where == NAME else where) for what, where in wanted]
    assert told(file, kind) == wanted
    for finding in lint.lint(file):
        assert finding.kind in lint.KINDS
        assert finding.hint or finding.kind == "unknown records"


@pytest.mark.parametrize(("kind", "records", "wanted"), ODD)
def test_a_person_at_a_shell_is_told_whom_to_ask_where_a_tool_of_the_agent_is_named(
    folder, kind, records, wanted
):
    for finding in lint.lint(graph(folder, *records)):
        for tool in re.findall(r"\b[a-z]+_(?:entit|observ|relat|nodes|graph)[a-z]*", finding.hint):
            before, _, _ = finding.hint.partition(tool)
            assert "ask the agent" in before
            assert "(" in before


def test_a_folder_that_the_first_write_makes_takes_backups(folder):
    file = place.GraphFile(os.path.join(folder, "new", "below", NAME), place.limits({}))
    assert lint.lint(file) == []


def test_what_overflows_is_told_with_what_compact_would_move(folder):
    dated = [f"2026-01-{number:02}: x" for number in range(1, 21)]
    file = graph(folder, entity("a", *dated), entity("b", *map(str, range(20))))
    hints = {finding.where: finding.hint for finding in lint.lint(file)}
    assert hints["a"] == "foreword graph compact moves 5 to the archive"
    assert "none is dated" in hints["b"]


def test_limits_are_those_of_the_environment(folder):
    file = graph(folder, entity("a", "x" * 20, "y", "z"))
    file.limits = place.limits({"MEMORY_OBS_MAX_CHARS": "10", "MEMORY_OBS_MAX": "2"})
    assert told(file) == [("too many observations", "a"), ("too long", "a")]


# Made up, in the providers' shapes; in two parts, so that no scanner takes this file for a leak.
SHAPES = [
    ("an AWS access key", "AKIA" + "Q3EGRZ7T5N2MXBJD"),
    ("a GitHub token", "ghp" + "_" + "a1B2" * 9),
    ("a GitHub token", "github" + "_pat_" + "11ABCDEFG0" * 5),
    ("a GitLab token", "glpat" + "-" + "aB3dE6gH9jK2mN5pQ8sT"),
    ("an Anthropic key", "sk-ant" + "-api03-" + "aB3dE6gH9jK2mN5pQ8sT"),
    ("an OpenAI key", "sk-" + "proj-" + "aB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5p"),
    ("a Google key", "AIza" + "SyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v"),
    ("a Slack token", "xoxb" + "-2345678901-abcdefghij"),
    ("a Stripe key", "sk" + "_live_" + "aB3dE6gH9jK2mN5pQ8sT"),
    ("an npm token", "npm" + "_" + "a1B2" * 9),
    ("a PyPI token", "pypi" + "-" + "AgEIcHlw" * 11),
    ("a Hugging Face token", "hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),
    ("a signed token (JWT)", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl"),
    ("a private key", "-----BEGIN RSA" + " PRIVATE KEY-----"),
    ("a private key", "-----BEGIN" + " PRIVATE KEY-----"),
    ("an address with a password in it", "postgres://shop:" + "hunter22" + "@db.internal/shop"),
]


@pytest.mark.parametrize(("kind", "secret"), SHAPES)
def test_what_looks_like_a_secret_is_told_without_telling_it(folder, kind, secret):
    file = graph(folder, entity("a", f"the key is {secret}."), entity("b", "x"))
    file.archive.add("b", [f"({secret})"])
    assert told(file, "secret") == [(f"looks like {kind}", "a"), (f"looks like {kind}, in the archive", "b")]
    assert secret not in repr(lint.lint(file))
    assert all(secret not in finding.hint for finding in lint.lint(file))


def test_every_shape_of_a_secret_is_tried():
    for kind, part, shape in lint.SECRETS:
        assert any(part in secret and shape.search(secret) for of, secret in SHAPES if of == kind)


@pytest.mark.parametrize(
    "text",
    [
        "the token is in the keychain, entry sk-shop",
        "sk-" + "learn-contrib-estimators-for-time-series-data",
        "see https://example.com:8080/a@b and git@github.com:shop/app.git",
        "DATABASE_URL is postgres://user:${PASSWORD}@db/shop",
        "DATABASE_URL is postgres://user:<password>@db/shop",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "AKIA is the prefix of AWS access keys, ghp_ that of GitHub",
    ],
)
def test_what_only_speaks_of_secrets_is_not_told(folder, text):
    assert told(graph(folder, entity("a", text))) == []


# -- beside the graph --------------------------------------------------------------------------


def test_lines_set_aside_are_told_until_the_file_is_gone(folder):
    file = graph(folder, entity("a", "x"))
    put(file.set_aside, "{torn\n\nother\n")
    assert told(file) == [("set aside", file.set_aside)]
    assert told(file, "set aside")[0][0] == "2 lines of the graph's file that held no record"
    put(file.set_aside, "{torn")
    assert told(file, "set aside")[0][0] == "1 line of the graph's file that held no record"
    os.unlink(file.set_aside)
    assert told(file) == []


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_files_that_others_can_read_are_told(folder):
    file = graph(folder, entity("a", "x"), mode=0o644)
    file.archive.add("a", ["y"])
    backups.daily(file.real, 7, "2026-11-01")
    os.chmod(file.archive.folder, 0o755)
    os.chmod(backups.folder_of(file.real), 0o710)
    put(file.set_aside, "", 0o640)
    open_ = [file.real, file.set_aside, file.archive.folder, backups.folder_of(file.real)]
    assert told(file) == [("open to others", path) for path in open_]
    os.chmod(folder, 0o700)
    assert told(file) == []


def test_an_archive_without_its_entity_is_told(folder):
    file = graph(folder, entity("a", "x"), entity("web shop", "x"))
    file.archive.add("a", ["y"])
    file.archive.add("gone", ["y", "z"])
    put(os.path.join(file.archive.folder, "web_shop.md"), "\n## compacted 2026-03-02 from `shop`\n- y\n")
    assert told(file) == [("archive of nothing", "gone")]
    assert told(file, "archive of nothing")[0][0] == "2 archived observations, no entity of that name"


def test_an_archive_that_cannot_be_read_is_told(folder):
    file = graph(folder, entity("a", "x"))
    path = os.path.join(file.archive.folder, "a.md")
    put(path, "")
    with open(path, "wb") as f:
        f.write(b"# a\n\n- caf\xe9\n")
    assert told(file, "unreadable archive") == [("line 3 is not UTF-8", path)]


def test_what_a_cut_short_write_left_in_two_places_is_told(folder):
    file = graph(folder, entity("a", "x", "y"))
    file.archive.add("a", ["y", "z"])
    assert told(file) == [("archived and present", "a")]
    assert told(file, "archived and present")[0][0] == "1 observation both in the graph and in the archive"


def test_a_folder_that_takes_no_backups_is_told(folder):
    file = graph(folder, entity("a", "x"))
    put(backups.folder_of(file.real), "a file in its place")
    assert told(file) == [("no backups", backups.folder_of(file.real))]
    file.limits = place.limits({"MEMORY_BACKUPS_KEPT": "0"})
    assert told(file) == []


def test_files_that_a_killed_write_left_are_told_once_they_are_old(folder):
    file = graph(folder, entity("a", "x"))
    file.archive.add("a", ["y"])
    left = [
        os.path.join(folder, ".memory.jsonl.4711-0a1b2c.tmp"),
        os.path.join(folder, "memory.jsonl.0123456789abcdef0123456789abcdef.tmp"),
        os.path.join(folder, "memory.jsonl.4711.1793880000000.tmp"),
        os.path.join(file.archive.folder, ".a.md.4711-0a1b2c.tmp"),
    ]
    others = [os.path.join(folder, name) for name in (".other.jsonl.4711-0a1b2c.tmp", "memory.jsonl.tmp")]
    for path in left + others:
        put(path, "x")
    assert told(file) == []
    for path in left + others:
        os.utime(path, (0, 0))
    assert sorted(told(file)) == sorted(("left over", path) for path in left)


def test_findings_come_in_the_order_of_their_weight_and_change_nothing(folder):
    long = "x" * 400
    file = graph(
        folder, entity("a", long), entity("a", long), entity("b"), relation("a", "c"), b"{torn", mode=0o644
    )
    file.archive.add("gone", ["x"])
    put(file.set_aside, "{torn before\n")
    before = tree(folder)
    kinds = [kind for kind, _ in told(file)]
    assert kinds == sorted(kinds, key=lint.KINDS.index)
    assert {*kinds} >= {"unreadable line", "set aside", "repeated name", "no entity", "too long", "alone"}
    assert tree(folder) == before


def test_a_name_cannot_break_the_line_it_is_told_in(folder):
    name = "a\n\x1b[31mb" + "c" * 100
    file = graph(folder, entity(name, "x"), relation(name, name))
    what = told(file, "relation to itself")[0][0]
    assert "\n" not in what
    assert "\x1b" not in what
    assert len(what) < 150


# -- numbers -----------------------------------------------------------------------------------


def test_stats_count_what_is_there(folder):
    file = graph(
        folder,
        entity("shop", *[f"2026-01-{n:02}: x" for n in range(1, 18)], kind="service"),
        entity("web", "abc", "de", kind="service"),
        entity("db", kind="store"),
        entity("full", *"abcdefghijklmno", kind="store"),
        relation("web", "shop"),
        relation("shop", "db", "writes"),
        relation("web", "db"),
        {"type": "note"},
        b"{torn",
    )
    file.archive.add("shop", ["2025-01-01: a", "2025-01-02: b"])
    backups.daily(file.real, 7, "2026-11-01")
    put(file.set_aside, "{other\n")
    found = lint.stats(file)
    size, changed, sizes = found.pop("bytes"), found.pop("changed"), found.pop("read_graph")
    assert size == os.stat(file.real).st_size
    assert len(changed) == len("2026-11-05T12:00:00Z")
    assert sizes["reference"] > sizes["here"] > 0
    assert sizes["reference"] / 2 > sizes["copy"] > sizes["here"]
    assert sizes["ratio"] > sizes["ratio_copy"] > 1
    assert found == {
        "path": file.path,
        "real": file.real,
        "entities": 4,
        "relations": 3,
        "observations": 34,
        "types": {"service": 2, "store": 2},
        "verbs": {"uses": 2, "writes": 1},
        "largest": [
            {"name": "shop", "observations": 17, "characters": 17 * 13},
            {"name": "full", "observations": 15, "characters": 15},
            {"name": "web", "observations": 2, "characters": 5},
        ],
        "connected": [
            {"name": "db", "relations": 2},
            {"name": "shop", "relations": 2},
            {"name": "web", "relations": 2},
        ],
        "archived": 2,
        "archived_entities": 1,
        "backups": 1,
        "newest_backup": "2026-11-01",
        "unreadable": 1,
        "set_aside": 1,
        "others": 1,
        "over": 1,
        "odd": {"unreadable line": 1, "set aside": 1, "too many observations": 1, "unknown records": 1},
    }


def test_stats_name_the_largest_and_the_most_connected_few(folder):
    names = [f"e{n}" for n in range(9)]
    file = graph(folder, *[entity(name, "x") for name in names], *[relation(name, "e8") for name in names])
    found = lint.stats(file)
    assert [row["name"] for row in found["largest"]] == names[:5]
    assert [row["name"] for row in found["connected"]] == ["e8", *names[:4]]


def test_stats_of_no_file_are_noughts(folder):
    found = lint.stats(place.GraphFile(os.path.join(folder, NAME), place.limits({})))
    assert (found["bytes"], found["changed"], found["entities"], found["types"]) == (0, None, 0, {})
    assert found["newest_backup"] == ""


def test_the_names_of_archives_and_lint_agree_on_memory_lean_s():
    assert archive.lean_stems("Web Shop") == {"web_shop"}
