"""Charts: the same data give the same bytes, whatever the texts; each says in words what it shows."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.web import charts
from foreword.web.shown import part

SVG = "{http://www.w3.org/2000/svg}"
DAYS = [("2026-11-01", 0), ("2026-11-02", 3), ("2026-11-03", 1)]


def parsed(svg):
    """The tree of a chart, which must be one of XML, as a browser takes it."""
    text = str(svg).encode("utf-8", "replace").decode()
    return ElementTree.fromstring(text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def words(svg):
    """(title, desc)"""
    tree = parsed(svg)
    return tree.find(SVG + "title").text, tree.find(SVG + "desc").text


def test_bars_stand_on_one_line_and_are_as_tall_as_their_numbers():
    assert charts.bars(DAYS) == (
        '<svg class="bars" viewBox="0 0 600 120" preserveAspectRatio="none" role="img"'
        ' aria-labelledby="bars-title bars-desc"><title id="bars-title">Notes per day</title>'
        '<desc id="bars-desc">4 notes from 2026-11-01 to 2026-11-03. The most on one day: 3 on 2026-11-02.'
        '</desc><line class="axis" x1="0" y1="120" x2="600" y2="120"/>'
        '<rect class="bar" x="20" y="120" width="160" height="0"><title>2026-11-01: 0 notes</title></rect>'
        '<rect class="bar" x="220" y="0" width="160" height="120"><title>2026-11-02: 3 notes</title></rect>'
        '<rect class="bar" x="420" y="80" width="160" height="40"><title>2026-11-03: 1 note</title></rect>'
        "</svg>"
    )


def test_no_day_and_a_month_without_a_note_are_drawn_too():
    assert words(charts.bars([])) == ("Notes per day", "No day.")
    assert words(charts.bars([("2026-11-01", 0)]))[1] == "0 notes from 2026-11-01 to 2026-11-01."


@pytest.mark.parametrize(
    ("value", "wide", "told"),
    [(0.7, "140", "70 %."), (1.5, "200", "150 %."), (0.0, None, "0 %."), (None, None, "Not known.")],
)
def test_a_meter_is_filled_to_its_share(value, wide, told):
    svg = charts.share(value, label="Hit rate")
    assert words(svg) == ("Hit rate", told)
    fill = [rect.get("width") for rect in parsed(svg).iter(SVG + "rect") if rect.get("class") == "fill"]
    assert fill == ([wide] if wide else [])


def test_an_interval_has_its_ends_its_middle_and_a_mark_where_nothing_differs():
    svg = charts.interval(-0.31, -0.2, -0.08)
    assert words(svg) == ("Difference", "-20 %, between -31 % and -8 %.")
    tree = parsed(svg)
    at = {line.get("class"): (line.get("x1"), line.get("x2")) for line in tree.iter(SVG + "line")}
    assert at == {"zero": ("290", "290"), "range": ("70", "233.2")}
    assert tree.find(SVG + "circle").get("cx") == "148.1"
    assert [text.text for text in tree.iter(SVG + "text")] == ["0 %", "-31 %", "-8 %"]


def test_an_interval_that_spans_nothing_shows_the_mark_between_its_ends():
    tree = parsed(charts.interval(-0.1, 0.0, 0.1))
    assert {line.get("x1") for line in tree.iter(SVG + "line") if line.get("class") == "zero"} == {"180"}


@pytest.mark.parametrize("numbers", [(None, 0.1, 0.2), (0.1, None, 0.2), (0.1, 0.2, None)])
def test_what_is_not_known_is_not_drawn(numbers):
    assert charts.interval(*numbers) == ""


def test_an_entity_stands_between_what_points_to_it_and_what_it_points_to():
    edges = [("web", "calls", "api"), ("api", "reads from", "postgres"), ("api", "runs on", "k8s")]
    svg = charts.relations("api", edges, link=lambda name: f"/graph/entity?name={name}")
    assert words(svg) == ("Relations of api", "1 to it, 2 from it.")
    tree = parsed(svg)
    assert tree.get("role") == "group"  # it holds links
    assert [link.get("href")[19:] for link in tree.iter(SVG + "a")] == ["web", "postgres", "k8s"]
    assert [text.text for text in tree.iter(SVG + "text")] == [
        "api", "calls", "web", "reads from", "postgres", "runs on", "k8s",
    ]  # fmt: skip
    assert [rect.get("x") for rect in tree.iter(SVG + "rect")] == ["300", "0", "560", "560"]
    assert [rect.get("y") for rect in tree.iter(SVG + "rect")] == ["28", "32", "8", "56"]


def test_a_crowded_entity_says_how_many_are_not_drawn_and_a_lonely_one_stands_alone():
    edges = [("hub", "to", f"spoke {n}") for n in range(30)]
    svg = charts.relations("hub", edges)
    assert words(svg)[1] == "0 to it, 24 from it. 6 more are in the list."
    assert parsed(svg).get("role") == "img"
    assert len(list(parsed(svg).iter(SVG + "path"))) == 25  # with the head of the arrows
    assert words(charts.relations("hub", []))[1] == "0 to it, 0 from it."


def test_long_names_are_cut_and_wide_letters_count_twice():
    tree = parsed(charts.relations("a", [("a", "t", "n" * 80), ("a", "t", "東" * 80)]))
    shown = [text.text for text in tree.iter(SVG + "text")]
    assert shown[2] == "n" * 25 + "…"
    assert shown[4] == "東" * 12 + "…"


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=40), st.text(max_size=60), st.booleans())))
def test_no_text_of_the_graph_leaves_its_place(entity, others):
    edges = [(entity, kind, to) if out else (to, kind, entity) for kind, to, out in others]
    tree = parsed(charts.relations(entity, edges, link=part))
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= {
        "svg", "title", "desc", "defs", "marker", "path", "g", "rect", "text", "a",
    }  # fmt: skip
    assert len(list(tree.iter(SVG + "a"))) == min(24, len(edges))


@given(st.lists(st.integers(0, 10**6), max_size=60))
def test_every_bar_stands_within_the_drawing(numbers):
    days = [(f"2026-11-{n:02}", value) for n, value in enumerate(numbers)]
    for bar in parsed(charts.bars(days)).iter(SVG + "rect"):
        x, y, wide, tall = (float(bar.get(key)) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= 600.1
        assert 0 <= y <= 120
        assert abs(y + tall - 120) <= 0.1


@given(st.tuples(*[st.floats(-1, 50)] * 3).map(sorted))
def test_every_interval_stands_within_the_drawing(ends):
    tree = parsed(charts.interval(*ends))
    places = [float(line.get(x)) for line in tree.iter(SVG + "line") for x in ("x1", "x2")]
    assert all(69.9 <= place <= 290.1 for place in places)
