"""How ours is taken out of one file: planned, so that it can be shown and refused; and what goes with it.

`foreword uninstall` does it for every file, `foreword install` for those that no longer count. Changes no
file of a client.
"""

import os

from foreword.clients import CLIENTS
from foreword.clients.parts import decoded, told
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError


def planned(part, record):
    """The Edit of a Part that gives the original back, else takes out our entries and nothing else.
    `record`: its undo record, {} for none."""
    undone = plan.undone(part.path, record)
    if undone and not holds_ours(part, undone.after):  # an entry made by hand before the install
        return undone
    before = plan.read(part.path)
    if before is None:
        return plan.Edit(part.path, None, None)
    if b"foreword" not in before:
        return plan.Edit(part.path, before, before)  # nothing of ours, whatever else may be wrong with it
    text = decoded(part.path, before)
    after = told(part.path, part.without_ours, text, record.get("made"))
    if not after.strip() and text.strip() and (part.whole or not record.get("existed", True)):
        return plan.Edit(part.path, before, None)  # we made the file; the client only wrote it anew
    return plan.Edit(part.path, before, after.encode())


def holds_ours(part, data):
    """Whether bytes hold something of ours; not where they cannot be read, whatever stands in them."""
    try:
        return bool(data) and part.holds_ours(data.decode("utf-8", "replace"))
    except (jsonc.MalformedError, ForewordError):
        return False


def folder_of(part, record):
    """The topmost folder that goes with a file that is removed, where nothing else is in it; "" for none."""
    own = os.path.dirname(os.path.realpath(part.path)) if part.whole else ""
    return record.get("folder", own)


def forget(kept, paths):
    """Take files that ours is out of from a client's records `kept`. While copies of one are left, a
    record stays that a purge goes by."""
    for path in paths:
        record = kept.pop(path, {})
        if plan.copies(path, plan.BACKUP):
            kept[path] = plan.left_of(record, os.path.exists(path))


def remove_folders(home, removed, kept):
    """Remove the folders that removed files leave empty: [(path, the topmost that we made)].

    `kept`: {client: its records, as the caller is about to save them}. A folder that somebody else's
    record has a file in goes with that one: it is told so here, for all clients.
    """
    plan.remove_all_empty(removed)
    used = {top for _, top in removed if top and os.path.isdir(top)}
    for name in CLIENTS if home and used else ():
        records = kept[name] if name in kept else plan.records(home, name)
        if plan.hand_on(used, records) and name not in kept:
            plan.save_records(home, name, records)


def not_counting(client, records, parts):
    """(Part, Edit, whether an install takes it out) of each file on record that holds ours and is none of
    `parts`, those that count now. `client`: its install module.

    One beside a file that counts belongs to the same set of settings. One elsewhere may be another set,
    that the user chooses with a variable of the client: that is for them to say.
    """
    counting = {part.path for part in parts}
    places = {_place(path) for path in counting}
    for path, record in records.items():
        if path in counting or "after" not in record:
            continue
        part, is_near = client.part(path), _place(path) in places
        try:
            edit = planned(part, record)
        except ForewordError:
            if is_near:
                raise
            continue  # what is wrong in another set of settings stops nothing here
        if edit.changes:
            yield part, edit, is_near


def _place(path):
    """The folder whose settings a file belongs to: skills lie in skills/NAME/SKILL.md below it."""
    folder = os.path.dirname(path)
    return os.path.dirname(os.path.dirname(folder)) if os.path.basename(path) == "SKILL.md" else folder
