"""The list of memories: what is asked for is found, filters hold, and any text of the store is only text."""

import html
import importlib
import json
import os
import re

import pytest

from foreword import memory
from web.notes import note

SCRIPT = "<script>alert(1)</script>"
LONG = "long " * 1000


def top(place):
    return f"/p/{place.name}/memories"


def listed(text):
    """The titles of the list, in order."""
    found = re.findall(r'<p class="title"><a href="[^"]*"><bdi class="cut">(.*?)</bdi>', text, re.DOTALL)
    return [html.unescape(title) for title in found]


def told(text):
    return html.unescape(re.search(r'<p role="status">(.*?)</p>', text, re.DOTALL)[1])


def test_the_newest_come_first_fifty_a_page(site, place):
    for n in range(120):
        note(place, f"Number {n}", age=n / 100)
    first, last = site.page(top(place)), site.page(top(place) + "?page=3")
    assert listed(first) == [f"Number {n}" for n in range(50)]
    assert told(first) == "120 memories; here are 1 to 50."
    assert listed(last) == [f"Number {n}" for n in range(100, 120)]
    assert told(last) == "120 memories; here are 101 to 120."
    assert 'rel="next"' in first and 'rel="next"' not in last and 'rel="prev"' in last
    assert listed(site.page(top(place) + "?page=99")) == listed(last)
    assert listed(site.page(top(place) + "?page=x")) == listed(first)


def test_pages_are_newer_and_older_where_they_are_ordered_by_time_alone(site, place):
    for n in range(120):
        note(place, f"Number {n}", "the queue is drained", age=n / 100)
    by_time = site.page(top(place) + "?page=2")
    assert re.findall(r'rel="(?:prev|next)"[^>]*>(\w+)<', by_time) == ["Newer", "Older"]
    ranked = site.page(top(place) + "?page=2&q=queue")
    assert re.findall(r'rel="(?:prev|next)"[^>]*>(\w+)<', ranked) == ["Previous", "Next"]
    assert told(ranked) == "120 memories match; here are 51 to 100."


def test_of_more_than_are_ranked_it_says_that_these_are_the_best(site, place, monkeypatch):
    browse = importlib.import_module("foreword.memory.browse")  # the package has the function of that name
    monkeypatch.setattr(browse, "LIKE_SEARCH", 10)
    monkeypatch.setattr(browse, "FOUND", 60)
    for n in range(70):
        note(place, f"Number {n}", "the queue is drained", age=n / 100)
    assert told(site.page(top(place) + "?q=queue")) == "The best 60 memories; here are 1 to 50."


def test_a_global_fact_does_not_hide_how_to_begin(site, place):
    memory.save(place, "Tabs, never spaces.", title="Tabs", everywhere=True)
    text = site.page(top(place))
    assert told(text) == "This project has no memory of its own yet; 1 global fact."
    assert listed(text) == ["Tabs"]
    assert "Nothing was saved for this project yet." in text
    assert "Nothing was saved" not in site.page(top(place) + "?type=fact")


@pytest.mark.parametrize("query", ["type=fact", "tag=x", "age=week", "stale=1", "never_opened=1"])
def test_every_filter_can_be_taken_off_where_nothing_matches(site, place, query):
    note(place, "One", age=8)
    assert "Fewer filters" in site.page(f"{top(place)}?{query}")
    assert "Fewer filters" not in site.page(f"{top(place)}?q=giraffe")


def test_the_title_of_the_tab_tells_the_search_and_the_page(site, place):
    for n in range(60):
        note(place, f"Number {n}", "the queue is drained", age=n / 100)
    found = re.search("<title>(.*?)</title>", site.page(top(place) + "?q=queue&page=2"))
    assert found and found[1] == "“queue” in memories, page 2 – ledger – Foreword"


def test_a_search_ranks_and_says_when_nothing_holds_every_word(site, place):
    note(place, "Invoices are rounded per line", "rounding of invoices happens per line")
    note(place, "Something else", "the queue is drained at night")
    found = site.page(top(place) + "?q=rounding+invoices")
    assert listed(found) == ["Invoices are rounded per line"]
    assert told(found) == "1 memory matches."
    assert 'value="rounding invoices"' in found
    assert "none holds every word" in told(site.page(top(place) + "?q=rounding+giraffes"))


def test_filters_narrow_the_list_and_stay_chosen(site, place):
    note(place, "New note", age=1, tags=["Auth"])
    note(place, "Old note", age=100, tags=["auth"])
    memory.save(place, "Run make db first.", title="A fact")
    assert listed(site.page(top(place) + "?type=fact")) == ["A fact"]
    tagged = site.page(top(place) + "?tag=AUTH")
    assert listed(tagged) == ["New note", "Old note"]
    assert re.search(r'<option value="auth" selected|<option value="Auth" selected', tagged)
    assert listed(site.page(top(place) + "?age=week&type=note")) == ["New note"]
    old = site.page(top(place) + "?age=older")
    assert listed(old) == ["Old note"]
    assert '<option value="older" selected' in old


def test_the_pager_keeps_what_was_chosen(site, place):
    for n in range(60):
        note(place, f"Number {n}", age=n / 100, tags=["a&b"])
    found = site.page(top(place) + "?tag=a%26b&type=note")
    assert f"{top(place)}?type=note&amp;tag=a%26b&amp;page=2" in found
    assert len(listed(site.page(top(place) + "?type=note&tag=a%26b&page=2"))) == 10


def test_archived_ones_are_a_list_of_their_own(site, place):
    kept, put_aside = note(place, "Kept"), note(place, "Put aside")
    memory.archive(place, [put_aside])
    assert listed(site.page(top(place))) == ["Kept"]
    assert listed(site.page(top(place) + "?archived=1")) == ["Put aside"]
    assert kept in site.page(top(place))


def test_stale_ones_are_those_whose_cited_files_changed(site, place):
    with open(os.path.join(place.root, "a.py"), "w") as f:
        f.write("now")
    note(place, "Stale", files=[{"path": "a.py", "sha256": "0" * 64}])
    note(place, "Cites nothing")
    assert listed(site.page(top(place) + "?stale=1")) == ["Stale"]
    assert ">stale</span>" in site.page(top(place))


def test_never_opened_ones_are_those_that_were_offered_in_vain(site, place):
    vain, used = note(place, "In vain"), note(place, "Used")
    note(place, "Never offered")
    with open(os.path.join(place.folder, "prompts.log"), "w") as f:
        f.write(json.dumps({"time": "2026-01-01T00:00:00.000000Z", "ids": [vain, used]}) + "\n")
    with open(os.path.join(place.folder, "opened.log"), "w") as f:
        f.write(json.dumps({"time": "2026-01-01T00:00:01.000000Z", "id": used}) + "\n")
    assert listed(site.page(top(place) + "?never_opened=1")) == ["In vain"]
    assert "offered 1, opened 1" in site.page(top(place))


def test_where_nothing_matches_it_says_what_may_help(site, place):
    note(place, "One")
    text = site.page(top(place) + "?q=giraffe&type=fact")
    assert told(text) == "No memory matches."
    assert "Fewer or other words" in text
    assert "search everything" in text
    assert f"{top(place)}?archived=1&amp;q=giraffe" in text


def test_an_empty_project_says_how_to_begin(site, place):
    text = site.page(top(place))
    assert told(text) == "There is no memory yet."
    assert "foreword install" in text


def test_no_text_of_the_store_is_markup(site, place):
    note(place, SCRIPT, SCRIPT + " body", tags=[SCRIPT, '"><img src=x>'])
    note(place, LONG)
    pages = [site.page(top(place) + query) for query in ("", "?q=" + SCRIPT, '?tag="><b>', "?q=long")]
    for text in pages:
        assert "alert(1)</script>" not in text
        assert "<img" not in text
        assert '"><b>' not in text
    assert SCRIPT in listed(pages[0])
    assert any(title.startswith("long long") and len(title) < len(LONG) for title in listed(pages[0]))


@pytest.mark.parametrize(
    "query", ["?type=nonsense", "?age=nonsense", "?page=-1", "?page=1e3", "?type=&tag=&age="]
)
def test_what_an_address_says_wrongly_filters_nothing(site, place, query):
    note(place, "One")
    assert listed(site.page(top(place) + query)) == ["One"]


def test_an_unknown_project_is_a_page_that_leads_back(site, place):
    text = site.page("/p/nobody-00000000/memories", 404)
    assert "All projects" in text


def test_a_row_names_eight_tags_and_how_many_more_there_are(site, place):
    note(place, "Tagged all over", tags=[f"tag-{n:04d}" for n in range(300)])
    text = site.page(top(place))
    row = text[text.index("Tagged all over") :]
    assert row.count('class="tag"') == 8
    assert "292 more tags" in row
