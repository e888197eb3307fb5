"""`foreword recall`: the block that sessions start with, for people and programs."""

import pytest


@pytest.fixture
def summary(foreword, repo):
    """A function that saves a session."""

    def save(title, body):
        foreword("save", "--type", "session", "--title", title, stdin=body)

    return save


def test_it_prints_facts_and_sessions_in_a_frame(foreword, save, summary):
    save("Run make db first.", "--title", "Tests")
    save("I prefer tabs.", "--title", "Tabs", "--global")
    summary("Importer moved", "It lives in src/app.py now.")
    out = foreword("recall").out
    assert out.startswith("<foreword>\nWritten down on purpose in earlier sessions of the project ledger,")
    assert out.endswith("</foreword>\n")
    assert out.index("  I prefer tabs.") < out.index("  Run make db first.") < out.index("  It lives in")


def test_json_has_the_text_and_the_counts(foreword, save, summary):
    save("Run make db first.", "--title", "Tests")
    for n in range(5):
        summary(f"Day {n}", f"What happened on day {n}.")
    found = foreword("recall", "--json").json
    counts = {key: found[key] for key in ("facts", "sessions", "listed", "left_out")}
    assert counts == {"facts": 1, "sessions": 3, "listed": 2, "left_out": 0}
    assert found["characters"] == len(found["text"])
    assert found["debt"] == {"superseded": 0, "beyond": 0, "due": False}


def test_an_empty_store_says_so_and_exits_1(foreword, repo):
    done = foreword("recall", code=1)
    assert done.out == ""
    assert "no facts and no sessions are kept here yet" in done.err
    assert "foreword save" in done.err
    assert foreword("recall", "--json", code=1).json["text"] == ""


def test_budget_and_sessions_may_be_tried(foreword, summary):
    for n in range(6):
        summary(f"Day {n}", "word " * 200)
    small = foreword("recall", "--budget", "1500", "--sessions", "1", "--json").json
    assert small["characters"] <= 1_500
    assert small["sessions"] == 1
    large = foreword("recall", "--budget", "20000", "--sessions", "6", "--json").json
    assert (large["sessions"], large["listed"]) == (6, 0)
    foreword("recall", "--budget", "100", code=2)


def test_settings_give_the_defaults(foreword, summary, store):
    for n in range(3):
        summary(f"Day {n}", f"What happened on day {n}.")
    (store / "config.toml").write_text("[recall]\nsessions = 1\n")
    found = foreword("recall", "--json").json
    assert (found["sessions"], found["listed"]) == (1, 2)


def test_save_nudges_once_three_are_superseded_and_no_more_when_they_are_archived(foreword, save):
    older = [save(f"Port {n}.", "--title", "Port") for n in range(3)]
    done = foreword("save", "--title", "Port", stdin="Port 3.")
    assert done.err == "3 memories are superseded; to tidy up: /dream in a client, or foreword dream\n"
    foreword("archive", *older)
    assert foreword("save", "--title", "Other", stdin="Something else.").err == ""


def test_the_nudge_leaves_json_alone(foreword, save):
    for n in range(4):
        save(f"Port {n}.", "--title", "Port")
    assert set(foreword("save", "--title", "Port", "--json", stdin="Port 9.").json) == {
        "id",
        "superseded",
        "redacted",
    }


def test_recall_says_that_no_session_is_given_it_while_the_switch_is_off(foreword, save):
    save("Run make db first.", "--title", "Tests")
    assert foreword("recall").err == ""
    foreword("switch", "off")
    done = foreword("recall")
    assert "Run make db first." in done.out
    assert done.err == "the switch is off: sessions are not given this\n"
