"""What the tests of dreams share: a small project, memories in it, a run, a plan."""

from foreword import memory
from foreword.memory.dream import dream


def made(root, monkeypatch):
    """The project of a new folder with two files, which becomes the current one."""
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("RETRIES = 3\n", encoding="utf-8")
    (root / "src" / "db.py").write_text("POOL = 5\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def saved(place, body, title="", **options):
    return memory.save(place, body, title=title, **options)["id"]


def started(place):
    """The id of a new run; a superseded fact makes sure that there is one."""
    saved(place, "first", "Filler")
    saved(place, "second", "Filler")
    return dream(place)["run"]


def planned(run, *actions):
    return {"run": run, "actions": list(actions)}


def live(place, kind=""):
    """The ids of what is not archived."""
    return {row["id"] for row in memory.list_memories(place, kind)}


def raw(place, memory_id):
    with open(memory.read(place, memory_id)["path"], "rb") as f:
        return f.read()


def rewrite(place, memory_id, old, new):
    """Edit a memory's file by hand."""
    path = memory.read(place, memory_id)["path"]
    data = raw(place, memory_id)
    assert old in data
    with open(path, "wb") as f:
        f.write(data.replace(old, new))
