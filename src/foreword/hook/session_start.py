"""SessionStart and its like: settle which project this is, and hand over what was written down on purpose.
Hot.

Facts and sessions go out at the start of a context and again when it was emptied; a resumed or forked
client session still holds its copy. `off` silences this, `auto` and `auto:session` do not: what somebody
wrote down on purpose is always handed over. Where the knowledge graph is on, one line says so, also without a
memory.
"""

import json
import os
import time

from foreword import clients, files, paths, project, settings
from foreword.hook.waiting import Waiting
from foreword.store import layout

KEPT = ("resume", "fork")  # sources after which the context holds what it was handed
AGREE_S = 1.5  # for the worker to index what was written by hand or by another program since
POLL_S = 0.02
GRAPH = (
    "Foreword keeps a knowledge graph. At the start of a task, search_nodes for the names it is about, then"
    " open_nodes. When something that lasts was decided or changed, add_observations: one dated fact each."
)


def run(client, heard, home, now):
    """(the recall or "", what went wrong on the way or None, a line for the user or "")."""
    if heard.subagent or not home:
        return "", None, ""
    chosen = settings.load(home)
    if settings.leaves_out(chosen):
        from foreword.hook.left_out import is_left_out

        if is_left_out(client, heard, chosen, home):
            return "", None, ""
    waiting = Waiting(home, client, heard.session)
    problem = None
    try:
        if heard.source not in KEPT and not waiting.hear_start(heard.source, now):
            return "", None, ""  # a hook that is installed twice: the other one answers
        if heard.source in ("clear", "compact"):
            waiting.context_was_emptied()
        place = project.find(heard.folder, home, ask_git=True, anchor=heard.anchor)
    except OSError as error:
        # The disk is full or read-only: what can be read is still handed over.
        problem = error
        place = project.find(heard.folder, home, create=False, anchor=heard.anchor)
    if place is None:
        return "", problem, ""
    try:
        files.spawn_detached(["foreword.worker", home, place.name, "catch-up"])
    except OSError as error:
        problem = problem or error
    if heard.source in KEPT:
        return "", problem, ""
    try:
        if clients.wire(client).RECALL_WITH_PROMPT and waiting.owe_recall(heard.source):
            return "", problem, ""
    except OSError as error:
        problem = problem or error
    text, failed, told = recalled(client, heard, home, place, waiting, now, heard.source)
    return text, problem or failed, told


def recalled(client, heard, home, place, waiting, now, source):
    """What `run` hands over, for a project and one of its sources; the same three."""
    problem = None
    chosen = settings.load(home)
    switch = settings.configured(project.read_record(place.folder), chosen)
    if switch == "off":
        return "", problem, ""
    aside = GRAPH if chosen["graph.on"] else ""
    if not chosen["recall.budget"]:
        return aside, problem, ""
    folders = [(place.folder, False), (paths.everywhere(home), True)]
    folders = [(folder, everywhere) for folder, everywhere in folders if _has_any(folder)]
    if not folders:
        return aside, problem, ""
    made, sources = _block(client, folders, place, chosen, aside)
    if made.text == aside:
        return aside, problem, ""
    record = {
        "time": layout.timestamp(now),
        "client": client,
        "session": heard.session,
        "source": source,
        "switch": switch,
        "facts": made.facts,
        "sessions": made.sessions,
        "listed": made.listed,
        "left_out": made.left_out,
        "characters": len(made.text),
        "ids": made.ids,
    }
    try:
        waiting.add_known(made.ids)
        log = os.path.join(place.folder, "recalls.log")
        files.append(log, json.dumps(record).encode(), layout.LOGS_KEPT)
        from foreword.hook import forewords

        forewords.record(place.folder, client, heard, "recall", made.ids, made.text, sources, now)
    except OSError as error:
        problem = problem or error
    return made.text, problem, notice(made, place)


def notice(made, place):
    """`foreword: loaded 2 facts + 1 session (project: myapp)`"""
    counts = [(made.facts, "fact"), (made.sessions, "session")]
    told = " + ".join("%d %s%s" % (n, what, "" if n == 1 else "s") for n, what in counts if n)
    return f"foreword: loaded {told or 'older sessions'} (project: {paths.project_label(place.name)})"


def _has_any(folder):
    """Whether a folder of the store may hold a fact or session; most projects do not, and then no index is
    opened."""
    for kind in ("facts", "sessions"):
        try:
            with os.scandir(os.path.join(folder, kind)) as entries:
                if next(entries, None) is not None:
                    return True
        except OSError:
            pass  # not there: none was saved yet
    return False


def _block(client, folders, place, chosen, aside):
    """(the Block, the paths of the memories in it), from indexes that agree with the files, or that could
    not be made to within AGREE_S."""
    from foreword import curated
    from foreword.index.curated import look

    wire = clients.wire(client)
    end = time.monotonic() + AGREE_S
    while True:
        standing, behind = look(folders, curated.most(chosen["recall.budget"], chosen["recall.sessions"]))
        late = time.monotonic() >= end
        if standing is None and late:
            raise TimeoutError("the index is not there yet")
        if standing is not None and (late or not behind):
            label = paths.project_label(place.name)
            budget, sessions = chosen["recall.budget"], chosen["recall.sessions"]
            ask = chosen["recall.directive"]
            made = curated.block(
                standing, label, budget, sessions, wire.ROOM, lambda: wire.skill("dream"), ask, aside
            )
            rows = [row for row in (*standing.facts, *standing.sessions) if row.id in made.text]
            return made, [os.path.join(row.folder, row.place) for row in rows]
        time.sleep(POLL_S)
