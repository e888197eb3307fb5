"""From English terms to Chinese, Japanese and Korean ones, and back: so that a prompt finds a note in another
language. Hot, but loaded only for a store or a prompt with such text.

A small table of words (across.txt, made by bench/across.py) and, for katakana words that are English in
disguise, what is heard of both: their consonants. It knows words, not sentences, and must not be used to
translate for people. Figures: docs/cjk.md.
"""

import os
import re
from bisect import bisect_left

from foreword.text import cjk

_lines = []  # of across.txt, in order

# What may be taken off an English word that the table does not have, longest first, and what may stand there.
_ENDINGS = "ization ation ition ively ally ment ness ible able ical ity ion iv ly al er or anc enc".split()
_STEMS = ("", "at", "iv", "y", "l", "ion")

# English spelling to sounds as katakana has them: `s` stands for s, z, sh, ch, j and th alike, `b` for b and
# v, `r` for l and r; what Japanese does not say (an r before no vowel) is gone; a `g` that may be soft, as
# nobody can tell from `get`, `gem`, `bug` and `messag(e)`, is `G`.
# One pattern: two dozen of them take 3 ms to compile.
_SPELT = (
    "(c(?=[eiy])|[cst]i(?=on|a|ous)|tur$|tu(?=r)|du(?=[lr]))|^wr|^kn|^ps|arch|sch|tch|[cstp]h|gh|ck|nc$|dg|qu?"
    "|g(?=[eiy]|$)|[cxzjvl]|mb$|m(?=[pb])|r(?![aeiouy])"
)
_SOUNDS = {
    "wr": "r", "kn": "n", "ps": "s", "arch": "ak", "sch": "sk", "ph": "f", "gh": "", "ck": "k", "nc": "ns",
    "q": "k", "qu": "k", "g": "G", "c": "k", "x": "ks", "v": "b", "mb": "m", "m": "n", "r": "", "l": "r",
}  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "y", "w")
_UNHEARD = dict.fromkeys(map(ord, _VOWELS))


def to_cjk(stem):
    """[(term, share)] of the terms that may stand for an English one, best first; [] when none is known.

    The shares of one language add up to 1.0. A word that the table lacks is tried without its ending, and by
    its sound.
    """
    if not stem.isascii() or len(stem) < 2:
        return []
    if found := _row(stem):
        return _terms(found)
    terms = []
    for ending in _ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= 4:
            begin = stem[: -len(ending)]
            if found := next(filter(None, (_row(begin + rest) for rest in _STEMS)), ""):
                terms = _terms(found)
                break
    return terms + [(heard, 1.0) for heard in sounds(stem)]


def to_english(run):
    """[(stem, share)] of the English words that the words in a run of CJK characters may stand for."""
    found = []
    at = 0
    while at < len(run) - 1:
        for end in range(min(len(run), at + cjk.LONGEST), at + 1, -1):
            if row := _row(run[at:end]):
                found += [(word[:-1], int(word[-1]) / 9) for word in row.split()]
                at = end - 1
                break
        at += 1
    return found


def sounds(stem):
    """The terms that katakana words sounding like an English one have in the index; [] for short ones."""
    if len(stem) < 4 or not stem.isalpha():
        return []
    single = "".join([letter for at, letter in enumerate(stem) if letter != stem[at - 1 : at]])
    word = re.sub(_SPELT, lambda spelt: "s" if spelt[1] else _SOUNDS.get(spelt[0], "s"), single)
    heard = ("a" if word[:1] in _VOWELS else "") + word.translate(_UNHEARD)
    if len(heard) < cjk.HEARD_LEAST:
        return []
    return [cjk.HEARD + heard.replace("G", hard) for hard in ("gs" if "G" in heard else "g")]


def _row(key):
    if not _lines:
        # Not importlib.resources: 45 ms. Bytes, and lines rather than a dict: 0.3 ms instead of 1.7.
        with open(os.path.join(os.path.dirname(__file__), "across.txt"), "rb") as file:
            _lines.extend(file.read().split(b"\n"))
    wanted = key.encode() + b"\t"
    at = bisect_left(_lines, wanted)
    if at < len(_lines) and _lines[at].startswith(wanted):
        return _lines[at][len(wanted) :].decode()
    return ""


def _terms(row):
    terms = []
    for language in row.split("\t"):
        words = [(word[:-1], int(word[-1])) for word in language.split()]
        whole = sum(share for _, share in words)
        for word, share in words:
            made = [term for term in cjk.terms_of_run(word) if term[0] != cjk.HEARD]
            made = [term for term in made if len(term) > 1] or made
            if made and len(made[0]) > 2:  # a katakana word: half for the whole, half for its pairs
                terms.append((made[0], share / whole / 2))
                made, share = made[1:], share / 2
            terms += [(term, share / whole / len(made)) for term in made]
    return terms
