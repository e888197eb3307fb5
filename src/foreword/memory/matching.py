"""Memories that hold a text letter for letter: what `delete --matching` shows before it deletes."""

from foreword import paths, project
from foreword.digest import of_answer
from foreword.errors import ForewordError
from foreword.memory import holding
from foreword.memory.erase import delete
from foreword.memory.find import GLOBAL
from foreword.memory.overview import place_of
from foreword.store import layout, write
from foreword.store import read as reading
from foreword.text.budget import cut
from foreword.text.frame import plain

AROUND = 60  # characters shown before and behind the text


def matching(place, text, all_projects=False, progress=None):
    """Rows of every memory, live and archived, of a project and the global facts, or of all projects, that
    hold a text in any case and width, white space as one space: in title, question, body, tags or cited
    paths. Newest first; a row has id, type, title, created, project, snippet, archived, global.

    Reads every file, and no index. `progress(done, all)`. Raises ForewordError for a blank text.
    """
    wanted = holding.compared(text)
    if not wanted:
        raise ForewordError("the text is blank: every memory would match", "name some words of it")
    names = [name for name, _ in project.all_records(place.home)] if all_projects else [place.name]
    folders = [(name, paths.project_folder(place.home, name)) for name in names]
    folders.append((GLOBAL, paths.everywhere(place.home)))
    todo = [(name, folder, at) for name, folder in folders for at, _, _ in reading.walk(folder)[0]]
    found = []
    for done, (name, folder, at) in enumerate(todo):
        if progress:
            progress(done, len(todo))
        row = _row(name, folder, at, wanted)
        if row:
            found.append(row)
    return sorted(found, key=lambda row: (row["created"], row["id"]), reverse=True)


def delete_rows(place, rows, progress=None):
    """Delete the memories of some rows of `matching` for good; the ids that were deleted. `progress(done,
    all)`."""
    done = []
    for name in dict.fromkeys(row["project"] for row in rows):
        where = place if name in (place.name, GLOBAL) else place_of(place.home, name)
        ids = [row["id"] for row in rows if row["project"] == name]
        done += delete(where, ids)
        if progress:
            progress(len(done), len(rows))
    return done


def _row(name, folder, at, wanted):
    try:
        memory = reading.load(folder, at)
    except OSError:
        return None
    if memory is None or wanted not in holding.compared(holding.text_of(memory)):
        return None
    if write.is_deleted(folder, at, of_answer(memory["body"])):
        return None
    return {
        "id": memory["id"] or layout.id_from(at, memory["created"]),
        "type": memory["type"],
        "title": plain(memory["title"]),
        "created": layout.timestamp(memory["created"]),
        "project": name,
        "snippet": _passage(memory, wanted),
        "archived": memory["archived"],
        "global": name == GLOBAL,
        "superseded_by": "",
        "offer": "usual",
    }


def _passage(memory, wanted):
    """What stands around the text where it is found first."""
    text = holding.compared(holding.text_of(memory))
    at = text.find(wanted)
    start = max(0, at - AROUND)
    shown = ("…" if start else "") + text[start : at + len(wanted) + AROUND]
    return plain(cut(shown, len(wanted) + 2 * AROUND))
