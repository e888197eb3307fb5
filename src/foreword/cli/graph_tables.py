"""What `foreword graph` prints: numbers, findings, moved observations, sizes. Tables for people.

Names and sentences of a graph are shown as one line without anything unseen: they come from anywhere.
"""

import click

from foreword.cli.output import cells, counted, day, fit, put, table, tilde, width, wrapped
from foreword.text.frame import plain

LABEL = 12  # columns of the longest name in the table of numbers, with the space behind it
# key of lint.stats -> what one of it is called
HELD = {"entities": "entity", "observations": "observation", "relations": "relation"}


def many(number, what):
    """`1 entity`, `10,000 entities`"""
    return counted(number, what).replace(str(number), f"{number:,}", 1)


def shown(text, most=1_000):
    """A name or a sentence as a terminal may print it: one line, nothing unseen, at most so many columns."""
    return fit(plain(" ".join(text.split())) or '""', most)


def _beside(names, told, most=40):
    """Names in a column, what is told about each beside it."""
    names = [shown(name, most) for name in names]
    wide = max(map(cells, names), default=0)
    return [f"{name}{' ' * (wide - cells(name))}  {what}" for name, what in zip(names, told, strict=True)]


# -- numbers -----------------------------------------------------------------------------------


def numbers(found):
    """The dict of lint.stats as a table."""
    read, copies = found["read_graph"], found["backups"]
    lines = [
        ("file", tilde(found["path"])),
        ("size", _size_of(found)),
        ("holds", ", ".join(many(found[key], one) for key, one in HELD.items())),
        ("types", _tallied(found["types"])),
        ("relations", _tallied(found["verbs"])),
        ("largest", _ranked(found["largest"], observations="observation", characters="character")),
        ("connected", _ranked(found["connected"], relations="relation")),
        ("archive", _archived(found)),
        ("backups", f"{copies}, the newest of {_moment(found['newest_backup'])}" if copies else "none yet"),
        (
            "read_graph",
            f"~{read['here']:,} tokens; of the reference server ~{read['reference']:,} in two copies, "
            f"~{read['copy']:,} the smaller one",
        ),
    ]
    if found["odd"]:
        lines.append(("odd", _tallied(found["odd"]) + "\nforeword graph lint"))
    table([(name, value) for name, value in lines if value])


def _size_of(found):
    if not found["changed"]:
        return "none: the first write makes it"
    return many(found["bytes"], "byte") + f", changed {day(found['changed'])} UTC"


def _tallied(counts):
    """`service 41, person 12, … 7 more`, most first, on three lines at most."""
    room, told = max(60, width()) - LABEL, []
    for name, count in counts.items():
        part = f"{shown(name, 30)} {count:,}"
        if cells(", ".join([*told, part])) > 2 * room:
            told.append(f"… {len(counts) - len(told):,} more")
            break
        told.append(part)
    return "\n".join(wrapped(", ".join(told), room, lines=3))


def _ranked(rows, **columns):
    """A line for each row: its name, then the numbers under these keys, {key: what one is called}."""
    told = [", ".join(many(row[key], one) for key, one in columns.items()) for row in rows]
    return "\n".join(_beside([row["name"] for row in rows], told))


def _archived(found):
    if not found["archived"]:
        return "empty"
    return f"{many(found['archived'], 'observation')} of {many(found['archived_entities'], 'entity')}"


def _moment(moment):
    """`2026-11-03`, or `2026-11-03 10:15 UTC` of `2026-11-03T101500`."""
    date, _, clock = moment.partition("T")
    return f"{date} {clock[:2]}:{clock[2:4]} UTC" if clock else date


# -- findings ----------------------------------------------------------------------------------


def findings(kind, group, most):
    """The findings of one kind: where, what; the hint once where it is the same for all."""
    put(click.style(f"{kind} ({len(group):,})", bold=True))
    hints = {finding.hint for finding in group}
    room = max(60, width())
    for finding in group[:most]:
        where, what = shown(tilde(finding.where), room - 3), shown(finding.what)
        if what.startswith(where + " "):  # a relation, told from its first end
            put(f"  {what}")
        else:
            put(f"  {where}: {what}" if cells(where + what) <= room - 4 else f"  {where}:\n    {what}")
        if len(hints) > 1 and finding.hint:
            put(f"    {finding.hint}")
    if len(group) > most:
        put(f"  … {len(group) - most:,} more")
    if len(hints) == 1 and group[0].hint:
        put(f"  hint: {group[0].hint}")


# -- to the archive and back ------------------------------------------------------------------


def moved(rows, dry_run, archive, backup):
    """What moves or moved, [{name, moved, left}]."""
    done = "to move" if dry_run else "moved"
    for line in _beside(
        [r["name"] for r in rows], [f"{r['moved']:>4} {done}, {r['left']} left" for r in rows]
    ):
        put(line)
    of = f"{many(sum(row['moved'] for row in rows), 'observation')} of {many(len(rows), 'entity')}"
    if dry_run:
        put(f"{of} would move to {tilde(archive)}; nothing was changed")
        return
    put(f"{of} moved to {tilde(archive)}")
    put(f"backup: {tilde(backup)}")


def restored(rows, dry_run):
    """What moves or moved back into the graph, [{name, restored, now}]."""
    done = "to restore" if dry_run else "restored"
    told = [f"{row['restored']:>4} {done}, {row['now']} held" for row in rows]
    for line in _beside([row["name"] for row in rows], told):
        put(line)
    of = f"{many(sum(row['restored'] for row in rows), 'observation')} of {many(len(rows), 'entity')}"
    put(f"{of} would be restored; nothing was changed" if dry_run else f"{of} restored")


# -- sizes -------------------------------------------------------------------------------------


def sizes(rows):
    """The rows of sizes.compare, in tokens."""
    names = [row["what"] if row["query"] is None else "search " + shown(row["query"], 24) for row in rows]
    columns = "{:>9}  {:>7}  {:>18}  {:>18}"
    told = [columns.format(_found(row), f"{row['here']['tokens']:,}", *_there(row)) for row in rows]
    head = columns.format("found", "here", "as sent, twice", "the smaller copy")
    lines = _beside(["answer", *names], [head, *told])
    put("the reference server:".rjust(cells(lines[0])))
    for line in lines:
        put(line)


def _there(row):
    """What the reference server sends, both copies and the smaller one, with how many times as much it is."""
    there = row["reference"]
    sides = (there["tokens"], row["ratio"]), (there["copy_tokens"], row["ratio_copy"])
    return [f"{tokens:,} {ratio:>7,.1f}x" for tokens, ratio in sides]


def _found(row):
    """How many entities; here and there, where that is not the same."""
    here, there = row["here"]["found"], row["reference"]["found"]
    return f"{here:,}" if here == there else f"{here:,} / {there:,}"
