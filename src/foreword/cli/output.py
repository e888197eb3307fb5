"""What every verb prints with: data on stdout, talk on stderr, tables, progress, shared options."""

import json
import os
import shutil
import sys

import click

from foreword import memory

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
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


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


def rows(found):
    """Memories as people read them: a line of facts, a line of text, indented."""
    for row in found:
        mark = " (archived)" if row["archived"] else ""
        put("{}  {}  {}  {}{}".format(
            click.style(row["id"], fg="cyan"), day(row["created"]), row["type"],
            click.style(" ".join(row["title"].split())[: width() - 20], bold=True), mark))  # fmt: skip
        snippet = " ".join(row["snippet"].split())
        if snippet and snippet != row["title"]:
            put("    " + snippet[: max(40, 2 * width() - 10)])


def table(lines):
    """Two columns, the first as wide as its longest entry."""
    wide = max((len(name) for name, _ in lines), default=0)
    for name, value in lines:
        put(f"{name.ljust(wide)}  {value}")


class Progress:
    """A bar on stderr once work has taken a second; nothing when stderr is no terminal."""

    def __init__(self, what):
        import time

        self.what, self.clock = what, time.monotonic
        self.started = self.clock()
        self.shown = False

    def __call__(self, done, whole):
        if not sys.stderr.isatty() or self.clock() - self.started < 1.0:
            return
        self.shown = True
        bar = "#" * int(30 * done / max(1, whole))
        sys.stderr.write("\r%s [%s] %d of %d" % (self.what, bar.ljust(30), done, whole))
        sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\n")


def confirmed(question, yes):
    """True when the user agrees. Without a terminal and without --yes the answer is no (exit 2)."""
    from foreword.errors import ForewordError

    if yes:
        return True
    if not sys.stdin.isatty():
        raise ForewordError("this asks first, and there is no terminal to answer", "add --yes")
    return click.confirm(question, err=True)
