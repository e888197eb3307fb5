"""What a shell offers at TAB: asked by the real shells, and in click's own way of asking."""

import os
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

from cli.fake_claude import everything_below
from foreword.cli import COMPLETE, VERBS
from foreword.cli.cmd_completion import IDS, SHELLS
from foreword.clients import CLIENTS

PATIENCE_S = 60  # for a shell to draw what it found; it takes under one


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A `foreword` on the PATH, as an installed one is."""
    if os.name == "nt":
        pytest.skip("shells of POSIX")
    at = tmp_path / "bin" / "foreword"
    at.parent.mkdir()
    at.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m foreword.cli "$@"\n')
    at.chmod(0o755)
    monkeypatch.setenv("PATH", f"{at.parent}:{os.environ['PATH']}")
    return str(at)


@pytest.fixture
def asked(foreword):
    """A function: what a shell is told for a line whose last word is being typed, as lists of lines.

    bash's: [[kind, value]]; zsh's: [[kind, value, help]].
    """

    def ask(line, shell="bash", **env):
        words = line.split(" ")
        told = {COMPLETE: f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        done = foreword(env={**told, **env})
        assert done.err == ""
        lines = done.out.rstrip("\n").split("\n") if done.out.strip() else []
        if shell == "zsh":
            return [lines[at : at + 3] for at in range(0, len(lines), 3)]
        return [each.split(",", 1) for each in lines]

    return ask


def values(answer):
    return [entry[1] for entry in answer]


def test_every_verb_is_offered_with_its_whole_sentence(asked):
    found = asked("foreword ", "zsh")
    assert sorted(values(found)) == sorted(VERBS)
    assert all(told and not told.endswith("...") for _, _, told in found)


def test_a_verb_that_is_begun_is_completed(asked):
    assert values(asked("foreword inst")) == ["install"]
    assert values(asked("foreword graph sta")) == ["stats"]


def test_options_of_a_verb_are_offered_once(asked):
    assert "--dry-run" in values(asked("foreword install --"))
    assert "--dry-run" not in values(asked("foreword install --dry-run --"))


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_clients_are_offered_and_not_the_one_that_is_named_already(asked, verb):
    assert values(asked(f"foreword {verb} ")) == list(CLIENTS)
    assert values(asked(f"foreword {verb} --dry-run codex ")) == [n for n in CLIENTS if n != "codex"]


def test_the_values_of_an_option_are_offered_and_not_ids(asked, save):
    save("Body.")
    assert values(asked("foreword list --type ")) == ["note", "session", "fact"]
    assert asked("foreword list --limit ") == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("foreword list --project ", "dir"), ("foreword show --project ", "dir"),
        ("foreword plugin ", "dir"), ("foreword skill out", "dir"),
        ("foreword edit --from ", "file"), ("foreword install --graph ", "file"),
    ],
)  # fmt: skip
def test_a_path_is_left_to_the_shell(asked, save, line, kind):
    save("Body.")
    assert asked(line) == [[kind, line.split(" ")[-1]]]


def test_ids_are_offered_newest_first_with_type_and_title(asked, save):
    first, second = save("One.", "--title", "The first"), save("Two.", "--title", "The: second, with a comma")
    assert asked("foreword show ", "zsh") == [
        ["plain", second, "fact: The: second, with a comma"],
        ["plain", first, "fact: The first"],
    ]
    assert values(asked("foreword show " + second[:-1])) == [
        i for i in (second, first) if i[:-1] == second[:-1]
    ]
    assert values(asked(f"foreword show {second} ")) == [first]


def test_each_verb_is_offered_the_ids_that_it_is_about(asked, save, foreword):
    live, archived = save("One.", "--title", "One"), save("Two.", "--title", "Two")
    foreword("archive", archived)
    about = {
        "show": {live, archived}, "edit": {live}, "pin": {live}, "reject": {live}, "archive": {live},
        "restore": {archived}, "delete": {live, archived},
    }  # fmt: skip
    assert set(about) == set(IDS)
    for verb, expected in about.items():
        assert set(values(asked(f"foreword {verb} "))) == expected, verb


def test_ids_of_another_project_are_offered_where_it_is_named(asked, save, repo, tmp_path, monkeypatch):
    memory_id = save("Body.")
    monkeypatch.chdir(tmp_path / "cwd")
    assert asked("foreword show ") == []
    assert values(asked(f"foreword show --project {repo} ")) == [memory_id]


def test_global_facts_are_offered_from_everywhere(asked, save, store, tmp_path, monkeypatch):
    memory_id = save("Body.", "--global", "--title", "Everywhere")
    monkeypatch.chdir(tmp_path / "cwd")
    before = texts_below(store)
    assert values(asked("foreword show ")) == [memory_id]
    assert texts_below(store) == before  # no project was made of this folder


def test_a_title_cannot_move_the_cursor_or_add_a_line(asked, save):
    save("Body.", "--title", "red \x1b[31m and\u202e back")
    [[_, _, told]] = asked("foreword show ", "zsh")
    assert not set("\x1b\u202e") & set(told)


def test_without_a_store_nothing_is_offered_and_none_is_made(asked, repo, store, tmp_path):
    before = everything_below(tmp_path / "home")
    assert asked("foreword show ") == []
    assert asked("foreword show ", FOREWORD_HOME=str(tmp_path / "gone")) == []
    assert everything_below(tmp_path / "home") == before
    assert not store.exists()


def texts_below(folder):
    """Every file with its bytes and time; not the two of SQLite that come and go beside an index."""
    found = everything_below(folder).items()
    return {name: told for name, told in found if told[0] is not None and "index.sqlite-" not in name}


def test_an_answer_changes_nothing_in_the_store(asked, save, store):
    save("Body.")
    before = texts_below(store)
    assert asked("foreword show ")
    assert texts_below(store) == before


def test_an_index_that_is_no_index_offers_nothing(asked, save, project_folder):
    save("Body.")
    with open(os.path.join(project_folder(), "index.sqlite"), "wb") as f:
        f.write(b"no database" * 1000)
    assert asked("foreword show ") == []


@pytest.mark.parametrize(
    "told",
    [
        {COMPLETE: "bash_complete"},
        {COMPLETE: "bash_complete", "COMP_WORDS": "foreword show", "COMP_CWORD": "x"},
        {COMPLETE: "bash_complete", "COMP_WORDS": "foreword nonsense ", "COMP_CWORD": "2"},
        {COMPLETE: "bash_complete", "COMP_WORDS": "foreword list 'a", "COMP_CWORD": "9"},
        {COMPLETE: "tcsh_complete", "COMP_WORDS": "foreword ", "COMP_CWORD": "1"},
        {COMPLETE: "bash_dance"},
        {COMPLETE: "1"},
    ],
)
def test_a_question_that_makes_no_sense_is_answered_with_nothing(foreword, told):
    done = foreword(env=told)
    assert (done.out.strip(), done.err) == ("", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_clicks_for_that_shell(foreword, shell):
    out = foreword("completion", shell).out
    assert f"{COMPLETE}={shell}_complete" in out
    assert foreword("completion", env={"SHELL": f"/usr/bin/{shell}"}).out == out
    assert foreword(env={COMPLETE: f"{shell}_source"}).out == out


def test_without_a_known_shell_the_names_are_told(foreword):
    for env in ({"SHELL": "/usr/bin/tcsh"}, {"SHELL": ""}):
        told = foreword("completion", code=2, env=env)
        assert told.out == ""
        assert "bash, zsh, fish" in told.err


def has_bash():
    """Whether the bash of the PATH is one that click writes for: macOS has 3.2."""
    told = "exit $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404))"
    return bool(shutil.which("bash")) and subprocess.run(["bash", "--norc", "-c", told]).returncode == 0


@pytest.mark.skipif(not has_bash(), reason="bash 4.4 or newer is not installed")
def test_bash_completes_verbs_and_ids(program, save):
    memory_id = save("Body.", "--title", "One")
    line = """
        eval "$(foreword completion bash)"
        for words in 'foreword inst' 'foreword show 2'; do
            COMP_WORDS=($words) COMP_CWORD=$(( $(set -- $words; echo $#) - 1 )) COMPREPLY=()
            _foreword_completion foreword
            printf '%s\\n' "${COMPREPLY[@]}"
        done
        complete -p foreword
    """
    done = subprocess.run(["bash", "--norc", "-c", line], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stderr == ""
    assert done.stdout.splitlines()[:2] == ["install", memory_id]
    assert "-F _foreword_completion foreword" in done.stdout


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_verbs_and_ids_with_whole_titles(program, save):
    memory_id = save("Body.", "--title", "One, two: and three")
    line = "foreword completion fish | source; complete -C 'foreword inst'; complete -C 'foreword show '"
    done = subprocess.run(
        ["fish", "--no-config", "-c", line], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.stderr == ""
    verb, found = done.stdout.splitlines()
    assert verb.startswith("install\tWire coding agents: hooks, skills and the MCP server")
    assert found == f"{memory_id}\tfact: One, two: and three"


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_verbs_and_shows_titles(program, save):
    memory_id = save("Body.", "--title", "One: and two")
    save("Body.", "--title", "Another")
    start = "autoload -U compinit; compinit -u -D; setopt no_list_ambiguous; PS1='%# '; "
    start += 'eval "$(foreword completion zsh)"; '
    with Zsh() as zsh:
        zsh.type(start + "print rea''dy\n", "ready")
        assert "install " in zsh.type("foreword inst\t", "foreword install ")
        shown = zsh.type("\x15foreword show \t", "Another")
        assert memory_id in shown
        assert "One: and two" in shown
        assert "rror" not in shown


class Zsh:
    """An interactive zsh without anybody's settings, in a terminal of its own."""

    def __enter__(self):
        import pty  # no module of Windows

        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "COLUMNS": "120"})
        return self

    def type(self, keys, until):
        """Type, and read what is drawn until a text is there; all of it."""
        os.write(self.terminal, keys.encode())
        drawn, ends = b"", time.monotonic() + PATIENCE_S
        while until not in (shown := re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", drawn.decode("utf-8", "replace"))):
            assert time.monotonic() < ends, shown
            if select.select([self.terminal], [], [], 1)[0]:
                drawn += os.read(self.terminal, 65536)
        return shown

    def __exit__(self, *exc):
        os.close(self.terminal)  # the shell reads an end of file, or is told that its terminal is gone
        os.waitpid(self.pid, 0)
