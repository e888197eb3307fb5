"""What agents are taught: the skills that people call, and texts for rules files. For every client. Cold.

A skill's source lies beside this file: front matter, then what the agent is to do. A line that begins
with `{{claude-code}}`, `{{codex}}` or `{{plain}}` is for that dialect alone; other words in double braces
are listed at `text`. This room makes texts and knows no place on disk: who writes them decides where.
"""

import os

NAMES = ("remember", "recall", "dream")
GRAPH = "foreword-graph"  # the graph's: agents use it by themselves, so a name that nobody else's has counts
# Dialect -> what stands before a skill's name in a prompt. "plain" is for other clients that read
# SKILL.md: nothing in it is one client's own.
CLIENTS = {"claude-code": "/", "codex": "$", "plain": ""}
PROTOCOLS = ("notes", "graph")  # what there is a text about for rules files (CLAUDE.md, AGENTS.md)
MARK = "<!-- written by foreword install -->"  # a line of its own in every text, in all versions


def text(name, client, called=None, prefix=""):
    """The SKILL.md of a skill, one of NAMES or GRAPH, in a client's dialect; it ends with a newline.

    `called`: what the skill is called where it is installed, or a dict of that for any of the names; those
    it does not name are called by their own name. `prefix` stands before every name where people write
    it ("foreword:" in a plugin), and is no part of the front matter.

    Words: {{name}} is what this skill is called; {{remember}}, {{recall}} and {{dream}} are how people
    call the three ("/remember", "$foreword:dream"); {{mark}} is MARK; {{protocol-graph}} is that text.
    """
    names = {other: other for other in (*NAMES, GRAPH)}
    names.update(called if isinstance(called, dict) else {name: called or name})
    words = {other: CLIENTS[client] + prefix + names[other] for other in names}
    words.update(name=names[name], mark=MARK)
    if name == GRAPH:
        words["protocol-graph"] = protocol("graph")
    written = "".join(_chosen(client, CLIENTS, source(name)))
    for word, value in words.items():
        written = written.replace("{{%s}}" % word, value)
    return written


def protocol(about, hooked=True):
    """The instructions for a rules file, about one of PROTOCOLS: Markdown that ends with a newline, at
    most 2,500 characters, since every session reads them whole.

    `hooked`: for a client whose hooks save notes and offer them; without, for one where nothing happens
    by itself. Lines of the source that begin with `{{hooked}}` or `{{served}}` are for one of the two.
    """
    reader = "hooked" if hooked else "served"
    return "".join(_chosen(reader, ("hooked", "served"), source("protocol-" + about)))


def rules(hooked, graph):
    """What goes into a client's own file of instructions: about the memory, and about the knowledge graph
    where its tools are served."""
    return "\n".join(protocol(about, hooked) for about in (PROTOCOLS if graph else PROTOCOLS[:1]))


def source(name):
    """The text that a skill is made from."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".md")
    with open(path, encoding="utf-8") as f:
        return f.read()


def _chosen(reader, readers, whole):
    """The lines of a source for one of its readers, without the words that say whose they are."""
    for line in whole.splitlines(keepends=True):
        owners = []
        while owner := next((name for name in readers if line.startswith("{{%s}}" % name)), None):
            owners.append(owner)
            line = line.removeprefix("{{%s}}" % owner)
        if reader in owners or not owners:
            yield line


def is_ours(text):
    """Whether a SKILL.md was written by Foreword, whatever version wrote it."""
    return any(line.strip() == MARK for line in text.splitlines())
