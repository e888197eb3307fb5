"""Cutting text to a number of characters without ugly ends. Pure; hot."""

import re

# Strings, not compiled patterns: `re` compiles them at first use, and the prompt hook uses none.
_SENTENCE_END = r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n"
_LEAD_IN = (  # what opens an answer without saying anything
    r"(?i)(?:#|```|~~~|\||<!--"
    r"|(?:sure|ok|okay|great|done|perfect|certainly|of course|i see|understood)\b[.!,:]*$"
    r"|let me|now i(?:'ll| will)|i(?:'ll| will) (?:now|first|start)|here(?:'s| is| are)\b[^.]*:$)"
)


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
