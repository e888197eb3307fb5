"""`foreword edit`."""

import os
import shlex
import signal
import subprocess
import sys

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say
from foreword.errors import USAGE, ForewordError


@click.command("edit")
@click.argument("memory_id", metavar="ID")
@click.option("--from", "source", metavar="FILE", help="Take the text from a file, - for stdin; no editor.")
@project_option
@json_option
def command(memory_id, source, path, as_json):
    """Change a memory in an editor: $VISUAL, else $EDITOR.

    You edit a copy. It is checked before it takes the memory's place; what is wrong is said, and your text
    is kept. A text without front matter replaces the body alone.

    \b
      EDITOR="code --wait" foreword edit 20261103-101500-a1b2
      echo "New text." | foreword edit 20261103-101500-a1b2 --from -
    """
    place = opened(path)
    if source == "-":
        done = memory.edit.replace(place, memory_id, sys.stdin.buffer.read() if sys.stdin else b"")
    elif source:
        done = memory.edit.finish(place, memory_id, os.path.abspath(source))
    else:
        done = _in_editor(place, memory_id)
    for sentence in done["told"]:
        say(sentence)
    if as_json:
        put_json(done)
    else:
        put(("edited " if done["changed"] else "unchanged: ") + memory_id)


def _in_editor(place, memory_id):
    editor = _editor(memory_id)
    copy = memory.edit.begin(place, memory_id)
    while True:
        try:
            code = _run(editor, copy)
        except OSError as error:
            memory.edit.discard(copy)
            raise ForewordError(
                f"the editor {editor[0]} cannot be started: {error.strerror}", _other_ways(memory_id)
            ) from error
        if code:
            told = f"{editor[0]} ended with exit code {code}, nothing was changed"
            if not memory.edit.is_changed(place, memory_id, copy):
                memory.edit.discard(copy)
                raise ForewordError(told, _other_ways(memory_id))
            raise ForewordError(
                f"{told}; your text is kept in {copy}", f"foreword edit {memory_id} --from {copy}"
            )
        try:
            return memory.edit.finish(place, memory_id, copy)
        except ForewordError as error:
            if error.exit_code != USAGE or not _is_terminal() or not os.path.exists(copy):
                raise
            say("error: " + error.message)
            if not click.confirm("Edit it again?", default=True, err=True):
                raise


def _editor(memory_id):
    """The editor's command as a list."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if chosen:
        try:
            command = shlex.split(chosen, posix=os.name != "nt")
        except ValueError as error:
            raise ForewordError(f"$EDITOR {chosen!r}: {error}", _other_ways(memory_id)) from error
        return [part.strip('"') for part in command] if os.name == "nt" else command
    if not _is_terminal():
        raise ForewordError("there is no terminal, and no editor is named", _other_ways(memory_id))
    return ["notepad" if os.name == "nt" else "vi"]


def _other_ways(memory_id):
    return f"EDITOR=nano foreword edit {memory_id}, or: foreword edit {memory_id} --from FILE"


def _is_terminal():
    return sys.stdin is not None and sys.stdin.isatty()


def _run(command, copy):
    """The editor's exit code. Ctrl-C is the editor's while it runs; its own handler, none of ours, is reset
    in the child."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call([*command, copy])
    finally:
        signal.signal(signal.SIGINT, before)
