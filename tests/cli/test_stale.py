"""`foreword stale`: which memories cite what is not as it was, and how that is told."""

import os

import pytest

MODULE = '''"""The retries."""


def attempts(job):
    limit = 5
    for n in range(limit):
        if job(n):
            return n
    return None


def backoff(n):
    wait = 2 ** n
    if wait > 60:
        wait = 60
    return wait
'''


@pytest.fixture
def module(repo):
    """The path of a module of two functions."""
    path = os.path.join(repo, "src", "retry.py")
    write(path, MODULE)
    return path


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def files(foreword, memory_id):
    return foreword("show", memory_id, "--json").json["files"]


def test_what_stands_is_not_listed_and_exits_0(foreword, save, module):
    save("Attempts are limited in src/retry.py:5.", "--title", "Retries")
    told = foreword("stale")
    assert (told.out, told.err) == ("", "no cited file changed since its memory was saved\n")
    assert foreword("stale", "--json").json == []


def test_a_change_elsewhere_in_the_file_is_no_alarm(foreword, save, module):
    memory_id = save("Attempts are limited in src/retry.py:5.", "--title", "Retries")
    write(module, "import time\n\n\n" + MODULE.replace("60", "90"))
    assert foreword("stale", "--json").json == []
    [file] = files(foreword, memory_id)
    assert (file["state"], file["by"], file["line"]) == ("lines unchanged", "lines", 0)
    assert "src/retry.py (changed since, cited lines unchanged)" in foreword("show", memory_id).out


def test_a_change_of_the_cited_function_names_its_line(foreword, save, module):
    memory_id = save("Attempts are limited in src/retry.py:5.", "--title", "Retries")
    write(module, MODULE.replace("limit = 5", "limit = 3"))
    [row] = foreword("stale", "--json").json
    assert row["id"] == memory_id
    [file] = row["files"]
    assert (file["path"], file["state"], file["by"], file["line"]) == ("src/retry.py", "CHANGED", "lines", 5)
    told = foreword("stale")
    assert "Retries" in told.out
    assert "CHANGED: src/retry.py:5\n" in told.out
    assert told.err == "1 stale memory\n"


def test_a_file_without_a_line_is_judged_as_a_whole_and_says_so(foreword, save, module):
    memory_id = save("All about trying again is in src/retry.py.", "--title", "Retries")
    write(module, MODULE.replace("60", "90"))
    [row] = foreword("stale", "--json").json
    [file] = row["files"]
    assert (file["state"], file["by"], file["line"]) == ("CHANGED", "file", 0)
    assert "CHANGED: src/retry.py\n" in foreword("stale").out
    assert "(CHANGED: somewhere in the file)" in foreword("show", memory_id).out


def test_a_function_that_moved_is_found_where_it_is(foreword, save, module, repo):
    save("Attempts are limited by `attempts()` in src/retry.py:5.", "--title", "Retries")
    os.makedirs(os.path.join(repo, "src", "retry"))
    write(os.path.join(repo, "src", "retry", "core.py"), MODULE)
    os.unlink(module)
    [row] = foreword("stale", "--json").json
    [file] = row["files"]
    assert (file["state"], file["moved_to"]) == ("MOVED", "src/retry/core.py")
    assert "MOVED: src/retry.py -> src/retry/core.py\n" in foreword("stale").out


def test_a_file_that_is_gone_is_deleted(foreword, save, module):
    save("Attempts are limited in src/retry.py:5.", "--title", "Retries")
    os.unlink(module)
    assert "DELETED: src/retry.py\n" in foreword("stale").out


def test_limit_and_type_choose_and_the_rest_is_counted(foreword, save, module):
    for n in range(3):
        save(f"Attempts are limited in src/retry.py:5, {n}.", "--title", f"Retries {n}")
    os.unlink(module)
    told = foreword("stale", "--limit", 1)
    assert told.err == "3 stale memories, 2 more: --limit 3\n"
    assert told.out.count("DELETED") == 1
    assert foreword("stale", "--type", "session", "--json").json == []
    foreword("stale", "--limit", 0, code=2)
