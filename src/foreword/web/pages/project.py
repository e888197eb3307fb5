"""One project: what is stored, whether it pays, what was offered lately and why, what needs a hand."""

import concurrent.futures
import threading
import time

from starlette.routing import Route

from foreword import memory, paths
from foreword.errors import ForewordError
from foreword.memory import candidates
from foreword.memory import health as store
from foreword.memory.tally import tally
from foreword.memory.why import NOTHING, REASONS, outcome
from foreword.web import shown
from foreword.web.pages.report import loaded

NEWEST = 10  # memories
RECENT = 10  # prompts
FOREWORDS = 5
STALE = 10
DAMAGED = 20  # files named
DAYS = 30
TYPES = ("note", "session", "fact")
ENTITY = "entity"
# What a dream would look at -> (one of them, how they are called, what is mostly done about them).
DREAMS = {
    "superseded": ("superseded memory", "superseded memories", "archive them"),
    "beyond": (
        "session that is no longer handed over", "sessions that are no longer handed over",
        "merge what lasts, archive the rest",
    ),
    "stale": ("fact whose files changed", "facts whose files changed", "update, archive or keep them"),
    "alike": ("group of near-duplicates", "groups of near-duplicates", "merge, or keep both"),
    "old": ("old fact", "old facts", "keep what still holds, archive the rest"),
}  # fmt: skip
# Health: looking reads every file. What took so much CPU time is looked at again only after a while, so many
# times as long; a page waits for it so long. At 10,000 memories it takes 2 s here.
DEAR_S, AGAIN, WAIT_S = 0.3, 30, 1.0


def project(request):
    """The page of a project, with how to begin where nothing was saved yet."""
    view, place = request.app.state.view, shown.place(request)
    counts = tally(place)
    lately = memory.activity(place, days=DAYS, recent=RECENT)
    return shown.page(
        request,
        "project.html",
        title=paths.project_label(place.name),
        name=place.name,
        top="/p/" + shown.part(place.name),
        root=place.root,
        folder=place.folder,
        switch=memory.get_switch(place),
        is_empty=not any(counts["live"].values()) and not counts["archived"] and not lately["prompts"],
        counts=[(kind, counts["live"].get(kind, 0)) for kind in TYPES],
        archived=counts["archived"],
        newest=memory.browse(place, per_page=NEWEST)["rows"],
        lately=lately,
        prompts=[_prompt(place, found) for found in lately["recent"]],
        size=memory.size(place),
        most_damaged=DAMAGED,
        report=loaded(place),
        forewords=memory.forewords(place, FOREWORDS),
        stale=memory.stale_memories(place, STALE),
        dreams=_dreams(place),
        health=_health(view, place),  # last, for a look that goes on shares the interpreter with what follows
    )


# -- what was offered --------------------------------------------------------------------------


def _prompt(place, found):
    """A prompt as people read it: {"time", "client", "question", "note", "outcome", "hint", "offered", "cut",
    "needed"}; the last two but one are rows with `became` (words), `sure` (0 to 1 or None), `is_opened`,
    `address` ("" where there is nothing to open) and `title`."""
    rows = [_offered(place, found, row) for row in found["memories"]]
    return {
        "time": found["time"],
        "client": found["client"],
        "question": found["question"],
        "note": found["note"],
        "outcome": outcome(found),
        "hint": NOTHING[found["why"]][1] if found["why"] in NOTHING else "",
        "offered": [row for row in rows if row["reason"] == "offered"],
        "cut": [row for row in rows if row["reason"] != "offered"],
        "sentences": list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"])),
        "needed": found["needed"],
    }


def _offered(place, found, row):
    words, sentence = REASONS.get(row["reason"], (row["reason"] or "unknown", ""))
    if row["deleted"] and row["type"] != ENTITY:
        address, title = "", "(deleted since)"
    elif row["type"] == ENTITY:
        address, title = "/graph/entity?name=" + shown.part(row["id"]), row["title"] or row["id"]
    else:
        address = f"/p/{shown.part(place.name)}/memories/{shown.part(row['id'])}"
        title = row["title"]
    return {
        "reason": row["reason"],
        "became": words,
        "sentence": sentence,
        "sure": row["confidence"],
        "is_opened": row["id"] in found["opened"],
        "is_entity": row["type"] == ENTITY,
        "address": address,
        "title": title,
    }


# -- what needs a hand -------------------------------------------------------------------------


def _dreams(place):
    """[(n, how they are called, what is mostly done)] of what a dream would look at; starts no run."""
    counts = {}
    for one in candidates.survey(place, time.time()).candidates:
        counts[one["kind"]] = counts.get(one["kind"], 0) + 1
    return [
        (counts[kind], one if counts[kind] == 1 else many, advice)
        for kind, (one, many, advice) in DREAMS.items()
        if kind in counts
    ]


_POOL = concurrent.futures.ThreadPoolExecutor(1, "health")
_LOOKS = {}  # (home, project) -> Future of (what was found, when it may be looked at again)
_LOCK = threading.Lock()


def _health(view, place):
    """{"wrong" (findings that need a hand), "files" ([(path, what, hint)] of damaged files)}; None while that
    is still being found out."""
    key = (view.home, place.name)
    with _LOCK:
        look = _LOOKS.get(key)
        if look is None or (look.done() and (look.exception() or look.result()[1] <= time.monotonic())):
            look = _LOOKS[key] = _POOL.submit(_look, view.home, place)
    try:
        return look.result(WAIT_S)[0]
    except concurrent.futures.TimeoutError:
        return None


def _look(home, place):
    started = time.thread_time()
    wrong, files = 0, []
    try:
        if place.root:  # without one it would look at the current folder's project
            wrong = sum(level == store.FAILURE for level, _, _ in store.findings(home, place.root))
        if wrong or not place.root:
            files = [(row["where"], row["what"], row["hint"]) for row in memory.check(place)["findings"]]
    except (ForewordError, OSError) as error:
        files = [(place.folder, str(error), getattr(error, "hint", ""))]
    took = time.thread_time() - started
    again = time.monotonic() + (AGAIN * took if took > DEAR_S else 0)
    return {"wrong": max(wrong, len(files)), "files": files}, again


ROUTES = [Route("/p/{name}/", project)]
