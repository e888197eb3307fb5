"""The page with all projects, and what every page has: where it leads to, messages, errors."""

import os

import pytest

from foreword import memory
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.web import shown
from web.conftest import TOKEN, Site


@pytest.fixture
def stored(place):
    """The project with a fact."""
    memory.save(place, "Geese guard the barn.", title="Geese")
    return place


def test_a_store_that_is_not_there_yet_says_how_to_begin(site, home):
    text = site.page("/")
    assert "Nothing here yet" in text
    assert "<code>foreword install</code>" in text
    assert home in text
    assert not os.path.exists(home)


def test_each_project_has_a_row_that_leads_to_it(site, stored):
    text = site.page("/")
    assert f'<a href="/{TOKEN}/p/{stored.name}/"><bdi>ledger</bdi></a>' in text
    assert stored.root in text
    assert '<td class="n" data-label="Facts">1</td>' in text
    assert '<td class="n" data-label="Notes">0</td>' in text
    assert "1 project in" in text


def test_a_name_is_text_whatever_it_holds(tmp_path, home, site):
    (tmp_path / "<script>alert(1)<").mkdir()
    memory.open_project(str(tmp_path / "<script>alert(1)<"), home, create=True)
    assert "<script>alert" not in site.page("/")


def test_every_page_leads_to_the_others_and_says_which_it_is(home, stored):
    text = Site(home, here=stored.name).page("/")
    assert f'<a href="/{TOKEN}/" aria-current="page"><bdi>All projects</bdi></a>' in text
    assert f'<a href="/{TOKEN}/p/{stored.name}/memories"><bdi>Memories</bdi></a>' in text
    health = Site(home).page(f"/p/{stored.name}/health")
    assert f'<a href="/{TOKEN}/p/{stored.name}/health" aria-current="page"><bdi>Health</bdi></a>' in health
    assert health.count('aria-current="page"') == 1
    assert '<html lang="en">' in health
    assert '<a class="skip" href="#main">' in health


def test_an_unknown_project_is_no_page(site):
    text = site.page("/p/nothing-00000000/health", 404)
    assert "/p/nothing-00000000" not in text  # nothing leads to what is not there
    assert '/">All projects</a>' in text
    assert "Not found" in text
    assert f'<a href="/{TOKEN}/">All projects</a>' in text
    site.page("/nowhere", 404)


def raising(home, error):
    """The view with a page that raises an error."""
    site = Site(home)

    def broken(request):
        raise error

    from starlette.routing import Route

    site.app.app.router.routes[0].app.routes.append(Route("/broken", broken))
    return site


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFoundError("no <b>memory</b> x", "foreword list"), 404),
        (BusyError("the index is busy", "try again"), 409),
        (DamagedError("it is damaged", "foreword check"), 422),
        (ForewordError("no body", "write one"), 422),
    ],
)
def test_what_a_person_can_act_on_is_told_with_what_to_do(home, error, status):
    text = raising(home, error).page("/broken", status)
    assert error.message.replace("<b>", "&lt;b&gt;").replace("</b>", "&lt;/b&gt;") in text
    is_command = error.hint.startswith("foreword ")
    assert f"<code>{error.hint}</code>" in text if is_command else error.hint in text
    assert ("<code>" + error.hint in text) == is_command


def test_our_bug_is_a_page_too_and_what_happened_goes_to_the_terminal(home, capsys):
    text = raising(home, ValueError("secret detail")).page("/broken", 500)
    assert "Something broke" in text
    assert "secret detail" not in text
    assert "ValueError: secret detail" in capsys.readouterr().err


def test_a_message_is_shown_once_and_its_text_is_not_in_the_address(site):
    name = site.view.say("Saved <i>it</i>.", "foreword list")
    assert "Saved" not in name
    text = site.page(f"/?said={name}")
    assert "Saved &lt;i&gt;it&lt;/i&gt;." in text
    assert '<div class="message" role="status" aria-labelledby="said-1" tabindex="-1" autofocus>' in text
    assert "<code>foreword list</code>" in text
    assert "Saved" not in site.page(f"/?said={name}")
    assert "Saved" not in site.page("/?said=Saved")


def test_messages_that_nobody_fetches_do_not_pile_up(site):
    first = site.view.say("the first")
    for n in range(200):
        site.view.say(f"message {n}")
    assert len(site.view.said) == shown.SAID_KEPT
    assert site.view.hear(first) == []


def test_every_page_shows_a_delete_that_waits_and_how_to_take_it_back(site, stored):
    found = memory.list_memories(stored)[0]["id"]
    site.view.pending.add(stored, found)
    for path in ("/", f"/p/{stored.name}/health", "/nowhere"):
        text = site.client.get(f"/{TOKEN}{path}").text
        assert 'Deleting <bdi class="cut">“Geese”' in text
        assert 'data-left="10"' in text
        assert text.count('role="status"') == 1
        assert f'action="/{TOKEN}/p/{stored.name}/memories/{found}/keep"' in text


def test_a_path_that_is_no_utf8_is_shown_as_far_as_it_goes(home):
    text = raising(home, NotFoundError(os.fsdecode(b"/data/\xff/x"))).page("/broken", 404)
    assert "/data/?/x" in text


@pytest.mark.parametrize(
    ("n", "told"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1_250_000, "1.2 MB"), (10**15, "1000.0 TB")],
)
def test_sizes_are_told_in_their_unit(n, told):
    assert shown.size(n) == told


def test_numbers_words_and_times_are_as_people_write_them():
    assert shown.counted(1, "memory") == "1 memory"
    assert shown.counted(10_000, "memory") == "10,000 memories"
    assert shown.counted(2, "day") == "2 days"
    assert shown.percent(0.7) == "70 %"
    assert shown.percent(None) == "–"
    assert shown.day("2026-11-30T10:15:09.123456Z") == "2026-11-30 10:15"
    assert shown.day("") == ""
    assert shown.line("a\x1b[31m\n b\u202e") == "a b"
    assert shown.line(" \n") == "(untitled)"
