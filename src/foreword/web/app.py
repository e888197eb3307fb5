"""The application of one run: the table of pages below the token, and what becomes of errors."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Mount, Route

from foreword.errors import ForewordError, NotFoundError
from foreword.memory.agree import at_once
from foreword.web import shown, wrong
from foreword.web.guard import Guard
from foreword.web.pages import deletes, graph, health, memories, memory, project, projects, report

PAGES = (projects, project, report, health, memories, memory, graph, deletes)
FOREVER = "private, max-age=31536000, immutable"  # a file with its digest in the address never changes


def made(view, port, once="", first=""):
    """The whole application of a View, guarded, for a server on 127.0.0.1 and this port.

    `once`: a key that leads to the address `first`, one time: see Guard.
    """
    routes = [route for module in PAGES for route in module.ROUTES]
    app = Starlette(
        routes=[Mount("/" + view.token, routes=[Route("/static/{file}", _static), *routes])],
        middleware=[Middleware(_of_one_moment)],
        exception_handlers={
            ForewordError: _refused,
            HTTPException: _no_page,
            Exception: _broken,
            **dict.fromkeys(wrong.OF_THE_DISK, _disk),
        },
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


def _disk(request, error):
    """What a full or read-only disk, or a file in the place of another, keeps us from; also a store that
    others hold for long. Trying again later may help."""
    if wrong.is_bug(error):
        return _broken(request, error)
    why, hint, _ = wrong.told(error)
    wrong.say(f"error: {why}")
    answer = shown.failed(request, ForewordError(why, hint))
    answer.status_code = 503
    return answer


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
    wrong.show(error)
    told = "This page could not be made. Nothing in the store was changed by showing it."
    if request.method == "POST":
        told = "Foreword broke while it did this. Look whether it is done before you try again."
    answer = shown.failed(request, ForewordError(told, "foreword doctor"), "Something broke")
    answer.status_code = 500
    return answer
