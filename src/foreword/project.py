"""Which project a folder belongs to. Hot: reads `.git` by hand; git itself is asked only on a miss.

A project is a repository, whatever path, clone, branch or worktree it is seen from; its identity is
the root commit. A folder without git is a project by its path. `state/by-path/` keeps the answer per
git common folder, so that hooks do not walk history. Until git could be asked (no commit yet, a
shallow clone, a history that takes over two seconds) a project is *provisional*; once the identity
is known, its memories are joined into the right one.
"""

import json
import os
import time

from foreword import files, paths
from foreword.digest import of_text

ASK_GIT_S = 2.0
_JOINED = ("notes", "sessions", "facts", "archive")


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
            return at, entry
        pointer = _read_text(entry) if os.path.isfile(entry) else ""
        if pointer.startswith("gitdir:"):
            git = os.path.normpath(os.path.join(at, pointer[7:].strip()))
            if os.path.isdir(git):
                shared = _read_text(os.path.join(git, "commondir")).strip()
                return at, os.path.realpath(os.path.join(git, shared)) if shared else git
        if os.path.isfile(os.path.join(at, "HEAD")) and os.path.isdir(os.path.join(at, "objects")):
            if os.path.isdir(os.path.join(at, "refs")):  # a bare repository, or inside .git itself
                return (os.path.dirname(at) if os.path.basename(at) == ".git" else at), at
        parent = os.path.dirname(at)
        if parent == at:
            return start, ""
        at = parent


def find(folder, home, ask_git=False, create=True, anchor="", wait_s=ASK_GIT_S):
    """The project of a folder; None for a folder that is nobody's project (`/`, the user's home).

    `anchor` is the folder the client session started in: a folder below it that has no
    repository of its own belongs to it. `ask_git` allows git to be asked when the identity is not
    known (at most `wait_s` seconds); without it a new project is provisional. `create=False` writes
    nothing for a new one: its folder does not exist then. Raises OSError when the home cannot be written.
    """
    folder = _inside(folder, anchor)
    place = "" if os.path.isdir(folder) else _known_above(folder, home, gone=True)
    root, common = (place, place) if place else locate(folder)
    place = common or _known_above(root, home) or root
    key = _key(place)
    known = _known(home, key, place)
    if not known and not common and _is_nobodys(root):
        return None
    if known:
        identity, provisional = known["identity"], known["provisional"]
        if not common or root == place:
            root = known["root"]  # a folder below a known one, or a worktree that was removed
    else:
        identity, provisional = "path:" + place, bool(common)
    if common and ask_git and provisional:
        asked = identify(common, home, wait_s)
        if asked:
            identity, provisional = asked
    if common and not known:
        known = _known(home, _key(root), root)  # the folder was known before `git init`
    if known and known["identity"] == identity:
        if os.path.isdir(paths.project_folder(home, known["project"])):
            if common and root != known["root"]:
                _remember_root(home, known, root)
            return Project(home, known["project"], identity, root, provisional)
        known = None
    if not create and not known:
        name = exists(home, identity) or _name(place, identity)
        return Project(home, name, identity, root, provisional)
    return _settle(home, key, place, root, identity, provisional, known)


def _inside(folder, anchor):
    if anchor and folder != anchor and os.path.isabs(anchor) and os.path.isdir(anchor):
        real, top = os.path.realpath(folder), os.path.realpath(anchor)
        if real.startswith(top.rstrip(os.sep) + os.sep):
            return anchor
    return folder


def _is_nobodys(root):
    user = paths.user_home()
    if os.path.dirname(root) == root:
        return True
    real = os.path.realpath(user) if user else ""
    return bool(real) and (real == root or real.startswith(root.rstrip(os.sep) + os.sep))


def _key(place):
    return of_text(place)[:16]


def _known(home, key, place):
    raw = files.read(paths.by_path(home, key))
    if not raw:
        return None
    try:
        entry = json.loads(raw)
        if entry["path"] == place and isinstance(entry["project"], str):
            return entry
    except (ValueError, KeyError, TypeError):
        pass  # damaged: it is derived, git is asked again
    return None


def _known_above(folder, home, gone=False):
    """The nearest folder at or above `folder` that is a project's place; "" when none is.

    `gone`: only the part of the path that no longer exists is looked at, and a remembered root
    of a removed worktree leads to its repository.
    """
    at = os.path.normpath(folder)
    while not (gone and os.path.isdir(at)):
        entry = _known(home, _key(at), at)
        if entry:
            return entry.get("of") or at
        parent = os.path.dirname(at)
        if parent == at:
            break
        at = parent
    return ""


def _remember_root(home, known, root):
    """So that a worktree that was removed still leads to its repository."""
    if os.path.dirname(known["path"]) == root:
        return
    key = _key(root)
    if not os.path.exists(paths.by_path(home, key)):
        _write_entry(home, key, {**known, "path": root, "of": known["path"], "root": root})


def _write_entry(home, key, entry):
    path = paths.by_path(home, key)
    files.make_folder(os.path.dirname(path))
    files.write(path, json.dumps(entry).encode(), durable=False)


def identify(common, home, wait_s=ASK_GIT_S):
    """(identity, provisional) of a repository by asking git; None when there is nothing to tell yet.

    The root commit is the first-parent root of the default branch (origin/HEAD, main, master, else
    HEAD): a history merged in later, or an orphan branch for web pages, does not change it.
    A shallow clone does not hold its root: it is known by its remote, provisionally, and shares the
    project of a full clone of the same remote when the store knows one.
    """
    if os.path.exists(os.path.join(common, "shallow")):
        return _identify_by_remote(common, home)
    for ref in ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "HEAD"):
        root = _git(common, wait_s, "rev-list", "--max-parents=0", "--first-parent", ref, "--")
        if root is None:
            return None
        if root:
            return root.split()[-1], False
    return None


def _git(common, wait_s, *arguments):
    """Output of git, "" when it failed, None when it is missing or took too long."""
    import subprocess  # cold: 12 ms, only on a miss

    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        done = subprocess.run(
            ["git", "--git-dir=" + common, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=wait_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""


def remote(common):
    """The URL of origin (else of the first remote), without scheme, user and .git; or ""."""
    found = ""
    section = ""
    for line in _read_text(os.path.join(common, "config")).splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section.startswith("[remote ") and line.startswith("url") and "=" in line:
            url = line.split("=", 1)[1].strip().strip('"')
            if section == '[remote "origin"]':
                return _bare_url(url)
            found = found or _bare_url(url)
    return found


def _bare_url(url):
    if "://" in url:
        url = url.split("://", 1)[1]
        host, slash, rest = url.partition("/")
        url = host.rpartition("@")[2].lower() + slash + rest
    elif ":" in url and not url.startswith(("/", ".")) and url[1:2] != ":":
        host, _, rest = url.partition(":")
        url = host.rpartition("@")[2].lower() + "/" + rest
    url = url.rstrip("/")
    return url[:-4] if url.endswith(".git") else url


def _identify_by_remote(common, home):
    url = remote(common)
    if not url:
        return None
    if os.path.isabs(url):
        for place in (url, url + ".git"):
            if os.path.isdir(place):
                origin = locate(place)[1]
                if origin and origin != common and not os.path.exists(os.path.join(origin, "shallow")):
                    found = identify(origin, home)
                    if found:
                        return found[0], True
    for _name, record in all_records(home):
        identity = record.get("identity", "")
        if url in record.get("remotes", ()) and ":" not in identity:
            return identity, True
    return "remote:" + url, True


def _id8(identity):
    return identity[:8] if ":" not in identity else of_text(identity)[:8]


def _name(place, identity):
    return f"{_slug(place)}-{_id8(identity)}"


def _slug(place):
    name = os.path.basename(place)
    if name == ".git":
        name = os.path.basename(os.path.dirname(place))
    name = name[:-4] if name.endswith(".git") else name
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")[:60]
    return safe or "project"


def record_path(folder):
    return os.path.join(folder, "project.json")


def read_record(folder):
    """project.json of a project's folder as a dict; {} when missing or damaged."""
    try:
        record = json.loads(files.read(record_path(folder)) or b"{}")
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def write_record(folder, record):
    text = json.dumps(record, ensure_ascii=False, indent=2)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a path that is not UTF-8
        data = json.dumps(record, indent=2).encode()
    files.write(record_path(folder), data + b"\n")


def all_records(home):
    """(name, project.json as a dict) of every project of the store, by name."""
    try:
        names = sorted(os.listdir(os.path.join(home, "projects")))
    except OSError:
        return []
    return [
        (name, read_record(paths.project_folder(home, name)))
        for name in names
        if not name.startswith(".") and os.path.isdir(paths.project_folder(home, name))
    ]


def exists(home, identity):
    """The name of the project with this identity; "" when the store has none."""
    ending = "-" + _id8(identity)
    try:
        names = os.listdir(os.path.join(home, "projects"))
    except OSError:
        return ""
    for name in sorted(names):
        if name.endswith(ending):
            if read_record(paths.project_folder(home, name)).get("identity") == identity:
                return name
    return ""


def _settle(home, key, place, root, identity, provisional, known):
    """Find or make the project of an identity, remember the place, join what was provisional."""
    state = os.path.join(home, "state")
    files.make_folder(state)
    with files.Lock(state, wait_s=2.0):
        name = exists(home, identity)
        if not name:
            name = _name(place, identity)
            if os.path.isdir(paths.project_folder(home, name)):
                # Eight digits in common, another identity: twelve part them.
                longer = identity[:12] if ":" not in identity else of_text(identity)[:12]
                name = f"{_slug(place)}-{longer}"
        folder = paths.project_folder(home, name)
        files.make_folder(folder)
        record = read_record(folder)
        url = remote(place) if place != root or provisional else ""
        changed = {
            "format": 1,
            **record,
            "identity": identity,
            "names": _with(record.get("names"), _slug(place)),
            "paths": _with(record.get("paths"), root),
            "remotes": _with(record.get("remotes"), url),
        }
        if known and known["project"] != name:
            _join(home, known["project"], folder, changed)
            if known["path"] != place:
                files.remove(paths.by_path(home, _key(known["path"])))
        if changed != record:
            write_record(folder, changed)
        entry = {
            "path": place,
            "project": name,
            "identity": identity,
            "root": root,
            "provisional": provisional,
            "asked": int(time.time()),
        }
        _write_entry(home, key, entry)
    return Project(home, name, identity, root, provisional)


def _with(values, value):
    kept = [v for v in values or () if isinstance(v, str)]
    return kept if not value or value in kept else [*kept, value][-50:]


def _join(home, name, folder, record):
    """Move the memories and logs of a provisional project into `folder`; its own folder goes.

    Memories move by rename, one by one: a crash in between leaves each in exactly one place, and
    the next join goes on. The index of the target notices by the changed folders.
    """
    old = paths.project_folder(home, name)
    if not os.path.isdir(old):
        return
    before = read_record(old)
    if not record.get("switch") and before.get("switch"):
        record["switch"] = before["switch"]
    for field in ("names", "paths", "remotes"):
        for value in before.get(field) or ():
            record[field] = _with(record.get(field), value)
    for kind in _JOINED:
        for at, _folders, names in os.walk(os.path.join(old, kind)):
            target = os.path.join(folder, os.path.relpath(at, old))
            for file in names:
                files.make_folder(target)
                to = os.path.join(target, file)
                if not os.path.exists(to):
                    os.rename(os.path.join(at, file), to)
                elif files.read(to) != files.read(os.path.join(at, file)):
                    stem, dot, ending = file.rpartition(".")
                    free = f"{stem}{os.urandom(2).hex()}{dot}{ending}"
                    os.rename(os.path.join(at, file), os.path.join(target, free))
                else:
                    os.unlink(os.path.join(at, file))
    for log in ("prompts.log", "opened.log"):
        raw = files.read(os.path.join(old, log))
        if raw:
            files.append(os.path.join(folder, log), raw.rstrip(b"\n"))
    for at, folders, names in os.walk(old, topdown=False):
        for file in names:
            if at == old and (file.startswith(("index.sqlite", ".")) or file in _OWN):
                os.unlink(os.path.join(at, file))
        for sub in folders:
            try:
                os.rmdir(os.path.join(at, sub))
            except OSError:
                pass  # a file that is not ours stays where it is
    try:
        os.rmdir(old)
    except OSError:
        pass


_OWN = ("project.json", "prompts.log", "opened.log", "report.json")


def _read_text(path):
    try:
        return (files.read(path, 65_536) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
