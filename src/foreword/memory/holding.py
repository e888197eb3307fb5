"""What a memory holds of a query: the phrases that it quotes, its words, and the passage that shows it."""

import re
import unicodedata

from foreword.text.budget import cut
from foreword.text.redact import redact
from foreword.text.words import asked_part, terms

SNIPPET = 200  # characters
_QUOTED = r'"([^"]+)"|“([^”]+)”'


def phrases(query):
    """What a query quotes, as it is compared: in one case and width, white space as one space."""
    quoted = [one or other for one, other in re.findall(_QUOTED, asked_part(query))]
    return [phrase for text in quoted if (phrase := compared(text))]


def lacking(memory, quoted):
    """How many of the phrases a memory does not hold."""
    if not quoted or memory is None:
        return len(quoted)
    text = compared(text_of(memory))
    return sum(phrase not in text for phrase in quoted)


def text_of(memory):
    """All of a memory that people read, its cited files' names too; "" for None."""
    if memory is None:
        return ""
    parts = [memory[key] for key in ("title", "question", "body")]
    return "\n".join([*parts, *memory["tags"], *(path for path, *_ in memory["files"])])


def words(query):
    """[(word, its terms)] of a query: what a memory must hold to hold all of it."""
    typed = dict.fromkeys(re.findall(r"\w+", asked_part(query)))
    return [(word, made) for word in typed if (made := terms(word))]


def unquoted(query):
    """The same of what stands outside the phrases that it quotes."""
    return words(re.sub(_QUOTED, " ", query))


def holds(memory, asked):
    """True when a memory holds each of some `words`, an identifier as a whole or in its parts."""
    if memory is None:
        return False
    text = text_of(memory)
    held = set(terms(text))
    folded = ""
    for word, made in asked:
        if held.issuperset(made) or (word.isascii() and len(made) > 1 and held.issuperset(made[1:])):
            continue
        if word.isascii():
            return False
        # Where spaces part no words, terms depend on what stands around them: the letters decide.
        folded = folded or _folded(text)
        if _folded(word) not in folded:
            return False
    return True


def compared(text):
    """A text as it is compared with another letter for letter: in one case and width, white space as one
    space."""
    return _spaced(_folded(text))


def _folded(text):
    return unicodedata.normalize("NFKC", text).casefold()


def _spaced(text):
    return " ".join(text.split())


def passage(memory, hit, text, quoted):
    """The passage of a body that holds most of the asked words, on one line; a quoted text goes before. Of a
    memory that could not be read (None) the conclusion that the index has."""
    body = memory["body"] if memory else hit.conclusion
    wanted = set(hit.words)
    best, most = "", 0
    for line in body.splitlines():
        held = len(wanted & set(terms(line)))
        if (quoted or not wanted) and text.casefold() in _spaced(line.casefold()):
            held += len(wanted) + 1
        if held > most:
            best, most = line.strip(), held
    text = redact(" ".join((best or hit.conclusion).split()))
    if len(text) > SNIPPET:
        at = min((i for w in wanted if (i := text.lower().find(w)) >= 0), default=0)
        start = max(0, at - SNIPPET // 3)
        text = ("…" if start else "") + text[start:]
    return cut(text, SNIPPET)
