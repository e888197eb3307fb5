"""All projects: one row each, and how to begin where there is none."""

from starlette.routing import Route

from foreword import memory
from foreword.web import shown

TYPES = ("note", "session", "fact")


def projects(request):
    view = request.app.state.view
    rows = memory.projects(view.home)
    title = "All projects" if rows else "Nothing here yet"
    return shown.page(request, "projects.html", title=title, rows=rows, types=TYPES, home=view.home)


ROUTES = [Route("/", projects)]
