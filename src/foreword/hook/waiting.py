"""What one client session has waiting, and what its context already holds. Hot.

state/sessions/<key>/: `<turn>.prompt` waits for Stop, `<turn>.part` is an answer still too short to
save, `<turn>.gone` says that a memory was deleted whose words the turn held: nothing of it is saved,
`known` lists ids that the context holds (shown to it, or written by it), `turns` leads from a
turn to its note. Lines are appended, files replaced; nothing here is worth an fsync.
"""

import os

from foreword import files, paths
from foreword.digest import of_text
from foreword.store.layout import QUESTION_LIMIT, is_id
from foreword.text.budget import head_and_tail


class Waiting:
    """The folder of one client session; every method does nothing when the session has no id."""

    def __init__(self, home, client, session):
        key = of_text(client + "\0" + session)[:24]
        self.folder = paths.session_folder(home, key) if session else ""

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, text):
        if self.folder:
            files.make_folder(self.folder)
            files.write(self._path(name), text.encode("utf-8", "replace"), durable=False)

    def _read(self, name):
        raw = files.read(self._path(name)) if self.folder else None
        return raw.decode("utf-8", "replace") if raw else ""

    def leave_prompt(self, turn, text):
        """Keep a prompt for Stop. A second one of the same turn (a steered turn) is added to it."""
        if not turn or self.is_gone(turn):
            return
        name = of_text(turn)[:24] + ".prompt"
        before = self._read(name)
        if before and text not in before:
            text = before + "\n\n" + text
        self._write(name, head_and_tail(text, QUESTION_LIMIT))

    def prompt(self, turn):
        return self._read(of_text(turn)[:24] + ".prompt") if turn else ""

    def leave_part(self, turn, text):
        self._write(of_text(turn)[:24] + ".part", text)

    def part(self, turn):
        return self._read(of_text(turn)[:24] + ".part")

    def is_gone(self, turn):
        """True when the user deleted a memory whose words this turn held: it gets no note."""
        return bool(self.folder) and os.path.exists(self._path(of_text(turn)[:24] + ".gone"))

    def saved(self, turn, memory_id, place):
        """The turn has its note: remember where, and that this context knows it."""
        if not self.folder:
            return
        files.make_folder(self.folder)
        for ending in (".prompt", ".part"):
            files.remove(self._path(of_text(turn)[:24] + ending))
        files.append(self._path("turns"), (f"{of_text(turn)[:24]} {place}").encode())
        self.add_known([memory_id])

    def place_of(self, turn):
        """Where the note of a turn stands (relative to the project's folder), or ""."""
        wanted = of_text(turn)[:24]
        for line in reversed(self._read("turns").splitlines()):
            key, _, place = line.partition(" ")
            if key == wanted:
                return place
        return ""

    def add_known(self, ids):
        if self.folder and ids:
            files.append(self._path("known"), "\n".join(ids).encode())

    def known(self):
        return {line for line in self._read("known").split() if is_id(line)}

    def context_was_emptied(self):
        """After /clear or compaction the context holds nothing of it any more."""
        if self.folder:
            files.remove(self._path("known"))
