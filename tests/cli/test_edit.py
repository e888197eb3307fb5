"""`foreword edit`: an editor, a file or stdin; what is wrong is said, and nothing typed is lost."""

import os
import shlex
import stat
import sys

import pytest

UNKNOWN = "20260101-000000-0000"


@pytest.fixture
def editor(tmp_path):
    """A function: the environment of an editor that runs Python code on the copy; `path` is the copy."""

    def editor(code, name="VISUAL"):
        script = tmp_path / "with space" / "editor.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text("import sys\npath = sys.argv[-1]\ntext = open(path, newline='').read()\n" + code)
        return {name: f"{shlex.quote(sys.executable)} -I {shlex.quote(str(script))} --wait"}

    return editor


WRITE = "open(path, 'w', newline='').write({})\n"
PIN = WRITE.format("text.replace('basis: user', 'basis: user\\noffer: {}')")


def edits(store):
    folder = store / "state" / "edits"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_what_is_typed_is_saved_and_found(foreword, save, editor, store):
    one = save("The zebra.", "--title", "T")
    done = foreword("edit", one, env=editor(WRITE.format("text.replace('zebra', 'quokka')")))
    assert (done.out, done.err) == (f"edited {one}\n", "")
    assert [row["id"] for row in foreword("search", "quokka", "--json").json] == [one]
    assert foreword("search", "zebra", "--json", code=1).json == []
    assert edits(store) == []


def test_visual_comes_before_editor_and_the_copy_is_the_last_argument(foreword, save, editor, store):
    one = save("Body.")
    told = WRITE.format("text + path + chr(10)")
    env = {**editor("sys.exit(9)", "EDITOR"), "VISUAL": ""}
    foreword("edit", one, code=2, env=env)
    foreword("edit", one, env={**editor(told), "EDITOR": "false"})
    body = foreword("show", one, "--json").json["body"]
    copy = body.split("\n")[1]
    assert copy.startswith(str(store / "state")) and copy.endswith(one + ".md")


def test_the_copy_is_for_nobody_else(foreword, save, editor):
    one = save("Body.")
    told = "import os\n" + WRITE.format("text + oct(os.stat(path).st_mode) + chr(10)")
    foreword("edit", one, env=editor(told))
    mode = int(foreword("show", one, "--json").json["body"].split("\n")[1], 8)
    assert stat.S_IMODE(mode) == 0o600


def test_nothing_typed_says_so(foreword, save, editor):
    one = save("Body.")
    assert foreword("edit", one, env=editor("")).out == f"unchanged: {one}\n"
    assert foreword("edit", one, "--json", env=editor("")).json["changed"] is False


def test_an_editor_that_fails_changes_nothing(foreword, save, editor, store):
    one = save("Body.")
    done = foreword("edit", one, code=2, env=editor("sys.exit(3)"))
    assert "ended with exit code 3, nothing was changed" in done.err
    assert edits(store) == []
    done = foreword("edit", one, code=2, env=editor(WRITE.format("text + 'More.'") + "sys.exit(3)"))
    assert "your text is kept in " in done.err
    assert foreword("show", one, "--json").json["body"] == "Body."
    foreword(*done.err.rpartition("hint: foreword ")[2].split())
    assert foreword("show", one, "--json").json["body"] == "Body.\nMore."
    assert edits(store) == []


@pytest.mark.parametrize("name", ["no-such-editor", "'unclosed"])
def test_an_editor_that_is_not_there_is_named_with_other_ways(foreword, save, name, store):
    one = save("Body.")
    done = foreword("edit", one, code=2, env={"EDITOR": name, "VISUAL": ""})
    assert name in done.err
    assert f"foreword edit {one} --from FILE" in done.err
    assert edits(store) == []


def test_without_an_editor_and_a_terminal_it_says_how_to_go_on(foreword, save):
    one = save("Body.")
    done = foreword("edit", one, code=2, env={"EDITOR": "", "VISUAL": " "})
    assert done.err.startswith("error: there is no terminal, and no editor is named\nhint: EDITOR=")


def test_what_cannot_be_a_memory_is_told_with_its_line_and_kept(foreword, save, editor, store):
    one = save("Body.", "--title", "T")
    done = foreword("edit", one, code=2, env=editor(PIN.format("often")))
    assert "error: line 8: offer is always or never, not 'often'" in done.err
    assert foreword("show", one, "--json").json["offer"] == "usual"
    [kept] = edits(store)
    copy = kept / (one + ".md")
    copy.write_text(copy.read_text().replace("often", "never"))
    command = done.err.rpartition("hint: foreword ")[2].split()
    assert command == ["edit", one, "--from", str(copy)]
    assert foreword(*command).out == f"edited {one}\n"
    assert foreword("show", one, "--json").json["offer"] == "never"
    assert edits(store) == []


def test_a_change_by_somebody_else_meanwhile_is_busy_and_neither_is_lost(foreword, save, editor):
    one = save("Body.", "--title", "T")
    path = foreword("show", one, "--json").json["path"]
    both = WRITE.format("text + 'Mine.'") + f"open({path!r}, 'a').write('Theirs.')\n"
    done = foreword("edit", one, code=4, env=editor(both))
    assert "changed by somebody else meanwhile" in done.err and "Traceback" not in done.err
    assert foreword("show", one, "--json").json["body"] == "Body.\nTheirs."
    foreword(*done.err.rpartition(", then: foreword ")[2].split())
    assert foreword("show", one, "--json").json["body"] == "Body.\nMine."


def test_a_text_from_a_file_or_stdin_needs_no_editor(foreword, save, tmp_path):
    one = save("Body.", "--title", "T", "--tags", "a")
    done = foreword("edit", one, "--from", "-", stdin="From stdin.\n")
    assert "replaced the body alone" in done.err
    (tmp_path / "new.md").write_text("---\ntitle: U\n---\n\nFrom a file.\n")
    found = foreword("show", one, "--json").json
    assert (found["title"], found["tags"], found["body"]) == ("T", ["a"], "From stdin.")
    foreword("edit", one, "--from", tmp_path / "new.md")
    found = foreword("show", one, "--json").json
    assert (found["title"], found["tags"], found["body"]) == ("U", [], "From a file.")
    assert (tmp_path / "new.md").exists()


def test_an_empty_stdin_and_a_file_that_is_not_there_change_nothing(foreword, save, tmp_path):
    one = save("Body.")
    assert "the body is empty" in foreword("edit", one, "--from", "-", code=2).err
    assert "there is no such file" in foreword("edit", one, "--from", tmp_path / "none.md", code=2).err
    assert foreword("show", one, "--json").json["body"] == "Body."


def test_a_relative_path_is_taken_from_the_current_folder(foreword, save, repo):
    one = save("Body.")
    with open(os.path.join(repo, "new.md"), "w") as f:
        f.write("New.")
    foreword("edit", one, "--from", "new.md")
    assert foreword("show", one, "--json").json["body"] == "New."


def test_a_title_that_another_fact_has_is_told(foreword, save, editor):
    one, two = save("One.", "--title", "Pool"), save("Two.", "--title", "Retries")
    done = foreword("edit", one, env=editor(WRITE.format("text.replace('Pool', 'Retries')")))
    assert done.out == f"edited {one}\n"
    assert f"{two} has this title, too" in done.err
    told = foreword("edit", one, "--json", env=editor(WRITE.format("text.replace('Retries', 'RETRIES')")))
    assert told.json["told"] == []


@pytest.mark.parametrize("wrong", [UNKNOWN, "nonsense", "../x"])
def test_an_unknown_id_is_named(foreword, save, wrong):
    save("Body.")
    assert repr(wrong) in foreword("edit", wrong, code=1, env={"EDITOR": "true"}).err
    assert foreword("edit", code=2).out == ""


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_on_a_terminal_it_asks_to_edit_again(save, editor, foreword, tmp_path, store):
    import pty
    import subprocess

    one = save("Body.", "--title", "T")
    again = (
        "import os\nfirst = not os.path.exists(path + '.seen')\nopen(path + '.seen', 'w').close()\n"
        "open(path, 'w', newline='').write('' if first else 'New body.')\n"
    )
    above, below = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-I", "-m", "foreword.cli", "edit", one],
        stdin=below,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **editor(again)},
    )
    os.close(below)
    os.write(above, b"y\n")
    out, err = running.communicate(timeout=60)
    os.close(above)
    assert (running.returncode, out.decode()) == (0, f"edited {one}\n"), err
    assert b"the body is empty" in err and b"Edit it again?" in err
    assert foreword("show", one, "--json").json["body"] == "New body."
    assert edits(store) == []


@pytest.mark.parametrize("text", ["", " \n", "---\ntitle: T\n---\n\n"])
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_an_empty_text_gets_a_hint_that_is_not_the_same_command_again(foreword, save, tmp_path, way, text):
    one = save("Body.")
    path = tmp_path / "new.md"
    path.write_text(text)
    source = [str(path)] if way == "file" else ["-"]
    told = foreword("edit", one, "--from", *source, code=2, stdin=text)
    assert "the body is empty" in told.err
    assert "hint: write the new text into it" in told.err
    assert foreword("show", one, "--json").json["body"].strip() == "Body."
