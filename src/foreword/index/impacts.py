"""What each term of a memory weighs: BM25F, made once when a memory is saved. Hot; pure functions.

Knows no other memory and no store: an impact that depended on them would have to be made again with
every save.
"""

import math
from binascii import crc32
from itertools import pairwise

from foreword.text import common
from foreword.text.question import head
from foreword.text.words import terms

# Where a term stands, a bit each: the question (or title), the answer, the cited files' names, the
# question's first sentence; and a whole path, which is a term of its own.
QUESTION, ANSWER, FILES, HEAD, PATH = 1, 2, 4, 8, 16

# Field, its weight, how much its length counts, and the length in terms that is usual: near the averages
# of notes made from projects' histories (7, 70 and 22). With the store's own averages R@5 is .702 instead
# of .695 on these and lower on transcripts, and every save would change what all others weigh.
_SHAPES = ((QUESTION, 3.0, 0.3, 8), (ANSWER, 1.0, 0.6, 50), (FILES, 1.5, 0.4, 20))
_CJK_LENGTH = 1 / 6  # of a word; without it R@5 on a Japanese manual is .57 instead of .64
_ALPHABETS = "\u2fff"  # what sorts behind it is of these scripts
_SATURATION = 4.0  # BM25's k1; 1.2 finds 2 points less
_PAIRED = 600  # terms of an answer whose neighbours are kept
_FILES = 40  # cited files whose names are terms
CJK_MARK = "/cjk"  # a term of every memory with Chinese, Japanese or Korean text; the mark is no word
IMAGINED = 300  # texts of the background table that stand beside a store's own


def weigh(question, title, body, cited, tags, kind):
    """(weights, pairs, shape) of a memory.

    cited: [[path, ...], ...]. weights: {term: (impact 1 to 255, bits of fields)}; pairs: 16-bit
    hashes of neighbouring terms; shape: (terms of the question, terms of the answer, cited files, what
    the question's words are worth together, the length of the memory as a vector of such worths).
    """
    asked = question
    if kind != "note":
        asked = title
    elif title.rstrip("…") not in " ".join(asked.split()):
        asked += "\n" + title  # not cut from the question: somebody's own words
    asked += "\n" + " ".join(tags)
    paths = [path for path, *_ in cited[:_FILES]]
    found = (terms(asked), terms(body), terms(" ".join(paths)))
    values, bits = {}, {}
    for (bit, weight, b, usual), words in zip(_SHAPES, found, strict=True):
        short = sum(1 for term in words if term > _ALPHABETS)
        once = weight / (1 - b + b * (len(words) - short + short * _CJK_LENGTH) / usual)
        for term in words:
            values[term] = values.get(term, 0.0) + once
            bits[term] = bits.get(term, 0) | bit
    for term in terms(head(asked)):
        if term in bits:
            bits[term] |= HEAD
    worths = {term: worth(term) for term in values}
    weights = {
        term: (max(1, round(255 * value / (_SATURATION + value))), bits[term])
        for term, value in values.items()
    }
    for path in paths:
        weights[path_term(path)] = (1, PATH)
    if max(values, default="") > _ALPHABETS:
        weights[CJK_MARK] = (1, PATH)
    shape = (
        len(found[0]),
        len(found[1]),
        len(cited),
        sum(worths[term] for term in dict.fromkeys(found[0])),
        math.sqrt(sum(value * value for value in worths.values())),
    )
    return weights, pairs(found[0]) | pairs(found[1][:_PAIRED]), shape


def worth(term):
    """How surprising a term is in any text: ln of one by its share, in a store that knows nothing yet."""
    return math.log((IMAGINED + 1) / (IMAGINED * common.share(term) + 0.5))


def pairs(words):
    """16-bit hashes of the neighbours in a list of terms, as a set."""
    return {pair(*both) for both in pairwise(words)}


def pair(first, second):
    """The hash of two neighbours. One in 65,536 is wrong, which a feature can bear."""
    return crc32(f"{first} {second}".encode("utf-8", "surrogatepass")) & 0xFFFF


def path_term(path):
    """The term that a whole path is; no word of a text begins with a slash."""
    return "/" + path
