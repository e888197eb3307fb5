"""`foreword save`: what stdin holds becomes a memory, or nothing is written."""

import os
import subprocess
import sys

import pytest


def test_a_saved_fact_can_be_shown_whole(foreword, repo):
    told = foreword("save", "--title", "Retries", "--tags", "a, b,,", stdin="Three.\n\nNot more.\n")
    verb, memory_id = told.out.split()
    assert (verb, told.err) == ("saved", "")
    found = foreword("show", memory_id, "--json").json
    assert found["title"] == "Retries"
    assert found["body"].strip("\n") == "Three.\n\nNot more."
    assert found["tags"] == ["a", "b"]
    assert (found["type"], found["source"], found["basis"], found["global"]) == ("fact", "cli", "user", False)


def test_the_json_is_the_id_and_what_it_supersedes(foreword, save):
    first = save("Port 80.", "--title", "Port")
    saved = foreword("save", "--title", "PORT", "--json", stdin="Port 81.").json
    assert sorted(saved) == ["id", "redacted", "superseded"]
    assert saved["superseded"] == [first]
    told = foreword("save", "--title", "port", stdin="Port 82.").out.splitlines()
    assert told[1:] == ["Supersedes " + saved["id"]]
    assert {row["id"] for row in foreword("list", "--json").json} >= {first, saved["id"]}


def test_a_session_is_saved_by_its_type(foreword, save):
    memory_id = save("Fixed the importer.", "--type", "session")
    assert foreword("show", memory_id, "--json").json["type"] == "session"


def test_a_global_fact_is_found_from_another_project(foreword, save, tmp_path):
    memory_id = save("Commit messages are in English.", "--global")
    other = tmp_path / "other"
    other.mkdir()
    found = foreword("search", "commit messages", "--json", "--project", other).json
    assert [(row["id"], row["project"]) for row in found] == [(memory_id, "global")]


def test_the_first_line_is_the_title_when_none_is_given(foreword, save):
    memory_id = save("# Running tests\n\nNeeds the database.\n")
    assert foreword("show", memory_id, "--json").json["title"] == "Running tests"


def test_a_body_that_is_no_utf8_is_saved(foreword, repo):
    command = [sys.executable, "-I", "-m", "foreword.cli", "save", "--title", "Latin"]
    done = subprocess.run(command, input=b"caf\xe9 is a shop", capture_output=True, check=True)
    memory_id = done.stdout.split()[1].decode()
    assert "caf\ufffd is a shop" in foreword("show", memory_id).out


@pytest.mark.parametrize("body", ["", " ", "\n\n", " \t\r\n ", "\n" * 1000])
def test_an_empty_or_blank_body_writes_nothing(foreword, repo, store, body):
    told = foreword("save", "--title", "Something", code=2, stdin=body)
    assert (told.out, told.err.count("error: ")) == ("", 1)
    assert not store.exists()


@pytest.mark.parametrize(
    "arguments", [["--type", "note"], ["--type", "nonsense"], ["--global", "--type", "session"], ["--nope"]]
)
def test_what_cannot_be_saved_by_hand_is_refused_and_writes_nothing(foreword, repo, store, arguments):
    assert foreword("save", *arguments, code=2, stdin="Body.").out == ""
    assert not store.exists()


@pytest.mark.skipif(os.name == "nt", reason="a pseudo terminal of POSIX")
def test_a_terminal_as_stdin_writes_nothing(repo, store):
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "foreword.cli", "save", "--title", "T"],
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the text comes on stdin\nhint: ")
    assert not store.exists()


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_a_closed_stdin_writes_nothing(repo, store):
    command = '"$0" -I -m foreword.cli save <&-'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the text comes on stdin")
    assert not store.exists()


def test_save_can_name_what_it_supersedes_and_the_session_it_comes_from(foreword, save):
    one, two = save("Port 80.", "--title", "Port"), save("Ports differ.", "--title", "Ports")
    session = "0b8e1f7c-1f43-47a2-9f8f-6b2a4d1f0c55"
    told = foreword(
        "save",
        "--title",
        "All ports",
        "--supersedes",
        one,
        "--supersedes",
        two,
        "--session",
        session,
        stdin="81.",
    )
    new = told.out.split()[1]
    assert told.out.splitlines()[1:] == [f"Supersedes {one}", f"Supersedes {two}"]
    found = foreword("show", new, "--json").json
    assert (found["supersedes"], found["session"]) == ([one, two], session)


@pytest.mark.parametrize(
    ("options", "code"), [(["--supersedes", "20260101-000000-0000"], 1), (["--session", "x y; z"], 2)]
)
def test_a_wrong_id_saves_nothing(foreword, repo, options, code):
    told = foreword("save", *options, code=code, stdin="Body.")
    assert told.out == ""
    assert foreword("list", "--json").json == []


def test_a_session_that_the_client_did_not_fill_in_is_none(foreword, repo):
    foreword("save", "--session", "", stdin="Body.")


def test_the_nudge_of_save_names_sessions_too_and_no_zero(foreword, save):
    for n in range(18):
        told = foreword("save", "--type", "session", "--title", f"Day {n}", stdin=f"Day {n}.")
    way = "; to tidy up: /dream in a client, or foreword dream\n"
    assert told.err == "5 sessions are no longer handed over" + way
