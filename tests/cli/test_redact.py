"""`foreword redact`, and what is told where something was left out."""

import os

import pytest

from foreword import paths
from text.secrets_made import made, password, private_key

TOKEN = made("github-token", 3)
PASSWORD = password(4)


def everything():
    """{path: bytes} of every file of the store."""
    found = {}
    for at, _, names in os.walk(paths.home()):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                found[path] = f.read()
    return found


def holds(value):
    return [path for path, raw in everything().items() if value.encode() in raw]


def by_hand(foreword, save, text):
    """A fact whose file somebody wrote a text into; (id, path)."""
    memory_id = save("The key opens the ledger.", "--title", "Keys")
    path = foreword("show", memory_id, "--json").json["path"]
    with open(path, "a", encoding="utf-8") as f:
        f.write(text)
    return memory_id, path


def test_what_is_saved_is_redacted_before_it_is_written_and_the_user_is_told(foreword, repo):
    told = foreword(
        "save", "--title", f"Token {TOKEN}", "--tags", f"a,{TOKEN}", stdin=f"Use {TOKEN}, it works."
    )
    assert (
        told.err == "what looks like a credential was left out (github-token); say where it lives instead\n"
    )
    assert holds(TOKEN) == []
    shown = foreword("list", "--json").json[0]
    assert shown["title"] == "Token [redacted:github-token]"
    assert shown["snippet"] == "Use [redacted:github-token], it works."
    saved = foreword("save", "--json", stdin=f"password = '{PASSWORD}'").json
    assert saved["redacted"] == ["password"]
    assert holds(PASSWORD) == []


def test_what_was_written_by_hand_is_neither_shown_nor_indexed(foreword, save):
    memory_id, path = by_hand(foreword, save, f"\nzebra password = '{PASSWORD}'\n")
    assert foreword("search", "zebra", "--json").json[0]["id"] == memory_id
    for told in (
        foreword("show", memory_id),
        foreword("search", "zebra"),
        foreword("recall"),
        foreword("list"),
    ):
        assert PASSWORD not in told.out
    assert holds(PASSWORD) == [path]


def test_a_scan_says_where_and_of_what_kind_and_never_the_value(foreword, save):
    memory_id, path = by_hand(foreword, save, f"\npassword = '{PASSWORD}'\n\n{private_key(1)}\n")
    told = foreword("redact", code=1)
    assert os.path.relpath(path, paths.home()) + ":" in told.out
    assert "password, private-key" in told.out
    assert PASSWORD not in told.out + told.err
    [row] = foreword("redact", "--json", code=1).json
    assert (row["id"], row["kinds"], row["redacted"]) == (memory_id, ["password", "private-key"], False)
    assert holds(PASSWORD) == [path]


def test_without_a_terminal_and_without_yes_nothing_is_changed(foreword, save):
    _, path = by_hand(foreword, save, f"\npassword = '{PASSWORD}'\n")
    told = foreword("redact", "--apply", code=2)
    assert "add --yes" in told.err
    assert holds(PASSWORD) == [path]


def test_what_is_applied_is_gone_from_every_file_and_the_rest_stays(foreword, save):
    memory_id, path = by_hand(foreword, save, f"\npassword = '{PASSWORD}' # the old one\n")
    with open(path, encoding="utf-8") as f:
        before = f.read()
    told = foreword("redact", "--apply", "--yes")
    assert "redacted 1 file" in told.out
    assert holds(PASSWORD) == []
    with open(path, encoding="utf-8") as f:
        assert f.read() == before.replace(PASSWORD, "[redacted:password]")
    assert "[redacted:password]" in foreword("show", memory_id).out
    told = foreword("redact")
    assert (told.out, told.err) == ("", "nothing in the store looks like a credential\n")


def test_a_title_a_tag_and_a_key_of_somebodys_own_are_cleaned_too(foreword, save):
    memory_id, path = by_hand(foreword, save, "")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = text.replace('title: "Keys"', f'title: "Keys {TOKEN}"\nmine: "{TOKEN}"\ntags: ["{TOKEN}", "b"]')
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    foreword("redact", "--apply", "--yes")
    assert holds(TOKEN) == []
    shown = foreword("show", memory_id, "--json").json
    assert shown["title"] == "Keys [redacted:github-token]"
    assert shown["tags"] == ["[redacted:github-token]", "b"]
    assert shown["damage"] == ""


def test_the_knowledge_graph_its_archive_and_backups_are_cleaned(foreword, repo):
    folder = os.path.join(paths.home(), "graph")
    os.makedirs(os.path.join(folder, "backups"))
    os.makedirs(os.path.join(folder, "archive"))
    line = (
        '{"type":"entity","name":"shop","entityType":"service","observations":["token %s","other"]}\n' % TOKEN
    )
    for name in ("memory.jsonl", "backups/memory-2026-11-01.jsonl"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(line)
    with open(os.path.join(folder, "archive", "shop.md"), "w", encoding="utf-8") as f:
        f.write(f"# shop\n\n- token {TOKEN}\n")
    assert len(foreword("redact", "--json", code=1).json) == 3
    foreword("redact", "--apply", "--yes")
    assert holds(TOKEN) == []
    with open(os.path.join(folder, "memory.jsonl"), encoding="utf-8") as f:
        assert '"token [redacted:github-token]","other"' in f.read()


@pytest.mark.parametrize("text", ["", "The password is in the vault.\n"])
def test_an_innocent_store_exits_0(foreword, save, text):
    by_hand(foreword, save, text)
    assert foreword("redact", "--json").json == []


def test_a_file_that_is_no_utf_8_is_told_and_left(foreword, save):
    _, path = by_hand(foreword, save, f"\npassword = '{PASSWORD}'\n")
    with open(path, "ab") as f:
        f.write(b"\xff\n")
    told = foreword("redact", "--apply", "--yes", code=1)
    assert "left as it is: " in told.err
    assert holds(PASSWORD) == [path]


def test_an_edit_is_redacted_and_says_so(foreword, save, tmp_path):
    memory_id = save("The key opens the ledger.", "--title", "Keys")
    (tmp_path / "new.md").write_text(f"The token is {TOKEN}.\n")
    told = foreword("edit", memory_id, "--from", tmp_path / "new.md")
    assert "looks like a credential was left out (github-token)" in told.out + told.err
    assert [path for path in holds(TOKEN) if path.startswith(paths.home())] == []
