"""What every verb prints with: data on stdout, talk on stderr, tables, progress, shared options."""

import contextlib
import json
import os
import shutil
import sys
import time
import unicodedata

import click

from foreword import memory
from foreword.errors import ForewordError
from foreword.text.frame import plain

project_option = click.option(
    "--project", "path", metavar="PATH", help="The project's folder (default: the current one)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
type_option = click.option(
    "--type", "kind", type=click.Choice(["note", "session", "fact"]), help="Only this type."
)


def say(text=""):
    click.echo(text, err=True)


def put(text=""):
    click.echo(text)


def put_json(value):
    """One JSON value in UTF-8, whatever the locale: programs read it."""
    try:
        data = json.dumps(value, ensure_ascii=False, indent=2).encode()
    except UnicodeEncodeError:  # a path that is not UTF-8
        data = json.dumps(value, indent=2).encode()
    click.echo(data)


def seen(text):
    """What may hold names and paths of anybody's as one line that a terminal shows and does not act on."""
    return plain(text.replace("\r", " ").replace("\n", " ").replace("\t", " "))


def opened(path):
    return memory.open_project(path)


def day(created):
    """`2026-11-30 10:15` of an ISO time."""
    return created[:16].replace("T", " ")


def tilde(path):
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def width():
    return shutil.get_terminal_size((100, 24)).columns


def limit_option(most=None, **default):
    """`--limit N`, refused below 1."""
    return click.option("--limit", metavar="N", type=click.IntRange(1, most), **default)


def switch_told(configured, today, own):
    """`auto, today on (the default)`"""
    shown = configured + (f", today {today}" if configured == "auto" else "")
    return shown + (" (set for this project)" if own else " (the default)")


LATE_S = 1.1  # the progress of what takes longer is shown
LEAST_TITLE = 20  # columns; with less the marks stand in the next line


def rows(found, projects=False):
    """Memories as people read them: a line of facts, then up to two lines of text, indented.

    `projects` names each memory's project. No line is wider than the terminal (or 60 columns).
    """
    most = max(60, width())
    for row in found:
        kind, marks = memory.kind(row), ""
        head = "  {}  {:<7}  ".format(row["created"][:10], kind)
        room = most - len(row["id"] + head)
        if room < LEAST_TITLE:
            marks = kind.removeprefix(row["type"]).lstrip()
            head = "  {}  {:<7}  ".format(row["created"][:10], row["type"])
            room = most - len(row["id"] + head)
        shown = fit(" ".join(row["title"].split()), room)
        put(click.style(row["id"], fg="cyan") + head + click.style(shown, bold=True))
        if marks:
            put("    " + marks)
        if projects:
            put("    in " + fit(row["project"], most - 7))
        snippet = " ".join(row["snippet"].split())
        if snippet and snippet != shown:
            for line in wrapped(snippet, most - 4, lines=2):
                put("    " + line)


def cells(text):
    """How many columns of a terminal a text takes: wide letters two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(letter):
    if unicodedata.east_asian_width(letter) in "WF":
        return 2
    return 0 if unicodedata.combining(letter) else 1


def fit(text, most):
    """The text, cut to at most `most` columns; where it was cut stands an ellipsis."""
    return text if cells(text) <= most else text[: _held(text, most - 1)].rstrip() + "…"


def wrapped(text, most, lines):
    """At most `lines` lines of at most `most` columns; broken at a space where there is one."""
    found = []
    while text and len(found) < lines - 1 and cells(text) > most:
        at = _held(text, most)
        if text[at] != " " and " " in text[:at]:
            at = text.rindex(" ", 0, at)
        found.append(text[:at].rstrip())
        text = text[at:].lstrip()
    return [*found, fit(text, most)] if text else found


def _held(text, most):
    """How many letters of a text take at most `most` columns."""
    left = 0
    for at, letter in enumerate(text):
        left += _cells(letter)
        if left > most:
            return at
    return len(text)


def tell_again(ids, verb):
    """Say which memories stand again because those that superseded them are gone."""
    if ids:
        say("handed over again, for nothing supersedes them now: " + ", ".join(ids))
        say(f"hint: if they are outdated too: foreword {verb} " + " ".join(ids))


def table(lines):
    """Two columns, the first as wide as its longest entry. A value may have more than one line."""
    wide = max((len(name) for name, _ in lines), default=0)
    for name, value in lines:
        put(f"{name.ljust(wide)}  " + value.replace("\n", "\n" + " " * (wide + 2)))


def columns(lines):
    """Tuples of the same length as lines of text, each column as wide as its longest entry."""
    wide = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell + " " * (wide[n] - cells(cell)) for n, cell in enumerate(line)).rstrip()


def counted(number, what):
    """`1 session`, `2 sessions`, `2 memories`"""
    many = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return f"{number} {what if number == 1 else many}"


class Progress:
    """A bar on stderr once work has taken a second; nothing when stderr is no terminal."""

    def __init__(self, what):
        self.what = what
        self.started = time.monotonic()
        self.shown = False

    def __call__(self, done, whole):
        if sys.stderr is None or not sys.stderr.isatty() or time.monotonic() - self.started < 1.0:
            return
        self.shown = True
        bar = "#" * int(30 * done / max(1, whole))
        sys.stderr.write("\r%s [%s] %d of %d" % (self.what, bar.ljust(30), done, whole))
        sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\n")


@contextlib.contextmanager
def at_work(what, whole):
    """A function that is told how many of `whole` steps are done. A terminal sees it once work has taken a
    second, however long one step takes."""
    import threading  # most verbs are done before

    progress, reached = Progress(what), [0]
    late = threading.Timer(LATE_S, lambda: progress(reached[0], whole))
    late.daemon = True
    late.start()

    def step(done):
        reached[0] = done
        progress(done, whole)

    try:
        yield step
    finally:
        late.cancel()
        progress.end()


def confirmed(question, yes):
    """True when the user agrees. Without a terminal and without --yes the answer is no (exit 2)."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise ForewordError("this asks first, and there is no terminal to answer", "add --yes")
    return click.confirm(question, err=True)
