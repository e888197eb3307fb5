"""Lines from a pipe, as bytes, and the signals that end the wait for them. Knows nothing of JSON."""

import os
import signal
import sys
import time

LARGEST = 8 << 20  # bytes; a longer line is passed over


class Ending:
    """SIGINT and SIGTERM: at once while a line is waited for, else after the answer in hand.

    Claude Code 2.1.197 sends SIGINT, SIGTERM after 100 ms, SIGKILL after 400 more, and leaves stdin
    open. The second signal stops a call that takes long: writes are atomic, none is half done.
    """

    def __init__(self):
        self.asked = self.waiting = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self)

    def __call__(self, number, frame):
        if self.waiting:
            os._exit(0)
        if self.asked:
            raise SystemExit(0)
        self.asked = True


class Lines:
    """Lines of a descriptor, however they arrive, with a limit on their length."""

    TOO_LONG = object()
    LATE = object()

    def __init__(self, fd, ending):
        self.fd, self.ending = fd, ending
        self.buffer = bytearray()
        self.ended = self.skipping = False

    def next(self, wait_s=None):
        """The next line (bytes, without its end); TOO_LONG in place of one over LARGEST; LATE after
        `wait_s` seconds; None when there are no more or a signal came."""
        end = None if wait_s is None else time.monotonic() + wait_s
        looked_at = 0
        while not self.ending.asked:
            at = self.buffer.find(b"\n", looked_at)
            if at < 0 and len(self.buffer) > LARGEST:
                self.skipping = True
                self.buffer.clear()
            if at >= 0 or (self.ended and (self.buffer or self.skipping)):
                return self._taken(at if at >= 0 else len(self.buffer))
            if self.ended:
                break
            looked_at = len(self.buffer)
            if not self._read(end):
                return self.LATE
        return None

    def _taken(self, size):
        line = bytes(self.buffer[:size])
        del self.buffer[: size + 1]
        skipped = self.skipping or size > LARGEST
        self.skipping = False
        return self.TOO_LONG if skipped else line

    def _read(self, end):
        """Wait for bytes and take them; False when there were none at `end`."""
        self.ending.waiting = True
        try:
            if self.ending.asked:  # the signal came just before we said that we wait
                return True
            if end is not None and not readable(self.fd, end - time.monotonic()):
                return False
            block = os.read(self.fd, 1 << 16)
        except OSError:  # the terminal hung up, or there never was a stdin
            block = b""
        finally:
            self.ending.waiting = False
        self.ended = not block
        self.buffer += block
        return True


def readable(fd, wait_s):
    """True once there is something to read (or the end of it); False after `wait_s` seconds."""
    if sys.platform != "win32":
        import select  # cold: few clients leave us to ask for their roots

        return bool(select.select([fd], [], [], max(0, wait_s))[0])
    import _winapi
    import msvcrt

    end = time.monotonic() + wait_s
    while time.monotonic() < end:  # select knows only sockets there, so the pipe is looked into
        try:
            if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0]:
                return True
        except OSError:
            return True  # closed, or no pipe: reading tells
        time.sleep(0.01)
    return False
