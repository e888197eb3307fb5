"""The application of one run: the table of pages below the token, and what becomes of errors."""

import sys
import traceback

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Mount, Route

from foreword.errors import ForewordError, NotFoundError
from foreword.memory.agree import at_once
from foreword.web import shown
from foreword.web.guard import Guard
from foreword.web.pages import graph, health, memories, memory, project, projects, report

PAGES = (projects, project, report, health, memories, memory, graph)
FOREVER = "private, max-age=31536000, immutable"  # a file with its digest in the address never changes


def made(view, port, once="", first=""):
    """The whole application of a View, guarded, for a server on 127.0.0.1 and this port.

    `once`: a key that leads to the address `first`, one time: see Guard.
    """
    routes = [route for module in PAGES for route in module.ROUTES]
    app = Starlette(
        routes=[Mount("/" + view.token, routes=[Route("/static/{file}", _static), *routes])],
        middleware=[Middleware(_of_one_moment)],
        exception_handlers={ForewordError: _refused, HTTPException: _no_page, Exception: _broken},
    )
    app.state.view = view
    return Guard(app, view.token, port, once, first)


def _of_one_moment(app):
    """The same application; a page that changes nothing compares each index with the files once, however
    much it asks."""

    async def asked(scope, receive, send):
        if scope["type"] != "http" or scope["method"] == "POST":
            await app(scope, receive, send)
            return
        with at_once():
            await app(scope, receive, send)

    return asked


def _static(request):
    found = shown.static_file(request.path_params["file"])
    if not found:
        raise HTTPException(404)
    data, kind, digest = found
    is_named = request.query_params.get("v") == digest
    return Response(data, media_type=kind, headers={"cache-control": FOREVER} if is_named else {})


def _refused(request, error):
    return shown.failed(request, error)


def _no_page(request, error):
    if error.status_code == 405:
        told = ForewordError("This address takes no such request.", "")
    else:
        told = NotFoundError("There is no such page.", "")
    answer = shown.failed(request, told)
    answer.status_code = error.status_code
    return answer


def _broken(request, error):
    """Our bug. What happened goes to the terminal, for a page may be shown to anybody."""
    traceback.print_exception(error, file=sys.stderr)
    return shown.page(
        request, "error.html", 500, "Something broke",
        message="This page could not be made. Nothing in the store was changed by showing it.",
        hint="foreword doctor",
    )  # fmt: skip
