"""One memory: read with its origin and its files' state, marked, moved, edited, and deleted after a while."""

from starlette.routing import Route

from foreword import memory
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.memory import edit_form
from foreword.memory.tally import used
from foreword.web import shown, wrong
from foreword.web.pending import AT_WORK, FAILED, GONE, LEFT

RELATED = 50  # memories that one supersedes, named with their titles
BASES = {
    "saved-by-itself": "saved by itself after a turn",
    "agent": "saved by the agent",
    "user": "saved by you",
    "imported": "imported",
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
    return shown.page(
        request,
        "memory.html",
        title=shown.line(found["title"]),
        name=place.name,
        found={**found, "stale": _stale(found)},
        address=_address(place, memory_id),
        basis=BASES.get(found["basis"], found["basis"]),
        origin=memory.origin.of(found, environment=request.app.state.view.environment),
        files=[(row["path"], memory.cites.told(row), shown.STATES[row["state"]]) for row in found["files"]],
        root=place.root,
        newer=_titled(place, [found["superseded_by"]] if found["superseded_by"] else []),
        older=_titled(place, found["supersedes"]),
        offered=offered,
        opened=opened,
        is_waiting=request.app.state.view.pending.waits(place, memory_id),
    )


def _stale(found):
    """The cited files that are not as they were, as lists have it: of a live memory of the project."""
    if found["archived"] or found["global"]:
        return []
    return list(filter(memory.cites.is_bad, found["files"]))


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
    if shown.form(request).get("back") == "report":  # a list of these stands there
        there = f"/p/{shown.part(place.name)}/report"
    if what == "delete":
        return _delete(request, place, memory_id)
    if what == "keep":
        return _keep(request, place, memory_id)
    if what == "wait":
        return _wait(request, place, memory_id)
    try:
        said, hint = _change(place, what, memory_id)
    except NotFoundError:
        raise
    except (ForewordError, *wrong.OF_THE_DISK) as error:
        if wrong.is_bug(error):
            raise
        why, hint, _ = wrong.told(error)
        return shown.back(request, there, why, hint, wrong=True)
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
    # The button that takes it back is where the next page begins: see base.html.
    return shown.back(request, f"/p/{shown.part(place.name)}/memories?deleting={shown.part(memory_id)}")


def _keep(request, place, memory_id):
    if request.app.state.view.pending.keep(place, memory_id):
        return shown.back(request, _address(place, memory_id), "Kept: nothing was deleted.")
    return _too_late(request, place, memory_id)


def _wait(request, place, memory_id):
    """Let a delete wait longer, and go back to the page that it was asked on."""
    if request.app.state.view.pending.lengthen(place, memory_id):
        return shown.back(request, shown.before(request))
    return _too_late(request, place, memory_id)


def _too_late(request, place, memory_id):
    """What is said where no delete waits any more, or none ever did."""
    there, top = _address(place, memory_id), f"/p/{shown.part(place.name)}/memories"
    state, why = request.app.state.view.pending.state(place, memory_id)
    if state == AT_WORK:
        return shown.back(request, top, "Too late: it is being deleted at this moment.", wrong=True)
    if state in (GONE, LEFT):
        return shown.back(request, top, "Too late: it was deleted already, which is final.", wrong=True)
    if state == FAILED:
        return shown.back(request, there, f"It was not deleted: {why}", wrong=True)
    try:
        memory.read(place, memory_id)
    except NotFoundError:
        return shown.back(request, top, "There is no such memory; none was about to be deleted.", wrong=True)
    except ForewordError:
        pass  # damaged, but there
    return shown.back(request, there, "Nothing was about to be deleted.")


# -- editing -----------------------------------------------------------------------------------


def edit(request):
    """GET: the form. POST: what was typed takes the memory's place, or stands in the form again with what is
    wrong with it; whatever happens, it is on the page that comes back."""
    memory_id = request.path_params["id"]
    if request.method != "POST":
        place = shown.place(request)
        form = edit_form.begin(place, memory_id)
        return _form(request, place, memory_id, form, form, form["whole"] or "whole" in request.query_params)
    sent = shown.form(request)
    typed = {key: sent[key] for key in (("text",) if "text" in sent else FIELDS) if key in sent}
    if not typed:
        raise ForewordError("The form came without a text.", f"foreword edit {memory_id}")
    try:
        place = shown.place(request)
        done = edit_form.finish(place, memory_id, sent.get("before") or "unknown", typed)
    except Exception as error:  # noqa: BLE001  our bug, too, must not take along what was typed
        return _refused(request, memory_id, sent, typed, error)
    said = " ".join(["Saved." if done["changed"] else "Nothing was changed.", *done["told"]])
    return shown.back(request, _address(place, memory_id), said)


def _refused(request, memory_id, sent, typed, error):
    """The page that has what was typed and was not saved: the form, or where no form can be shown any more,
    the texts alone."""
    if wrong.is_bug(error):
        wrong.show(error)
    try:
        place = shown.place(request)
        now = edit_form.begin(place, memory_id)
    except (ForewordError, *wrong.OF_THE_DISK) as other:
        return _kept(request, memory_id, typed, other)
    status = _status(error)
    if isinstance(error, memory.edit.ChangedError):
        # Both texts stay on the page; saved again, what was typed takes the place of what is there now.
        beside, before, status = {}, now["before"], 409
    else:
        why, hint, _ = wrong.told(error)
        told = ForewordError(why if status == shown.UNFIT else f"{why}. What to do: {hint}")
        beside, before = _beside(told, "text" in typed, status), sent.get("before", "")
    values = {**now, **typed, "before": before}
    return _form(request, place, memory_id, values, now, "text" in typed, beside, status)


def _status(error):
    """The HTTP status of an error while something is saved."""
    if wrong.is_bug(error):
        return 500
    if isinstance(error, BusyError) or not isinstance(error, ForewordError):
        return 503  # somebody else holds the store, or the disk is full or read-only
    return 404 if isinstance(error, NotFoundError) else shown.UNFIT


def _kept(request, memory_id, typed, error):
    """What was typed, to be copied: there is nothing that it could be saved into."""
    why, hint, _ = wrong.told(error)
    name = request.path_params["name"]
    top = f"/p/{shown.part(name)}/memories"
    return shown.page(
        request, "edit_kept.html", _status(error), title=f"Not saved: {memory_id}", name=name, top=top,
        why=why, hint=hint, is_gone=isinstance(error, NotFoundError), typed=typed,
    )  # fmt: skip


def _form(request, place, memory_id, values, now, is_whole, beside=None, status=200):
    """values: what stands in the fields; now: what the file holds; beside: {field or "": what is wrong}, None
    before anything was typed."""
    return shown.page(
        request,
        "edit.html",
        status,
        title=("Edit " if beside is None else "Not saved: ") + shown.line(now["title"]),
        name=place.name,
        memory_id=memory_id,
        address=_address(place, memory_id),
        values=values,
        now=now,
        is_whole=is_whole,
        only_whole=now["whole"],
        why=now["why"],
        wrong=beside or {},
        is_conflict=status == 409,
    )


def _beside(error, is_whole, status):
    """{field: message}: the field that an error of memory.edit is about, "" where it is none of them."""
    told = error.message
    if status != shown.UNFIT:
        return {"": told}  # no text would be taken now
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
