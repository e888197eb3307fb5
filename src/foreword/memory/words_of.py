"""The words by which a text is known to hold a deleted memory's, wherever it stands: what waits for Stop,
what was handed to an agent."""

from foreword.text.budget import conclusion
from foreword.text.frame import quote

LINE_LEAST = 20  # characters of a line that are known again
TEXT_LEAST = 8  # the same of a whole question or body: less stands in anything
SUMMED = 1_000  # characters of a conclusion: more than any line of a foreword shows


def spaced(text):
    return " ".join(text.split())


def whole(memory):
    """The question and the body of a memory, each as one line; those that are not empty."""
    return {spaced(memory["question"]), spaced(memory["body"])} - {""}


def lines(memory):
    """Title, question and body line by line, without what Markdown puts before a line: those that are long
    enough; also question and body as a whole."""
    told = [memory["title"], *memory["question"].splitlines(), *memory["body"].splitlines()]
    found = {spaced(line.strip().lstrip("#-*> ")) for line in told}
    found = {line for line in found if len(line) >= LINE_LEAST and sum(map(str.isalnum, line)) >= TEXT_LEAST}
    return found | {text for text in whole(memory) if len(text) >= TEXT_LEAST}


def as_shown(memory):
    """(lines, all of it) of a memory as a foreword shows them: what is to be looked for in `quote` of a text,
    and what pieces of a foreword, which cuts, are to be looked for in."""
    said = conclusion(memory["body"], SUMMED)  # without headings and code: it may stand nowhere as it is
    everything = [memory["title"], memory["question"], memory["body"], said]
    return {quote(line) for line in lines(memory)}, "\n".join(map(quote, everything))
