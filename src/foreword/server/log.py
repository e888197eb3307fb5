"""What went wrong inside the server: one line, told on stderr and kept in the bounded log."""

import os
import time

from foreword import files, paths


def report(what, error):
    """One line on stderr and in the log that `foreword doctor` shows: the error's kind and place, never
    what was asked or stored. Returns the error in words."""
    told, trace = type(error).__name__, error.__traceback__
    if isinstance(error, OSError) and error.strerror:
        told += ": " + error.strerror
    at = ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "foreword" in name:
            at = " at %s:%d" % (os.path.basename(name), trace.tb_lineno)
        trace = trace.tb_next
    told += at
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} server {what}: {told}".encode("utf-8", "replace")
    try:
        os.write(2, line + b"\n")
        if paths.home():
            files.append(paths.hook_log(paths.home()), line, rotate=1)
    except OSError:
        pass  # stderr is closed, or the home cannot be written: there is nowhere left to tell
    return told
