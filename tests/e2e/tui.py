"""A client's terminal interface in a tmux of its own, for what its other mode cannot do: /clear, /compact.

`eventually` is the one place that polls: a screen and a file of another process cannot be waited
for otherwise. Everything that the model sees is waited for through `Model.wait_for`.
"""

import itertools
import os
import shlex
import shutil
import subprocess
import time

from e2e.home import read

PATIENCE_S = 60.0
POLL_S = 0.05
# The last that the client's debug log says of a server that it starts, after it has the list of tools.
SERVER_READY = 'MCP server "foreword": Channel notifications'


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


def answer(screen, model, prompt, *turns, told=None):
    """Submit a prompt that is answered by `turns`, and wait until its turn is over with the Stop hook run;
    the Request of the prompt, known by the text `told` where the client sends another than what was typed."""
    since = len(model.requests)
    done = screen.turns_done()
    model.script(*turns)
    screen.submit(prompt)
    request = model.wait_for(lambda r: (told or prompt) in r.new_text, since, what=prompt)
    screen.wait_until_done(done + 1)
    return request


def has_tmux():
    return shutil.which("tmux") is not None


class Screen:
    """A command of the user of `home` in a terminal. A context manager: leaving it ends the command.

    The tmux server has its own socket in the folder of the test, so no other session is touched.
    """

    COLUMNS, LINES = "160", "50"
    numbers = itertools.count()
    SIGN = ""  # what the line starts with in which the user types

    def __init__(self, home, *command):
        self.home = home
        # A socket's path has at most 108 bytes; pytest's folders may be longer, so a relative one. One
        # each: the server of the last terminal may still be on its way out.
        self.socket = "tmux-%d.sock" % next(self.numbers)
        environment = [f"{key}={value}" for key, value in home.environment.items()]
        self.command = ["env", "-i", *environment, *command]

    def __enter__(self):
        size = ["-x", self.COLUMNS, "-y", self.LINES]
        where = ["-s", "client", "-c", self.home.repo]
        self._tmux("new-session", "-d", *size, *where, "exec " + shlex.join(self.command), check=True)
        try:
            self.wait_until_shown(self.SIGN)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        self._tmux("kill-server")

    def _tmux(self, *arguments, check=False):
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", os.devnull, *arguments],
            cwd=self.home.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def screen(self):
        return self._tmux("capture-pane", "-p", "-t", "client").rstrip()

    def wait_until_shown(self, text):
        eventually(lambda: text in self.screen(), f"{text!r} on the screen", self.screen)

    def wait_until_gone(self, text):
        eventually(lambda: text not in self.screen(), f"{text!r} off the screen", self.screen)

    def turns_done(self):
        """How many turns are over, their Stop hooks included: what the client's own logs say."""
        raise NotImplementedError

    def wait_until_done(self, turns):
        eventually(lambda: self.turns_done() >= turns, f"the end of turn {turns}", self.screen)

    def submit(self, text):
        """Type a line and press Enter once it stands behind the sign: earlier, Enter is pasted too."""
        self._tmux("send-keys", "-t", "client", "-l", text)
        eventually(lambda: text in self._typed(), f"{text!r} behind the sign", self.screen)
        self.press("Enter")

    def press(self, key, until=""):
        """Press a key; again until the screen shows `until`: a client that has just started drops keys."""

        def pressed():
            self._tmux("send-keys", "-t", "client", key)
            return until in self.screen()

        eventually(pressed, f"{until!r} on the screen", self.screen)

    def _typed(self):
        lines = [line for line in self.screen().splitlines() if line.startswith(self.SIGN)]
        return lines[-1] if lines else ""


class Terminal(Screen):
    """Claude Code's terminal interface."""

    SIGN = "❯"

    def __init__(self, claude, *arguments):
        self.claude = claude
        self.log = os.path.join(claude.folder, "debug-terminal.log")
        super().__init__(claude, claude.program, "--debug-file", self.log, *arguments)

    def __enter__(self):
        super().__enter__()
        # The client takes prompts before it has asked the server for its tools: the model that a quick
        # test has answer at once would find none (2.1.197, 2026-11-30).
        if '"foreword"' in read(self.claude.state_file):
            eventually(lambda: SERVER_READY in read(self.log), "the server's connection", self.screen)
        return self

    def turns_done(self):
        texts = self.claude.transcripts()
        return sum(text.count('"subtype":"stop_hook_summary"') for text in texts)

    def debug(self):
        return read(self.log)
