"""Cutting text to a number of characters without ugly ends. Pure; hot."""

import re

# Strings, not compiled patterns: `re` compiles them at first use, and the prompt hook uses none.
_SENTENCE_END = r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n"
_LEAD_IN = (  # what opens an answer without saying anything
    r"(?i)(?:#|```|~~~|\||<!--"
    r"|(?:sure|ok|okay|great|done|perfect|certainly|of course|i see|understood)\b[.!,:]*$"
    r"|let me|now i(?:'ll| will)|i(?:'ll| will) (?:now|first|start)|here(?:'s| is| are)\b[^.]*:$)"
)


# Combining marks of many scripts, joiners and variation selectors, skin tones. Not complete: what is missing
# is drawn apart, which is ugly and no more.
_JOINED = (
    (0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x610, 0x61A), (0x64B, 0x65F), (0x900, 0x903),
    (0x93A, 0x94F), (0xE31, 0xE31), (0xE34, 0xE3A), (0xE47, 0xE4E), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x200D, 0x200D), (0x20D0, 0x20FF), (0x3099, 0x309A), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F),
    (0xFF9E, 0xFF9F), (0x1F3FB, 0x1F3FF),
)  # fmt: skip


def cut(text, limit):
    """At most `limit` characters, cut at a space where one is near, "…" at the end when cut."""
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    kept = text[: limit - 1]
    space = kept.rfind(" ")
    if space > limit * 0.7:
        kept = kept[:space]
    return kept.rstrip() + "…"


def cut_lines(text, limit):
    """At most `limit` characters from the head, without a mark: whole lines where one ends near, else
    whole words, else whole letters (a base stays with its combining marks, a flag with both halves)."""
    if len(text) <= limit:
        return text
    kept = text[: max(0, limit)]
    for end in ("\n", " "):
        at = kept.rfind(end)
        if at > limit * 0.7:
            return kept[:at].rstrip()
    at = len(kept)
    while at and _goes_on(text, at):
        at -= 1
    return text[:at].rstrip()


def _goes_on(text, at):
    """Whether a letter is drawn together with the one before it: marks, joiners, skin tones, flags."""
    code = ord(text[at])
    if code < 0x300:
        return False
    if 0x1F1E6 <= code <= 0x1F1FF:
        first = at
        while first and 0x1F1E6 <= ord(text[first - 1]) <= 0x1F1FF:
            first -= 1
        return (at - first) % 2 == 1
    joined = text[at - 1] == "\u200d"
    return joined or any(first <= code <= last for first, last in _JOINED)


def head_and_tail(text, limit):
    """At most `limit` characters: two thirds from the head, the rest from the tail, "[…]" between."""
    if len(text) <= limit:
        return text
    mark = "\n[…]\n"
    room = limit - len(mark)
    if room <= 0:
        return text[: max(0, limit)]
    head = room * 2 // 3
    tail = room - head
    return text[:head] + mark + (text[-tail:] if tail else "")


def conclusion(answer, limit):
    """What an answer says, in short: its first sentences that are not a heading or a lead-in."""
    picked = []
    size = 0
    fenced = False
    for line in answer[:8_000].splitlines():
        line = line.strip()
        if line.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced or not line or re.match(_LEAD_IN, line):
            continue
        for sentence in re.split(_SENTENCE_END, line):
            sentence = sentence.strip()
            if not sentence or (not picked and re.match(_LEAD_IN, sentence)):
                continue
            if picked and size + len(sentence) + 1 > limit:
                return cut(" ".join(picked), limit)
            picked.append(sentence)
            size += len(sentence) + 1
            if size >= limit:
                return cut(" ".join(picked), limit)
    return cut(" ".join(picked) or " ".join(answer[: limit * 4].split()), limit)


def first_sentence(text, limit):
    """The first sentence of the conclusion; the title of a note whose question is not known."""
    sentence = re.split(_SENTENCE_END, conclusion(text, 1_000), maxsplit=1)[0]
    return cut(" ".join(sentence.split()), limit)
