"""What a page tells of deletes, from the click until it is known what became of it."""

import re

import pytest

from foreword import memory
from foreword.errors import BusyError
from web.conftest import OWN, TOKEN
from web.test_memory_page import UNKNOWN, at, note


def told(text):
    """[(state, words)] of each delete that a page tells of."""
    found = re.findall(
        r'<(form|p|div)[^>]* data-number="\d+" data-state="([^"]*)"[^>]*>(.*?)</\1>', text, re.S
    )
    return [(state, " ".join(re.sub("<[^>]+>", " ", inner).split())) for _, state, inner in found]


def after(site, path):
    """What is said on the page that a POST leads to."""
    text = site.after(path)
    said = text.partition('id="said-1"')[2].partition(">")[2].partition("</p>")[0]
    return " ".join(re.sub("<[^>]+>", " ", said).split())


def test_one_that_waits_counts_down_in_a_status_and_the_focus_is_on_what_takes_it_back(site, place):
    memory_id = note(place, "Dear to me")
    text = site.after(at(place, memory_id, "delete"))
    assert [state for state, _ in told(text)] == ["waiting"]
    assert text.count('role="status" aria-atomic="false"') == 1
    assert 'role="timer" aria-live="off">10<' in text
    assert '<button aria-label="Take it back: Dear to me" autofocus>' in text
    assert '<button aria-label="Take it back: Dear to me">' in site.page("/")


def test_two_that_wait_have_labels_of_their_own(site, place):
    for n in range(2):
        site.post(at(place, note(place, "x" * 300, now=1_793_700_900.0 + n), "delete"))
    labels = re.findall('aria-label="([^"]*)"', site.page("/").partition('id="deletes"')[2])
    assert len(labels) == len(set(labels)) == 6
    assert all(len(label) < 140 for label in labels)


def test_it_waits_longer_for_who_needs_more_time_and_stays_on_the_page(site, place):
    memory_id = note(place)
    site.post(at(place, memory_id, "delete"))
    for referer, there in (
        (f"{OWN}/{TOKEN}/p/{place.name}/report?page=2", f"/p/{place.name}/report?page=2"),
        ("http://evil.example/", "/"),
        (f"{OWN}/elsewhere", "/"),
        (f"http://evil.example/{TOKEN}/x", "/"),
        (None, "/"),
    ):
        headers = {"origin": OWN, **({"referer": referer} if referer else {})}
        answer = site.client.post(
            f"/{TOKEN}{at(place, memory_id, 'wait')}", headers=headers, follow_redirects=False
        )
        assert (answer.status_code, answer.headers["location"]) == (303, f"/{TOKEN}{there}")
    assert site.view.pending.all()[0]["left_s"] == 310


@pytest.mark.parametrize("act", ["keep", "wait"])
def test_each_state_has_words_of_its_own_for_who_is_too_late(site, place, act):
    memory_id = note(place)
    seen = []

    def delete(place, ids):
        seen.append(after(site, at(place, memory_id, act)))
        if len(seen) == 1:
            raise BusyError("the store is held", "try again")
        return memory.delete(place, ids).again

    site.view.pending._delete = delete
    assert after(site, at(place, UNKNOWN, act)) == "There is no such memory; none was about to be deleted."
    assert after(site, at(place, memory_id, act)) == "Nothing was about to be deleted."
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    assert after(site, at(place, memory_id, act)) == "It was not deleted: the store is held"
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    assert after(site, at(place, memory_id, act)) == "Too late: it was deleted already, which is final."
    assert seen == ["Too late: it is being deleted at this moment."] * 2


def test_a_delete_that_failed_stands_on_every_page_until_it_is_dismissed(site, place):
    memory_id = note(place, "Dear to me")

    def failing(place, ids):
        raise OSError(28, "No space left on device", "/store")

    site.view.pending._delete = failing
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    for path in ("/", f"/p/{place.name}/", "/graph"):
        text = site.page(path)
        assert "Not deleted: <bdi" in text and "/store: No space left on device" in text
        assert "<code>df /store</code>" in text
    assert f'action="/{TOKEN}{at(place, memory_id, "delete")}"' in text
    number = re.search(r'action="/t+(/deletes/\d+/dismiss)"', text)[1]
    assert told(site.after(number)) == []
    site.post("/deletes/99/dismiss")


def test_the_part_for_the_script_tells_of_those_that_the_page_shows(site, place):
    memory_id = note(place, "Dear <b>to</b> me")
    site.post(at(place, memory_id, "delete"))
    assert told(site.page("/deletes?n=1"))[0][0] == "waiting"
    site.alarms.ring()
    assert told(site.page("/"))[0][0] == "gone"  # another tab was told
    assert told(site.page("/")) == told(site.page("/deletes")) == []
    text = site.page("/deletes?n=1&n=x&n=99999999999999999999&n=-1")
    assert "<html" not in text and "Dear &lt;b&gt;to&lt;/b&gt; me" in text
    assert told(text)[0][0] == "gone" and "It is gone for good." in text


def test_what_stands_again_is_told_with_a_way_to_it(site, place):
    old = memory.save(place, "Port 5432.", title="Port")["id"]
    new = memory.save(place, "Port 5433.", title="Port")["id"]
    site.post(at(place, new, "delete"))
    site.alarms.ring()
    text = site.page("/")
    assert "This stands again, for nothing supersedes it now:" in text
    assert f'href="/{TOKEN}{at(place, old)}"' in text


def test_while_it_is_at_work_every_page_says_so(site, place):
    memory_id = note(place, "Dear to me")
    seen = []

    def delete(place, ids):
        seen.append(site.page("/"))
        seen.append(site.page(at(place, memory_id)))
        return memory.delete(place, ids).again

    site.view.pending._delete = delete
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    assert [told(text)[0][0] for text in seen] == ["at work", "at work"]
    assert "Being deleted: <bdi" in seen[0]
    assert f'{at(place, memory_id, "delete")}"' not in seen[1]
