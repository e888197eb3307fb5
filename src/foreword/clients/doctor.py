"""What `foreword doctor` looks at, for every face: the store, and each client that is wired. Cold.

Runs each installed hook and the MCP server once, in a store of their own, which takes seconds; changes
nothing.
"""

from foreword import memory
from foreword.clients import CLIENTS, loaded, taking_out
from foreword.clients.parts import Options, graph_is_on
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError
from foreword.graph import servers as graphs
from foreword.memory import health as store

ABSENT = "not installed here"  # of a client
NO_CLIENT = f"install one ({', '.join(CLIENTS)}), then foreword install"


def look(home, folder=None, only="", step=None):
    """[{"ok", "level", "what", "hint", "client"}] of the store and of every client, or of the client `only`.

    level: "ok", "note" or "failure" (then ok is False); hint: the next command or ""; client: "" of the
    store. folder: whose project's memories are read and whose settings count (default: the current one).
    step(done) is called on the way, out of `steps(only)`.
    """
    if not home:  # then hooks do nothing, whatever the clients have
        return [_finding("", "failure", "no home folder is known", "set FOREWORD_HOME to a folder of yours")]
    step = step or (lambda done: None)
    found = []
    if not only:
        found += _guarded("", store.findings, home, folder)
    step(1)
    modules = {name: loaded.health(name) for name in ([only] if only else CLIENTS)}
    root, is_empty = _root(folder), store.is_empty(home)
    unwired = []
    for n, (name, module) in enumerate(modules.items(), 2):
        step(n)
        if _is_wired(module, home, root):
            found += _guarded(name, module.findings, home, root, is_empty)
            found += _guarded(name, _doubled, name, home)
            found += _guarded(name, _elsewhere, name, home)
        else:
            unwired.append(name)
    return [*found, *_unwired(unwired, alone=len(unwired) == len(CLIENTS))]


def steps(only=""):
    """How many steps `look` has; it tells of the last one when that begins."""
    return (1 if only else len(CLIENTS)) + 2


def _is_wired(module, home, folder):
    try:
        return module.is_wired(home, folder)
    except (OSError, ForewordError):
        return True  # a look from near will say what cannot be read


def _doubled(client, home):
    """Findings: entries of the user's own that offer the graph's tools beside the server that is wired."""
    for server in graphs.servers() if graph_is_on(home) else ():
        if server.client == client and server.kind == graphs.FOREWORD:
            told = f'the graph\'s tools are there twice: the MCP server "{server.name}" starts foreword too'
            yield "note", told, server.remove


def _elsewhere(client, home):
    """Findings: files that an earlier install wired and that the client does not look at now, as its
    settings and variables are. An install takes ours out of those that lie beside files that count."""
    install, records = loaded.install(client), plan.records(home, client)
    try:
        left = list(taking_out.not_counting(install, records, install.parts(Options(records=records))))
    except (ForewordError, jsonc.MalformedError):
        return  # what cannot be read is told already
    for _, edit, is_near in left:
        told = f"ours is in {edit.path} too, where the client does not look now"
        if is_near:
            yield "failure", told, "foreword install " + client
        else:
            yield "note", told, f"foreword uninstall {client} takes it out of both"


def _unwired(names, alone):
    """The clients without anything of ours; `alone`: no other has anything of ours either."""
    there = {name: loaded.install(name).found() for name in names}
    for name, is_there in there.items():
        if is_there:
            level = "failure" if alone else "note"
            yield _finding(name, level, "is on this machine and not wired", "foreword install " + name)
        else:
            yield _finding(name, "ok", ABSENT, "")
    if alone and not any(there.values()):
        yield _finding("", "failure", "no client is on this machine", NO_CLIENT)


def _guarded(client, findings, *arguments):
    """What a room finds; where it stumbles that is a finding too, so that the others are still heard."""
    found = []
    try:
        for level, what, hint in findings(*arguments):
            found.append(_finding(client, level, what, hint))
    except Exception as error:  # noqa: BLE001  whatever is broken on this machine, the rest is shown
        told = f"could not be looked at to the end: {type(error).__name__}: {error}"
        found.append(_finding(client, "failure", told, "foreword check"))
    return found


def _finding(client, level, what, hint):
    return {"ok": level != "failure", "level": level, "what": what, "hint": hint, "client": client}


def _root(path):
    """The top of the project, whose own settings count for a client; "" where there is none."""
    try:
        return memory.open_project(path).root
    except (OSError, ForewordError):
        return ""
