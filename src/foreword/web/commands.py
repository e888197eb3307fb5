"""Commands within our own sentences, set as what they are: to be typed.

A hint is a command, or words, or both: `foreword switch on`, `leave it out`, `foreword reject --undo ID takes
that back`. What belongs to a command is told by how its words look, for a sentence goes on in plain ones.
"""

import re

from markupsafe import Markup, escape

from foreword.clients import CLIENTS

# What `foreword` is followed by in a command; "a foreword that was read" is none. The verbs of the CLI.
VERBS = (
    "install", "uninstall", "status", "why", "doctor", "switch", "report", "view", "search", "list", "show",
    "recall", "save", "edit", "pin", "reject", "archive", "restore", "delete", "stale", "dream", "check",
    "quarantine", "retention", "redact", "reindex", "graph", "protocol", "skill", "plugin", "serve",
    "completion",
)  # fmt: skip
# Plain words that are arguments all the same, by verb.
WORDS = {
    "switch": frozenset(("on", "off", "auto")),
    "graph": frozenset(("on", "off", "path", "lint", "restore", "compact", "stats", "bench")),
    "install": frozenset(CLIENTS),
    "uninstall": frozenset(CLIENTS),
}
# Commands of other programs stand by themselves, or behind a colon or a bracket, and reach to the next mark.
OTHERS = ("chmod", "claude", "codex", "df", "echo", "ls", "unset")
_STARTS = re.compile(
    r"(?<![\w/-])(?:[A-Z_]+=\S+ )?foreword (?P<verb>%s)(?![\w-])|(?:\A|(?<=: )|(?<=\())(?:%s) [^();,]+"
    % ("|".join(VERBS), "|".join(OTHERS))
)
_WORD = re.compile(r""" (?P<word>(?:"[^"\n]*"|'[^'\n]*'|[^\s"'])+)""")
# An argument has a letter that no plain word has, or is a placeholder: `--undo`, ID, `20261130-101500-4f2a`,
# `auto:session`, `/home/me/app`, `<`, `-`.
_ARGUMENT = re.compile(r"""\A[-|<>"'./~$]|\A[A-Z]+\Z|\d|\w[/:=_.|-]\w""")
_MARKS = ".,;:!?)"


def commands(text):
    """A sentence of ours as Markup, with each command in <code>; everything else in it is escaped."""
    told, at = [], 0
    while found := _STARTS.search(text, at):
        end = _end(text, found)
        command = Markup("<code>{}</code>").format(text[found.start() : end])
        told += [escape(text[at : found.start()]), command]
        at = end
    return Markup("").join([*told, escape(text[at:])])


def _end(text, found):
    """Where a command ends that begins at a match."""
    verb, at = found["verb"], found.end()
    if not verb:  # another program's
        return at - (len(found[0]) - len(found[0].rstrip(" " + _MARKS)))
    while word := _WORD.match(text, at):
        bare = word["word"].rstrip(_MARKS)
        if not bare or not (_ARGUMENT.search(bare) or bare in WORDS.get(verb, ())):
            break
        at = word.start("word") + len(bare)
        if bare != word["word"]:
            break
    return at
