"""The graph's file, as several programs use it at once: read when it changed, replaced in one step.

Our own processes take turns by a lock beside the file. The reference server knows no lock: it reads the whole
file and writes it back within milliseconds. So the file is read again before every change, looked at once
more before it is replaced, and a half that somebody writes in place is given time to become a whole.
"""

import os
import time
from stat import S_ISREG

from foreword import files
from foreword.errors import BusyError, ForewordError
from foreword.graph import backups, lines
from foreword.graph.archive import Archive

LOCK_S = 10.0
TRIES = 20  # how often a change is made anew because another program wrote meanwhile
# A time stamp of a file moves in steps (4 ms on ext4 with 250 ticks a second, 2 s on FAT): one as young as
# this may stand for two contents, so that the bytes are compared too.
YOUNG_S = 2.5
# The npm versions until 2026.7.4 write in place: what they have half written is whole some milliseconds
# later.
HALF_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)


class GraphFile:
    """One `memory.jsonl`. path: as it is named; real: where links lead, beside which the lock, the archive,
    backups and what is set aside stand; limits: place.Limits."""

    def __init__(self, path, limits):
        self.path, self.limits = path, limits
        self._graph, self._read_at = lines.Graph(), 0.0
        self._cleared_at = 0.0
        self._stamp: tuple | None = None
        self._waited_for: tuple | None = None  # no longer than once for one state of the file
        self._hash = None  # of the bytes that the Graph was made from; None: it must be made anew
        self._archive = None

    @property
    def real(self):
        return os.path.realpath(self.path)

    @property
    def archive(self):
        """The Archive beside the file."""
        folder = os.path.join(os.path.dirname(self.real), "archive")
        if self._archive is None or self._archive.folder != folder:
            self._archive = Archive(folder)
        return self._archive

    @property
    def set_aside(self):
        """Where lines go that are no records."""
        return self.real + ".unreadable"

    def exists(self):
        return os.path.exists(self.path)

    def read(self):
        """The Graph, an empty one where there is no file; the same object until the file changes. Raises
        ForewordError."""
        stamp = self._stamped()
        if self._hash is None or stamp != self._stamp or self._read_at - self._changed_at(stamp) < YOUNG_S:
            self._look()
        return self._graph

    def change(self, function):
        """Let `function(graph)` change the Graph as it is now in the file, and replace the file.

        Returns what the function returns, a change.Done. It may be called again, with a new Graph, when
        another program wrote meanwhile; it raises before it changes anything. The change is on the disk when
        this returns. Raises BusyError, ForewordError.
        """
        self.refuse_unwritable()
        real = self.real
        folder, name = os.path.split(real)
        try:
            files.make_folder(folder)
            with files.Lock(folder, LOCK_S, f".{name}.lock") as held:
                if not held:
                    raise BusyError(f"{self.path} is in use by another process", "try again")
                for _ in range(TRIES):
                    done = self._changed(real, function)
                    if done is not None:
                        return done
        except OSError as error:
            raise ForewordError(
                f"{self.path} cannot be written: {error.strerror}, nothing was changed", "ls -ld " + folder
            ) from error
        finally:
            if self._graph.changed:
                self._hash = None  # it holds what the file does not
        raise BusyError(f"{self.path} is written by another program all the time", "try again")

    def _changed(self, real, function):
        """One try of `change`; None when somebody else wrote meanwhile."""
        self._look()
        done = function(self._graph)
        if self._graph.changed:
            self._clear(os.path.dirname(real))
            data = self._graph.dump()
            if not self._replaced(real, data, done):
                self._hash = None
                return None
            self._graph.changed = False
            done.set_aside = len(self._graph.unreadable)
            self._graph.unreadable.clear()
            self._stamp, self._hash, self._read_at = self._stamped(), hash(data), 0.0
        try:
            for entity, observations in done.unarchived.items():
                done.archive_deleted += len(self.archive.remove(entity, observations))
            for entity in done.dropped:
                done.archive_deleted += self.archive.drop(entity)
            if done.renamed:
                self.archive.rename(*done.renamed)
        except (OSError, ForewordError) as error:
            raise ForewordError(
                f"the graph was changed, its archive was not: {error}", "foreword graph lint"
            ) from error
        return done

    def _replaced(self, real, data, done):
        """Put the new bytes in place, with what has to be kept elsewhere kept before; False where another
        program wrote meanwhile. All that takes time is done when the file is looked at for the last time:
        from then to the step there are some microseconds."""
        moving = dict(done.archived)  # into the archive first: in two places rather than in none
        if done.renamed:
            old, new = done.renamed
            moving[new] = moving.get(new, []) + self.archive.of(old)
        added = {}

        def keep():
            for entity, observations in moving.items():
                there = set(self.archive.of(entity))
                added[entity] = [text for text in observations if text not in there]
            if moving:
                self.archive.add_all(moving)
            self._set_aside(self._graph.unreadable)
            backups.daily(real, self.limits.backups, time.strftime("%Y-%m-%d", time.gmtime()))
            return self._stamped() != self._stamp

        is_done = False
        try:
            is_done = files.write(real, data, unless=keep)
        finally:
            for entity, observations in added.items() if not is_done else ():
                try:
                    self.archive.remove(entity, observations)  # what was refused is stored nowhere
                except (OSError, ForewordError):
                    pass  # in two places now; lint tells
        return is_done

    def _clear(self, folder):
        """Now and then remove what writers that were killed left here: it may hold what was deleted since."""
        if time.time() - self._cleared_at > files.LEFT_S:
            self._cleared_at = time.time()
            files.clear_left(folder)

    # -- looking -------------------------------------------------------------------------------

    def _stamped(self):
        """(mtime in ns, bytes, inode, device) of the file; None where there is none. Raises ForewordError."""
        try:
            stat = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreadable(error) from error
        if not S_ISREG(stat.st_mode):
            # A device or a pipe would be read for ever, and replaced by a file.
            raise ForewordError(f"{self.path} is no regular file", "ls -ld " + self.path)
        return stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_dev

    @staticmethod
    def _changed_at(stamp):
        return stamp[0] / 1e9 if stamp else 0.0

    def _look(self):
        """Read the file, and parse it where its bytes are others than those that were parsed."""
        for pause in (*HALF_S, 0.0):
            stamp, now = self._stamped(), time.time()
            data = self._bytes()
            if self._hash is None or hash(data) != self._hash:
                self._graph, self._hash = lines.parse(data), hash(data)
            self._stamp, self._read_at = stamp, now
            if not pause or (stamp == self._stamped() and not self._is_half(stamp, data, now)):
                break
            time.sleep(pause)
        self._waited_for = self._stamp

    def _is_half(self, stamp, data, now):
        """Whether somebody may be at writing the file in place: just emptied, or without its end."""
        if not stamp or stamp == self._waited_for or abs(now - self._changed_at(stamp)) > YOUNG_S:
            return False
        torn = self._graph.unreadable and not data.endswith(b"\n")
        return not data or (torn and data.endswith(self._graph.unreadable[-1][1]))

    def _bytes(self):
        try:
            return files.read(self.path) or b""
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error):
        return ForewordError(f"{self.path} cannot be read: {error.strerror}", "ls -ld " + self.path)

    # -- writing -------------------------------------------------------------------------------

    def refuse_unwritable(self):
        """Raise ForewordError for a read-only file, also for root, and though the folder would allow to
        replace it."""
        try:
            mode = os.stat(self.path).st_mode
        except OSError:
            return
        if not mode & 0o222 or not os.access(self.path, os.W_OK):
            raise ForewordError(f"{self.path} is read-only, nothing was changed", "chmod u+w " + self.path)

    def _set_aside(self, unreadable):
        """Keep lines that are no records, durably, beside the file, before it is written without them."""
        if not unreadable:
            return
        kept = files.read(self.set_aside) or b""
        known = set(kept.split(b"\n"))  # from a write that failed after this step
        new = [raw for _, raw, _ in unreadable if raw not in known]
        if new:
            between = b"" if not kept or kept.endswith(b"\n") else b"\n"
            files.write(self.set_aside, kept + between + b"\n".join(new) + b"\n")
