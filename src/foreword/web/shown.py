"""How pages answer: templates with their filters, addresses below the token, forms, messages shown once.

A page module has plain functions `page(request)` (sync ones run in starlette's thread pool: ours read
files) which return `page(...)`, or after a POST `back(...)`, and a table `ROUTES`.
"""

import concurrent.futures
import os
import secrets
import threading
import urllib.parse

import jinja2
from starlette.responses import HTMLResponse, RedirectResponse

from foreword import memory, paths
from foreword.digest import sha256
from foreword.errors import BUSY, NO, ForewordError
from foreword.text.frame import plain
from foreword.web import charts
from foreword.web.commands import commands
from foreword.web.guard import BODY
from foreword.web.pending import Pending

FOLDER = os.path.dirname(os.path.abspath(__file__))
SAID_KEPT = 50  # messages that no page has shown yet: more are of tabs that were closed
FIELDS = 100  # of a form; the largest of ours has a dozen
STATUS = {NO: 404, BUSY: 409}  # exit code of a ForewordError -> status; of all others UNFIT
UNFIT = 422
# What became of a cited file (memory.cites) -> the kind of its badge.
STATES = {
    "unchanged": "good",
    "lines unchanged": "good",
    "CHANGED": "warn",
    "MOVED": "warn",
    "DELETED": "bad",
    "not checked": "",
}


class View:
    """What the pages of one run share: home, token, here (the project it was started in, or ""),
    environment, pending (deletes that wait), said (messages that wait for a page), looked (project ->
    when its clients were looked at last, and what was found), looks (project -> Future of what was found in
    the store: pages.health) and pool, which carries these out one by one."""

    def __init__(self, home, token, here="", environment=None, pending=None):
        self.home = home
        self.token = token
        self.here = here
        self.environment = os.environ if environment is None else environment
        self.pending = pending or Pending()
        self.said = {}
        self.looked = {}
        self.looks = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(1, "look")
        self.lock = threading.Lock()

    def say(self, text, hint="", wrong=False):
        """Keep a message for the next page that names it; its random name."""
        name = secrets.token_hex(8)
        with self.lock:
            self.said[name] = {"text": text, "hint": hint, "wrong": wrong}
            while len(self.said) > SAID_KEPT:
                del self.said[next(iter(self.said))]
        return name

    def hear(self, name):
        """[message] of that name, which is forgotten with it."""
        with self.lock:
            found = self.said.pop(name, None)
        return [found] if found else []


def page(request, template, /, status=200, title="", **context):
    """The answer with a template; `title` is the page's own. Every template has `url`, `nav`, `said`
    (messages), `deletes` (what became of them: Pending.rows), `asked` (the id of the one that was asked for
    just now) and `charts` besides."""
    view = request.app.state.view
    context = {
        "title": title,
        "url": lambda path: url(request, path),
        "nav": _nav(request),
        "label": _label(request),
        "said": view.hear(request.query_params.get("said", "")),
        "deletes": view.pending.rows(),
        "asked": request.query_params.get("deleting", ""),
        "charts": charts,
        "static": lambda file: url(request, f"/static/{file}?v={_digest(file)}"),
        **context,
    }
    text = TEMPLATES.get_template(template).render(context)
    return HTMLResponse(text.encode("utf-8", "replace"), status)  # a path need not be UTF-8


def deletes(request, numbers):
    """The part of a page that tells of deletes; also of those of these numbers."""
    rows = request.app.state.view.pending.rows(numbers)
    text = TEMPLATES.get_template("deletes.html").render(
        deletes=rows, asked="", url=lambda path: url(request, path)
    )
    return HTMLResponse(text.encode("utf-8", "replace"))


def before(request):
    """The path of the page of ours that a form was sent from, below the token; "/" where it is not known."""
    sent = urllib.parse.urlsplit(request.headers.get("referer", ""))
    own = "/" + request.app.state.view.token
    if sent.netloc != request.headers.get("host") or not sent.path.startswith(own + "/"):
        return "/"
    return sent.path.removeprefix(own) + ("?" + sent.query if sent.query else "")


def back(request, path, said="", hint="", wrong=False):
    """After a POST: see other, with a message that the next page shows once."""
    target = url(request, path)
    if said:
        name = request.app.state.view.say(said, hint, wrong)
        target += ("&" if "?" in target else "?") + "said=" + name
    return RedirectResponse(target, status_code=303)


def url(request, path):
    """An address of the view, path and query as given: `/p/x/` -> `/<token>/p/x/`."""
    return "/" + request.app.state.view.token + path


def part(text):
    """Any text as one part of a path, or as a value of a query."""
    return urllib.parse.quote(text, safe="", errors="surrogatepass")


def place(request):
    """The project that the address names. Raises NotFoundError."""
    return memory.place_of(request.app.state.view.home, request.path_params["name"])


def form(request):
    """{field: text} of a POST; of fields that came twice the last. White space and line ends as sent."""
    body = request.scope.get(BODY, b"").decode("utf-8", "replace")
    try:
        pairs = urllib.parse.parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS)
    except ValueError as error:
        raise ForewordError(f"The form has more than {FIELDS} fields; none of ours has.", "") from error
    return dict(pairs)


def number(request, name, default=1, most=10**9):
    """A whole number of the query, at least 0; the default for whatever is none."""
    text = request.query_params.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 20 else default


def failed(request, error, heading=""):
    """The page of a ForewordError: its message, what to do next, and a way back."""
    status = STATUS.get(error.exit_code, UNFIT)
    heading = heading or ("Not found" if status == STATUS[NO] else "That did not work")
    ways = _ways(request)
    return page(
        request, "error.html", status, heading, message=error.message, hint=error.hint, ways=ways,
        nav=_nav(request, bool(ways)), label=_label(request) if ways else "",
    )  # fmt: skip


def _ways(request):
    """[(label, address)] back into the project that an address names; none where there is no such project."""
    name = request.path_params.get("name", "")
    try:
        found = place(request) if name else None
    except (ForewordError, OSError):
        found = None
    if found is None:
        return []
    top, label = f"/p/{part(name)}/", paths.project_label(name)
    ways = [(f"Memories of {label}", top + "memories")] if "id" in request.path_params else []
    return [*ways, (f"The project {label}", top)]


# -- what every page shows ---------------------------------------------------------------------


def _label(request):
    """What the project of a page is called; "" of a page that is about none."""
    return paths.project_label(request.path_params.get("name", ""))


def _nav(request, is_known=True):
    """[(label, address, whether it is this page, whether it leads to it)]; with the pages of the project that
    the address names, if that is known, else of the one that the view was started in."""
    view = request.app.state.view
    name = request.path_params.get("name", "") if is_known else ""
    name = name or view.here
    here = urllib.parse.unquote(request.url.path)[1 + len(view.token) :]
    links = [("All projects", "/")]
    if name:
        top = f"/p/{part(name)}/"
        links += [
            (paths.project_label(name), top),
            ("Memories", top + "memories"),
            ("Report", top + "report"),
        ]
        links += [("Health", top + "health")]
    links.append(("Graph", "/graph"))
    told = []
    for label, path in links:
        plain_path = urllib.parse.unquote(path)
        is_page = here == plain_path
        below = not path.endswith("/") and here.startswith(plain_path + "/")
        told.append((label, url(request, path), "page" if is_page else "true" if below else ""))
    return told


# -- templates ---------------------------------------------------------------------------------


def line(text):
    """Foreign text on one line, without what cannot be seen; a name for a text that has none."""
    return " ".join(plain(" ".join(str(text).split())).split()) or "(untitled)"


def day(time):
    """`2026-11-30 10:15` of an ISO time (UTC); "" of none."""
    return (time or "")[:16].replace("T", " ")


def thousands(n):
    return f"{n:,}"


def counted(n, what):
    """`1 note`, `2 days`, `2,000 memories`"""
    many = what[:-1] + "ies" if what.endswith("y") and not what.endswith("day") else what + "s"
    return f"{n:,} {what if n == 1 else many}"


def percent(share, digits=0):
    """`70 %`; a dash for what is not known."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def size(n):
    """`1.2 MB` of bytes."""
    value, unit = float(n), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{n:,} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def _environment():
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.join(FOLDER, "templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(
        line=line, plain=plain, day=day, thousands=thousands, counted=counted, percent=percent, size=size,
        part=part, commands=commands,
    )  # fmt: skip
    return made


TEMPLATES = _environment()


# -- static files ------------------------------------------------------------------------------

TYPES = {
    "view.css": "text/css; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FILES = {}


def static_file(name):
    """(bytes, type, digest) of a file of ours; None for any other name."""
    if name not in TYPES:
        return None
    if name not in _FILES:
        with open(os.path.join(FOLDER, "static", name), "rb") as f:
            data = f.read()
        _FILES[name] = (data, TYPES[name], sha256(data).hexdigest()[:16])
    return _FILES[name]


def _digest(name):
    found = static_file(name)
    return found[2] if found else ""
