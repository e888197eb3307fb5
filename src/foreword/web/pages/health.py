"""How the store and the clients are: what `foreword doctor` looks at, and the last lines of the hooks' log.

The store is looked at whenever the page is asked for. The clients are looked at on request: that starts
each hook and each server once, which takes seconds.
"""

import time

from starlette.routing import Route

from foreword.clients import doctor
from foreword.errors import ForewordError
from foreword.memory import health as store
from foreword.web import shown

LOG_SHOWN = 20


def health(request):
    """The store as it is, and the clients as they were when they were looked at last."""
    view, place = request.app.state.view, shown.place(request)
    rows = [
        {"level": level, "what": what, "hint": hint}
        for level, what, hint in store.findings(view.home, place=place)
    ]
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
        wrong=sum(row["level"] == store.FAILURE for row in [*rows, *clients]),
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


ROUTES = [
    Route("/p/{name}/health", health),
    Route("/p/{name}/health", look, methods=["POST"]),
]
