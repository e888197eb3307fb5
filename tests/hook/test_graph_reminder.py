"""SessionStart reminds of the knowledge graph where that is switched on."""

import os

import pytest

from foreword import memory
from foreword.hook.session_start import GRAPH
from hook import events


def chosen(*lines):
    os.makedirs(events.home(), exist_ok=True)
    with open(os.path.join(events.home(), "config.toml"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_where_the_graph_is_on_a_context_starts_with_a_reminder_of_it(repo, source):
    chosen("[graph]", "on = true")
    answer = events.start(source, repo)
    assert events.recalled(answer) == GRAPH
    assert "systemMessage" not in answer  # nothing was loaded


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_client_session_that_goes_on_has_its_reminder(repo, source):
    chosen("[graph]", "on = true")
    assert events.start("resume", repo, source=source) == {}


def test_it_is_one_short_line():
    assert len(GRAPH) <= 250
    assert "\n" not in GRAPH


def test_it_stands_behind_the_frame_of_the_memories_and_within_the_budget(repo):
    chosen("recall.budget = 1000", "[graph]", "on = true")
    place = memory.open_project(repo)
    for n in range(30):
        memory.save(place, "word " * 20, title=f"Fact {n}")
    text = events.recalled(events.start("startup", repo))
    assert text.endswith("</foreword>\n" + GRAPH)
    assert len(text) <= 1_000


def test_it_stands_alone_where_no_memory_is_to_be_handed_over(repo):
    chosen("recall.budget = 0", "[graph]", "on = true")
    memory.save(memory.open_project(repo), "x", title="A fact")
    assert events.recalled(events.start("startup", repo)) == GRAPH


@pytest.mark.parametrize("lines", [['switch = "off"', "[graph]", "on = true"], ["[graph]", "on = false"], []])
def test_where_the_switch_or_the_graph_is_off_nothing_reminds_of_it(repo, lines):
    chosen(*lines)
    assert events.start("startup", repo) == {}
