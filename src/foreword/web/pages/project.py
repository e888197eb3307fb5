"""One project: what is stored, whether it pays, what was offered lately and why, what needs a hand."""

import time

from starlette.routing import Route

from foreword import memory, paths
from foreword.memory import candidates
from foreword.memory.tally import tally
from foreword.memory.why import NOTHING, REASONS, SEARCH, outcome
from foreword.web import shown
from foreword.web.pages import health
from foreword.web.pages.report import loaded

NEWEST = 10  # memories
RECENT = 10  # prompts
NEAR = 10  # so many times under the cut-off, a pin still helps
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
        is_empty=not counts["own"] and not lately["prompts"],
        counts=[(kind, counts["live"].get(kind, 0)) for kind in TYPES],
        everywhere=counts["global"],
        archived=counts["archived"],
        newest=memory.browse(place, per_page=NEWEST)["rows"],
        lately=lately,
        prompts=[_prompt(place, found) for found in lately["recent"]],
        size=memory.size(place),
        most_damaged=DAMAGED,
        report=loaded(place),
        forewords=memory.forewords(place, FOREWORDS),
        stale=memory.stale_memories(place, STALE),
        states=shown.STATES,
        dreams=_dreams(place),
        health=_health(view, place),  # last, for a look that goes on shares the interpreter with what follows
    )


# -- what was offered --------------------------------------------------------------------------


def _prompt(place, found):
    """A prompt as people read it: {"time", "client", "question", "note", "outcome", "hint", "nearest",
    "can_pin", "offered", "cut", "sentences", "needed"}.

    offered and cut: rows with `became` (words), `sure` (0 to 1 or None), `is_opened`, `address` ("" where
    there is nothing to open) and `title`; nearest: the row to open where nothing was offered, or None;
    can_pin: whether a pin may have it offered."""
    rows = [_offered(place, found, row) for row in found["memories"]]
    return {
        "time": found["time"],
        "client": found["client"],
        "question": found["question"],
        "note": found["note"],
        "outcome": outcome(found),
        **_next(found, rows),
        "offered": [row for row in rows if row["reason"] == "offered"],
        "cut": [row for row in rows if row["reason"] != "offered"],
        "sentences": list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"])),
        "needed": found["needed"],
    }


def _next(found, rows):
    """What to do next, as `foreword why` has it: words, or the memory that came nearest."""
    hint, nearest, can_pin = "", None, False
    there = [(row, told) for row, told in zip(found["memories"], rows, strict=True) if told["address"]]
    if found["why"]:
        hint = NOTHING.get(found["why"], ("", "foreword doctor"))[1]
    elif not found["told"]:
        hint = "Ask the agent something, and the next prompt tells more."
    elif not there:
        hint = "" if rows else SEARCH
    elif not any(told["reason"] == "offered" for told in rows):
        row, nearest = there[0]
        near = (row["confidence"] or 0) > (found["needed"] or 1) / NEAR
        can_pin = near and row["reason"] == "below" and not nearest["is_entity"]
    return {"hint": hint, "nearest": nearest, "can_pin": can_pin}


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


def _health(view, place):
    """{"wrong" (findings that need a hand), "has_clients" (whether they were looked at), "files" ([(path,
    what, hint)] of damaged ones)}; None while that is still being found out."""
    found = health.stored(view, place)
    if found is None:
        return None
    return {
        "wrong": health.wrong(view, place, found["rows"]),
        "has_clients": place.name in view.looked,
        "files": found["files"],
    }


ROUTES = [Route("/p/{name}/", project)]
