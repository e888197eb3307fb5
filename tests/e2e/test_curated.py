"""Curated memory with both real clients: what is written down on purpose reaches every later session."""

import json
import os
import re
import shlex
import sys

import pytest
import yaml

from e2e.claude import ANSWER, ASKED, ASKED_LATER
from e2e.home import make_repository, read
from e2e.model import Turn, use
from e2e.tui import answer

pytestmark = pytest.mark.e2e

TITLE = "Importer: rows without a currency are reported"
BODY = (
    "What happened: `keep` in `src/app.py:6` dropped rows silently; each is now counted.\n\n"
    "Decisions: counted by bank, for a line a row would drown the log.\n\n"
    "Next steps: mail the banks. The word for it is pelican."
)
FACT = "Tests need the database: `make db` starts it."
SUMMARY = "<analysis>Short.</analysis>\n<summary>They spoke of rows.</summary>"

RECALL = re.compile(r"<foreword>\nWritten down on purpose.*?</foreword>", re.DOTALL)
SHOWN_SESSION = re.compile(r'session: "([^"]+)"')
SHOWN_RUN = re.compile(r'"run": "([^"]+)"')
DUE = "Before other work, consolidate"


def recalls(request):
    """What a request holds of what was written down on purpose, oldest first."""
    return RECALL.findall(request.text)


def recall(request):
    [found] = recalls(request)
    return found


def save(home, body, title, *options):
    home.foreword("save", "--title", title, *options, stdin=body)


def only(home, kind):
    """(header, body) of the one memory of a kind: "facts", "sessions"."""
    [(_, text)] = home.memories(kind)
    return header_of(text), text.split("---\n", 2)[2].strip()


def header_of(text):
    return yaml.safe_load(text.split("---\n", 2)[1])


def as_asked(request):
    """A turn of the script: the model saves a summary as the skill tells it to."""
    told = SHOWN_SESSION.search(request.new_text)
    session = {"session": told[1]} if told else {}
    return [use("mcp__foreword__memory_save", type="session", title=TITLE, body=BODY, **session)]


@pytest.fixture
def wired(both):
    """(claude, codex) of one user, both installed."""
    claude, codex = both
    claude.install()
    codex.install()
    return both


# -- remember, in one client and in the other ------------------------------------------------------


def test_what_is_remembered_in_claude_code_reaches_the_next_session_of_both(wired, model):
    claude, codex = wired
    model.script(as_asked, "Saved.", "Hello.", "Hello.")

    run = claude.run("/remember")
    claude.run("What is next?")
    codex.run("What is next?")

    assert run.denials == []
    header, body = only(claude, "sessions")
    assert (header["title"], header["session"], body) == (TITLE, run.session, BODY)
    assert f"claude --resume {run.session}" in claude.foreword("show", header["id"]).stdout
    asked, _, next_one, in_codex = model.requests
    assert recalls(asked) == []
    for line in BODY.splitlines():
        assert line in recall(next_one)
    assert recall(in_codex) == recall(next_one)
    assert recall(in_codex) in in_codex.developer_texts
    assert claude.notes() == []


def test_what_is_remembered_in_codex_reaches_the_next_session_of_both(wired, model):
    claude, codex = wired
    model.script(as_asked, "Saved.", "Hello.", "Hello.")

    run = codex.run("$remember")
    claude.run("What is next?")
    codex.run("What is next?")

    header, body = only(claude, "sessions")
    assert (header["source"], header["session"], body) == ("codex", run.session, BODY)
    assert "origin" not in header, "the client told, nothing was guessed"
    assert f"codex resume {run.session}" in claude.foreword("show", header["id"]).stdout
    asked, _, in_claude, next_one = model.requests
    assert "<name>remember</name>" in asked.new_text
    assert BODY.splitlines()[0] in recall(in_claude)
    assert recall(next_one) == recall(in_claude)


def test_a_fact_saved_in_codex_reaches_claude_code(wired, model):
    claude, codex = wired
    model.script(
        [use("mcp__foreword__memory_save", type="fact", title="Running the tests", body=FACT)],
        "Saved.",
        "Hello.",
    )

    run = codex.run("Remember that the tests need the database")
    claude.run("Run the tests")

    assert [is_error for _, is_error in model.requests[1].tool_results] == [False]
    header, _ = only(claude, "facts")
    assert (header["source"], header["session"]) == ("codex", run.session)
    assert FACT in recall(model.requests[2])


def test_in_codexs_sandbox_a_shell_command_saves_only_where_the_store_is_a_writable_root(codex, model):
    if os.path.realpath(codex.home.home).startswith("/tmp/"):
        pytest.skip("this checkout lies below /tmp, where Codex's sandbox lets every command write")
    codex.install()
    command = (
        f"echo 'Use the database.' | {shlex.quote(sys.executable)} -I -m foreword.cli save --title Tests"
    )
    model.script(*[[use("exec_command", cmd=command)], "Done."] * 2)

    codex.run("Remember the database")
    refused = codex.home.memories("facts")
    # The line that docs/curated.md gives.
    codex.run("Remember the database", "-c", 'sandbox_workspace_write.writable_roots = ["~/.foreword"]')

    assert refused == []
    assert "error: " in model.requests[1].tool_results[0][0]
    assert "error: " not in model.requests[3].tool_results[0][0]
    assert "Use the database." in only(codex.home, "facts")[1]


@pytest.mark.parametrize(("name", "called"), [("claude", "/remember"), ("codex", "$remember")])
def test_after_clear_the_next_request_carries_it_and_the_user_sees_one_line(
    wired, model, open_terminal, name, called
):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    save(claude, "Tabs, not spaces.", "Indentation", "--global")

    with open_terminal({"claude": claude, "codex": codex}[name]) as screen:
        before = answer(screen, model, "Good morning", "Hello.")
        screen.wait_until_shown("foreword: loaded 2 facts (project: app)")
        # Behind the bare name the terminals' list of skills would take the Enter.
        answer(screen, model, called + " all of it", as_asked, "Saved.", told="all of it")
        screen.submit("/clear")
        screen.wait_until_gone("Good morning")
        after = answer(screen, model, "What is next", "Mail.")
        screen.wait_until_shown("foreword: loaded 2 facts + 1 session (project: app)")
        seen = screen.screen()

    assert TITLE not in recall(before)
    assert FACT in recall(before)
    assert BODY.splitlines()[0] in recall(after)
    assert FACT in recall(after)
    assert "Good morning" not in after.text
    assert "Written down on purpose" not in seen


def test_a_summary_names_the_session_that_it_is_of_also_after_clear(claude, model, open_terminal):
    claude.install()

    with open_terminal(claude) as screen:
        answer(screen, model, "/remember the morning", as_asked, "Saved.", told="the morning")
        screen.submit("/clear")
        screen.wait_until_gone("the morning")
        answer(screen, model, "/remember the evening", as_asked, "Saved.", told="the evening")

    assert [request.tool_results[-1][1] for request in model.requests[1::2]] == [False, False]
    sessions = [header_of(text)["session"] for _, text in claude.memories("sessions")]
    of = {name: text for name, text in transcripts(claude).items() if "/remember" in text}
    assert sorted(sessions) == sorted(of)
    assert "the morning" in of[sessions[0]]
    assert "the evening" in of[sessions[1]]


def transcripts(claude):
    """{session: text} of the client's own session logs."""
    found = {}
    for at, _, names in os.walk(os.path.join(claude.config, "projects")):
        found |= {n[:-6]: read(os.path.join(at, n)) for n in names if n.endswith(".jsonl")}
    return found


def test_a_global_fact_reaches_another_project_and_the_others_do_not(wired, model):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    save(claude, "Tabs, not spaces.", "Indentation", "--global")
    other = make_repository(os.path.join(claude.folder, "other"))
    model.script("Hello.", "Hello.")

    codex.run("Good morning", cwd=other)
    claude.run("Good morning", cwd=other)

    for request in model.requests:
        assert "Tabs, not spaces." in recall(request)
        assert FACT not in request.text
    assert recall(model.requests[0]) == recall(model.requests[1])


def test_a_skill_of_the_users_own_stays_and_ours_has_another_name(both, model):
    claude, _ = both
    mine = os.path.join(claude.config, "skills", "remember", "SKILL.md")
    os.makedirs(os.path.dirname(mine))
    text = "---\nname: remember\ndescription: Mine.\n---\n\nRemember the milk.\n"
    with open(mine, "w", encoding="utf-8") as f:
        f.write(text)
    claude.install()
    model.script("The milk.", as_asked, "Saved.")

    claude.run("/remember")
    claude.run("/foreword-remember")
    claude.foreword("uninstall", "claude-code")

    assert "Remember the milk." in model.requests[0].new_text
    assert only(claude, "sessions")[1] == BODY
    assert read(mine) == text
    assert os.listdir(os.path.join(claude.config, "skills")) == ["remember"]


# -- handed over once, whole, or not at all --------------------------------------------------------


def test_a_resumed_session_holds_it_once(wired, model):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    model.script(*["Hello."] * 4)

    for client in wired:
        first = client.run("Good morning").session
        if client is claude:
            claude.run("And now?", "--resume", first)
        else:
            codex.run("And now?", resume=first)

    assert [len(recalls(request)) for request in model.requests] == [1, 1, 1, 1]
    assert "Good morning" in model.requests[1].text
    assert "Good morning" in model.requests[3].text


def test_what_was_handed_over_is_not_offered_to_the_prompt_as_well(wired, model):
    claude, codex = wired
    save(claude, ANSWER, "Rows without a currency")
    model.script("Noted.", "Noted.")

    claude.run(ASKED_LATER)
    codex.run(ASKED_LATER)

    assert [len(request.frames) for request in model.requests] == [1, 1]
    for request in model.requests:
        assert "pelican" in recall(request)


def test_what_people_change_by_hand_counts_from_the_next_session_on(wired, model):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    [(path, text)] = claude.memories("facts")
    model.script(*["Hello."] * 4)

    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("make db", "make database"))
    claude.run("Good morning")
    codex.run("Good morning")
    os.remove(path)
    claude.run("Good afternoon")
    codex.run("Good afternoon")

    changed, gone = model.requests[:2], model.requests[2:]
    assert ["`make database` starts it." in recall(request) for request in changed] == [True, True]
    assert [request.frames for request in gone] == [[], []]


def test_after_compaction_it_is_handed_over_again(wired, model, open_terminal):
    claude, _ = wired
    save(claude, FACT, "Running the tests")

    for client in wired:
        with open_terminal(client) as screen:
            answer(screen, model, "Good morning", "Hello.")
            save(claude, "Push to main.", f"Pushing from {type(client).__name__}")
            same = answer(screen, model, "And now", "Hello.")
            model.script(Turn(SUMMARY, when=lambda request: request.asks_for_summary))
            screen.submit("/compact")
            screen.wait_until_shown("ompacted")
            again = answer(screen, model, "Go on", "Hello.")

        assert f"Pushing from {type(client).__name__}" not in recall(same)
        assert f"Pushing from {type(client).__name__}" in recall(again)
        assert FACT in recall(again)


def test_an_empty_store_adds_nothing_and_says_nothing(wired, model):
    claude, codex = wired
    model.script("Hello.", "Hello.")

    run = claude.run("Good morning")
    codex.run("Good morning")

    assert [hook["stdout"] for hook in run.hooks] == ["", "", ""]
    assert [request.frames for request in model.requests] == [[], []]
    assert "<permissions instructions>" in model.requests[1].developer_texts[-1], (
        "the client's own is the last"
    )


def test_with_the_switch_off_nothing_is_handed_over(wired, model):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    claude.foreword("switch", "off")
    model.script(*["Hello."] * 3)

    claude.run("Good morning")
    codex.run("Good morning")
    claude.foreword("switch", "on")
    codex.run("Good morning")

    assert [len(recalls(request)) for request in model.requests] == [0, 0, 1]


def test_a_full_block_of_japanese_reaches_both_whole(wired, model):
    claude, codex = wired
    sentence = "テストを走らせる前にデータベースを起動する必要がある。"
    for number in range(16):
        save(claude, sentence * 20, f"手順{number}番")
    wanted = json.loads(claude.foreword("recall", "--json").stdout)
    model.script("Hello.", "Hello.")

    claude.run("Good morning")
    codex.run("Good morning")

    assert 5_500 <= wanted["characters"] <= 6_000
    assert wanted["left_out"] > 0
    for request in model.requests:
        assert wanted["text"] in request.text
        assert "persisted-output" not in request.text
        assert "truncated" not in recall(request)
    assert codex.spilled() == []
    [of_claude, of_codex] = claude.recall_records()
    assert (of_claude["client"], of_codex["client"]) == ("claude-code", "codex")
    assert of_claude["characters"] == of_codex["characters"] == wanted["characters"]


def test_a_subagent_is_handed_nothing_and_its_report_is_no_note(wired, model):
    claude, codex = wired
    save(claude, FACT, "Running the tests")
    model.script(ANSWER)
    claude.run(ASKED)
    task = ASKED_LATER  # a prompt of the user's would be offered the note; Codex runs our hook for it
    report = "The subagent looked at every caller of keep() and found none that minds. " * 5
    asked = "Who calls keep()"

    model.script(
        [use("Agent", description="Callers", prompt=task, subagent_type="Explore")],
        Turn(report, when=lambda request: task in request.new_text),
        Turn("Nobody does.", when=lambda request: report in request.new_text),
    )
    claude.run(asked)
    model.script(
        [use("multi_agent_v1__spawn_agent", message=task)],
        Turn(report, when=lambda request: task in request.new_text),
        Turn(
            lambda request: [use("multi_agent_v1__wait_agent", targets=[agent_of(request)])],
            when=lambda request: "agent_id" in request.new_text,
        ),
        Turn("Nobody does.", when=lambda request: report.strip() in request.new_text),
    )
    run = codex.run(asked)

    assert run.answer == "Nobody does."
    of_agents = [request for request in model.requests if task in request.new_text]
    others = [request for request in model.requests if request not in of_agents]
    assert [request.frames for request in of_agents] == [[], []]
    assert [len(recalls(request)) for request in others] == [1] * 6
    assert len(claude.notes()) == 1, "the one that was there before"


def agent_of(request):
    return json.loads(request.tool_results[-1][0])["agent_id"]


# -- dream -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_consolidation_is_asked_for_until_it_is_done(wired, model, name):
    claude, codex = wired
    client, called = {"claude": (claude, "/dream"), "codex": (codex, "$dream")}[name]
    for number in range(3):
        save(claude, f"Port {5000 + number}.", "Port of the database")
    model.script("Hello.")
    client.run("Good morning")
    save(claude, "Port 5432.", "Port of the database")
    older = [os.path.basename(path)[:-3] for path, _ in claude.memories("facts")][:-1]

    def apply(request):
        run = SHOWN_RUN.search(request.tool_results[-1][0])[1]
        actions = [{"do": "archive", "ids": older, "why": "superseded"}]
        return [use("mcp__foreword__memory_dream", run=run, actions=actions)]

    model.script([use("mcp__foreword__memory_dream")], apply, "Consolidated.", "Hello.")
    run = client.run(called)
    client.run("Good afternoon")

    before, asked, shown, applied, after = model.requests
    assert DUE not in before.text
    assert "Port 5002." in recall(before)
    [directive] = [line for line in asked.text.splitlines() if DUE in line]
    assert called in directive
    assert "3 memories are superseded" in directive
    assert all(memory in shown.tool_results[-1][0] for memory in older)
    assert not applied.tool_results[-1][1]
    assert run.answer == "Consolidated."
    assert DUE not in after.text
    assert "Port 5432." in recall(after)
    assert "Port 5002." not in recall(after)
    assert [text for _, text in claude.memories("facts") if "Port 5432." not in text] == []
