"""What the docs say of a client, in values: docs/clients is generated from them. Cold."""

RUN, DOCUMENTED = "run", "documented"


class Cell:
    """One thing that goes in. `what`: a phrase for people ("hooks in settings.json"); `seen`: RUN where a
    test drives the real client with it, DOCUMENTED where only its makers' pages say so."""

    __slots__ = ("seen", "what")

    def __init__(self, what, seen):
        self.what, self.seen = what, seen


class About:
    """`called`: the client's name for people; `version`: the one that was run, "" for none; `checked`: the
    day on which its documentation was read, "2026-11-30"; `docs`: [URL] of it.

    `server`, `forewords`, `instructions`: a Cell each, or None where the client has nothing of the kind
    or nothing of it was run. `notes`: sentences on what to know (limits, approval, other places).
    """

    __slots__ = ("called", "checked", "docs", "forewords", "instructions", "notes", "server", "version")

    def __init__(self, called, version, checked, docs, server, forewords=None, instructions=None, notes=()):
        self.called, self.version, self.checked, self.docs = called, version, checked, tuple(docs)
        self.server, self.forewords, self.instructions = server, forewords, instructions
        self.notes = tuple(notes)
