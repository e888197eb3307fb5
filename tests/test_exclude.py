"""What the user names as never stored: every spelling of a folder is met, and no pattern hangs a hook."""

import os
import signal
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import exclude

NAMES = st.text("abz.-_ é(+[", min_size=1, max_size=6).filter(lambda name: name.strip(" ."))


def paths(folder, *patterns):
    return exclude.place({exclude.PATHS: list(patterns)}, str(folder)) == exclude.PATHS


def prompts(text, *patterns):
    return exclude.prompt({exclude.PROMPTS: list(patterns)}, text) == exclude.PROMPTS


@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(NAMES, max_size=3))
def test_a_folder_and_all_below_it_are_met_as_written_whatever_stands_in_their_names(above, below):
    top = "/" + "/".join(above)
    for ending in ("", "/", "/**", "/**/"):
        assert paths("/".join([top, *below]), top + ending)
    assert not paths(top + "x", top)
    assert paths("/".join([top, *below]), above[0])


@pytest.mark.parametrize(
    ("pattern", "folder", "met"),
    [
        ("/srv/*/app", "/srv/a/app/src", True),
        ("/srv/*/app", "/srv/a/b/app", False),
        ("/srv/**/app", "/srv/a/b/app", True),
        ("/srv/**/app", "/srv/app", True),
        ("**/customers/*", "/srv/customers", False),
        ("**/customers/*", "/srv/customers/x", True),
        ("/srv/a?p", "/srv/app", True),
        ("/srv/a?p", "/srv/a/p", False),
        ("/", "/anything", True),
        ("/**", "/anything", True),
        ("**", "/anything", True),
        ("/srv/app", "/srv/app/../other", False),
        ("/srv/app", "/srv/other/../app", True),
    ],
)
def test_stars_stand_for_names_and_for_folders(pattern, folder, met):
    assert paths(folder, pattern) is met


def test_a_link_is_met_by_either_name_from_either_side(tmp_path):
    (tmp_path / "real" / "app").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for pattern in ("link", "real"):
        for folder in ("link", "real"):
            assert paths(tmp_path / folder / "app", str(tmp_path / pattern))
            assert paths(tmp_path / folder / "app", str(tmp_path / pattern / "a*"))
            assert not paths(tmp_path / folder / "app", str(tmp_path / pattern / "b*"))


def test_the_home_is_written_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths(tmp_path / "clients" / "x", "~/clients/**")
    assert not paths(tmp_path / "play", "~/work")


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=50), st.text(max_size=50))
def test_plain_text_is_found_anywhere_and_in_any_case(pattern, before, behind):
    if pattern[0] == pattern[-1] == "/" and len(pattern) > 2:
        return
    assert prompts(before + pattern.casefold() + behind, pattern)


@given(st.text(max_size=40), st.text(max_size=200))
def test_no_pattern_fails_and_one_that_cannot_be_used_excludes_all(pattern, text):
    met = prompts(text, f"/{pattern}/")
    if pattern and exclude.problem(f"/{pattern}/"):
        assert met


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+$", "((a)|a)+$", "(?:a*){2,}$", "((a+))+"]
)
def test_what_may_take_for_ever_is_told_and_excludes_all(pattern):
    assert "may take for ever" in exclude.problem(f"/{pattern}/")
    assert prompts("zebra", f"/{pattern}/")


@pytest.mark.parametrize(
    "pattern", [r"salary|bonus", r"drop\s+rows", r"(one|two) rows", r"(a)(b)+", r"x{2,3}y*", r"(a+)?!"]
)
def test_what_takes_no_longer_than_it_reads_is_used(pattern):
    assert exclude.problem(f"/{pattern}/") == ""
    assert not prompts("zebra", f"/{pattern}/")


def test_a_pattern_that_nobody_saw_through_is_stopped_and_counts_as_found():
    before = signal.getsignal(signal.SIGVTALRM)
    assert prompts("a" * 4_000, "/a*a*a*a*a*b/")
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_beside_the_main_thread_patterns_are_matched_without_a_clock():
    found = []
    thread = threading.Thread(target=lambda: found.extend([prompts("a b", "/a b/"), prompts("b", "/a b/")]))
    thread.start()
    thread.join()
    assert found == [True, False]


def test_a_project_is_named_with_its_digits_without_them_or_by_its_folder():
    chosen = {exclude.PROJECTS: ["payroll", "app-1a2b3c4d", os.path.abspath("/srv/shop")]}
    for folder, name in (("/x", "payroll-00000000"), ("/x", "app-1a2b3c4d"), ("/srv/shop/src", "shop-1")):
        assert exclude.place(chosen, folder, name) == exclude.PROJECTS
    for folder, name in (("/x", "app-00000000"), ("/x", "my-payroll-1"), ("/payroll", "")):
        assert exclude.place(chosen, folder, name) == ""
