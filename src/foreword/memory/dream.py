"""Dreams: runs that consolidate what was written down, planned by whoever verified it, done here.

`dream` starts a run and finds candidates, `apply` does a plan, `undo` (next door) takes a run back.
Nothing is deleted: memories go to the archive. What the plan does not name is not touched, and what
changed since the run began is left alone.
"""

import os
import time
from contextlib import ExitStack

from foreword import files, paths, stale
from foreword.digest import sha256
from foreword.errors import BusyError, ForewordError, NotFoundError
from foreword.memory import candidates, change, checking, dream_plan, journal
from foreword.memory.agree import bring_up_to_date
from foreword.memory.dream_undo import undo
from foreword.memory.find import GLOBAL, folders, locate, name_of, opened
from foreword.store import layout, write
from foreword.store import read as reading

__all__ = ["apply", "dream", "runs", "undo"]


# The hint where a run is of no use.
ANOTHER = "foreword dream starts another run"


def dream(place, progress=None):
    """Start a run: {"run", "candidates", "debt", "interrupted"}; run is "" where there is no candidate.

    candidates: see candidates.survey. debt: {"superseded", "beyond", "due"}. interrupted: ids of runs
    that were applied in part, since something ended the program. `progress(done, all)` is called as files
    are read. Raises BusyError, DamagedError, OSError.
    """
    now = time.time()
    journal.tidy(place.home, now)
    found = candidates.survey(place, now, progress)
    run = ""
    if found.candidates:
        record = {"project": place.name, "candidates": len(found.candidates), "memories": found.digests}
        run = journal.start(place.home, record, now)
    return {
        "run": run,
        "candidates": found.candidates,
        "debt": found.debt,
        "interrupted": journal.interrupted(place.home, place.name),
    }


def runs(place):
    """This project's runs, newest first: run, started, applied, undone (ISO 8601 or ""), state (open,
    applying, applied, undone), candidates, archived, saved, kept, conflicts (numbers)."""
    return [
        {
            "run": record["run"],
            "state": record["state"],
            **{key: record.get(key, "") for key in ("started", "applied", "undone")},
            "candidates": record.get("candidates", 0),
            **{key: record.get("counts", {}).get(key, 0) for key in _COUNTED},
        }
        for record in journal.all_of(place.home)
        if record.get("project") == place.name
    ]


_COUNTED = ("archived", "saved", "kept", "conflicts")


def apply(place, plan, source="cli", session="", origin=""):
    """Do a plan: {"run", "archived": [ids], "saved": [{"id", "title", "supersedes"}], "kept": [ids],
    "conflicts": [{"ids", "why"}]}.

    plan: {"run": id, "actions": [...]}, see dream_plan.SHAPES. source, session, origin: where new
    memories come from, as for `save`. A memory that was changed, archived, deleted or superseded since
    the run began is a conflict: it is left as it is and the rest is done; of a merge or an update, all
    of it is left, since its text speaks of what is no more. Raises ForewordError with every fault of the
    plan (nothing is done then), BusyError, OSError.
    """
    run, actions, faults = dream_plan.read(plan)
    with journal.Lock(place.home):
        record = _opened(place, run, faults)
        work = _Work(place, record, (source, session, origin))
        if record:
            faults += work.look(actions)
        if faults:
            told = " " + faults[0] if len(faults) == 1 else "".join("\n  " + fault for fault in faults)
            hint = "mend it and hand it back; foreword dream --help shows the shape"
            if run and not record:
                hint = ANOTHER
            raise ForewordError(f"the plan cannot be used, nothing was done:{told}", hint)
        work.do(actions)
    for folder in work.touched:
        try:
            bring_up_to_date(folder)
        except BusyError:
            pass  # the files say it; every search looks first
    return {"run": run, **work.done}


def _opened(place, run, faults):
    """The record of a run that can be applied, else {} and one more fault."""
    if not run:
        return {}
    try:
        record = journal.read(place.home, run)
    except NotFoundError:
        faults.insert(0, f"there is no run {run}")
        return {}
    if record["state"] != journal.OPEN:
        faults.insert(0, f"the run {run} was applied already")
        return {}
    other = str(record.get("project"))
    if other != place.name and os.path.isdir(paths.project_folder(place.home, other)):
        faults.insert(0, f"the run {run} is of another project, {paths.project_label(other)}")
        return {}
    return record


class _Seen:
    """A memory of the run as it is now, unchanged: id, name of its folder, folder, place, kind, raw, and
    memory (parsed)."""

    __slots__ = ("at", "folder", "id", "kind", "memory", "name", "raw")

    def __init__(self, memory_id, name, folder, at, kind, raw):
        self.id, self.name, self.folder, self.at, self.kind, self.raw = memory_id, name, folder, at, kind, raw
        self.memory = reading.parse(raw, at)

    def piece(self):
        """What the journal keeps of it."""
        return {"id": self.id, "folder": self.name, "kind": self.kind, "sha256": sha256(self.raw).hexdigest()}

    def is_as_seen(self):
        try:
            return files.read(os.path.join(self.folder, self.at)) == self.raw
        except OSError:
            return False


class _Work:
    """One plan being done. look() tells faults and writes nothing; do() does what can be done."""

    def __init__(self, place, record, origin):
        self.place, self.record = place, record
        self.source, self.session, self.origin = origin
        self.digests = record.get("memories", {})
        self.seen, self.newer, self.implied, self.touched = {}, {}, set(), set()
        self.done = {"archived": [], "saved": [], "kept": [], "conflicts": []}

    # -- looking -------------------------------------------------------------------------------

    def look(self, actions):
        """The faults of a plan against the store, phrases; fills `seen` and the first conflicts."""
        with ExitStack() as stack:
            sources = opened(folders(self.place, False), stack)
            self.newer = candidates.superseders(sources)
            titles = _titles(sources)
        self.implied = set(self.newer)
        faults, planned, retired = [], {}, set()
        for number, action in enumerate(actions, 1):
            wrong = self._look_up(action)
            if action.do in ("merge", "update") and not wrong and action.ids:
                wrong = self._settle(action)
                name = action.everywhere, name_of(action.title)
                if action.type == "fact" and action.ids and not wrong:
                    wrong = self._title(action, titles.get(name), retired, planned.get(name))
                    planned[name] = f"action {number}"
            if action.do != "keep":
                retired.update(action.ids)
            faults += [f"action {number}: {told}" for told in wrong]
        return faults

    def _look_up(self, action):
        """Finds an action's memories; faults. What changed goes from its ids, as a conflict."""
        wrong, left = [], []
        for memory_id in action.ids:
            fault, conflict = self._find(memory_id, action.do)
            if fault:
                wrong.append(fault)
            elif conflict:
                left.append((memory_id, conflict))
        if left and not wrong:
            self._leave(action, left)
        return wrong

    def _leave(self, action, left):
        """Take what changed out of an action; all of it where a text was written of it."""
        if action.do in ("merge", "update"):
            self._conflict(action.ids, "; ".join(f"{memory_id} {told}" for memory_id, told in left))
            action.ids = []
            return
        for memory_id, told in left:
            self._conflict([memory_id], told)
            action.ids.remove(memory_id)

    def _conflict(self, ids, why):
        self.done["conflicts"].append({"ids": list(ids), "why": why})

    def _find(self, memory_id, do):
        """(fault, conflict) of an id, one or both ""."""
        known = memory_id in self.digests
        try:
            name, folder, at = locate(self.place, memory_id)
            kind, archived = layout.kind_of(at) or ("note", False)
            raw = files.read(os.path.join(folder, at))
        except NotFoundError:
            raw, kind, archived, name, folder, at = None, "", False, "", "", ""
        if raw is None:
            return ("", "was deleted since") if known else (f"no memory has the id {memory_id}", "")
        if kind == "note":
            return f"{memory_id} is a note; a dream is about facts and sessions", ""
        if archived:
            return "", "was archived since" if known else "is archived"
        if not known:
            return "", "was saved after the run began"
        if sha256(raw).hexdigest() != self.digests[memory_id]:
            return "", "was changed since"
        newer = self.newer.get(memory_id)
        if do != "archive" and newer and newer not in self.digests:
            return "", f"was superseded by {newer} since"
        self.seen[memory_id] = _Seen(memory_id, name, folder, at, kind, raw)
        return "", ""

    def _settle(self, action):
        """Fill in what a merge or an update does not say; faults."""
        old = [self.seen[memory_id] for memory_id in action.ids]
        action.type = action.type or old[0].kind
        action.title = action.title or old[0].memory["title"]
        if action.tags is None:
            action.tags = list(dict.fromkeys(tag for one in old for tag in one.memory["tags"]))
        are_global = {one.name == GLOBAL for one in old}
        if action.everywhere is None:
            if len(are_global) > 1:
                return ["some of these are global, some are not: say `global`, true or false"]
            action.everywhere = are_global.pop()
        if action.everywhere and action.type != "fact":
            return ["only facts are global"]
        return []

    def _title(self, action, newest, retired, planned):
        """Faults of a title: a memory that the plan does not name must not be superseded by it."""
        if planned:
            return [f"the title is that of {planned} already"]
        if newest is None or newest in action.ids or newest in retired:
            return []
        if newest in self.digests:
            return [f"the title is that of {newest}: add it to `ids`, or take another title"]
        self._conflict(action.ids, f"{newest} was saved under that title since")
        action.ids = []
        return []

    # -- doing ---------------------------------------------------------------------------------

    def do(self, actions):
        """Do the actions, each under the store's lock; what each will do is in the journal before it."""
        now = time.time()
        tree = stale.Tree(self.place.root, candidates.HASHED)
        todo = [(a, step) for a in actions if a.ids and (step := self._step(a, tree, now))]
        if not todo:
            return  # all of it is in conflict: the run stays open, for a plan that is mended
        record = {key: value for key, value in self.record.items() if key != "memories"}
        record.update(state=journal.APPLYING, applied=layout.timestamp(now), steps=[s for _, s in todo])
        journal.write(self.place.home, record)
        try:
            steps = [step for action, step in todo if self._done(action, step, tree, now)]
        except (ForewordError, OSError) as error:
            told = error.message if isinstance(error, ForewordError) else error.strerror or error
            raise ForewordError(
                f"the plan is done in part: {told}",
                f"foreword dream --undo {record['run']} takes back what was done",
                exit_code=getattr(error, "exit_code", None),
            ) from error
        if not steps:
            journal.write(self.place.home, self.record)  # nothing was done, so there is nothing to take back
            return
        counts = {key: len(self.done[key]) for key in _COUNTED}
        record.update(state=journal.APPLIED, steps=steps, counts=counts)
        journal.write(self.place.home, record)

    def _step(self, action, tree, now):
        """What the journal says of an action; None where nothing of it is left."""
        step = {"do": action.do, "pieces": [self.seen[memory_id].piece() for memory_id in action.ids]}
        if action.do in ("merge", "update"):
            step["folder"] = GLOBAL if action.everywhere else self.place.name
            step["kind"], step["digest"] = action.type, action.digest
        if action.do == "keep":
            for memory_id, piece in zip(list(action.ids), list(step["pieces"]), strict=True):
                seen = self.seen[memory_id]
                data, edits, told = self._checked(seen, tree, now)
                if told:
                    self._leave(action, [(memory_id, told)])
                    step["pieces"].remove(piece)
                piece.update(after=sha256(data).hexdigest(), edits=edits)
        return step if step["pieces"] else None

    def _checked(self, seen, tree, now):
        return checking.checked(seen.raw, seen.at, None if seen.name == GLOBAL else tree, now)

    def _done(self, action, step, tree, now):
        """Do one action; False when nothing was done. Only what was done stays in its step."""
        if action.do in ("merge", "update"):
            return self._replace(action, step)
        changed = set()
        with change.locked(self.place.home):
            for piece in list(step["pieces"]):
                seen = self.seen[piece["id"]]
                if not seen.is_as_seen():
                    told = "was changed, archived or deleted just now"
                elif action.do == "archive":
                    told = self._put_away(seen, changed)
                else:
                    data, _, told = self._checked(seen, tree, now)
                    if not told:
                        files.write(os.path.join(seen.folder, seen.at), data)
                        self.done["kept"].append(seen.id)
                if told:
                    self._conflict([seen.id], told)
                    step["pieces"].remove(piece)
                self.touched.add(seen.folder)
            for folder in sorted(changed):
                files.sync_folder(folder)
        return bool(step["pieces"])

    def _put_away(self, seen, changed):
        """Move a memory to the archive; "" or why not. Adds the folders to be synced to `changed`."""
        target = os.path.join(seen.folder, layout.place(seen.kind, seen.id, True))
        if os.path.exists(target):
            return "is in the archive as well"
        origin = os.path.join(seen.folder, seen.at)
        files.make_folder(os.path.dirname(target))
        os.rename(origin, target)
        changed.update((os.path.dirname(target), os.path.dirname(origin)))
        self.done["archived"].append(seen.id)
        return ""

    def _replace(self, action, step):
        """Save the new memory, then put the old ones away."""
        old = [self.seen[memory_id] for memory_id in action.ids]
        try:
            saved = change.save(
                self.place, action.body, type=action.type, title=action.title, tags=action.tags or (),
                everywhere=bool(action.everywhere), source=self.source, basis="agent", session=self.session,
                origin=self.origin, supersedes=action.ids,
            )  # fmt: skip
        except BusyError:
            raise
        except ForewordError as error:  # deleted meanwhile; or a text that the user deleted
            self._conflict(action.ids, error.message)
            return False
        name, folder, at = locate(self.place, saved["id"])
        step.update(folder=name, new=saved["id"])
        self.touched.update([folder, *(one.folder for one in old)])
        if action.type == "session":
            # A summary of old sessions must not push the newest ones out of the recall.
            newest = max(one.memory["created"] for one in old)
            write.change(folder, at, {"created": layout.timestamp(newest)})
        others = [one for one in saved["superseded"] if one not in action.ids and one not in self.implied]
        changed = set()
        with change.locked(self.place.home):
            raw = files.read(os.path.join(folder, at))
            new = _Seen(saved["id"], name, folder, at, action.type, raw or b"")
            told = f"{others[0]} was saved under that title just now" if others else ""
            told = told or ", ".join(o.id for o in old if not o.is_as_seen() or _is_archived(o))
            if told:
                self._put_away(new, changed)
                self.done["archived"].pop()
                self._conflict(action.ids, told if others else told + " changed just now")
            else:
                step["sha256"] = sha256(new.raw).hexdigest()
                for one in old:
                    self._put_away(one, changed)
                self.done["saved"].append({"id": new.id, "title": action.title, "supersedes": action.ids})
            for at in sorted(changed):
                files.sync_folder(at)
        return not told


def _is_archived(seen):
    return os.path.exists(os.path.join(seen.folder, layout.place(seen.kind, seen.id, True)))


def _titles(sources):
    """{(whether it is global, name): id of the newest live fact} of all titles."""
    found = {}
    for _, db, everywhere in sources:
        for memory_id, title in db.execute(
            "SELECT id, title FROM memories WHERE type='fact' AND archived=0 ORDER BY created DESC, id DESC"
        ):
            found.setdefault((everywhere, name_of(title)), memory_id)
    return found
