"""What one client session has waiting, and what its context already holds. Hot.

state/sessions/<key>/: `<turn>.prompt` waits for Stop, `<turn>.part` is an answer still too short to
save, `<turn>.gone` says that a memory was deleted whose words the turn held: nothing of it is saved,
`owed` names the source of a recall that goes out with the next prompt, `known` lists ids that the context
holds (shown to it, or written by it), `turns` leads from a turn to its note. Lines are appended, files
replaced; nothing here is worth an fsync.

A client in which we are wired twice (a plugin beside `foreword install`) runs our hooks of one event side
by side. Who makes a prompt's file, or a start's, has heard it; the other finds the file and leaves.
"""

import os

from foreword import files, paths
from foreword.digest import of_text
from foreword.store.layout import QUESTION_LIMIT, is_id
from foreword.text.budget import head_and_tail
from foreword.text.redact import redact, window

TWIN_S = 3.0  # between two hooks of one event; a client session does not start twice within that


class Waiting:
    """The folder of one client session; every method does nothing when the session has no id."""

    def __init__(self, home, client, session):
        key = of_text(client + "\0" + session)[:24]
        self.folder = paths.session_folder(home, key) if session else ""
        self._lock = None

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, text, create_only=False):
        if self.folder:
            data, path = text.encode("utf-8", "replace"), self._path(name)
            try:
                files.write(path, data, files.FILE_MODE, durable=False, create_only=create_only)
            except FileNotFoundError:
                files.make_folder(self.folder)
                files.write(path, data, files.FILE_MODE, durable=False, create_only=create_only)

    def _claim(self, name, text=""):
        """Write a file that is not there yet; False when another process made it, or made it before."""
        try:
            self._write(name, text, create_only=True)
        except FileExistsError:
            if os.path.lexists(self._path(name)):
                return False
            raise  # a file where the folder should be
        return True

    def _read(self, name):
        raw = files.read(self._path(name)) if self.folder else None
        return raw.decode("utf-8", "replace") if raw else ""

    def lock(self, wait_s):
        """Keep other hooks of this client session out until `unlock`; after `wait_s` go on all the same."""
        if self.folder:
            self._lock = files.Lock(self.folder, wait_s)
            try:
                try:
                    self._lock.__enter__()
                except FileNotFoundError:
                    files.make_folder(self.folder)
                    self._lock.__enter__()
            except OSError:
                pass  # no disk to write on: what follows says so

    def unlock(self):
        if self._lock:
            self._lock.__exit__()
            self._lock = None

    def hear_start(self, source, now):
        """False when another process heard this start of the client session, within the last TWIN_S."""
        name = of_text(source)[:24] + ".start"
        if not self.folder or self._claim(name):
            return True
        self.lock(TWIN_S)  # a later compaction: of two processes only one may find the file old
        try:
            if abs(now - os.stat(self._path(name)).st_mtime) < TWIN_S:
                return False
            os.utime(self._path(name), (now, now))
            return True
        finally:
            self.unlock()

    def leave_prompt(self, turn, text):
        """Keep a prompt for Stop; False when another process heard it already. A second prompt of the same
        turn (a steered turn) is added to the first."""
        if not turn or not self.folder or self.is_gone(turn):
            return True
        text = head_and_tail(redact(window(text, QUESTION_LIMIT)), QUESTION_LIMIT)
        name = of_text(turn)[:24] + ".prompt"
        if self._claim(name, text):
            return True
        before = self._read(name)
        if before == text or not self._claim(of_text(turn + "\0" + text)[:24] + ".steered"):
            return False
        if text not in before:
            self._write(name, head_and_tail("\n\n".join(filter(None, (before, text))), QUESTION_LIMIT))
        return True

    def prompt(self, turn):
        return self._read(of_text(turn)[:24] + ".prompt") if turn else ""

    def leave_part(self, turn, text):
        self._write(of_text(turn)[:24] + ".part", text)

    def part(self, turn):
        return self._read(of_text(turn)[:24] + ".part")

    def is_gone(self, turn):
        """True when the user deleted a memory whose words this turn held: it gets no note."""
        return bool(self.folder) and os.path.exists(self._path(of_text(turn)[:24] + ".gone"))

    def leave_out(self, turn):
        """Nothing of a turn is kept: its prompt, or a file that its answer cites, is one that the user
        excluded. What of it waits already goes."""
        if turn and self.folder:
            self._write(of_text(turn)[:24] + ".gone", "")
            for ending in (".prompt", ".part"):
                files.remove(self._path(of_text(turn)[:24] + ending))

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

    def owe_recall(self, source):
        """Put a recall off until the next prompt; False when nothing can be kept for this session."""
        self._write("owed", source)
        return bool(self.folder)

    def owed_recall(self):
        """The source of the recall that was put off; "" when there is none."""
        return self._read("owed")

    def recall_was_handed(self):
        files.remove(self._path("owed"))

    def add_known(self, ids):
        if self.folder and ids:
            files.append(self._path("known"), "\n".join(ids).encode())

    def known(self):
        return {line for line in self._read("known").split() if is_id(line)}

    def context_was_emptied(self):
        """After /clear or compaction the context holds nothing of it any more."""
        if self.folder:
            files.remove(self._path("known"))
