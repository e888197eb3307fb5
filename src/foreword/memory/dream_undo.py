"""Taking a dream back: archived memories return, new ones go to the archive, marks are unset.

What really happened is read off the files, so a run that was killed half way is taken back as well, and
so is an undo that was. A step whose memories somebody changed since is left as it is, and reported.
"""

import os
import time
from contextlib import ExitStack

from foreword import files, paths
from foreword.digest import of_answer, sha256
from foreword.errors import NO, BusyError, ForewordError, NotFoundError
from foreword.memory import candidates, change, checking, journal
from foreword.memory.agree import bring_up_to_date
from foreword.memory.find import GLOBAL, opened
from foreword.store import layout, write
from foreword.store import read as reading


def undo(place, run=""):
    """Take a run back as a whole: {"run", "restored", "archived", "unchecked", "gone": [ids], "left":
    [{"ids", "why"}]}.

    run: by default the newest of the project that was applied. restored: back from the archive; archived:
    what the run had saved; gone: deleted meanwhile, they stay so; left: changed since, not touched (such a
    run can be undone again). Raises ForewordError for a run that was never applied or is undone,
    NotFoundError, DamagedError, BusyError, OSError.
    """
    with journal.Lock(place.home):
        record = journal.read(place.home, run) if run else _newest(place)
        if record["state"] == journal.UNDONE:
            told = f"the run {record['run']} was undone already, at {record.get('undone', '')[:16]}"
            raise ForewordError(told, "foreword dream --list shows the others", exit_code=NO)
        if record["state"] == journal.OPEN:
            told = f"the run {record['run']} was never applied, there is nothing to take back"
            raise ForewordError(told, "foreword dream --list shows all runs", exit_code=NO)
        back = _Back(place, record)
        with ExitStack() as stack:
            back.open(stack)
            left = [step for step in reversed(record.get("steps", [])) if not back.took(step)]
        record["steps"] = left[::-1]
        if not left:
            record.update(state=journal.UNDONE, undone=layout.timestamp(time.time()))
        journal.write(place.home, record)
    for folder in sorted(back.touched):
        try:
            bring_up_to_date(folder)
        except BusyError:
            pass  # the files say it; every search looks first
    return {"run": record["run"], **back.done}


def _newest(place):
    """The record of the project's run that was applied last, undone or not."""
    found = [
        record
        for record in journal.all_of(place.home)
        if record.get("project") == place.name and record["state"] != journal.OPEN
    ]
    if not found:
        raise NotFoundError("no dream of this project was applied", "foreword dream --list")
    return max(found, key=lambda record: (str(record.get("applied", "")), record["run"]))


class _Back:
    """One run being taken back."""

    def __init__(self, place, record):
        self.place, self.home = place, place.home
        self.project, self.touched = str(record.get("project", place.name)), set()
        self.sources, self.newer = {}, {}
        self.done = {"restored": [], "archived": [], "unchecked": [], "gone": [], "left": []}

    def open(self, stack):
        """Open the indexes of the run's project and of the global facts."""
        named = [(name, self.folder(name)) for name in (self.project, GLOBAL)]
        sources = opened(named, stack)
        self.sources = {folder: db for folder, db, _ in sources}
        self.newer = candidates.superseders(sources)

    def folder(self, name):
        """The folder that a journal's name stands for; that of a project which was joined into another is
        where its memories are now."""
        if name == GLOBAL:
            return paths.everywhere(self.home)
        folder = paths.project_folder(self.home, name)
        return folder if os.path.isdir(folder) else self.place.folder

    def took(self, step):
        """Take one step back; False when some of it was left. Only that stays in the step."""
        with change.locked(self.home):
            if step["do"] in ("merge", "update"):
                return self._merged(step)
            one = self._restored if step["do"] == "archive" else self._unchecked
            for piece in list(step["pieces"]):
                told = one(piece)
                if told:
                    self.done["left"].append({"ids": [piece["id"]], "why": told})
                else:
                    step["pieces"].remove(piece)
        return not step["pieces"]

    def _merged(self, step):
        """A new memory in the place of old ones."""
        told = ", ".join(
            f"{piece['id']} {why}"
            for piece in step["pieces"]
            if (why := self._restored(piece, try_only=True))
        )
        folder, new = self.folder(step["folder"]), step.get("new") or self._made(step)
        live, archived = (layout.place(step["kind"], new, put_away) for put_away in (False, True))
        raw = files.read(os.path.join(folder, live)) if new else None
        if raw is not None:
            if step.get("sha256") and sha256(raw).hexdigest() != step["sha256"]:
                told = f"{new} was changed since"
            elif new in self.newer:
                told = f"{new} was superseded by {self.newer[new]} since"
        elif new and os.path.exists(os.path.join(folder, archived)) and self._is_any_away(step):
            told = f"{new} was archived since; foreword restore {new}, then undo again"
        if told:
            ids = [piece["id"] for piece in step["pieces"]]
            self.done["left"].append({"ids": [new, *ids] if new else ids, "why": told})
            return False
        for piece in step["pieces"]:
            self._restored(piece)
        if raw is not None:
            self._move(folder, live, archived)
            self.done["archived"].append(new)
        elif new and not os.path.exists(os.path.join(folder, archived)):
            self.done["gone"].append(new)
        return True

    def _made(self, step):
        """The id of what a step saved, where the program was ended before it could be written down."""
        db = self.sources.get(self.folder(step["folder"]))
        replaced = {piece["id"] for piece in step["pieces"]}
        for memory_id, at in (
            db.execute(
                "SELECT id, place FROM memories WHERE digest=? AND archived=0 AND type=? ORDER BY id",
                (step["digest"], step["kind"]),
            )
            if db
            else ()
        ):
            memory = reading.load(self.folder(step["folder"]), at)
            if memory and replaced.issubset(memory["supersedes"]):
                return memory_id
        return ""

    def _is_any_away(self, step):
        return any(
            os.path.exists(os.path.join(self.folder(p["folder"]), layout.place(p["kind"], p["id"], True)))
            for p in step["pieces"]
        )

    def _restored(self, piece, try_only=False):
        """Bring a memory back from the archive; "" or why not. One that is gone stays so."""
        folder, memory_id = self.folder(piece["folder"]), piece["id"]
        live, archived = (layout.place(piece["kind"], memory_id, put_away) for put_away in (False, True))
        raw = files.read(os.path.join(folder, archived))
        if raw is None:
            if not try_only and not self._live(folder, piece):
                self.done["gone"].append(memory_id)
            return ""
        if sha256(raw).hexdigest() != piece["sha256"]:
            return "was changed since"
        if write.is_deleted(folder, archived, of_answer(reading.parse(raw, archived)["body"])):
            if not try_only:
                self.done["gone"].append(memory_id)
            return ""
        if self._live(folder, piece):
            return "stands beside its archived self"
        if not try_only:
            self._move(folder, archived, live)
            self.done["restored"].append(memory_id)
        return ""

    def _unchecked(self, piece):
        """Unset the mark of a memory that was kept; "" or why not."""
        folder, memory_id = self.folder(piece["folder"]), piece["id"]
        at = self._live(folder, piece)
        if not at:
            if os.path.exists(os.path.join(folder, layout.place(piece["kind"], memory_id, True))):
                return "was archived since"
            self.done["gone"].append(memory_id)
            return ""
        raw = files.read(os.path.join(folder, at)) or b""
        digest = sha256(raw).hexdigest()
        if digest == piece["sha256"]:
            return ""  # it was not come to
        data = checking.unchecked(raw, piece["edits"]) if digest == piece["after"] else b""
        if sha256(data).hexdigest() != piece["sha256"]:
            return "was changed since"
        files.write(os.path.join(folder, at), data)
        self.touched.add(folder)
        self.done["unchecked"].append(memory_id)
        return ""

    def _live(self, folder, piece):
        """The place of a memory that is not archived, "" when there is none; a file may have any name."""
        at = layout.place(piece["kind"], piece["id"])
        if os.path.exists(os.path.join(folder, at)):
            return at
        db = self.sources.get(folder)
        row = (
            db
            and db.execute("SELECT place FROM memories WHERE id=? AND archived=0", (piece["id"],)).fetchone()
        )
        return row[0] if row and os.path.exists(os.path.join(folder, row[0])) else ""

    def _move(self, folder, origin, target):
        origin, target = os.path.join(folder, origin), os.path.join(folder, target)
        files.make_folder(os.path.dirname(target))
        os.rename(origin, target)
        files.sync_folder(os.path.dirname(target))
        files.sync_folder(os.path.dirname(origin))
        self.touched.add(folder)
