"""`foreword protocol`: instructions that people put into their rules files."""

import pytest

from foreword import skills

GRAPH, NOTES = skills.protocol("graph"), skills.protocol("notes")
BOTH = NOTES + "\n" + GRAPH


@pytest.fixture
def config(store):
    """A function that writes config.toml."""

    def write(text):
        store.mkdir(exist_ok=True)
        (store / "config.toml").write_text(text)

    return write


@pytest.mark.parametrize(
    ("options", "text"),
    [((), NOTES), (("--notes",), NOTES), (("--graph",), GRAPH), (("--graph", "--notes"), BOTH)],
)
def test_it_prints_the_text_about_what_is_asked_for_and_by_itself_about_notes(foreword, options, text):
    assert foreword("protocol", *options).out == text


def test_by_itself_it_is_about_the_graph_where_that_is_on(foreword, config):
    config("[graph]\non = true\n")
    done = foreword("protocol")
    assert (done.out, done.err) == (GRAPH, "")
    assert foreword("protocol", "--notes").out == NOTES


def test_json_says_what_it_is_about(foreword, config):
    assert foreword("protocol", "--json").json == {"about": ["notes"], "text": NOTES, "graph_on": False}
    config("graph.on = true\n")
    assert foreword("protocol", "--json").json == {"about": ["graph"], "text": GRAPH, "graph_on": True}


def test_who_prints_the_graphs_while_it_is_off_is_told_on_stderr(foreword, config):
    assert "foreword graph on" in foreword("protocol", "--graph").err
    assert foreword("protocol", "--notes").err == ""
    config("graph.on = true\n")
    assert foreword("protocol", "--graph").err == ""


def test_without_a_home_no_config_of_the_current_folder_counts(foreword, tmp_path):
    (tmp_path / "config.toml").write_text("graph.on = true\n")
    done = foreword("protocol", env={"FOREWORD_HOME": "relative"}, cwd=tmp_path)
    assert done.out == NOTES


def test_nothing_is_written(foreword, store):
    foreword("protocol")
    assert not store.exists()
