"""How the store and the clients are: what `foreword doctor` looks at, and the last lines of the hooks' log.

The store is looked at whenever the page is asked for, and for the project's page too: `stored` is the one
way to look. The clients are looked at on request: that starts each hook and each server once, which takes
seconds.
"""

import concurrent.futures
import time

from starlette.routing import Route

from foreword import memory
from foreword.clients import doctor
from foreword.errors import ForewordError
from foreword.memory import health as store
from foreword.web import shown

LOG_SHOWN = 20
# Looking reads every file. What took so much CPU time is looked at again only after a while, so many times as
# long; a page that shows more than that waits for it so long. At 10,000 memories it takes 2 s here.
DEAR_S, AGAIN, WAIT_S = 0.3, 30, 1.0


def health(request):
    """The store as it is, and the clients as they were when they were looked at last."""
    view, place = request.app.state.view, shown.place(request)
    rows = _look(view, place, anew=True).result()[0]["rows"]
    looked, clients = view.looked.get(place.name, ("", []))
    absent = [row["client"] for row in clients if row["what"] == doctor.ABSENT]
    return shown.page(
        request,
        "health.html",
        title="Health",
        name=place.name,
        store=rows,
        looked=looked,
        clients=[row for row in clients if row["what"] != doctor.ABSENT],
        absent=absent,
        wrong=wrong(view, place, rows),
        log=store.log(view.home, LOG_SHOWN),
    )


def look(request):
    """Look at the clients, with the project's own settings where its folder is still there."""
    view, place = request.app.state.view, shown.place(request)
    try:
        rows = [row for row in doctor.look(view.home, place.root or None) if row["client"]]
    except (ForewordError, OSError) as error:
        rows = [{"client": "", "level": store.FAILURE, "what": str(error), "hint": "foreword doctor"}]
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    view.looked[place.name] = (now, rows)
    return shown.back(request, f"/p/{shown.part(place.name)}/health", "The clients were looked at.")


# -- looking at the store ----------------------------------------------------------------------


def stored(view, place):
    """{"rows" ([{"level", "what", "hint"}]), "files" ([(path, what, hint)] of damaged ones)} of the store and
    a project, as they were a moment ago; None while that is still being found out."""
    try:
        return _look(view, place).result(WAIT_S)[0]
    except concurrent.futures.TimeoutError:
        return None


def wrong(view, place, rows):
    """How many findings need a hand: of the store, and of the clients if they were looked at."""
    _, clients = view.looked.get(place.name, ("", []))
    return sum(row["level"] == store.FAILURE for row in [*rows, *clients])


def _look(view, place, anew=False):
    """The Future of a look at a project: the last one as long as it may stand, or a new one."""
    with view.lock:
        found = view.looks.get(place.name)
        if anew or found is None or (found.done() and _is_over(found)):
            found = view.looks[place.name] = view.pool.submit(_found, view.home, place)
    return found


def _is_over(look):
    return bool(look.exception()) or look.result()[1] <= time.monotonic()


def _found(home, place):
    """(what `stored` gives, when it may be looked at again)"""
    started = time.thread_time()
    try:
        rows = [
            {"level": level, "what": what, "hint": hint}
            for level, what, hint in store.findings(home, place=place)
        ]
        is_sound = all(row["level"] != store.FAILURE for row in rows)
        found = () if is_sound else memory.check(place)["findings"]
        files = [(row["where"], row["what"], row["hint"]) for row in found]
    except (ForewordError, OSError) as error:
        hint = getattr(error, "hint", "")
        rows = [{"level": store.FAILURE, "what": str(error), "hint": hint}]
        files = [(place.folder, str(error), hint)]
    took = time.thread_time() - started
    again = time.monotonic() + (AGAIN * took if took > DEAR_S else 0)
    return {"rows": rows, "files": files}, again


ROUTES = [
    Route("/p/{name}/health", health),
    Route("/p/{name}/health", look, methods=["POST"]),
]
