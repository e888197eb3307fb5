"""Claude Desktop's settings, in both places that Windows may have them. The app is not run here."""

import os

import pytest

from clients.rounds import settings_parts
from foreword import skills
from foreword.clients import places
from foreword.clients.claude_desktop import install
from foreword.clients.parts import Options

FILE = "claude_desktop_config.json"


def test_a_comment_is_told_for_the_app_then_reads_nothing_of_it():
    part = settings_parts(install)[FILE]
    before = '{\n  // mine\n  "scale": 0\n}\n'
    told = part.warning(part.with_ours(before), before)
    assert told.startswith(f"{part.path}:2:3 ") and "a comment: Claude Desktop ignores" in told
    assert part.warning(part.with_ours("{}"), "{}") == ""


@pytest.mark.parametrize(
    ("system", "environ", "home", "expected"),
    [
        ("linux", {}, "/home/me", f"/home/me/.config/Claude/{FILE}"),
        ("darwin", {}, "/home/me", f"/home/me/Library/Application Support/Claude/{FILE}"),
        ("win32", {"APPDATA": "D:\\Büro neu"}, "C:\\me", f"D:\\Büro neu\\Claude\\{FILE}"),
        ("win32", {}, "C:\\me", f"C:\\me\\AppData\\Roaming\\Claude\\{FILE}"),
    ],
)
def test_where_the_settings_are(system, environ, home, expected):
    assert places.path("claude-desktop", "settings", system, environ, home) == expected


def test_where_windows_keeps_packaged_apps():
    there = places.path("claude-desktop", "packages", "win32", {"LOCALAPPDATA": "D:\\l é"}, "C:\\me")
    assert there == "D:\\l é\\Packages"


@pytest.fixture
def windows(tmp_path, monkeypatch):
    """A machine whose tables are those of Windows, in this one's spelling: (packages, the usual folder)."""
    packages, usual = tmp_path / "Local" / "Packages", tmp_path / "Roaming" / "Claude"
    there = {"packages": str(packages), "settings": str(usual / FILE)}
    monkeypatch.setattr(places, "this_system", lambda: places.WINDOWS)
    monkeypatch.setattr(places, "path", lambda client, what: there[what])
    return packages, usual


def test_a_packaged_app_gets_the_entry_below_its_package(windows):
    packages, _ = windows
    (packages / "Claude_pzs8sxrjxfjjc").mkdir(parents=True)
    (packages / "Microsoft.WindowsTerminal_8wekyb3d8bbwe").mkdir()
    expected = str(packages / "Claude_pzs8sxrjxfjjc" / os.path.join(*install.IN_PACKAGE))
    assert install.settings_paths() == [expected]
    assert [part.path for part in install.parts(Options(graph=False))] == [expected]


def test_an_app_of_either_kind_gets_it_where_both_are_there(windows):
    packages, usual = windows
    (packages / "Claude_a").mkdir(parents=True)
    usual.mkdir(parents=True)
    assert [os.path.basename(os.path.dirname(path)) for path in install.settings_paths()] == ["Claude"] * 2
    assert install.settings_paths()[1] == str(usual / FILE)


def test_without_any_app_the_usual_place_is_meant(windows):
    assert install.settings_paths() == [str(windows[1] / FILE)]
    assert not install.found()


def test_a_package_that_has_no_settings_yet_counts_as_found(windows):
    packages, _ = windows
    (packages / "Claude_a" / "LocalCache" / "Roaming" / "Claude").mkdir(parents=True)
    assert install.found()


def test_the_text_for_a_project_says_what_an_agent_without_hooks_must_do():
    [(where, text)] = install.to_paste(Options(graph=False))
    assert "project" in where
    assert text == skills.protocol("notes", hooked=False)
