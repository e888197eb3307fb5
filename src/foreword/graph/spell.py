"""How names and texts of the graph are spelled in answers, and which ones an answer's spelling means. Pure.

What stands in the graph is data: it may be several lines, hold what cannot be seen, or look like the marks
that answers are made of. A name is one line: as it is, or as a JSON string where it would be mistaken for
something else. A model names things by what it was shown; `resolved` and `resolved_texts` lead back.
"""

import json
import re
from bisect import bisect_left
from itertools import chain
from json.encoder import encode_basestring

from foreword.text.budget import cut
from foreword.text.frame import defuse, plain

LONGEST_NAME, LONGEST_TYPE, LONGEST_QUERY = 120, 60, 80  # characters, in a row
LOOKED_AT = 4_000  # characters of a name that is cut anyway
TOLD = 10  # things of one kind that are named
# Characters of a text that was cut ("…") by which it is found again: what `cut` leaves at least of the
# shortest that answers show, LONGEST_QUERY.
CUT_LEAST = 50

# Most names: nothing in them needs a look.
_SIMPLE = re.compile(r"[a-z0-9][\w./@+-]*(?: [\w./@+][\w./@+-]*)*\Z", re.IGNORECASE | re.ASCII)
# What would be read as a mark of ours: the beginning of a heading, an item, a count of what is left out or a
# JSON string; the end of a name in an index (`; `, ` (3)`), before a type (` [`), and in a relation.
_MARKS = re.compile(r'["#…-]|.*?(?:;(?: |\Z)|->| \[| \([\d+]+\))')
_MARKS_LISTED = re.compile(r'["#…-]|.*?(?:[;,](?: |\Z)|->| \[| \([\d+]+\))')
_MARKS_TYPE = re.compile(r'["#…(-]|.*?(?:[;:](?: |\Z)|->|[\[\]]| \([\d+]+\))')
# Emoji and some scripts are written with these, which may be left out beside letters beyond ASCII.
_JOINERS = re.compile("[\u200c\u200d\ufe0e\ufe0f]")


def flat(text, most=0):
    """A text of the store on one line; cut to `most` characters where that is given."""
    text = " ".join(defuse(text).split())
    return cut(text, most) if most else text


def name(text, most=0):
    """A name on one line, cut to `most` characters where that is given: as it is, or as a JSON string where
    it could be taken for something else or not be told from another."""
    return _spelled(text, _MARKS, most)


def kind(text, most=0):
    """A type, likewise; it stands in brackets, or before a colon."""
    return _spelled(text, _MARKS_TYPE, most) if text else ""


def names(texts):
    """Some of many names in a sentence, with how many more there are."""
    return listed(texts, lambda text: _spelled(text, _MARKS_LISTED, LONGEST_NAME))


def _spelled(text, marks, most):
    if not _SIMPLE.match(text):
        text = text[:LOOKED_AT] if most else text
        shown = flat(text)
        seen = text if shown.isascii() else _JOINERS.sub("", text)
        text = shown if shown and shown == seen and not marks.match(shown) else visible(text)
    return cut(text, most) if most else text


def visible(text):
    """A text as a JSON string on one line; what cannot be seen and the tags of frames are escaped."""
    text = encode_basestring(text)
    text = text.translate({ord(c): _escape(c) for c in set(text) if plain(c) != c})
    safe = defuse(text)
    if safe != text:
        text = "".join(c if c == kept else _escape(c) for c, kept in zip(text, safe, strict=True))
    return text


def _escape(character):
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


def title(entity, most=0):
    """`name [type]`"""
    return f"{name(entity.name, most)} [{kind(entity.type, most and LONGEST_TYPE)}]"


def item(text):
    """An observation as an item of a list; its further lines are indented."""
    lines = defuse(text).strip().splitlines()
    return "- " + ("\n  ".join(lines) or visible(text))


def relation(key):
    """`a -verb-> b`"""
    from_, to, verb = (name(part, LONGEST_NAME) for part in key)
    return f"{from_} -{verb}-> {to}"


def count(number, one, many=""):
    """`1 thing`, `2 things`"""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(things, spelled, apart=", "):
    """Some of many, each as the function `spelled` has it, with how many more there are."""
    things = list(things)
    more = len(things) - TOLD
    return apart.join(map(spelled, things[:TOLD])) + (f"{apart}and {more:,} more" if more > 0 else "")


def in_quotes(texts):
    """Some of many texts, each in quotation marks and cut."""
    return listed(texts, lambda text: f'"{flat(text, LONGEST_QUERY)}"')


# -- from what was shown to what was meant -----------------------------------------------------


def resolved(graph, names, also=()):
    """{name given: name of the graph, or of `also`} for those of `names` that are one, exactly or as an
    answer spells it: on one line, as a JSON string, cut. What could be two is left out, as is what nobody
    has."""
    given = dict.fromkeys(names)
    exact = {name: name for name in given if name in graph.by_name or name in also}
    if len(exact) == len(given):
        return exact
    return resolved_texts(chain(graph.by_name, also), given)


def resolved_texts(texts, shown):
    """{text shown: the one of `texts` that it shows}, likewise."""
    texts, shown = dict.fromkeys(texts), dict.fromkeys(shown)
    found = {one: text for one in shown if (text := _exactly(one, texts)) is not None}
    if len(found) == len(shown):
        return found
    spelled = {}
    for text in texts:
        for spelling in {flat(text), name(text)}:
            spelled.setdefault(spelling, set()).add(text)
    in_order = sorted(spelled)
    for one in shown:
        if one not in found and len(meant := _meant(flat(one), spelled, in_order)) == 1:
            found[one] = meant.pop()
    return found


def _exactly(shown, texts):
    if shown in texts:
        return shown
    if shown.startswith('"'):
        try:
            text = json.loads(shown)
        except (ValueError, RecursionError):
            return None
        return text if isinstance(text, str) and text in texts else None
    return None


def _meant(shown, spelled, in_order):
    """A set of the texts that a spelling may stand for; more than one may not be all."""
    meant = set(spelled.get(shown, ()) if shown else ())
    if meant or not shown.endswith("…") or len(shown) <= CUT_LEAST:
        return meant
    shown = shown[:-1]
    for spelling in in_order[bisect_left(in_order, shown) :]:
        if not spelling.startswith(shown) or len(meant) > 1:
            break
        meant |= spelled[spelling]
    return meant
