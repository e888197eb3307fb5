"""What became of deletes, for view.js to put into the page that is open."""

from starlette.routing import Route

from foreword.web import shown


def state(request):
    """The part of a page that tells of deletes; `n`: numbers of those that a page has shown already."""
    asked = request.query_params.getlist("n")
    numbers = {int(n) for n in asked if n.isascii() and n.isdigit() and len(n) < 9}
    return shown.deletes(request, numbers)


def dismiss(request):
    """Tell one that failed no more, and go back to where that was told."""
    request.app.state.view.pending.dismiss(request.path_params["number"])
    return shown.back(request, shown.before(request))


ROUTES = [
    Route("/deletes", state),
    Route("/deletes/{number:int}/dismiss", dismiss, methods=["POST"]),
]
