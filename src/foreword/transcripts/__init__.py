"""Readers of clients' own session logs: what a client session was billed for, and what it did.

A reader takes one line of a log and gives its events, plain tuples:

    ("time", text)                                          when the record was written, ISO 8601
    ("usage", key, model, input, creation, read, output)    billed tokens; one key a model request
    ("turn", key)                                           one prompt of a human
    ("tool", key)                                           one tool call that the model made
    ("file", key, path)                                     a file that was read

Clients repeat their records: in one log, after a resume, in a fork's log. What is the same has the same
key. A time comes first, and only beside other events. No text of a conversation is in any of them.

`READERS[client](subagent=False, state=())` makes a reader: `events(line)` gives the events of a line
without its newline, () for every line that has none, whatever its bytes, and never raises; `unread` counts
the lines that should have had some and could not be read; `state()` is what a reader that goes on from here
must be made with, a tuple of texts and numbers. `subagent`: the log is a subagent's, whose prompts are no
human's.
"""

from foreword.transcripts import claude_code, codex

READERS = {"claude-code": claude_code.Reader, "codex": codex.Reader}
