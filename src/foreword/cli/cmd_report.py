"""`foreword report`."""

import click

from foreword import paths
from foreword.cli.output import (
    Progress,
    cells,
    counted,
    day,
    json_option,
    limit_option,
    opened,
    project_option,
    put,
    put_json,
    say,
    seen,
    table,
    width,
    wrapped,
)
from foreword.errors import ForewordError
from foreword.memory import list_memories
from foreword.report import made, prices, told

LONGEST = 8  # lines of a paragraph
NEVER_SHOWN = 5


@click.command("report")
@click.option("--sessions", "by_session", is_flag=True, help="List the client sessions, the newest first.")
@limit_option(default=20, show_default=True, help="How many of them.")
@project_option
@json_option
def command(by_session, limit, path, as_json):
    """Compare client sessions with memory on and off.

    From the logs of Claude Code and Codex: what each session was billed for (input, cache creation, cache
    read and output, each model request once, subagents with their parent), how many turns and tool calls it
    took, and which files it read again that an earlier one had read. Medians of both arms, and the
    difference with an interval, where each arm has ten sessions. docs/report.md says how, and what it
    cannot tell.

    --json prints what report.json in the project's folder holds: numbers only.
    """
    place = opened(path)
    progress, notes = _Bytes("reading logs"), []
    found = made.refresh(place.home, place.name, progress, notes.append)
    progress.end()
    for note in notes:
        say(note)
    if as_json:
        put_json(found)
    elif by_session:
        _sessions(
            made.rows_of(place.home, place.name, prices.load(place.home)), limit, found["use"]["prompts"]
        )
    else:
        _tell(found, place)


class _Bytes(Progress):
    """The bar, in megabytes."""

    def __call__(self, done, whole):
        super().__call__(done // 1_000_000, max(1, whole // 1_000_000))


# -- the two arms ------------------------------------------------------------------------------


def _tell(found, place):
    sessions, compared = found["sessions"], found["comparison"]
    put(
        f"{paths.project_label(place.name)}: client sessions with memory on and off, {day(found['made'])} UTC"
    )
    put()
    if sessions["counted"]:
        _arms(found)
        put()
    _paragraph(told.verdict(compared))
    if compared["possible"]:
        _paragraph(told.how(compared))
        _paragraph(told.LOOKS)
    for sentence in told.left_out(sessions):
        _paragraph(sentence)
    put()
    table(_use(found, _unpriced(place) if found["prices"] else []))
    _never_opened(place)
    if sessions["counted"]:
        say("hint: foreword report --sessions lists them; foreword view shows it all")
    else:
        _hint_at_logs(found["use"]["prompts"])


def _hint_at_logs(prompts):
    if prompts:
        say("hint: logs are looked for in CLAUDE_CONFIG_DIR or ~/.claude, and CODEX_HOME or ~/.codex")
    else:
        say("hint: foreword doctor tells whether a client is wired")


def _arms(found):
    """The medians of both arms, and of mixed sessions where there are any."""
    arms, possible = told.arms(found), found["comparison"]["possible"]
    lines = [("median client session", *(arm for arm, *_ in arms), "difference" if possible else "")]
    lines.append(("Client sessions", *(str(n) for _, n, _ in arms), ""))
    if any(compared != n for _, n, compared in arms):
        lines.append(("… these are of", *(str(n) for *_, n in arms), ""))
    for row in told.medians(found):
        sure = ", inconclusive" if row["inconclusive"] else ""
        lines.append((row["words"], *row["values"], row["difference"] + sure))
    wide = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    for words, *numbers, difference in lines:
        parts = [number.rjust(wide[n]) for n, number in enumerate(numbers, 1)]
        put("  ".join([words + " " * (wide[0] - cells(words)), *parts, difference]).rstrip())


def _use(found, unpriced):
    used, fixed = found["use"], found["fixed"]
    lines = [
        ("hit rate", told.hit_rate(used).removeprefix("Hit rate ")),
        (
            "offered",
            "{}, {} of them opened, {} never".format(
                counted(used["memories_offered"], "memory"), used["memories_opened"], used["never_opened"]
            ),
        ),
        (
            "added",
            "{:,} characters before prompts, {:,} at {}".format(
                used["characters"], used["recall_characters"], counted(used["recalls"], "start")
            ),
        ),
        (
            "fixed cost",
            "some {:,} tokens in every request for tools and skills, on or off: no part of the"
            " difference".format(fixed["tokens_estimated"]),
        ),
    ]
    if found["prices"]:
        without = found["prices"]["unpriced_sessions"]
        more = f"; {counted(without, 'session')} without one ({', '.join(unpriced)})" if without else ""
        lines.append(("prices", "yours of " + found["prices"]["date"][:10] + more))
    return [(name, "\n".join(wrapped(value, max(60, width()) - 12, lines=3))) for name, value in lines]


def _unpriced(place):
    """Models that client sessions used and that have no price."""
    rows = made.rows_of(place.home, place.name, prices.load(place.home))
    return sorted({seen(model) for row in rows for model in row["unpriced"]})


def _never_opened(place):
    """The memories that were offered most often and never opened, for a person to judge."""
    try:
        titles = {row["id"]: row["title"] for row in list_memories(place)}
    except (ForewordError, OSError):
        return  # a disk without an index that cannot be written: the numbers are told all the same
    often = [(i, times) for i, times in made.never_opened(place.folder) if times > 1 and i in titles]
    for n, (i, times) in enumerate(often[:NEVER_SHOWN]):
        if not n:
            put()
            put("offered again and again, never opened (foreword reject ID ends that):")
        put(f"  {i}  {times:>3} times  " + " ".join(titles[i].split())[: max(60, width()) - 36])


def _paragraph(text):
    for line in wrapped(text, max(60, width()), lines=LONGEST):
        put(line)


# -- by session --------------------------------------------------------------------------------


def _sessions(rows, limit, prompts):
    if not rows:
        say("no client session of this project has a log yet")
        _hint_at_logs(prompts)
        return
    priced = any(row["dollars"] is not None for row in rows)
    head = (
        "started (UTC)",
        "client",
        "session",
        "memory",
        "turns",
        "calls",
        "tokens",
        "in+out",
        "again",
        "lines",
    )
    lines: list[tuple[str, ...]] = [(*head, "opened", *(("dollars",) if priced else ()))]
    for row in rows[::-1][:limit]:
        values = [
            row[key] for key in ("turns", "tool_calls", "tokens", "input_output", "files_read_again", "lines")
        ]
        values = [f"{value:,}" for value in (*values, row["opened"])]
        cost = (told.number(row["dollars"], "dollars"),) if priced else ()
        lines.append(
            (day(row["started"]), row["client"], row["session"][:8], made.arm_of(row), *values, *cost)
        )
    wide = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    for line in lines:
        parts = [cell.ljust(wide[n]) if n < 4 else cell.rjust(wide[n]) for n, cell in enumerate(line)]
        put("  ".join(parts).rstrip())
    if len(rows) > limit:
        say(f"{limit} of {len(rows)}; --limit {len(rows)} shows them all")
