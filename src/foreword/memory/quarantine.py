"""Memories that come from others, until the user accepts them: `state/quarantine/<project>/<name>.md`.

A colleague's export, a memory bank that lies in a repository: their texts are anybody's. They wait where
nothing looks for memories, so that none is indexed, found, offered, handed over or dreamt about. What is
accepted goes through the same door as everything else, and says that it was imported.
"""

import os

from foreword import files
from foreword.digest import of_answer
from foreword.errors import ForewordError, NotFoundError
from foreword.memory.agree import bring_up_to_date
from foreword.memory.change import TITLE_READ, locked, made
from foreword.store import header, layout, write
from foreword.store import read as reading
from foreword.text.budget import cut
from foreword.text.speaks import speaks
from foreword.text.unkept import kept

TITLE = 200  # characters
MOST = 10_000  # memories that may wait for one project


def put(place, memories, origin, now):
    """Keep memories (dicts as store.read gives them: title, body, and type, question, tags, created where
    they have them) waiting; their names. `origin`: where they come from, for people. A text that waits
    already, stands in the project, or was deleted by the user, is passed over. Durable on return."""
    place = made(place)
    folder = _folder(place)
    files.make_folder(folder)
    known = {of_answer(one["body"]) for one in waiting(place)}
    names = []
    with locked(place.home):
        for memory in memories:
            body = kept(memory["body"].replace("\r\n", "\n"), layout.ANSWER_LIMIT).strip("\n")
            digest = of_answer(body)
            if not body.strip() or digest in known or write.is_forgotten(place.home, digest):
                continue
            if len(known) >= MOST:
                raise ForewordError(f"{MOST:,} memories wait already", "foreword quarantine")
            known.add(digest)
            name = layout.new_id(memory.get("created") or now)
            while os.path.exists(os.path.join(folder, name + ".md")):
                name = layout.new_id(memory.get("created") or now, again=True)
            fields = {
                "type": memory.get("type") or "fact",
                "created": layout.timestamp(memory.get("created") or now),
                "title": cut(" ".join(kept(memory["title"], TITLE_READ).split()), TITLE),
                "question": kept(memory.get("question") or "", layout.QUESTION_LIMIT) or None,
                "tags": [kept(tag, TITLE_READ) for tag in memory.get("tags") or ()] or None,
                "from": origin,
            }
            files.write(
                os.path.join(folder, name + ".md"), header.render(fields, body).encode("utf-8", "replace")
            )
            names.append(name)
    return names


def waiting(place):
    """What waits for a project, oldest first: dicts of name, type, title, created (ISO 8601), question,
    body, tags, origin, and speaks (whether its text addresses an agent)."""
    found = []
    folder = _folder(place)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    for name in names:
        path = os.path.join(folder, name)
        if not layout.is_id(name[:-3]) or not name.endswith(".md"):
            continue
        raw = files.read(path, reading.LARGEST) or b""
        memory = reading.parse(raw, f"facts/{name}")
        head = header.split(raw.decode("utf-8", "replace"))[0]
        found.append(
            {
                "name": name[:-3],
                "type": _said(head, "type", layout.TYPES, "fact"),
                **{key: memory[key] for key in ("title", "question", "body", "tags")},
                "created": layout.timestamp(memory["created"]),
                "origin": _said(head, "from"),
                "speaks": speaks(memory["title"] + "\n" + memory["body"]),
            }
        )
    return found


def accept(place, names):
    """Save what waits under some names in the project, and take it out of the quarantine; {"ids", "known"}:
    of those that were saved, and names of those whose text stands there already. Raises NotFoundError, and
    does nothing, where a name is unknown."""
    todo = _named(place, names)
    place = made(place)
    ids, known = [], []
    with locked(place.home):
        standing = _standing(place.folder)
        for memory in todo:
            digest = of_answer(memory["body"])
            if digest in standing:
                known.append(memory["name"])
            else:
                fields = {
                    "title": memory["title"],
                    "question": memory["question"] or None,
                    "tags": memory["tags"] or None,
                    "source": "import",
                    "basis": "imported",
                    "from": memory["origin"] or None,
                }
                if write.is_forgotten(place.home, digest):
                    write.remember(place.home, digest)  # the user says it, as in a save
                created = layout.epoch(memory["created"]) or 0.0
                ids.append(write.create(place.folder, memory["type"], fields, memory["body"], created)[0])
                standing.add(digest)
            files.remove(os.path.join(_folder(place), memory["name"] + ".md"))
    bring_up_to_date(place.folder)
    return {"ids": ids, "known": known}


def drop(place, names):
    """Remove what waits under some names; the names. Raises NotFoundError, and does nothing, for an unknown
    one."""
    todo = _named(place, names)
    for memory in todo:
        files.remove(os.path.join(_folder(place), memory["name"] + ".md"))
    return [memory["name"] for memory in todo]


def from_file(path):
    """A memory in a Markdown file that somebody gave away, with front matter or without; its type is that
    of its folder, where that has a type's name. Raises ForewordError."""
    try:
        raw = files.read(path, reading.LARGEST + 1)
    except OSError as error:
        raise ForewordError(
            f"{path} cannot be read: {error.strerror}", "foreword quarantine add FILE..."
        ) from error
    if raw is None:
        raise NotFoundError(f"there is no file {path}", "foreword quarantine add FILE...")
    if len(raw) > reading.LARGEST:
        raise ForewordError(f"{path} has more than {reading.LARGEST:,} bytes")
    memory = reading.parse(raw, "facts/a.md", os.stat(path).st_mtime)
    head = header.split(raw.decode("utf-8", "replace"))[0]
    return {**memory, "type": _said(head, "type", layout.TYPES, "fact")}


def _named(place, names):
    known = {memory["name"]: memory for memory in waiting(place)}
    missing = [name for name in names if name not in known]
    if missing:
        raise NotFoundError(f"nothing waits under {', '.join(missing)}", "foreword quarantine")
    return [known[name] for name in dict.fromkeys(names)]


def _standing(folder):
    """The digests of all that stands in a project, live and archived."""
    found = set()
    for at, _, _ in reading.walk(folder)[0]:
        memory = reading.load(folder, at)
        if memory:
            found.add(of_answer(memory["body"]))
    return found


def _said(head, key, allowed=(), otherwise=""):
    """The value of a plain key of front matter, which store.read does not give."""
    for row in head.split("\n"):
        if row.startswith(key + ":"):
            value = row[len(key) + 1 :].strip().strip("\"'")
            return value if not allowed or value in allowed else otherwise
    return otherwise


def _folder(place):
    return os.path.join(place.home, "state", "quarantine", place.name)
