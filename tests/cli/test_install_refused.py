"""Nothing at all is written when something is in the way of one file of one client."""

import os

import pytest

from cli.fake_claude import everything_below

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them"),
    pytest.mark.usefixtures("only_claude"),
]


def pipe(path):
    os.mkfifo(path)


def link_to_a_pipe(path):
    os.mkfifo(path.parent / "elsewhere")
    path.symlink_to(path.parent / "elsewhere")


def file(path):
    path.write_text("mine")


def link_to_nothing(path):
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.parametrize(
    ("where", "what", "told"),
    [
        (".gemini/settings.json", pipe, ".gemini/settings.json is no regular file, nothing was changed"),
        (".gemini/GEMINI.md", link_to_a_pipe, ".gemini/GEMINI.md is no regular file, nothing was changed"),
        (".gemini/policies", file, ".gemini/policies is no folder, so "),
        (".gemini/policies", link_to_nothing, ".gemini/policies is no folder, so "),
        (".gemini", file, ".gemini is no folder, so "),
        (".cursor/skills", file, ".cursor/skills is no folder, so "),
        (".foreword", file, ".foreword"),
    ],
)
def test_what_was_in_the_way_of_one_client_was_found_when_others_were_written(
    foreword, home, where, what, told
):
    path = home / where
    path.parent.mkdir(parents=True, exist_ok=True)
    what(path)
    before = everything_below(home)

    done = foreword("install", "cursor", "windsurf", "gemini", "--anyway", code=2)

    assert told in done.err
    assert "hint: " in done.err
    assert everything_below(home) == before


def test_a_link_to_a_file_and_to_a_folder_are_as_good_as_these(foreword, home):
    (home / "dots" / "policies").mkdir(parents=True)
    (home / "dots" / "settings.json").write_text("{}")
    (home / ".gemini").mkdir()
    for name in ("settings.json", "policies", "GEMINI.md"):  # the last one leads to a file that is not there
        (home / ".gemini" / name).symlink_to(home / "dots" / name)

    foreword("install", "gemini", "--anyway")

    assert sorted(os.listdir(home / "dots")) == ["GEMINI.md", "policies", "settings.json"]
    foreword("uninstall", "gemini")
    assert sorted(os.listdir(home / "dots")) == ["policies", "settings.json"]
    assert os.listdir(home / "dots" / "policies") == []
