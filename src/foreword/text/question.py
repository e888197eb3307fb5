"""A prompt to what is asked of the index: its terms, and which of them the question turns on. Pure; hot."""

import re

from foreword.text.words import CJK, USUAL_STEMS, asked_part, talk, terms

MOST_TERMS = 400

# Strings, not compiled patterns: `re` compiles them at first use.
_SENTENCE_END = r"(?<=[.!?])\s|[。！？\n]"
_SHORTEST_HEAD = 12  # characters: "Hi!" and "3.1" are no first sentence
_LONGEST_HEAD = 200
_LONGEST_TALK, _LONGEST_TALK_CJK = 8, 24  # terms; a run has about three for each of its words
_DIGITS = "0123456789"  # "option 2" names nothing
_ASKS = r"\W*(?:and |so |but |ok |okay )?(?:why|how|where|which|what|when|who|does|did|is|are)\b"
_TICKED = r"`([^`\n]{2,80})`"
_AROUND = "()[]{}<>,;:.!?\"'`*“”‘’"


class Question:
    """What a prompt asks.

    sequence: all its terms in order; terms: the distinct ones, at most MOST_TERMS; head, code, ticked:
    sets of those in its first sentence, in what looks like code, between backticks; runs: its stretches
    of Chinese, Japanese or Korean.
    """

    __slots__ = ("code", "head", "runs", "sequence", "terms", "text", "ticked")

    def __init__(self, text):
        text = asked_part(text)
        self.text = text
        self.runs = []
        self.sequence = terms(text)
        if not text.isascii():
            from foreword.text import cjk

            self.runs = re.findall(f"[{CJK}]+", text)
            # How a word sounds is there for prompts in other scripts.
            self.sequence = [term for term in self.sequence if term[0] != cjk.HEARD]
        self.terms = list(dict.fromkeys(self.sequence))[:MOST_TERMS]
        self.head = set(terms(head(text)))
        self.code = code_terms(text)
        self.ticked = set(terms(" ".join(re.findall(_TICKED, text)))) if "`" in text else set()

    def only_steers(self):
        """True for "continue", "yes, do it", "commit this" and the like, and where no word is left at all."""
        if len(self.terms) > (_LONGEST_TALK_CJK if self.runs else _LONGEST_TALK) or self.ticked:
            return False
        if len(self.terms) > 1 and re.match(_ASKS, self.text, re.IGNORECASE):
            return False  # "why is the build slow?" wants to know something, "what is left?" does not
        left = [term for term in self.terms if term not in USUAL_STEMS and term not in _DIGITS]
        return not left or talk(bool(self.runs)).issuperset(left)


def head(text):
    """The first sentence or line of a text, at most 200 characters."""
    text = text.lstrip()
    for end in re.finditer(_SENTENCE_END, text[: _LONGEST_HEAD + 1]):
        if end.start() >= _SHORTEST_HEAD:
            return text[: end.start()]
    return text[:_LONGEST_HEAD]


def code_terms(text):
    """The terms of a text that stand in identifiers, paths, flags and the like, as a set."""
    if not text.isascii():  # code stands in other scripts without a space around it
        text = "".join([character if character.isascii() else " " for character in text])
    found = [word for word in text.split() if len(word) > 2 and _is_code(word.strip(_AROUND))]
    return set(terms(" ".join(found))) if found else set()


def _is_code(word):
    """True for snake_case, camelCase, a.b, a/b, a::b, --flag, #123, utf8. (A pattern: 0.2 ms to compile.)"""
    if word.isalpha():
        return not (word.islower() or word.isupper() or word[1:].islower())
    if "_" in word or "::" in word or word.startswith(("--", "#")):
        return True
    if any(mark in word.strip(mark) for mark in "./"):
        return True
    return not word.isdigit() and word.isalnum() and any(character.isdigit() for character in word)
