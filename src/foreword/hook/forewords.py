"""forewords.log: what an agent was handed, word for word, for the user to look at. Hot; loaded only when
something is handed over.

What the user deletes must go from here too, and a hook may be about to write down what it found a moment
before. So both hold one lock: the hook while it looks whether the memories are still there and appends, who
deletes while the log is rewritten (memory/forewords.py). A hook that came first is rewritten, one that comes
later finds the files gone.
"""

import json
import os

from foreword import files
from foreword.store import layout

LOG, OLDER = "forewords.log", 1  # and how many older files of 1 MB there are
LOCK, WAIT_S = ".forewords.lock", 0.25  # rewriting 2 MB takes 0.1 s; longer no prompt shall wait
ENTITY = "- entity "  # how recall.entity_line begins
# In its place: nothing takes out of a log what is deleted from the graph.
KEPT = "- entity (kept in the knowledge graph)"


def record(folder, client, heard, kind, ids, text, sources, now):
    """Add a foreword to the log of the project in `folder`; nothing where one of the files in `sources` is
    gone.

    kind: "prompt" or "recall"; ids: of the memories that stand in it with their text; sources: the paths of
    all memories of which there is a word in it. Raises OSError, TimeoutError while somebody holds the lock.
    """
    if kind == "prompt" and "\n" + ENTITY in text:
        text = "\n".join(KEPT if line.startswith(ENTITY) else line for line in text.split("\n"))
    line = {
        "time": layout.timestamp(now),
        "client": client,
        "session": heard.session,
        "turn": heard.turn,
        "kind": kind,
        "ids": ids,
        "text": text,
    }
    with files.Lock(folder, WAIT_S, LOCK) as held:
        if not held:
            raise TimeoutError("forewords.log is in use")
        if all(map(os.path.exists, sources)):
            files.append(os.path.join(folder, LOG), json.dumps(line).encode(), OLDER)
