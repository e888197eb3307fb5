"""The skills that `foreword install` writes, beside those that people have of their own."""

import os

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="paths as POSIX has them")
NAMES = ("remember", "recall", "dream")


@pytest.fixture(autouse=True)
def no_program(tmp_path, monkeypatch):
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture(params=["claude-code", "codex"])
def client(request):
    return request.param


@pytest.fixture
def folder(tmp_path, client):
    """The client's folder for skills; it need not exist."""
    return tmp_path / "home" / {"claude-code": ".claude", "codex": ".codex"}[client] / "skills"


def called(folder):
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def text(folder, name):
    return (folder / name / "SKILL.md").read_text()


def put(folder, name, words):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(words)


def test_each_is_called_as_its_file_says(foreword, client, folder):
    foreword("install", client, "--anyway")
    for name in NAMES:
        assert text(folder, name).startswith(f"---\nname: {name}\n")


def test_without_skills_there_are_none_and_those_of_before_go(foreword, client, folder):
    foreword("install", client, "--anyway", "--no-skills")
    assert called(folder) == []
    foreword("install", client, "--anyway")
    assert called(folder) == sorted(NAMES)
    out = foreword("install", client, "--anyway", "--no-skills").out
    assert not folder.exists()
    assert out.count("is gone from") == 3


def test_a_skill_of_the_users_keeps_its_name_and_its_bytes(foreword, client, folder):
    put(folder, "dream", "mine")
    foreword("install", client, "--anyway")
    assert text(folder, "dream") == "mine"
    assert text(folder, "foreword-dream").startswith("---\nname: foreword-dream\n")
    foreword("uninstall")
    assert called(folder) == ["dream"]
    assert text(folder, "dream") == "mine"


def test_where_both_names_are_the_users_ours_is_left_out_and_named(foreword, client, folder):
    put(folder, "dream", "mine")
    put(folder, "foreword-dream", "mine too")
    done = foreword("install", client, "--anyway")
    assert (text(folder, "dream"), text(folder, "foreword-dream")) == ("mine", "mine too")
    assert "the skill dream is left out" in done.err
    assert "recall" in called(folder)


def test_a_folder_of_the_users_without_a_skill_keeps_its_name(foreword, client, folder):
    (folder / "dream").mkdir(parents=True)
    (folder / "dream" / "notes.txt").write_text("mine")
    foreword("install", client, "--anyway")
    assert os.listdir(folder / "dream") == ["notes.txt"]
    assert "foreword-dream" in called(folder)


def test_one_that_the_user_changed_is_left_alone_and_named(foreword, client, folder):
    foreword("install", client, "--anyway")
    mine = text(folder, "recall") + "\nAnswer in verse.\n"
    put(folder, "recall", mine)

    done = foreword("install", client, "--anyway")
    assert text(folder, "recall") == mine
    assert f"{folder / 'recall' / 'SKILL.md'} was changed by hand" in done.err

    out = foreword("uninstall").out
    assert called(folder) == ["recall"]
    assert text(folder, "recall") == mine
    assert "changed by hand" in out


def test_one_of_an_older_version_is_renewed_without_a_backup(foreword, client, folder, monkeypatch):
    foreword("install", client, "--anyway")
    current = text(folder, "recall")
    _as_an_older_version_left_it(folder, client, current)

    foreword("install", client, "--anyway")

    assert text(folder, "recall") == current
    assert os.listdir(folder / "recall") == ["SKILL.md"]
    foreword("uninstall")
    assert not folder.parent.exists()


def _as_an_older_version_left_it(folder, client, current):
    """The file with other words, and the record that says so."""
    from foreword.edit import plan

    home = os.environ["FOREWORD_HOME"]
    path = folder / "recall" / "SKILL.md"
    older = current.replace("recall", "recall, as it was")
    path.write_text(older)
    kept = plan.records(home, client)
    digest = plan.digest(older.encode())
    kept[str(path)].update(after=digest, made={"written": [digest]})
    plan.save_records(home, client, kept)


def test_with_the_record_lost_they_still_go(foreword, client, folder, tmp_path):
    foreword("install", client, "--anyway")
    for path in (tmp_path / "home" / ".foreword" / "state" / "installs").iterdir():
        path.unlink()
    foreword("uninstall")
    assert called(folder) == []


def test_an_old_command_of_the_users_keeps_its_name(foreword, tmp_path):
    commands = tmp_path / "home" / ".claude" / "commands"
    commands.mkdir(parents=True)
    (commands / "recall.md").write_text("mine")
    foreword("install", "claude-code", "--anyway")
    assert called(tmp_path / "home" / ".claude" / "skills") == ["dream", "foreword-recall", "remember"]


def test_a_link_to_an_empty_folder_of_the_users_is_followed_by_nobody(foreword, client, folder, tmp_path):
    mine = tmp_path / "dotfiles" / "remember"
    mine.mkdir(parents=True)
    folder.mkdir(parents=True)
    (folder / "remember").symlink_to(mine)
    foreword("install", client, "--anyway")
    assert "foreword-remember" in called(folder)
    assert list(mine.iterdir()) == []
    foreword("uninstall", client)
    assert called(folder) == ["remember"]
    assert mine.is_dir()


def test_an_empty_folder_of_the_users_stays(foreword, client, folder):
    (folder / "recall").mkdir(parents=True)
    foreword("install", client, "--anyway")
    assert called(folder) == ["dream", "recall", "remember"]
    foreword("uninstall", client)
    assert called(folder) == ["recall"]
