"""One client event: stdin to answer. Hot; the process ends here.

Never blocks and never fails: whatever the input or the state of the disk, the exit code is 0, stderr
stays empty, stdout is one valid answer or nothing, and a watchdog ends the process at half of the
timeout it was installed with. What went wrong is one line in log/hook.log.
"""

import _thread
import json
import os
import sys
import time

from foreword import clients, files, paths

# event -> (module, seconds until the watchdog: half of the timeout clients are told)
EVENTS = {
    "prompt": ("foreword.hook.prompt", 2.5),
    "stop": ("foreword.hook.stop", 5.0),
    "session-start": ("foreword.hook.session_start", 5.0),
}
LARGEST_STDIN = 16 * 1024 * 1024


class TooLargeError(Exception):
    pass


def main(arguments):
    """Run one event and end the process with exit code 0."""
    output = b""
    client, event = (*arguments, "", "")[:2]
    if client not in clients.HOOKED or event not in EVENTS:
        _log("unknown hook: " + " ".join(arguments)[:200])
        _end(b"")
    module, deadline_s = EVENTS[event]
    try:
        _thread.start_new_thread(_watch, (deadline_s, client, event))
        payload = json.loads(_stdin())
        if isinstance(payload, dict):
            wire = clients.wire(client)
            heard = wire.hear(event, payload)
            if heard is not None:
                home = paths.home()
                _note_fired(home, client, event)
                answer, problem, *notice = _load(module).run(client, heard, home, time.time())
                if answer:
                    output = wire.say(event, answer, *notice)
                if problem is not None:
                    _log(f"{client} {event}: {_told(problem)}")
        else:
            _log(f"{client} {event}: the payload is no object")
    except BaseException as error:  # noqa: BLE001  a hook never fails, whatever it was
        output = b""
        _log(f"{client} {event}: {_told(error)}")
    _end(output)


def _note_fired(home, client, event):
    """Leave behind when this hook last ran, for `foreword doctor`: a hook that is installed may still never
    run. Costs one call once the file is there."""
    if not home:
        return
    path = paths.fired(home, client, event)
    try:
        os.utime(path)
    except OSError:
        try:
            if os.path.isdir(home):
                files.make_folder(os.path.dirname(path))
                files.write(path, b"", durable=False)
        except OSError:
            pass  # read-only or full: what the hook does counts, not that it was noted


def _load(name):
    __import__(name)
    return sys.modules[name]


def _stdin():
    """All of stdin; TooLargeError (after draining it, so that the writer never fails) over the limit."""
    blocks = []
    size = 0
    while block := os.read(0, 1 << 20):
        size += len(block)
        if size <= LARGEST_STDIN:
            blocks.append(block)
        else:
            blocks.clear()
    if size > LARGEST_STDIN:
        raise TooLargeError("%d bytes on stdin, nothing done" % size)
    return b"".join(blocks)


def _watch(deadline_s, client, event):
    time.sleep(deadline_s)
    _log(f"{client} {event}: gave up after {deadline_s:.1f} s")
    os._exit(0)


def _told(error):
    """Where and what, never the payload: texts of users must not reach the log."""
    at = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "foreword" in code.co_filename:
            at = " (%s:%d)" % (os.path.basename(code.co_filename), trace.tb_lineno)
        trace = trace.tb_next
    if isinstance(error, OSError):
        told = error.strerror or ""
    elif isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
        told = "at byte {}".format(getattr(error, "pos", getattr(error, "start", "?")))
    elif isinstance(error, TooLargeError) or type(error).__module__ in (
        "sqlite3",
        "foreword.index.schema",
    ):
        # SQLite quotes what stands in a row that it cannot decode: that would be a user's text.
        told = _unquoted(str(error))
    else:
        told = ""
    return "{}{}{}".format(type(error).__name__, ": " + told if told else "", at)


def _unquoted(text):
    return text if "'" not in text and '"' not in text else ""


def _log(line):
    try:
        home = paths.home()
        if home:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            text = "{} {}".format(stamp, " ".join(line.split())[:500])
            files.append(paths.hook_log(home), text.encode("utf-8", "replace"), rotate=1)
    except Exception:  # noqa: BLE001  the log is the last resort; there is nowhere left to tell
        pass


def _end(output):
    """Print once and leave without the interpreter's farewell (2 ms here)."""
    try:
        view = memoryview(output)
        while view:
            view = view[os.write(1, view) :]
    except OSError:
        pass  # the client closed the pipe
    os._exit(0)
