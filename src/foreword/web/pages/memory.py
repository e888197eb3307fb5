"""One memory: read with its origin and its files' state, marked, moved, edited, and deleted after a while."""

from starlette.routing import Route

from foreword import memory
from foreword.errors import DamagedError, ForewordError, NotFoundError
from foreword.memory import edit_form
from foreword.memory.tally import used
from foreword.web import shown

RELATED = 50  # memories that one supersedes, named with their titles
# The state of a cited file -> (what the page says, the badge's kind).
STATES = {
    "unchanged": ("unchanged since", "good"),
    "CHANGED": ("changed since", "warn"),
    "DELETED": ("deleted since", "bad"),
    "not checked": ("not checked", ""),
}
BASES = {
    "saved-by-itself": "saved by itself after a turn",
    "agent": "saved by the agent",
    "user": "saved by you",
}
# What a button asks for -> what memory.mark is told, and what the page says when it is done.
MARKS = {
    "pin": ("always", "Pinned: prompts that share a word get it first."),
    "reject": ("never", "Rejected: it is not offered to prompts again."),
    "usual": ("usual", "It is offered as usual again."),
}
FIELDS = ("title", "tags", "body")  # of the form; of a whole file it is "text"


def read(request):
    """The page of a memory. One that cannot be read in full is shown as far as it can."""
    place = shown.place(request)
    memory_id = request.path_params["id"]
    found = memory.read(place, memory_id)
    offered, opened = used(place, memory_id)
    waiting = [one for one in request.app.state.view.pending.all() if one["id"] == memory_id]
    return shown.page(
        request,
        "memory.html",
        title=shown.line(found["title"]),
        name=place.name,
        found=found,
        address=_address(place, memory_id),
        basis=BASES.get(found["basis"], found["basis"]),
        origin=memory.origin.of(found, environment=request.app.state.view.environment),
        files=[(row["path"], *STATES.get(row["state"], (row["state"], ""))) for row in found["files"]],
        root=place.root,
        newer=_titled(place, [found["superseded_by"]] if found["superseded_by"] else []),
        older=_titled(place, found["supersedes"]),
        offered=offered,
        opened=opened,
        is_waiting=bool(waiting),
    )


def _titled(place, ids):
    """[(id, title, or None of one that is not there any more)]"""
    told = []
    for memory_id in ids[:RELATED]:
        try:
            told.append((memory_id, memory.read(place, memory_id)["title"]))
        except ForewordError:
            told.append((memory_id, None))
    return told


def _address(place, memory_id):
    return f"/p/{shown.part(place.name)}/memories/{shown.part(memory_id)}"


# -- what buttons do ---------------------------------------------------------------------------


def act(request):
    """Do what a button says, and show the page again."""
    place, what = shown.place(request), request.path_params["act"]
    memory_id = request.path_params["id"]
    there = _address(place, memory_id)
    if what == "delete":
        return _delete(request, place, memory_id)
    if what == "keep":
        return _keep(request, place, memory_id)
    try:
        said, hint = _change(place, what, memory_id)
    except NotFoundError:
        raise
    except ForewordError as error:
        return shown.back(request, there, error.message, error.hint, wrong=True)
    return shown.back(request, there, said, hint)


def _change(place, what, memory_id):
    """Mark or move a memory; (what the page says, the next command or "")."""
    if what in MARKS:
        offer, said = MARKS[what]
        memory.mark(place, [memory_id], offer)
        return said, ""
    if what == "archive":
        again = memory.archive(place, [memory_id]).again
        said = "Archived: it is no longer offered or handed over, and can be restored."
        if again:
            told = "this stands again, for nothing supersedes it now"
            if len(again) > 1:
                told = "these stand again, for nothing supersedes them now"
            return f"{said} And {told}: {', '.join(again)}", "foreword archive " + " ".join(again)
        return said, ""
    if what == "restore":
        done = memory.restore(place, [memory_id])
        return ("Restored." if done else "It was not archived: nothing was done."), ""
    raise NotFoundError(f"There is no {what[:40]!r} to do with a memory.", "")


def _delete(request, place, memory_id):
    """Have it deleted in a while. The bar to take that back stands on every page until then."""
    title = ""
    try:
        title = memory.read(place, memory_id)["title"]
    except DamagedError:
        pass  # it can be deleted all the same
    request.app.state.view.pending.add(place, memory_id, title or memory_id)
    return shown.back(request, f"/p/{shown.part(place.name)}/memories")


def _keep(request, place, memory_id):
    there = _address(place, memory_id)
    if request.app.state.view.pending.keep(memory_id):
        return shown.back(request, there, "Kept: nothing was deleted.")
    try:
        memory.read(place, memory_id)
    except NotFoundError:
        top = f"/p/{shown.part(place.name)}/memories"
        return shown.back(request, top, "Too late: it was deleted already, which is final.", wrong=True)
    except ForewordError:
        pass  # damaged, but there
    return shown.back(request, there, "Nothing was about to be deleted.")


# -- editing -----------------------------------------------------------------------------------


def edit(request):
    """GET: the form. POST: what was typed takes the memory's place, or stands in the form again with what is
    wrong with it."""
    place, memory_id = shown.place(request), request.path_params["id"]
    form = edit_form.begin(place, memory_id)
    is_whole = form["whole"] or "whole" in request.query_params
    if request.method != "POST":
        return _form(request, place, memory_id, form, form, is_whole)
    sent = shown.form(request)
    is_whole = "text" in sent
    typed = {key: sent[key] for key in (("text",) if is_whole else FIELDS) if key in sent}
    if not typed:
        raise ForewordError("The form came without a text.", f"foreword edit {memory_id}")
    try:
        done = edit_form.finish(place, memory_id, sent.get("before") or "unknown", typed)
    except NotFoundError:
        raise
    except memory.edit.ChangedError:
        # Both texts stay on the page; saved again, what was typed takes the place of what is there now.
        now = edit_form.begin(place, memory_id)
        values = {**now, **typed}
        return _form(request, place, memory_id, values, now, is_whole, {}, 409)
    except ForewordError as error:
        values = {**form, **typed, "before": sent.get("before", "")}
        return _form(request, place, memory_id, values, form, is_whole, _beside(error, is_whole), 422)
    said = " ".join(["Saved." if done["changed"] else "Nothing was changed.", *done["told"]])
    return shown.back(request, _address(place, memory_id), said)


def _form(request, place, memory_id, values, now, is_whole, wrong=None, status=200):
    """values: what stands in the fields; now: what the file holds; wrong: {field or "": what is wrong}, None
    before anything was typed."""
    return shown.page(
        request,
        "edit.html",
        status,
        title="Edit " + shown.line(now["title"]),
        name=place.name,
        memory_id=memory_id,
        address=_address(place, memory_id),
        values=values,
        now=now,
        is_whole=is_whole,
        only_whole=now["whole"],
        why=now["why"],
        wrong=wrong or {},
        is_conflict=status == 409,
    )


def _beside(error, is_whole):
    """{field: message}: the field that an error of memory.edit is about, "" where it is none of them."""
    told = error.message
    if is_whole:
        return {"text": told}
    field = next((name for name in FIELDS if f"the {name} " in told or f" {name} " in f" {told} "), "")
    head, _, rest = told.partition(": ")
    # A line of the file says nothing to who sees fields.
    return {field: rest if field and head.startswith("line ") else told}


ROUTES = [
    Route("/p/{name}/memories/{id}", read),
    Route("/p/{name}/memories/{id}/edit", edit, methods=["GET", "POST"]),
    Route("/p/{name}/memories/{id}/{act}", act, methods=["POST"]),
]
