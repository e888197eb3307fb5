"""What holds for every verb: help, exit codes, where text goes, and readers that leave early."""

import importlib
import os
import subprocess
import sys

import pytest

from foreword import __version__, files
from foreword.cli import GROUPS, VERBS

POSIX = pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
SHORT_WAIT = "from foreword.memory import change; change.LOCK_S = 0.05; from foreword.cli import main; main()"


def shell(script, *arguments):
    """Run a script of sh in which "$@" is the command line; (exit code of the script, stdout, stderr)."""
    done = subprocess.run(
        ["sh", "-c", script, "sh", sys.executable, "-I", "-m", "foreword.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_that_fits_80_columns(foreword, verb):
    told = foreword(verb, "--help")
    assert told.out.startswith(f"Usage: foreword {verb} ")
    assert max(map(len, told.out.splitlines())) <= 80
    assert told.err == ""
    assert foreword(verb, "-h").out == told.out


def test_the_help_lists_every_verb_with_a_sentence(foreword):
    out = foreword("--help").out
    listed = out[out.index("Everyday:") :].splitlines()
    lines = {line.split()[0]: line.split()[1:] for line in listed if line.startswith("  ") and line[2] != " "}
    assert sorted(lines) == sorted(VERBS)
    assert all(len(words) > 1 for words in lines.values())
    assert [line for line in listed if line and not line.startswith(" ")] == [name + ":" for name in GROUPS]


def test_the_groups_of_the_help_hold_every_verb_once():
    assert sorted(verb for verbs in GROUPS.values() for verb in verbs) == sorted(VERBS)


def test_the_help_cuts_no_sentence_in_the_middle(foreword):
    out = foreword("--help").out
    assert not [line for line in out.splitlines()[1:] if "..." in line or "…" in line]
    assert max(map(len, out.splitlines())) <= 80
    for verb, module in VERBS.items():
        first = " ".join(importlib.import_module(module).command.help.split("\n\n")[0].split())
        told = " ".join(out.split())
        assert f" {verb} {first.partition('. ')[0].rstrip('.')}." in told


def test_no_verb_at_all_shows_the_help_as_talk(foreword):
    told = foreword(code=2)
    assert told.out == ""
    assert "Everyday:" in told.err


def test_the_version_is_the_packages(foreword):
    assert foreword("--version").out.split()[-1] == __version__


@pytest.mark.parametrize(
    ("typed", "meant"), [("serch", "search"), ("isntall", "install"), ("stats", "status")]
)
def test_an_unknown_verb_exits_2_and_suggests_the_nearest(foreword, typed, meant):
    told = foreword(typed, "x", code=2)
    assert told.out == ""
    assert f"Did you mean {meant}?" in told.err


def test_a_verb_like_no_other_is_refused_without_a_guess(foreword):
    told = foreword("frobnicate", code=2)
    assert "frobnicate" in told.err
    assert "Did you mean" not in told.err


def test_one_verb_loads_no_other_verbs_module(repo):
    code = (
        "import sys\nfrom foreword.cli import root\nroot.run(['list'])\n"
        "print(*[name for name in sys.modules if name.startswith('foreword.cli.cmd_')])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["foreword.cli.cmd_list"]


@POSIX
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_reader_that_leaves_early_is_no_error(foreword, save, options):
    for n in range(4):
        save(f"Fact {n} " + "with a long body " * 200, "--title", f"Fact {n}")
    script = '{ "$@"; echo "$?" >&2; } | head -n 1'
    code, out, err = shell(script, "list", *options)
    assert (code, len(out.splitlines())) == (0, 1)
    assert err == "0\n"


@POSIX
def test_a_pipe_that_nobody_reads_is_no_error(foreword, save):
    save("One.")
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "foreword.cli", "list"], stdout=theirs, stderr=subprocess.PIPE
        )
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_output_that_cannot_be_written_is_told_in_one_line(foreword, save, options):
    save("One.")
    code, _, err = shell('"$@" >/dev/full', "list", *options)
    assert code == 2
    assert err == "error: No space left on device\nhint: foreword doctor\n"


@POSIX
def test_a_closed_stdout_and_stderr_fail_nothing(foreword, save):
    save("One.")
    assert shell('"$@" >&-', "list") == (0, "", "")
    assert shell('"$@" 2>&-', "list", "--json")[0] == 0
    assert shell('"$@" >&- 2>&-', "search", "nothing")[0] == 1


def test_a_home_that_cannot_be_made_is_told_in_one_line(foreword, repo, tmp_path):
    (tmp_path / "file").write_text("")
    home = str(tmp_path / "file" / "store")
    told = foreword("save", code=2, stdin="Body.", env={"FOREWORD_HOME": home})
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert home in told.err


def test_a_store_that_another_process_holds_is_busy(save, store):
    memory_id = save("One.")
    with files.Lock(str(store / "state")) as held:
        assert held
        done = subprocess.run(
            [sys.executable, "-I", "-c", SHORT_WAIT, "archive", memory_id], capture_output=True, text=True
        )
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("error: another Foreword holds ")
    assert "hint: try again" in done.stderr


def test_a_bug_of_ours_exits_3_and_shows_where(tmp_path):
    (tmp_path / "broken_verb.py").write_text(
        "import click\n\n\n@click.command('broken')\ndef command():\n    raise KeyError('a bug')\n"
    )
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); from foreword import cli; "
        "cli.VERBS['broken'] = 'broken_verb'; cli.main(['broken'])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert "broken_verb.py" in done.stderr
    assert done.stderr.endswith(f"error: this is a bug in Foreword {__version__}\n")


@POSIX
def test_a_project_whose_path_is_no_utf8_is_worked_in(foreword, tmp_path, monkeypatch):
    odd = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    try:
        os.mkdir(odd)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    monkeypatch.chdir(odd)
    for locale in ("C.UTF-8", "en_US.UTF-8", "C"):
        memory_id = foreword("save", "--json", stdin=f"Body {locale}.", env={"LC_ALL": locale}).json["id"]
        out = foreword("status", env={"LC_ALL": locale}).out if locale != "C" else ""
        assert "\ufffd" not in out
        assert foreword("status", "--json", env={"LC_ALL": locale}).json["root"].endswith("caf\udce9")
        assert foreword("show", memory_id, "--json", env={"LC_ALL": locale}).json["id"] == memory_id


@pytest.mark.parametrize("verb", ["list", "search", "recall"])
def test_a_number_is_called_n_and_not_by_its_type(foreword, verb):
    out = foreword(verb, "--help").out
    assert " N " in out
    assert "INTEGER" not in out
