"""The page that tells how the store is at once, and how the clients are when it is asked to look."""

import os
import re

import pytest

from foreword import memory, paths
from web.conftest import Site


@pytest.fixture
def stored(place):
    memory.save(place, "Geese guard the barn.", title="Geese")
    return place


def test_the_store_is_looked_at_at_once_and_the_clients_are_not(site, stored):
    text = site.page(f"/p/{stored.name}/health")
    assert f"{stored.name}: 1 memory" in text
    assert "Look at the clients" in text
    assert "Looked at" not in text
    assert "Nothing went wrong so far" in text


def test_what_needs_mending_is_counted_with_the_command_that_does(site, stored):
    os.chmod(stored.home, 0o755)
    text = site.page(f"/p/{stored.name}/health")
    assert "1 finding to mend." in text
    assert f"chmod 700 {stored.home}" in text


def test_it_is_the_project_of_the_address_also_when_its_folder_is_gone(site, stored, tmp_path):
    os.rmdir(stored.root)
    assert f"{stored.name}: 1 memory" in site.page(f"/p/{stored.name}/health")


def seen(site, place):
    """What the project's tile and the health page say of how it is."""
    found = re.search(r"<dt>Health</dt><dd><a [^>]*>(.*?)</a>", site.page(f"/p/{place.name}/"))
    lead = re.search(r'<p class="lead">(.*?)</p>', site.page(f"/p/{place.name}/health"), re.DOTALL)
    return found and found[1], lead and " ".join(lead[1].split())


@pytest.mark.parametrize("is_gone", [False, True])
def test_the_tile_and_the_page_say_the_same_also_when_the_folder_is_gone(site, stored, is_gone):
    if is_gone:
        os.rmdir(stored.root)
    told = "Nothing in the store needs mending; the clients were not looked at yet."
    assert seen(site, stored) == ("store ok", told)
    os.chmod(stored.home, 0o755)
    told = "1 finding to mend. The clients were not looked at yet."
    assert seen(site, stored) == ("1 finding", told)


def test_once_the_clients_were_looked_at_the_tile_counts_them_too(site, stored):
    site.view.looked[stored.name] = ("2026-11-30T10:15:00Z", [])
    assert seen(site, stored) == ("ok", "Nothing needs mending.")
    wrong = {"level": "failure", "what": "no server", "hint": "foreword install", "client": "codex"}
    site.view.looked[stored.name] = ("2026-11-30T10:15:00Z", [wrong])
    assert seen(site, stored) == ("1 finding", "1 finding to mend.")


def test_a_look_belongs_to_its_run(home, stored, site):
    site.page(f"/p/{stored.name}/")
    assert list(site.view.looks) == [stored.name]
    assert not Site(home).view.looks


def test_the_last_lines_of_the_log_are_shown_as_text(site, stored):
    path = paths.hook_log(stored.home)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(f"2026-11-30 claude-code prompt line {n} <b>\x1b[31m\n" for n in range(50)))
    text = site.page(f"/p/{stored.name}/health")
    assert "line 49 &lt;b&gt;\n" in text
    assert "line 29 " not in text
    assert "\x1b" not in text


def test_the_clients_are_looked_at_on_request_and_the_answer_stays(site, stored):
    address = f"/p/{stored.name}/health"
    text = site.after(address)
    assert "The clients were looked at." in text
    assert "Not installed here: " in text
    assert "claude-code" in text
    again = site.page(address)
    assert "Looked at" in again
    assert "The clients were looked at." not in again
