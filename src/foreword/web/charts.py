"""Charts as inline SVG: pure functions of numbers and names that return Markup.

Colours come from classes, for the page has a light and a dark look and its policy takes no style in the
markup. Numbers are rounded to a tenth, so that the same data give the same bytes. Each chart says in words
what it shows; `name` keeps its ids apart from those of another chart on the page.
"""

import unicodedata

from markupsafe import Markup, escape

from foreword.report.told import percent
from foreword.text.frame import plain

BARS = (600, 120)  # units of a drawing: width, height
METER = (200, 12)
INTERVAL = (360, 64)
SIDE = 70  # units beside an interval for the labels of its ends
LEAST = 1e-6  # of a share: an interval that is narrower is a point
NEIGHBOURS = 24  # drawn at most; the list beside the drawing has all
NODE = (220, 40)
CENTRE = (180, 48)
GAP = 80  # units between the centre and the nodes beside it
ROW = 48
NAME = 26  # letters of a name in a node; wide ones count twice


_BAR = Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}"><title>{}: {}</title></rect>')


def bars(days, what="note", name="bars"):
    """A bar a day. days: [("2026-11-30", whole number)], oldest first; what: the word for one of them."""
    width, height = BARS
    most = max((n for _, n in days), default=0)
    each = width / max(1, len(days))
    drawn = []
    for at, (day, n) in enumerate(days):
        tall = height * n / most if n else 0
        box = (at * each + each * 0.1, height - tall, each * 0.8, tall)
        drawn.append(_BAR.format(*map(_, box), day, _counted(n, what)))
    whole = sum(n for _, n in days)
    told = "No day." if not days else f"{_counted(whole, what)} from {days[0][0]} to {days[-1][0]}."
    if whole:
        top = max(days, key=lambda entry: entry[1])
        told += f" The most on one day: {top[1]:,} on {top[0]}."
    foot = Markup('<line class="axis" x1="0" y1="{0}" x2="{1}" y2="{0}"/>').format(height, width)
    return _svg("bars", name, (width, height), f"{what.capitalize()}s per day", told, [foot, *drawn], "none")


def share(value, name="share", label="Share"):
    """A meter of a share from 0 to 1; an empty one for None."""
    width, height = METER
    held = min(1.0, max(0.0, value or 0.0))
    track = Markup('<rect class="track" width="{}" height="{}" rx="6"/>').format(width, height)
    fill = Markup('<rect class="fill" width="{}" height="{}" rx="6"/>').format(_(width * held), height)
    told = "Not known." if value is None else f"{100 * value:.0f} %."
    return _svg("meter", name, METER, label, told, [track, fill] if held else [track])


def interval(low, mid, high, name="interval", label="Difference"):
    """A difference with its interval, as shares (-0.2 for -20 %), and a mark where nothing differs; numbers
    as the report's sentences have them.

    "" when one of them is None.
    """
    if low is None or mid is None or high is None:
        return Markup("")
    width = INTERVAL[0]
    first, last = min(low, 0.0), max(high, 0.0)
    scale = (width - 2 * SIDE) / max(last - first, LEAST)

    def x(value):
        return _(SIDE + (value - first) * scale)

    drawn = [
        Markup('<line class="zero" x1="{0}" y1="8" x2="{0}" y2="44"/>').format(x(0.0)),
        Markup('<text class="label" x="{}" y="60" text-anchor="middle">0 %</text>').format(x(0.0)),
        Markup('<line class="range" x1="{}" y1="26" x2="{}" y2="26"/>').format(x(low), x(high)),
        Markup('<circle class="point" cx="{}" cy="26" r="6"/>').format(x(mid)),
        _end(x(low), -8, "end", low),
        _end(x(high), 8, "start", high),
    ]
    told = f"{percent(mid)}, between {percent(low)} and {percent(high)}."
    return _svg("interval", name, INTERVAL, label, told, drawn)


def relations(entity, edges, link=None, name="relations"):
    """One entity in the middle, what points to it on the left, what it points to on the right.

    edges: [(from, type, to)], each with the entity as one end; the first 24 are drawn. link(name) gives
    the address of an entity; without it nodes are no links.
    """
    shown = edges[:NEIGHBOURS]
    incoming = [(kind, other) for other, kind, to in shown if other != entity]
    outgoing = [(kind, to) for other, kind, to in shown if other == entity]
    height = ROW * max(1, len(incoming), len(outgoing)) + ROW - NODE[1]
    width = 2 * NODE[0] + 2 * GAP + CENTRE[0]
    left, right, middle = NODE[0] + GAP, NODE[0] + GAP + CENTRE[0], height / 2
    lines, nodes = [], []
    for n, (kind, other) in enumerate(incoming):
        y = _row(n, len(incoming), height)
        lines.append(_line((NODE[0], y), (left, middle), name))
        nodes.append(_node(0, y, kind, other, link))
    for n, (kind, other) in enumerate(outgoing):
        y = _row(n, len(outgoing), height)
        lines.append(_line((right, middle), (width - NODE[0], y), name))
        nodes.append(_node(width - NODE[0], y, kind, other, link))
    centre = Markup(
        '<g class="centre"><rect x="{}" y="{}" width="{}" height="{}" rx="8"/>'
        '<text x="{}" y="{}" text-anchor="middle">{}</text></g>'
    ).format(left, _(middle - CENTRE[1] / 2), *CENTRE, left + CENTRE[0] // 2, _(middle + 5), _cut(entity, 22))
    head = Markup(
        '<defs><marker id="{}-head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
    ).format(name)
    told = f"{len(incoming):,} to it, {len(outgoing):,} from it."
    if len(edges) > len(shown):
        told += f" {len(edges) - len(shown):,} more are in the list."
    drawn = [head, *lines, centre, *nodes]
    # A picture may hold no links for who listens to it, so this one is a group.
    role = "group" if link else "img"
    title = f"Relations of {_line_of(entity)}"
    return _svg("relations", name, (width, height), title, told, drawn, role=role)


# -- parts -------------------------------------------------------------------------------------


def _svg(kind, name, size, title, told, drawn, fit="", role="img"):
    aspect = Markup(' preserveAspectRatio="{}"').format(fit) if fit else ""
    return Markup(
        '<svg class="{kind}" viewBox="0 0 {w} {h}"{aspect} role="{role}"'
        ' aria-labelledby="{name}-title {name}-desc">'
        '<title id="{name}-title">{title}</title><desc id="{name}-desc">{told}</desc>{drawn}</svg>'
    ).format(
        kind=kind, w=_(size[0]), h=_(size[1]), aspect=aspect, role=role, name=name, title=title, told=told,
        drawn=Markup("").join(drawn),
    )  # fmt: skip


def _(value):
    """A coordinate, with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _end(x, beside, anchor, value):
    return Markup('<text class="label" x="{}" y="31" text-anchor="{}">{}</text>').format(
        _(float(x) + beside), anchor, percent(value)
    )


def _row(n, count, height):
    """The middle of row n of a column of so many, which stands in the middle of the drawing."""
    return height / 2 + (n - (count - 1) / 2) * ROW


def _line(start, end, name):
    (x1, y1), (x2, y2) = start, end
    half = (x1 + x2) / 2
    return Markup('<path class="edge" d="M{} {}C{} {} {} {} {} {}" marker-end="url(#{}-head)"/>').format(
        _(x1), _(y1), _(half), _(y1), _(half), _(y2), _(x2), _(y2), name
    )


def _node(x, y, kind, other, link):
    node = Markup(
        '<g class="node"><title>{}: {}</title><rect x="{}" y="{}" width="{}" height="{}" rx="6"/>'
        '<text class="kind" x="{}" y="{}">{}</text><text x="{}" y="{}">{}</text></g>'
    ).format(
        _line_of(kind), _line_of(other), _(x), _(y - NODE[1] / 2), *NODE,
        _(x + 10), _(y - 5), _cut(kind, NAME + 6), _(x + 10), _(y + 12), _cut(other, NAME),
    )  # fmt: skip
    return Markup('<a href="{}">{}</a>').format(link(other), node) if link else node


def _line_of(text):
    return " ".join(plain(" ".join(text.split())).split())


def _cut(text, most):
    """One line of at most so many narrow letters."""
    text, held = _line_of(text), 0
    for at, letter in enumerate(text):
        held += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if held > most:
            return escape(text[: max(0, at - 1)].rstrip() + "…")
    return escape(text)


def _counted(n, what):
    return f"{n:,} {what if n == 1 else what + 's'}"
