"""`foreword pin` and `reject`: what they change, say and leave alone."""

import pytest

UNKNOWN = "20260101-000000-0000"


def offers(foreword, *options):
    return {row["id"]: row["offer"] for row in foreword("list", "--json", *options).json}


@pytest.mark.parametrize(
    ("verb", "done", "offer"), [("pin", "pinned", "always"), ("reject", "rejected", "never")]
)
def test_a_mark_and_its_undo_are_told_by_every_verb(foreword, save, verb, done, offer):
    one, two = save("The importer retries."), save("The ledger is slow.")
    told = foreword(verb, one)
    assert (told.out, told.err) == (f"{done} {one}\n", "")
    assert offers(foreword) == {one: offer, two: "usual"}
    for arguments in (["list"], ["search", "importer"]):
        assert foreword(*arguments).out.count(f"  fact ({done})  The importer") == 1
    assert f"type     fact ({done})\n" in foreword("show", one).out
    assert foreword("show", one, "--json").json["offer"] == offer
    told = foreword(verb, "--undo", one)
    assert (told.out, told.err) == (f"no longer {done} {one}\n", "")
    assert offers(foreword) == {one: "usual", two: "usual"}
    for arguments in (["list"], ["search", "importer"], ["show", one]):
        assert done not in foreword(*arguments).out


def test_a_rejected_memory_is_still_found_listed_and_shown(foreword, save):
    one = save("The importer retries.")
    foreword("reject", one)
    assert [row["id"] for row in foreword("search", "importer", "--json").json] == [one]
    assert "The importer retries." in foreword("show", one).out


def test_pinning_what_was_rejected_changes_its_mind(foreword, save):
    one = save("One.")
    foreword("reject", one)
    foreword("pin", one)
    assert offers(foreword) == {one: "always"}


def test_undoing_what_was_not_done_leaves_the_other_mark_and_says_so(foreword, save):
    one, two = save("One."), save("Two.")
    foreword("reject", one)
    foreword("pin", two)
    told = foreword("pin", "--undo", one, two)
    assert told.out == f"no longer pinned {two}\n"
    assert told.err == f"{one} was not pinned, nothing was done\n"
    assert offers(foreword) == {one: "never", two: "usual"}


@pytest.mark.parametrize("verb", ["pin", "reject"])
def test_json_is_the_list_of_ids_done(foreword, save, verb):
    both = [save("One."), save("Two.")]
    told = foreword(verb, *both, both[0], "--json")
    assert (told.json, told.err) == (both, "")
    assert foreword(verb, "--undo", *both, "--json").json == both


@pytest.mark.parametrize("verb", ["pin", "reject"])
def test_unknown_ids_are_named_and_nothing_is_done(foreword, save, verb):
    one = save("One.")
    told = foreword(verb, one, UNKNOWN, "../x", code=1)
    assert told.out == ""
    assert UNKNOWN in told.err
    assert "../x" in told.err
    assert one not in told.err
    assert offers(foreword) == {one: "usual"}


@pytest.mark.parametrize("verb", ["pin", "reject"])
def test_without_an_id_the_command_line_is_wrong(foreword, repo, verb):
    assert foreword(verb, code=2).out == ""


def test_the_memories_of_another_project_are_out_of_reach(foreword, save, tmp_path):
    one = save("One.")
    other = tmp_path / "other"
    other.mkdir()
    foreword("reject", one, "--project", other, code=1)
    assert offers(foreword) == {one: "usual"}


def test_a_file_that_is_no_utf8_is_not_rewritten(foreword, save):
    one = save("One.")
    path = foreword("show", one, "--json").json["path"]
    with open(path, "ab") as f:
        f.write(b"\xff")
    told = foreword("pin", one, code=5)
    assert told.err.endswith("is not UTF-8, so it is not rewritten\nhint: foreword check\n")
    with open(path, "rb") as f:
        assert f.read().endswith(b"\xff")


def test_a_pin_that_could_do_nothing_is_refused(foreword, save):
    everywhere = save("A global fact.", "--global")
    told = foreword("pin", everywhere, code=2)
    assert "global" in told.err and "hint: " in told.err
    archived = save("Another fact.")
    foreword("archive", archived)
    assert f"foreword restore {archived}" in foreword("pin", archived, code=2).err
