"""Does memory pay? The whole report of a project, in words: what report.json holds, and nothing else."""

from starlette.routing import Route

from foreword import memory
from foreword.errors import ForewordError
from foreword.report import made, told
from foreword.web import shown

PER_PAGE = 50  # client sessions of a page
VAIN, JUDGED = 5, 100  # memories offered in vain: shown, and looked at for that
# The columns of the table of sessions.
COLUMNS = (
    ("Tokens", "tokens"),
    ("Input", "input"),
    ("Cache creation", "cache_creation"),
    ("Cache read", "cache_read"),
    ("Output", "output"),
    ("Requests", "requests"),
    ("Turns", "turns"),
    ("Tool calls", "tool_calls"),
    ("Files", "files_read"),
    ("Again", "files_read_again"),
    ("Subagents", "subagents"),
    ("Prompts", "prompts"),
    ("With a foreword", "with_foreword"),
    ("Lines", "lines"),
    ("Opened", "opened"),
    ("Characters", "characters"),
    ("Dollars", "dollars"),
)


def report(request):
    """The report as it was made last; a POST makes it anew first."""
    view, place = request.app.state.view, shown.place(request)
    address = f"/p/{shown.part(place.name)}/report"
    if request.method == "POST":
        notes = []
        try:
            made.refresh(view.home, place.name, say=notes.append)
        except ForewordError as error:
            return shown.back(request, address, error.message, error.hint, wrong=True)
        return shown.back(request, address, " ".join(["Counted anew.", *notes]))
    found = loaded(place)
    page, pages, rows = _sessions(found, shown.number(request, "page")) if found else (1, 1, [])
    return shown.page(
        request,
        "report.html",
        title="Does memory pay?",
        name=place.name,
        address=address,
        top="/p/" + shown.part(place.name),
        found=found,
        columns=[(words, key) for words, key in COLUMNS if any(row[key] for row in rows)],
        rows=rows,
        vain=_vain(place) if found else [],
        page=page,
        pages=pages,
        per_page=PER_PAGE,
    )


def loaded(place):
    """What report.json holds, as words and numbers for a page; None where there is none that can be read."""
    found = made.load(place.home, place.name)
    try:
        return _in_words(found) if found else None
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return None  # other programs and people may write that file, too


def _in_words(found):
    compared, sessions, use = found["comparison"], found["sessions"], found["use"]
    possible = bool(compared["possible"])
    tokens = compared["tokens"] if possible else {}
    return {
        "made": str(found["made"]),
        "possible": possible,
        "inconclusive": bool(possible and tokens["inconclusive"]),
        "verdict": told.verdict(compared),
        "sentence": _sentence(told.verdict(compared)),
        "interval": tuple(_share(tokens[key]) for key in ("low", "difference", "high")) if possible else None,
        "how": told.how(compared),
        "looks": told.LOOKS if possible else "",
        "left_out": list(told.left_out(sessions)),
        "sessions": {key: int(n) for key, n in sessions.items()},
        "days": {key: int(n) for key, n in compared["days"].items()}
        if compared["assigned"]["by_day"]
        else {},
        "arms": told.arms(found),
        "medians": told.medians(found),
        "use": _use(use),
        "hit_rate": told.hit_rate(use),
        "share": _share(use["hit_rate"]),
        "fixed": {key: int(n) for key, n in found["fixed"].items()},
        "prices": _prices(found["prices"]),
        "rows": _rows(found["rows"]),
    }


def _sentence(text):
    """`Too few sessions ….` of `too few sessions …`"""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _share(value):
    return None if value is None else float(value)


def _use(use):
    """[(words, number, key)] of what was handed over and opened, over all prompts that are recorded."""
    words = (
        ("Prompts", "prompts"),
        ("… while memory was on", "prompts_on"),
        ("… of those with a foreword", "with_foreword"),
        ("Lines offered", "lines"),
        ("Characters before prompts", "characters"),
        ("Starts of client sessions with facts and sessions", "recalls"),
        ("Characters at such starts", "recall_characters"),
        ("Memories offered", "memories_offered"),
        ("… opened at least once since", "memories_opened"),
        ("… never opened", "never_opened"),
        ("Times a memory was opened", "times_opened"),
    )
    return [(name, told.number(use.get(key)), key) for name, key in words]


def _vain(place):
    """[{"id", "title", "times"}] of the memories that were offered most often and never opened, for a person
    to judge; those that were judged are left out."""
    rows = []
    for memory_id, times in made.never_opened(place.folder)[:JUDGED]:
        if times < 2 or len(rows) == VAIN:
            break
        try:
            found = memory.read(place, memory_id)
        except ForewordError:
            continue  # deleted since, an entity, or damaged
        if found["offer"] == "usual" and not found["archived"]:
            rows.append({"id": memory_id, "title": found["title"], "times": times})
    return rows


def _prices(prices):
    if prices is None:
        return None
    return {"date": str(prices["date"])[:10], "unpriced": int(prices["unpriced_sessions"])}


def _rows(rows):
    """One dict for each client session, the newest first: client, started, memory ("on", "off" or "mixed")
    and a text for each column."""
    found = [
        {
            "client": client,
            "started": str(row["started"]),
            "memory": made.arm_of(row),
            **{key: told.number(row.get(key), key) for _, key in COLUMNS},
        }
        for client, some in rows.items()
        for row in some
    ]
    return sorted(found, key=lambda row: row["started"], reverse=True)


def _sessions(found, page):
    """(page, pages, its rows)"""
    rows = found["rows"]
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(max(1, page), pages)
    return page, pages, rows[(page - 1) * PER_PAGE : page * PER_PAGE]


ROUTES = [Route("/p/{name}/report", report, methods=["GET", "POST"])]
