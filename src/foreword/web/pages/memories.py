"""The memories of a project: searched with the product's ranking, filtered, fifty a page."""

from starlette.routing import Route

from foreword import memory
from foreword.memory.tally import tally
from foreword.web import shown

PER_PAGE = 50
TYPES = ("note", "session", "fact")
# What a filter by age says -> (its words, days at most, days at least).
AGES = {
    "week": ("The last 7 days", 7, 0),
    "month": ("The last 30 days", 30, 0),
    "quarter": ("The last 90 days", 90, 0),
    "older": ("Older than 90 days", 0, 90),
}
CHECKS = (
    ("stale", "Cited files changed"),
    ("never_opened", "Offered, never opened"),
    ("archived", "Archived"),
)
# What "fewer filters" keeps: the words that were asked for; and the archive is offered by a line of its own.
KEPT = ("q", "archived")
TAGS = 200  # of the tags that can be chosen, the most used


def memories(request):
    """A page of the list; what the address does not say, or says wrongly, is no filter."""
    place, chosen = shown.place(request), _chosen(request)
    counts = tally(place)
    _, days, older = AGES.get(chosen["age"], ("", 0, 0))
    found = memory.browse(
        place,
        query=chosen["q"],
        type=chosen["type"],
        tag=chosen["tag"],
        days=days,
        older=older,
        page=max(1, shown.number(request, "page")),
        per_page=PER_PAGE,
        **{name: bool(chosen[name]) for name, _ in CHECKS},
    )
    is_filtered = any(chosen.values())
    top = "/p/%s/memories" % shown.part(place.name)
    return shown.page(
        request,
        "memories.html",
        title="Memories",
        name=place.name,
        root=place.root,
        top=top,
        chosen=chosen,
        is_filtered=is_filtered,
        is_narrowed=any(value for key, value in chosen.items() if key not in KEPT),
        is_empty=not counts["own"],
        types=TYPES,
        ages=[(key, words) for key, (words, *_) in AGES.items()],
        checks=CHECKS,
        tags=_tags(found["tags"], chosen["tag"]),
        found=found,
        told=_told(found, chosen, is_filtered, counts["own"]),
        per_page=PER_PAGE,
        address=top + _query(chosen),
    )


def _chosen(request):
    """{filter: what was chosen, "" for nothing}"""
    asked = request.query_params
    kind, age = asked.get("type", ""), asked.get("age", "")
    return {
        "q": asked.get("q", "").strip(),
        "type": kind if kind in TYPES else "",
        "tag": asked.get("tag", ""),
        "age": age if age in AGES else "",
        **{name: "1" if asked.get(name) else "" for name, _ in CHECKS},
    }


def _query(chosen):
    told = "&".join(f"{key}={shown.part(value)}" for key, value in chosen.items() if value)
    return "?" + told if told else ""


def _tags(tags, chosen):
    """The tags to choose from; the chosen one is always among them."""
    found = tags[:TAGS]
    if chosen and not any(tag.casefold() == chosen.casefold() for tag, _ in found):
        found = [*found, (chosen, sum(n for tag, n in tags if tag.casefold() == chosen.casefold()))]
    return found


def _told(found, chosen, is_filtered, has_own):
    """What the list holds, as a sentence."""
    total, rows = found["total"], len(found["rows"])
    if not total:
        return "No memory matches." if is_filtered else "There is no memory yet."
    what = shown.counted(total, "memory")
    if found["more"]:
        what = "The best " + what
    elif is_filtered:
        what += " matches" if total == 1 else " match"
    if chosen["q"] and found["nearest"]:
        what += ", but none holds every word"
    if not has_own and not is_filtered:
        return f"This project has no memory of its own yet; {shown.counted(total, 'global fact')}."
    if rows == total:
        return what + "."
    first = (found["page"] - 1) * PER_PAGE + 1
    return f"{what}; here are {first:,} to {first + rows - 1:,}."


ROUTES = [Route("/p/{name}/memories", memories)]
