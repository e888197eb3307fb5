"""Which project a folder belongs to. Hot: reads `.git` by hand; git itself is asked only on a miss.

A project is a repository, whatever path, clone, branch or worktree it is seen from; its identity is
the root commit. A folder without git is a project by its path. `state/by-path/` keeps the answer per
git common folder, so that hooks do not walk history. Until git could be asked (no commit yet, a
shallow clone, a history that takes over two seconds) a project is *provisional*; once the identity
is known, its memories are joined into the right one.
"""

import json
import os

from foreword import files, paths
from foreword.digest import of_text

ASK_GIT_S = 2.0
# People may keep their store in git: what is derived, or about this machine only, stays out. Tombstones go
# along: what was deleted must not come back from another clone.
NOT_FOR_GIT = (
    b"state/*\n!state/tombstones/\nindex.sqlite*\nreport.json\nreport.sqlite*\n"
    b"*.log\n*.log.?\n.*lock\n.*.tmp*\n"
)
_JOINED = "joined:"  # before a project's name: the by-path entry that tells where it went
_LOCK_S = 1.0  # a hook has 2.5 s, git may take 2 of 5
_GATHER_S = 10.0  # no hook waits for it


class Project:
    """One project as seen from one folder.

    home, name (its folder under projects/), folder (absolute), identity, root (the top of the
    checkout or folder it is seen from: cited files are looked up there), provisional (bool).
    """

    __slots__ = ("folder", "home", "identity", "name", "provisional", "root")

    def __init__(self, home, name, identity, root, provisional):
        self.home = home
        self.name = name
        self.folder = paths.project_folder(home, name)
        self.identity = identity
        self.root = root
        self.provisional = provisional

    def __repr__(self):
        return f"Project({self.name!r}, root={self.root!r})"


def locate(folder):
    """(root, common) of the repository around a folder; (root, "") where there is none.

    `common` is the git folder that all worktrees share. A folder that is gone is looked for from
    its nearest parent that is still there (a removed worktree inside the repository, say).
    """
    at = os.path.realpath(folder)
    while not os.path.isdir(at) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
    start = at
    while True:
        entry = os.path.join(at, ".git")
        if os.path.isfile(os.path.join(entry, "HEAD")):
            return at, os.path.realpath(entry)
        pointer = _read_text(entry) if os.path.isfile(entry) else ""
        if pointer.startswith("gitdir:"):
            # Only what git puts around it is cut off: a path may end in a space, or hold a newline.
            git = os.path.realpath(os.path.join(at, pointer[7:].removeprefix(" ").rstrip("\r\n")))
            if os.path.isdir(git):
                shared = _read_text(os.path.join(git, "commondir")).rstrip("\r\n")
                return at, os.path.realpath(os.path.join(git, shared)) if shared else git
        if os.path.isfile(os.path.join(at, "HEAD")) and os.path.isdir(os.path.join(at, "objects")):
            if os.path.isdir(os.path.join(at, "refs")):  # a bare repository, or inside .git itself
                return (os.path.dirname(at) if os.path.basename(at) == ".git" else at), at
        parent = os.path.dirname(at)
        if parent == at:
            return start, ""
        at = parent


def find(folder, home, ask_git=False, create=True, anchor="", wait_s=ASK_GIT_S):
    """The project of a folder; None for a folder that is nobody's project: `/`, the user's home and
    what is above it, a folder that is gone and was never known.

    `anchor` is the folder the client session started in: folders below it belong to it, submodules
    too, for there the session's server looks as well. `ask_git` allows git to be asked when the identity is
    not known (at most `wait_s` seconds); without it a new project is provisional. `create=False` writes
    nothing for a new one: its folder does not exist then. Raises OSError when the home cannot be written.
    """
    folder = _seen_from(folder, anchor)
    gone = not os.path.isdir(folder)
    place = _known_gone(folder, home) if gone else ""
    if place:
        root, common = place, place if os.path.isfile(os.path.join(place, "HEAD")) else ""
    else:
        root, common = locate(folder)
        place = common or _known_above(root, home) or ("" if gone else root)
        if not place or (not common and _is_nobodys(root)):
            return None
    known = _known(home, place, _made(common) if common else None)
    identity, provisional = "path:" + place, bool(common)
    if known:
        identity, provisional = known["identity"], known["provisional"]
        if gone or not common:
            root = _still_there(known["root"], place)
    if common and ask_git and provisional and (":" in identity or not _is_shallow(common)):
        identity, provisional = identify(common, home, wait_s) or (identity, provisional)
    joined = _to_join(folder, root, common, home) if common and (ask_git or not known) else []
    name = known["project"] if known and known["identity"] == identity else ""
    if known and not name and ":" in known["identity"]:
        joined.append(known)
    there = bool(known) and os.path.isdir(paths.project_folder(home, known["project"]))
    if known and name and there and not joined and known["provisional"] == provisional:
        whole = not ask_git or read_record(paths.project_folder(home, name)).get("identity")
        if whole and not known.get("moved"):
            if common and create:
                _remember_root(home, root, known)
            return Project(home, name, identity, root, provisional)
    if create or (ask_git and (joined or there)):
        return _settle(home, place, common, root, identity, provisional, joined)
    if not name or not there:
        name = exists(home, identity) or _free_name(home, place, identity)
    return Project(home, name, identity, root, provisional)


def _seen_from(folder, anchor):
    """The folder that decides: the anchor for all that is below it, but for the repository's own
    worktrees (they are the same project, and files are cited from their top), and for repositories
    below an anchor that is nobody's project."""
    if anchor and folder != anchor and os.path.isabs(anchor) and os.path.isdir(anchor):
        real, top = os.path.realpath(folder), os.path.realpath(anchor)
        if real.startswith(top.rstrip(os.sep) + os.sep):
            common, above = locate(real)[1], locate(top)[1]
            if above != common or not os.path.isdir(real):
                return folder if common and not above and _is_nobodys(top) else anchor
            return folder if common else anchor
    return folder


def _is_nobodys(root):
    user = paths.user_home()
    if os.path.dirname(root) == root:
        return True
    real = os.path.realpath(user) if user else ""
    return bool(real) and (real == root or real.startswith(root.rstrip(os.sep) + os.sep))


def _made(common):
    """When a git folder was made (ns): another repository cloned to a known path is another project.

    Git writes these files once. 0 when a repository has neither, or for no repository.
    """
    for name in ("description", "info/exclude") if common else ():
        try:
            return os.stat(os.path.join(common, name)).st_mtime_ns
        except OSError:
            continue
    return 0


def _entry_path(home, place):
    return paths.by_path(home, of_text(place)[:16])


def _known(home, place, made=None):
    """What by-path tells of a place; None when nothing, or of another repository than `made` says.

    Damaged entries count as none: they are derived, git is asked again. `moved` is set where the
    project was joined into another since.
    """
    try:
        entry = json.loads(files.read(_entry_path(home, place)) or b"{}")
        texts = [entry[field] for field in ("path", "project", "identity", "root")]
        if not all(isinstance(text, str) for text in texts) or entry["path"] != place:
            return None
        if (
            entry["provisional"] not in (True, False)
            or os.path.basename(entry["project"]) != entry["project"]
        ):
            return None
    except (ValueError, KeyError, TypeError, RecursionError, OSError):
        return None
    if made is not None and entry.get("made", made) != made:
        return None
    if not place.startswith(_JOINED) and not os.path.isdir(paths.project_folder(home, entry["project"])):
        to = _known(home, _JOINED + entry["project"])
        if to:
            now = {field: to[field] for field in ("project", "identity", "provisional")}
            return {**entry, **now, "moved": True}
    return entry


def _known_above(folder, home):
    """The nearest folder at or above `folder` that is a project's place; "" when none is.

    What was left of a removed worktree leads to its repository.
    """
    at = folder
    while True:
        place = _leads_to(home, at)
        if place or os.path.dirname(at) == at:
            return place
        at = os.path.dirname(at)


def _known_gone(folder, home):
    """The place that the part of a path which is no longer there led to; ""."""
    at = os.path.realpath(folder)
    while not os.path.isdir(at):
        git = os.path.join(at, ".git")
        place = git if _known(home, git) else _leads_to(home, at)
        if place:
            return place
        at = os.path.dirname(at)
    return ""


def _leads_to(home, at):
    entry = _known(home, at)
    place = (entry.get("of") or at) if entry else ""
    return place if place == at or (isinstance(place, str) and _known(home, place)) else ""


def _still_there(root, place):
    """The remembered root, else the main checkout: files cited are looked up there."""
    main = os.path.dirname(place) if os.path.basename(place) == ".git" else place
    return root if os.path.isdir(root) or not os.path.isdir(main) else main


def _to_join(folder, root, common, home):
    """Entries of folders of this checkout that were projects by their path before `git init`."""
    found = []
    at = os.path.realpath(folder)
    while at.startswith(root):
        entry = _known(home, at)
        if entry and entry["identity"] == "path:" + at != "path:" + common and not entry.get("of"):
            found.append(entry)
        if at == root:
            break
        at = os.path.dirname(at)
    return found


def _remember_root(home, root, entry):
    """So that a worktree that was removed still leads to its repository."""
    if os.path.dirname(entry["path"]) == root:
        return  # the main checkout: found by its `.git`
    if (_known(home, root) or {}).get("of") != entry["path"]:
        try:
            _write_entry(home, {**entry, "path": root, "of": entry["path"], "root": root})
        except OSError:
            pass  # a read-only disk: what is known is still of use


def _write_entry(home, entry):
    path = _entry_path(home, entry["path"])
    files.make_folder(os.path.dirname(path))
    files.write(path, json.dumps(entry).encode(), durable=False)


def _is_shallow(common):
    return os.path.exists(os.path.join(common, "shallow"))


def identify(common, home, wait_s=ASK_GIT_S):
    """(identity, provisional) of a repository by asking git; None when there is nothing to tell yet.

    A shallow clone does not hold its root: it is known by its remote, provisionally, and shares the
    project of a full clone of the same remote when the store knows one.
    """
    from foreword import git  # cold: on a miss only

    if not _is_shallow(common):
        root = git.root_commit(common, wait_s)
        return (root, False) if root else None
    url = git.remote(common)
    if not url:
        return None
    if os.path.isabs(url):
        for place in (url, url + ".git"):
            origin = locate(place)[1] if os.path.isdir(place) else ""
            if origin and origin != common and not _is_shallow(origin):
                root = git.root_commit(origin, wait_s)
                if root:
                    return root, True
    for _name, record in all_records(home):
        identity = record.get("identity", ":")
        if url in record.get("remotes", ()) and ":" not in identity:
            return identity, True
    return "remote:" + url, True


def _rank(identity):
    """How much an identity knows: a path, a remote, or the root commit."""
    return 2 if ":" not in identity else int(identity.startswith("remote:"))


def _digits(identity):
    return identity if ":" not in identity else of_text(identity)


def _free_name(home, place, identity):
    """The name of a new project: eight digits of its identity part it from others, else twelve."""
    name = f"{_slug(place)}-{_digits(identity)[:8]}"
    taken = read_record(paths.project_folder(home, name)).get("identity", identity)
    return name if taken == identity else f"{_slug(place)}-{_digits(identity)[:12]}"


def _slug(place):
    name = os.path.basename(place)
    if name in (".git", ".bare"):
        name = os.path.basename(os.path.dirname(place))
    name = name[:-4] if name.endswith(".git") else name
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")[:60]
    return safe or "project"


def record_path(folder):
    return os.path.join(folder, "project.json")


_SHAPES = {"identity": str, "switch": str, "names": list, "paths": list, "remotes": list}


def read_record(folder):
    """project.json of a project's folder as a dict; {} when missing or damaged, and a field of the
    wrong type counts as missing. Raises OSError."""
    try:
        record = json.loads(files.read(record_path(folder)) or b"{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    return {key: value for key, value in record.items() if isinstance(value, _SHAPES.get(key, object))}


def write_record(folder, record):
    """Replace project.json. One that could not be read is set aside first: project.json.unreadable."""
    path = record_path(folder)
    if not read_record(folder) and (files.read(path) or b"{}").strip() != b"{}":
        aside = path + ".unreadable"
        os.rename(path, aside if not os.path.exists(aside) else f"{aside}.{os.urandom(3).hex()}")
    text = json.dumps(record, ensure_ascii=False, indent=2)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a path that is not UTF-8
        data = json.dumps(record, indent=2).encode()
    files.write(path, data + b"\n")


def all_records(home):
    """(name, project.json as a dict) of every project of the store, by name; {} for one that cannot be read,
    whatever stands in its place."""
    found = []
    for name in _names(home):
        try:
            found.append((name, read_record(paths.project_folder(home, name))))
        except OSError:
            found.append((name, {}))
    return found


def _names(home, endings=()):
    """The folders of projects, by name; `endings` are the digits wanted, for a name ends in them."""
    try:
        names = sorted(os.listdir(os.path.join(home, "projects")))
    except OSError:
        return []
    wanted = [n for n in names if not n.startswith(".") and (not endings or n.rpartition("-")[2] in endings)]
    return [name for name in wanted if os.path.isdir(paths.project_folder(home, name))]


def exists(home, identity):
    """The name of the project with this identity; "" when the store has none.

    A project whose project.json is lost or damaged is known by the digits in its name.
    """
    digits = _digits(identity)
    without = ""
    for name in _names(home, (digits[:8], digits[:12])):
        known = read_record(paths.project_folder(home, name)).get("identity")
        if known == identity:
            return name
        without = without or (name if known is None else "")
    return without


def _settle(home, place, common, root, identity, provisional, joined):
    """Find or make the project of an identity, remember the place, join what stood for it."""
    state = os.path.join(home, "state")
    files.make_folder(state)
    if not os.path.exists(os.path.join(home, ".gitignore")):
        files.write(os.path.join(home, ".gitignore"), NOT_FOR_GIT, durable=False)
    from foreword import git

    with files.Lock(state, wait_s=_LOCK_S) as held:
        # Somebody may have settled it meanwhile, a prompt with less knowledge or a Stop with more.
        now = _known(home, place, _made(common) if common else None) or {"identity": identity}
        if _rank(now["identity"]) < _rank(identity):
            joined.append(now)
        elif _rank(now["identity"]) > _rank(identity):
            identity, provisional = now["identity"], now["provisional"]
        name = exists(home, identity) or _free_name(home, place, identity)
        folder = paths.project_folder(home, name)
        files.make_folder(folder)
        record = read_record(folder)
        changed = {
            "format": 1,
            **record,
            "identity": identity,
            "names": _with(record.get("names"), _slug(place)),
            "paths": _with(record.get("paths"), root),
            "remotes": _with(record.get("remotes"), git.remote(common) if common else ""),
        }
        entry = {"path": place, "project": name, "identity": identity, "root": root}
        entry |= {"provisional": provisional, "made": _made(common)}
        # Somebody who still has the lock now may move the same files: the next one joins.
        joined = [old for old in joined if old["project"] != name]
        for old in joined if held else ():
            changed = _merged(changed, read_record(paths.project_folder(home, old["project"])))
        if changed != record:
            write_record(folder, changed)
        for old in joined if held else ():
            from foreword.store import join  # cold: projects are joined once

            join.move(paths.project_folder(home, old["project"]), folder)
            _write_entry(home, {**entry, "path": _JOINED + old["project"]})
            if old["path"] != place:
                files.remove(_entry_path(home, old["path"]))
        if held or not joined:
            _write_entry(home, entry)
            if common:
                _remember_root(home, root, entry)
    return Project(home, name, identity, root, provisional)


def _with(values, value):
    kept = [v for v in values or () if isinstance(v, str)]
    return kept if not value or value in kept else [*kept, value][-50:]


def _merged(record, other):
    """A project's record with what is known of one that is joined into it."""
    merged = {**other, **record}
    for field in ("names", "paths", "remotes"):
        for value in other.get(field) or ():
            merged[field] = _with(merged.get(field), value)
    return merged


def gather(home):
    """Move what a hook or worker left in a project while it was joined into another. Cold: takes the lock
    first, for a join that goes on now has not told where to yet."""
    from foreword.store import join

    with files.Lock(os.path.join(home, "state"), wait_s=_GATHER_S) as held:
        for name in _names(home) if held else ():
            folder = paths.project_folder(home, name)
            to = _known(home, _JOINED + name)
            target = paths.project_folder(home, to["project"]) if to else ""
            if target and os.path.isdir(target) and not os.path.exists(record_path(folder)):
                join.move(folder, target, again=True)


def _read_text(path):
    """A small file of git's as text that gives its bytes back: paths need not be UTF-8."""
    try:
        return os.fsdecode(files.read(path, 65_536) or b"")
    except OSError:
        return ""
