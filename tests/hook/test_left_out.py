"""What the settings leave out is never stored: no note, no waiting prompt, no line in a log."""

import json
import os

import pytest

from foreword import clients, settings
from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION


def configure(**values):
    os.makedirs(events.home(), exist_ok=True)
    with open(os.path.join(events.home(), "config.toml"), "w", encoding="utf-8") as f:
        f.write('switch = "on"\n' + values.pop("raw", ""))
        f.writelines(f"{key.replace('_', '.')} = {json.dumps(value)}\n" for key, value in values.items())


def holds(word):
    return [path for path, raw in events.everything_under(events.home()).items() if word in raw]


def projects():
    try:
        return os.listdir(os.path.join(events.home(), "projects"))
    except FileNotFoundError:
        return []


def turn(folder, question=QUESTION, answer=ANSWER, **fields):
    events.start("startup", folder, **fields)
    said = events.prompt(question, folder, **fields)
    events.stop(answer, folder, **fields)
    return said


@pytest.mark.parametrize(
    "pattern", ["{repo}", "{repo}/", "{above}", "{above}/*", "**/app", "app", "{above}/**/src"]
)
def test_of_an_excluded_folder_nothing_is_kept_not_even_that_it_is_there(repo, pattern):
    configure(exclude_paths=[pattern.format(repo=repo, above=os.path.dirname(repo))])
    folder = os.path.join(repo, "src") if pattern.endswith("src") else repo
    turn(folder)
    assert projects() == []
    assert holds(b"currency") == []


def test_a_folder_that_no_pattern_names_is_kept(repo):
    configure(exclude_paths=[os.path.dirname(repo) + "/other", "/nowhere/**"], exclude_prompts=["zebra"])
    turn(repo)
    assert len(events.memories()) == 1


@pytest.mark.parametrize("name", ["name", "name-id", "path"])
def test_an_excluded_project_is_left_alone_from_then_on(repo, name):
    turn(repo)
    [made] = projects()
    log = os.path.join(events.home(), "projects", made, "prompts.log")
    with open(log, "rb") as f:
        before = f.read()
    wanted = {"name": made.rpartition("-")[0], "name-id": made, "path": repo}
    configure(exclude_projects=[wanted[name]])
    assert turn(repo, ASKED_LATER, ANSWER + " Again.", session="s2", turn="t2") == ""
    assert len(events.memories()) == 1
    with open(log, "rb") as f:
        assert f.read() == before
    assert holds(b"Make the importer report") == []


@pytest.mark.parametrize("pattern", ["IMPORTER drop", r"/drop\s+rows/", "/(/", "/(a+)+$/"])
def test_an_excluded_prompt_leaves_neither_question_nor_answer(repo, pattern):
    configure(exclude_prompts=[pattern])
    turn(repo)
    assert holds(b"currency") == []
    turn(repo, "How is the cache of the ledger filled?", ANSWER.replace("Rows", "Lines"), turn="t2")
    assert len(events.memories()) == (1 if pattern[1:3] in ("MP", "dr") else 0)


def test_a_note_that_cites_a_file_of_an_excluded_folder_is_not_kept(repo):
    configure(exclude_paths=[os.path.join(repo, "src")])
    turn(repo)
    assert events.memories() == []
    turn(repo, "How is the cache filled?", "The cache of the ledger is filled at the start. " * 8, turn="t2")
    assert len(events.memories()) == 1


def test_a_turn_that_goes_on_about_an_excluded_folder_keeps_what_it_had_and_nothing_more(repo):
    configure(exclude_paths=[os.path.join(repo, "src")])
    turn(repo, answer="The cache of the ledger is filled at the start. " * 8)
    events.stop("And the giraffe is in `src/app.py:1`. " * 8, repo)
    events.stop("That was the giraffe. " * 16, repo)
    assert holds(b"giraffe") == []
    assert len(events.memories()) == 1


@pytest.mark.parametrize("answer", [ANSWER, "The zebra is in `src/app.py:1`."])
def test_of_an_answer_about_an_excluded_folder_nothing_waits_either(repo, answer):
    configure(exclude_paths=[os.path.join(repo, "src")])
    turn(repo, "What does the zebra do there?", answer)
    assert holds(b"zebra") == holds(b"currency") == []


def test_a_steered_turn_is_left_out_with_what_was_asked_before(repo):
    configure(exclude_prompts=["nightfall"])
    events.prompt(QUESTION, repo)
    events.prompt("and what of nightfall?", repo)
    events.stop(ANSWER, repo)
    assert holds(b"currency") == holds(b"and what of") == []


def test_a_project_is_left_out_before_the_store_has_heard_of_it(repo):
    configure(exclude_projects=["app"])
    turn(repo)
    assert holds(b"currency") == []


def test_a_config_that_cannot_be_read_may_have_excluded_this(repo, monkeypatch):
    configure()
    assert not settings.leaves_out(settings.load(events.home()))
    configure(switch_="x")

    def unreadable(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(settings, "parse", unreadable)
    assert settings.leaves_out(settings.load(events.home()))


@pytest.mark.parametrize(
    "raw", ['exclude.paths = "~/work"\n', "exclude.paths = [1]\n", "exclude = 1\n", "exclude.paths = [\n"]
)
def test_an_exclusion_that_cannot_be_read_keeps_nothing_rather_than_everything(repo, raw):
    configure(raw=raw)
    turn(repo)
    assert holds(b"currency") == []
    try:
        assert settings.wrong(events.home())
    except ValueError:
        pass  # no TOML: doctor says that


def test_headless_runs_are_left_out_where_the_setting_says_so(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    configure(headless=False)
    turn(repo)
    assert events.memories() == []
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    turn(repo)
    assert len(events.memories()) == 1


def test_headless_runs_are_kept_otherwise(repo, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    configure()
    turn(repo)
    assert len(events.memories()) == 1


def test_codex_says_in_its_rollout_that_it_runs_headless(tmp_path):
    wire = clients.wire("codex")
    heard = type("Heard", (), {"transcript": str(tmp_path / "rollout.jsonl")})
    for originator, headless in (("codex_exec", True), ("codex_cli_rs", False)):
        record = {"type": "session_meta", "payload": {"id": "x", "originator": originator}}
        (tmp_path / "rollout.jsonl").write_text(json.dumps(record, separators=(",", ":")) + "\n")
        assert wire.is_headless(heard, {}) is headless
    heard.transcript = str(tmp_path / "gone")
    assert wire.is_headless(heard, {}) is False


def test_a_disabled_session_leaves_no_trace_at_all(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("FOREWORD_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    turn(repo)
    assert not os.path.exists(tmp_path / "none")
