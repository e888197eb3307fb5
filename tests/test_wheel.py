"""The wheel, built and put into an environment of its own: what users get, without what development needs."""

import email
import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import urllib.request
import zipfile

import pytest

from foreword import __version__
from foreword.cli import VERBS
from foreword.clients import CLIENTS

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = os.path.join(TOP, "tests", "data", "clients", "claude-code", "hooks")
KINDS = {"py", "md", "json", "txt", "js", "css", "html", "svg"}
DECLARED = {"click", "jinja2", "pyyaml", "starlette", "uvicorn"}
# What these need themselves (starlette 1.10.0, uvicorn 0.54.0, jinja2 3.1.6, Python 3.11).
THEIRS = {"anyio", "h11", "idna", "markupsafe", "typing_extensions"}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
ANSWER = (
    "Rows without a currency are dropped on purpose by `keep` in `src/app.py:1`: the ledger adds up amounts"
    " per currency, so a row that names none has no column to go to. Before that rule existed the totals of"
    " the importer were wrong by 1,204 rows, and nobody had noticed it."
)


@pytest.fixture
def wheel(tmp_path):
    """The path of a wheel just built from this checkout."""
    out = tmp_path / "dist"
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), TOP])
    [name] = os.listdir(out)
    return str(out / name)


def run(command, **options):
    """Run a command that must not fail; its stdout as text."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def below(folder):
    """The paths of all files below a folder of the checkout, from src on, with "/"; no compiled ones."""
    src = os.path.join(TOP, "src")
    return {
        os.path.relpath(os.path.join(at, name), src).replace(os.sep, "/")
        for at, _, names in os.walk(os.path.join(src, folder))
        for name in names
        if "__pycache__" not in at
    }


def metadata(wheel):
    """(headers of METADATA, {name in the archive: bytes})"""
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    [text] = [data for name, data in held.items() if name.endswith(".dist-info/METADATA")]
    return email.message_from_bytes(text), held


def test_the_wheel_holds_the_package_and_its_metadata_only(wheel):
    about, held = metadata(wheel)
    tops = {name.split("/")[0] for name in held}
    assert tops == {"foreword", f"foreword-{__version__}.dist-info"}
    assert {name for name in held if name.startswith("foreword/")} == below("foreword")
    assert {name.rpartition(".")[2] for name in held if name.startswith("foreword/")} <= KINDS
    assert about["Requires-Python"] == ">=3.11"
    assert about["License-Expression"] == "MIT"
    assert any(name.endswith("/licenses/LICENSE") for name in held)


def test_every_file_that_is_not_python_is_in_the_wheel_and_in_the_source_archive(wheel, tmp_path):
    run([sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), TOP])
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    data = {name for name in below("foreword") if not name.endswith(".py")}
    assert {"foreword/skills/remember.md", "foreword/index/dated.json", "foreword/text/across.txt"} <= data
    assert data <= set(metadata(wheel)[1])
    assert {"src/" + name for name in data} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "server.json", "tests/test_wheel.py"} <= names
    assert not [name for name in names if name.startswith((".", "build/", "dist/")) and name != ".gitignore"]


@pytest.mark.timeout(300)
def test_the_wheel_works_with_nothing_but_what_it_declares(wheel, tmp_path):
    python, script = installed(wheel, tmp_path / "users")
    listed = json.loads(run([*PIP, "--python", python, "list", "--format", "json"]))
    there = {entry["name"].lower().replace("-", "_") for entry in listed}
    assert {"foreword", *DECLARED} <= there <= {"foreword", *DECLARED, *THEIRS}

    home = run([python, "-I", "-c", "import foreword; print(foreword.__file__)"]).strip()
    assert home.startswith(str(tmp_path / "users"))
    assert all(verb in run([script, "--help"]) for verb in VERBS)
    for verb in VERBS:
        assert run([script, verb, "--help"]).startswith(f"Usage: foreword {verb} ")
    for client in CLIENTS:  # with the skills, rules and plugins that lie in the wheel beside the code
        shown = run([script, "install", client, "--dry-run", "--verbose", "--anyway"])
        assert shown.startswith(f"{client}: "), client
    one_loop(python, script, tmp_path)
    the_view_answers(script, tmp_path)


def installed(wheel, folder):
    """(python, foreword) of a new environment that has the wheel and its declared dependencies."""
    run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    ending = ".exe" if os.name == "nt" else ""
    python, script = str(binaries / ("python" + ending)), str(binaries / ("foreword" + ending))
    install = [*PIP, "--python", python, "install", "--quiet"]
    run([*install, "--no-deps", "--no-index", wheel])
    needed = metadata(wheel)[0].get_all("Requires-Dist")
    assert {name.split(">")[0].lower() for name in needed} == DECLARED
    done = subprocess.run([*install, "--retries", "1", "--timeout", "20", *needed], capture_output=True)
    if done.returncode:  # no network: the same distributions, as they are installed here
        pure = run([python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]).strip()
        for name in DECLARED | THEIRS:
            copy_distribution(name, pure)
    return python, script


def copy_distribution(name, target):
    """Copy what this environment has of a distribution into another's site-packages."""
    for entry in importlib.metadata.files(name):
        if ".." not in entry.parts and not entry.name.endswith(".pyc"):
            to = os.path.join(target, str(entry))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            with open(to, "wb") as f:
                f.write(entry.locate().read_bytes())


def one_loop(python, script, tmp_path):
    """A prompt, its answer, and the next client session's prompt, which is offered the note."""
    repository = tmp_path / "ledger"
    (repository / "src").mkdir(parents=True)
    (repository / "src" / "app.py").write_text("RETRIES = 3\n")
    run(["git", "init", "-q", "-b", "main", str(repository)])
    run([script, "switch", "on", "--project", str(repository)])

    def hook(event, sample, session, **fields):
        with open(os.path.join(SAMPLES, sample + ".json"), encoding="utf-8") as f:
            payload = {**json.load(f), "cwd": str(repository), "session_id": session, "prompt_id": "t1"}
        payload.pop("transcript_path")
        command = [python, "-I", "-m", "foreword.hook", "claude-code", event]
        done = subprocess.run(
            command, input=json.dumps({**payload, **fields}), capture_output=True, text=True, cwd=repository
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    question = "Why does the importer drop rows whose currency is missing?"
    assert hook("prompt", "UserPromptSubmit", "s1", prompt=question) == ""
    assert hook("stop", "Stop", "s1", last_assistant_message=ANSWER) == ""
    offered = hook("prompt", "UserPromptSubmit", "s2", prompt="Report rows that the importer drops: currency")
    [row] = json.loads(run([script, "list", "--json", "--project", str(repository)]))
    assert row["type"] == "note"
    assert row["id"] in json.loads(offered)["hookSpecificOutput"]["additionalContext"]
    assert ANSWER in run([script, "show", row["id"], "--project", str(repository)])


def the_view_answers(script, tmp_path):
    """The page of the project that one_loop saved a note for, with its style."""
    command = [script, "view", "--no-open", "--project", str(tmp_path / "ledger")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as view:
        try:
            url = view.stdout.readline().strip()
            with urllib.request.urlopen(url) as answer:
                page = answer.read().decode()
        finally:
            view.terminate()
    assert "ledger" in page
    assert "view.css" in page
