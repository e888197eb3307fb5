"""`foreword dream`: what should be consolidated, a plan done, a run taken back."""

import json
import sys

import click

from foreword import memory
from foreword.cli.output import (
    Progress,
    counted,
    day,
    fit,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    say,
    table,
    width,
    wrapped,
)
from foreword.errors import DONE, NO, ForewordError

# kind -> its heading, and what is mostly done about it
HEADINGS = {
    "superseded": ("superseded", "archive"),
    "beyond": ("sessions that are no longer handed over", "merge what lasts, archive the rest"),
    "stale": ("facts whose files changed", "update, archive or keep"),
    "alike": ("near-duplicates", "merge, or keep both"),
    "old": ("old facts", "keep what still holds, archive the rest"),
}
SHOWN = 30  # memories shown of one kind
STATES = {"open": "not applied", "applying": "interrupted", "applied": "applied", "undone": "undone"}


@click.command("dream")
@click.option("--apply", "plan", metavar="FILE", help="Do the plan in a file; - is stdin.")
@click.option(
    "--undo",
    "undone",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Take a run back as a whole (default: the last one applied).",
)
@click.option("--list", "listed", is_flag=True, help="List this project's runs.")
@click.option("--all", "everything", is_flag=True, help="With --list: also runs that were only looked at.")
@project_option
@json_option
def command(plan, undone, listed, everything, path, as_json):
    """Find memories to consolidate; do a plan that says how.

    Candidates are found mechanically: superseded memories, sessions that are no longer handed
    over, facts whose cited files changed or vanished, near-duplicates, facts not checked for 90 days.
    Nothing is judged and nothing done. In a client, the skill dream has the agent verify each
    against the code and hand back a plan; or write one yourself, with the run's id:

    \b
      {"run": "20261103-101500-a1b2", "actions": [
        {"do": "archive", "ids": ["20260701-090000-00c3"]},
        {"do": "merge", "ids": ["20260702-090000-11d4", "20260703-090000-22e5"],
         "title": "Tests", "body": "Run make db, then pytest."},
        {"do": "update", "id": "20260704-090000-33f6", "body": "The new text."},
        {"do": "keep", "ids": ["20260705-090000-44a7"]}]}

    \b
      foreword dream
      foreword dream --apply plan.json
      foreword dream --undo

    Nothing is deleted: what is replaced goes to the archive. A memory that changed since the run
    began is left alone and named; the rest is done. Runs can be undone for 90 days (the newest
    50). Exit code 1 when a memory was left alone.
    """
    if everything and not listed:
        raise ForewordError("--all goes with --list", "foreword dream --list --all")
    if (plan is not None) + (undone is not None) + listed > 1:
        raise ForewordError("--apply, --undo and --list are three different things", "foreword dream --help")
    if plan is not None:
        return _apply(path, _read(plan), as_json)
    if undone is not None:
        return _undo(path, undone, as_json)
    if listed:
        return _list(path, everything, as_json)
    progress = Progress("reading")
    try:
        found = memory.dream(opened(path), progress)
    finally:
        progress.end()
    if as_json:
        put_json(found)
    else:
        _tell(found)
    return DONE


def _read(plan):
    """The plan in a file or on stdin, parsed. Raises ForewordError with the line and column."""
    if plan == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise ForewordError("the plan comes on stdin", "foreword dream --apply - < plan.json")
    name = "the plan" if plan == "-" else plan
    try:
        if plan == "-":
            raw = sys.stdin.buffer.read()
        else:
            with open(plan, "rb") as f:
                raw = f.read()
    except OSError as error:
        raise ForewordError(f"{plan} cannot be read: {error.strerror}", "foreword dream --help") from error
    hint = "foreword dream --help shows the shape of a plan"
    if not raw.strip():
        raise ForewordError(f"{name} is empty, nothing was done", hint)
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ForewordError(f"{name} is not UTF-8 (byte {error.start}), nothing was done", hint) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ForewordError(f"{name}: {where}: {error.msg}; nothing was done", hint) from error
    except (ValueError, RecursionError) as error:
        raise ForewordError(f"{name} is no JSON that can be read, nothing was done", hint) from error


def _apply(path, plan, as_json):
    done = memory.dream_apply(opened(path), plan)
    if as_json:
        put_json(done)
    else:
        for new in done["saved"]:
            put(f"saved {new['id']}  {_fit(new['title'], 30)}")
        replaced = {old: new["id"] for new in done["saved"] for old in new["supersedes"]}
        for memory_id in done["archived"]:
            by = f"  (now {replaced[memory_id]})" if memory_id in replaced else ""
            put(f"archived {memory_id}{by}")
        for memory_id in done["kept"]:
            put(f"kept {memory_id}")
        _left(done["conflicts"])
        if done["saved"] or done["archived"] or done["kept"]:
            say("hint: foreword dream --undo takes it back")
        else:
            say("nothing was done; foreword dream starts another run")
    return NO if done["conflicts"] else DONE


def _undo(path, run, as_json):
    done = memory.dream_undo(opened(path), run)
    if as_json:
        put_json(done)
    else:
        for key, told in (
            ("restored", "restored"), ("archived", "archived"), ("unchecked", "not checked any more:"),
            ("gone", "deleted meanwhile, stays so:"),
        ):  # fmt: skip
            for memory_id in done[key]:
                put(f"{told} {memory_id}")
        _left(done["left"])
        if done["left"]:
            say(f"the run {done['run']} is undone in part; the rest can be undone again")
        else:
            say(f"the run {done['run']} is undone")
    return NO if done["left"] else DONE


def _left(conflicts):
    for conflict in conflicts:
        ids = ", ".join(conflict["ids"])
        say(f"left alone: {ids}: {conflict['why']}")


def _list(path, everything, as_json):
    known = memory.dream_runs(opened(path))
    found = [run for run in known if everything or run["state"] != "open"]
    if as_json:
        put_json(found)
        return DONE
    if len(found) < len(known):
        say(counted(len(known) - len(found), "run") + " only looked at; --all lists them, too")
    elif not found:
        say("no dreams here yet")
        say("hint: foreword dream")
    for run in found:
        told = STATES[run["state"]]
        if run["state"] == "open":
            told += f", {counted(run['candidates'], 'candidate')}"
        elif run["state"] != "applying":
            told += "".join(f", {run[key]} {key}" for key in ("archived", "saved", "kept") if run[key])
            told += f", {run['conflicts']} left alone" if run["conflicts"] else ""
        put(click.style(run["run"], fg="cyan") + f"  {day(run['started'])}  {told}")
    return DONE


def _tell(found):
    for run in found["interrupted"]:
        say(f"the run {run} was interrupted: foreword dream --undo {run} takes back what was done")
    if not found["candidates"]:
        say("nothing to consolidate")
        return
    for kind, (heading, advice) in HEADINGS.items():
        some = [one for one in found["candidates"] if one["kind"] == kind]
        if some:
            put(click.style(f"{heading} ({len(some)})", bold=True) + f": {advice}")
            for one in some[:SHOWN]:
                _candidate(one)
            if len(some) > SHOWN:
                put(f"  and {len(some) - SHOWN} more; --json has them all")
            put()
    memories = {memory_id for one in found["candidates"] for memory_id in one["ids"]}
    told = f"{counted(len(found['candidates']), 'candidate')} ({counted(len(memories), 'memory')})"
    table([("run", found["run"]), ("found", told)])
    say("next: /dream in a client has the agent check them and do what is right;")
    say("      or write a plan: foreword dream --help shows one, foreword dream --apply FILE does it")


def _candidate(one):
    """A line a memory, then why, indented."""
    most = max(60, width())
    for memory_id, title, created in list(zip(one["ids"], one["titles"], one["created"], strict=True))[
        :SHOWN
    ]:
        mark = " (global)" if one["global"] and len(one["ids"]) == 1 else ""
        head = f"  {created[:10]}  "
        shown = fit(title, most - 2 - len(memory_id + head + mark))
        put("  " + click.style(memory_id, fg="cyan") + head + shown + mark)
    if len(one["ids"]) > SHOWN:
        put(f"  and {len(one['ids']) - SHOWN} more")
    for line in wrapped(one["why"], most - 6, lines=3):
        put("      " + line)


def _fit(text, taken):
    return fit(text, max(60, width()) - taken)
