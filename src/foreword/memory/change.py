"""Saving, marking, archiving and restoring memories. Durable when a call returns."""

import os
import time

from foreword import cited, exclude, files, paths, project, settings
from foreword.digest import of_answer
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.memory.agree import bring_up_to_date
from foreword.memory.find import GLOBAL, OFFERED, Reading, folders, locate, name_of, unknown
from foreword.store import header, layout, write
from foreword.store import read as reading
from foreword.text.budget import cut
from foreword.text.redact import kinds
from foreword.text.unkept import kept

LOCK_S = 10.0
TITLE_READ = 4_000  # characters of a title or tag that are looked at; fewer are kept


def save(
    place, body, type="fact", title="", tags=(), everywhere=False, source="cli", basis="user",  # noqa: A002
    session="", origin="", supersedes=(),
):  # fmt: skip
    """Save a session or a fact; {"id", "superseded": [ids], "redacted": [kinds of credentials that were left
    out]}. Durable and found by search on return.

    session: the client session that it comes from; origin: "guess" where that one is only likely. A
    fact supersedes the live facts with its title (any case); the old ones stay. Raises ForewordError
    for an empty body or a type that is not saved by hand.
    """
    if type not in ("session", "fact"):
        raise ForewordError(f"type is session or fact, not {type!r}", "foreword save --help")
    if everywhere and type != "fact":
        raise ForewordError("only facts are global", "leave --global out")
    chosen = settings.load(place.home)
    if why := _excluded(chosen, place, "\n".join([title, *map(str, tags), body])):
        raise ForewordError(f"the setting {why} excludes this, nothing was saved", settings.path(place.home))
    body = body.replace("\r\n", "\n").encode("utf-8", "replace").decode().strip("\n")
    given = "\n".join([title, *map(str, tags), body])
    body = kept(body, layout.ANSWER_LIMIT)
    if len(body) > layout.ANSWER_LIMIT:
        raise ForewordError(
            "the body has %d characters, a memory holds %d; nothing was saved"
            % (len(body), layout.ANSWER_LIMIT),
            "split it, or keep the detail in a file and cite its path",
        )
    if not body.strip():
        raise ForewordError("the body is empty, nothing was saved", "foreword save < FILE")
    title = kept(title, TITLE_READ)
    tags = [told for tag in map(str, tags) if (told := kept(tag, TITLE_READ)) or not tag]
    title = cut(" ".join((title or body.strip().splitlines()[0].lstrip("# ")).split()), 200)
    if write.is_forgotten(place.home, of_answer(body)):
        if basis != "user":
            raise ForewordError("the user deleted this text, it was not saved", "ask the user to save it")
        write.remember(place.home, of_answer(body))  # said again by the one who deleted it
    older = [i for i in supersedes if locate(place, i)]
    if everywhere:
        folder = paths.everywhere(place.home)
        files.make_folder(folder)
    else:
        folder = made(place).folder
    if type == "fact":
        with Reading(folder) as db:
            rows = db.execute(
                "SELECT id, title FROM memories WHERE type='fact' AND archived=0"
                " AND id NOT IN (SELECT id FROM superseded)"
            )
            older += [i for i, known in rows if name_of(known) == name_of(title) and i not in older]
    fields = {
        "title": title,
        "tags": tags or None,
        "source": source,
        "basis": basis,
        "session": session or None,
        "origin": (origin or None) if session else None,
        "supersedes": older or None,
        # A global fact is read in other projects, where these paths would be others' files.
        "files": None if everywhere else cited.rows(cited.cited(body, place.root)),
    }
    # Its time is that after the look at the others: what it supersedes is older, whoever waited for whom.
    memory_id, _ = write.create(folder, type, fields, body, time.time())
    try:
        bring_up_to_date(folder)
    except BusyError:
        pass  # it is saved; every search looks for it first
    left_out = kinds("\n".join([title, *tags, body]))
    return {
        "id": memory_id,
        "superseded": older,
        "redacted": [kind for kind in left_out if kind not in kinds(given)],
    }


def _excluded(chosen, place, text):
    """The setting that keeps a text out of the store: its project's, its words', or a cited file's; or ""."""
    why = exclude.place(chosen, place.root, place.name) or exclude.prompt(chosen, text)
    if not why and chosen[exclude.PATHS] and place.root:
        at = (os.path.join(place.root, path) for path, *_ in cited.cited(text, place.root))
        why = next(filter(None, (exclude.place(chosen, one) for one in at)), "")
    return why


def made(place):
    """The project with its folder in the store."""
    if os.path.isdir(place.folder):
        return place
    return project.find(place.root, place.home, ask_git=True) or place


class Done(list):
    """The ids that were named. `again`: ids of memories that these had superseded and that stand again now,
    so that they are handed over and found: whoever asked should hear of it."""

    again: "list[str] | tuple[str, ...]" = ()


def archive(place, ids):
    """Move memories to archive/; the ids, as Done. All must be known, else NotFoundError and nothing is
    done."""
    _all(place, ids)
    again = standing_without(place, ids)
    _move(place, ids, archived=True)
    done = Done(dict.fromkeys(ids))
    done.again = again
    return done


def restore(place, ids):
    """Move memories back from archive/; the ids of those that were there, the others stay as they are. All
    must be known, else NotFoundError and nothing is done."""
    return _move(place, ids, archived=False)


def standing_without(place, ids):
    """Ids of live memories that stand once `ids` are gone, and do not now: nothing else supersedes them, and
    there is no other newer fact of the same title. Newest first."""
    gone, newer, live = set(ids), {}, []
    for _, folder in folders(place, False):
        with Reading(folder) as db:
            for old, new in db.execute(
                "SELECT s.id, m.id FROM superseded s JOIN memories m ON m.number=s.number WHERE m.archived=0"
            ):
                newer.setdefault(old, set()).add(new)
            titles = {}
            for memory_id, kind, title in db.execute(
                "SELECT id, type, title FROM memories WHERE archived=0 ORDER BY created DESC, id DESC"
            ):
                live.append(memory_id)
                if kind == "fact":
                    same = titles.setdefault(name_of(title), [])
                    newer.setdefault(memory_id, set()).update(same)
                    same.append(memory_id)
    return [i for i in live if i not in gone and newer.get(i) and newer[i] <= gone]


def _move(place, ids, archived):
    """The ids of those that were moved."""
    moves = {}
    _all(place, ids)  # before the lock, which makes a store where none is
    with locked(place.home):
        found = _all(place, ids)  # under the lock: somebody else may just have moved one of them
        for memory_id, (_, folder, at) in found.items():
            kind, now_archived = layout.kind_of(at) or ("note", False)
            if now_archived == archived:
                continue
            # Named by its id from here on: an id that was made from the place would change with it.
            target = os.path.join(folder, layout.place(kind, memory_id, archived))
            if os.path.exists(target):
                raise ForewordError(f"{target} is already there, nothing was moved over it")
            moves[memory_id] = os.path.join(folder, at), target
        for origin, target in moves.values():
            files.make_folder(os.path.dirname(target))
            os.rename(origin, target)
            files.sync_folder(os.path.dirname(target))
            files.sync_folder(os.path.dirname(origin))
    for folder in {folder for _, folder, _ in found.values()}:
        bring_up_to_date(folder)
    return list(moves)


def mark(place, ids, offer, only=""):
    """Pin memories ("always" consider), reject them ("never" offer again) or take both back ("usual").

    The ids that are marked so now; with `only` those stay as they are, and are left out, that are not
    marked `only`. All ids must be known and all files readable, else nothing is done. Raises
    ForewordError, NotFoundError, DamagedError.
    """
    if offer not in OFFERED.values():
        raise ForewordError(f"offer is always, usual or never, not {offer!r}", "foreword pin --help")
    _all(place, ids)
    with locked(place.home):
        found = _all(place, ids)
        for memory_id, (name, _, at) in found.items():
            if offer == "always" and name == GLOBAL:
                told = f"{memory_id} is global; only memories of the project are offered to prompts"
                raise ForewordError(told, "foreword list")
            if offer == "always" and (layout.kind_of(at) or ("", False))[1]:
                raise ForewordError(f"{memory_id} is archived", f"foreword restore {memory_id}")
        # Every text is made before the first is written: one that cannot be marked stops them all.
        texts = {memory_id: _marked(folder, at, offer, only) for memory_id, (_, folder, at) in found.items()}
        done = [memory_id for memory_id, text in texts.items() if text is not None]
        for memory_id in done:
            _, folder, at = found[memory_id]
            if texts[memory_id]:
                files.write(os.path.join(folder, at), texts[memory_id])
    for folder in {found[memory_id][1] for memory_id in done}:
        try:
            bring_up_to_date(folder)
        except BusyError:
            pass  # the files say it: no prompt gets a line whose file is newer than its row
    return done


def _marked(folder, at, offer, only):
    """The bytes of a memory that says `offer`; b"" when it does already, None when it is not `only`."""
    path = os.path.join(folder, at)
    try:
        text = write.text_of(folder, at)
    except UnicodeDecodeError as error:
        raise DamagedError(f"{path} is not UTF-8, so it is not rewritten", "foreword check") from error
    now = OFFERED[reading.parse(text.encode(), at)["offer"]]
    if now == offer:
        return b""
    if only and now != only:
        return None
    data = header.rewrite(text, {"offer": None if offer == "usual" else offer}).encode()
    made = reading.parse(data, at)
    if OFFERED[made["offer"]] != offer:
        raise DamagedError(f"{path} cannot be marked: {made['damage']}", "foreword check")
    return data


def _all(place, ids):
    found, missing = {}, []
    for memory_id in dict.fromkeys(ids):
        try:
            found[memory_id] = locate(place, memory_id)
        except NotFoundError:
            missing.append(memory_id)
    if missing:
        raise unknown(missing)
    return found


class locked:  # noqa: N801  reads as `with locked(home):`
    def __init__(self, home):
        self.lock = files.Lock(os.path.join(home, "state"), wait_s=LOCK_S)
        files.make_folder(os.path.join(home, "state"))

    def __enter__(self):
        if not self.lock.__enter__():
            raise BusyError(f"another Foreword holds {self.lock.path}", "try again")

    def __exit__(self, *exc):
        self.lock.__exit__(*exc)
