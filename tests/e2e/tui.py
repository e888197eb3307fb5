"""Claude Code's terminal interface in a tmux of its own, for what print mode cannot do: /clear, /compact.

`eventually` is the one place that polls: a screen and a file of another process cannot be waited
for otherwise. Everything that the model sees is waited for through `Model.wait_for`.
"""

import os
import shlex
import shutil
import subprocess
import time

PATIENCE_S = 60.0
POLL_S = 0.05


def eventually(look, what, screen=None):
    """The first true value of `look()`. Raises AssertionError after PATIENCE_S, with the screen."""
    end = time.monotonic() + PATIENCE_S
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() >= end:
            raise AssertionError(f"{what} did not happen" + (f":\n{screen()}" if screen else ""))
        time.sleep(POLL_S)


def has_tmux():
    return shutil.which("tmux") is not None


class Terminal:
    """The terminal interface of a `Claude`. A context manager: leaving it ends the client.

    The tmux server has its own socket in the folder of the test, so no other session is touched.
    """

    COLUMNS, LINES = "160", "50"

    def __init__(self, claude, *arguments):
        self.claude = claude
        # A socket's path has at most 108 bytes; pytest's folders may be longer, so a relative one.
        self.socket = "tmux.sock"
        self.log = os.path.join(claude.folder, "debug-terminal.log")
        environment = [f"{key}={value}" for key, value in claude.environment.items()]
        self.command = [
            "env", "-i", *environment, claude.program, "--debug-file", self.log, *arguments,
        ]  # fmt: skip

    def __enter__(self):
        size = ["-x", self.COLUMNS, "-y", self.LINES]
        where = ["-s", "claude", "-c", self.claude.repo]
        self._tmux("new-session", "-d", *size, *where, "exec " + shlex.join(self.command))
        self.wait_until_shown("❯")
        return self

    def __exit__(self, *exc):
        self._tmux("kill-server")

    def _tmux(self, *arguments):
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", os.devnull, *arguments],
            cwd=self.claude.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout

    def screen(self):
        return self._tmux("capture-pane", "-p", "-t", "claude").rstrip()

    def wait_until_shown(self, text):
        eventually(lambda: text in self.screen(), f"{text!r} on the screen", self.screen)

    def wait_until_gone(self, text):
        eventually(lambda: text not in self.screen(), f"{text!r} off the screen", self.screen)

    def turns_done(self):
        """How many turns are over, their Stop hooks included: what the transcripts say."""
        texts = self.claude.transcripts()
        return sum(text.count('"subtype":"stop_hook_summary"') for text in texts)

    def wait_until_done(self, turns):
        eventually(lambda: self.turns_done() >= turns, f"the end of turn {turns}", self.screen)

    def debug(self):
        with open(self.log, encoding="utf-8") as f:
            return f.read()

    def submit(self, text):
        """Type a line and press Enter once it stands behind the prompt: earlier, Enter is pasted too."""
        self._tmux("send-keys", "-t", "claude", "-l", text)
        eventually(lambda: text in self._typed(), f"{text!r} behind the prompt", self.screen)
        self._tmux("send-keys", "-t", "claude", "Enter")

    def _typed(self):
        lines = [line for line in self.screen().splitlines() if line.startswith("❯")]
        return lines[-1] if lines else ""
