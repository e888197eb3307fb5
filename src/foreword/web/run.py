"""One run of the view: a port on 127.0.0.1, the address on stdout, the user's browser, and a clean end."""

import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser

import uvicorn

from foreword import memory
from foreword.errors import BUSY, DONE, ForewordError, NotFoundError
from foreword.web import app, shown, wrong
from foreword.web.impatient import Impatient
from foreword.web.pending import FAILED, LEFT

ADDRESS = "127.0.0.1"  # and no other, ever
TOKEN_BYTES = 24
GRACE_S = 3  # for answers that are under way when it ends
STOPPED = 130  # what shells report for a program that Ctrl-C ended
# A terminal that is closed sends the last of them; Windows has none.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Enough(BaseException):
    """Ctrl-C once more, while what waited is deleted."""


def serve(path=None, home=None, port=0, browser=True):
    """Serve the pages of a home until SIGINT, SIGTERM or SIGHUP; deletes that wait then are carried out. The
    exit code: DONE, that of a delete that failed and that nobody dismissed, STOPPED where Ctrl-C was given
    once more meanwhile: nothing waits for the rest then.

    Opens the project of a folder (`path`, default: the current one), or all projects where there is none.
    Raises NotFoundError for a given folder that is no project, ForewordError for a port that is taken and
    where there is no stdout for the address.
    """
    if sys.stdout is None:
        raise ForewordError(
            "stdout is closed, and the address that opens the view would be printed there",
            "leave it open: foreword view",
        )
    home, here = _start(path, home)
    view = shown.View(home, secrets.token_urlsafe(TOKEN_BYTES), here)
    listening = _listen(port)
    port = listening.getsockname()[1]
    first = f"/{view.token}/" + (f"p/{shown.part(here)}/" if here else "")
    once = secrets.token_urlsafe(TOKEN_BYTES)
    server = uvicorn.Server(
        uvicorn.Config(
            app.made(view, port, once, first), loop="asyncio", http=Impatient, ws="none", lifespan="off",
            log_config=None, log_level="critical", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=GRACE_S,
        )
    )  # fmt: skip
    ending = threading.Event()

    def stop(number, _):
        server.should_exit = True
        if ending.is_set() and number in (signal.SIGINT, signal.SIGTERM):
            raise _Enough

    # Uvicorn takes SIGINT and SIGTERM while it runs, and raises them again when it is done: these are there
    # then. What a program was started to ignore (nohup) it goes on to ignore.
    taken = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in taken}
    try:
        try:
            print(f"http://{ADDRESS}:{port}{first}", flush=True)
            wrong.say("Ctrl-C ends it")
            if browser:
                _open(f"http://{ADDRESS}:{port}/open/{once}")
            server.run(sockets=[listening])
        finally:
            ending.set()
            code = _finish(view.pending)
    except _Enough:
        code = _left(view.pending)
    finally:
        listening.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    return code


def _finish(pending):
    """Carry out the deletes that wait, tell each as it is done, and what failed before; the exit code."""
    told = []

    def tell(entry):
        told.append(entry.number)
        _tell(entry)

    if waiting := len(pending.all()):
        wrong.say(f"deleting {shown.counted(waiting, 'memory')}; Ctrl-C again leaves what is not done")
    pending.finish(tell)
    failed = pending.failed()
    for entry in failed:
        if entry.number not in told:
            _tell(entry)
    return max([DONE, *(entry.code for entry in failed)])


def _tell(entry):
    title, why = shown.line(entry.title), shown.line(entry.why)
    if entry.state == FAILED:
        wrong.say(f"not deleted: {title}: {why}")
    elif entry.state == LEFT:
        wrong.say(f"not wholly deleted: {title}: {why}")
    else:
        wrong.say(f"deleted: {title}")
    if entry.hint:
        wrong.say(f"hint: {entry.hint}")
    if entry.again:
        wrong.say(f"what it superseded stands again: {', '.join(entry.again)}")
        wrong.say(f"hint: foreword archive {' '.join(entry.again)}")


def _left(pending):
    """Say what was left undone when the user would not wait; the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # once more ends this, too
    for entry, is_there in pending.interrupted():
        title = shown.line(entry.title)
        if is_there:
            wrong.say(f"not deleted: {title}: you ended the view before")
        else:
            wrong.say(f"not wholly deleted: {title}: its words may still stand in the index")
            wrong.say("hint: foreword reindex")
    return STOPPED


def _start(path, home):
    """(home, name of the project to open or "")"""
    try:
        place = memory.open_project(path, home)
    except NotFoundError:
        if path:
            raise
        return memory.no_project(home).home, ""
    return place.home, place.name if os.path.isdir(place.folder) else ""


def _listen(port):
    """A socket that listens on the port, 0 for a free one."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name != "nt":  # there it would let two programs have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((ADDRESS, port))
        made.listen(64)
    except OSError as error:
        made.close()
        raise ForewordError(
            f"port {port} of {ADDRESS} cannot be had: {error.strerror}",
            "leave --port out, and a free one is taken",
            exit_code=BUSY,
        ) from error
    return made


def _open(address):
    """Open a browser, in a thread: one in the terminal would not come back before it is closed.

    The address is good for one visit and leads to the true one: other users of the machine can read a
    program's command line.
    """
    if not _has_screen():
        wrong.say("no browser can be opened here: open the address above")
        return

    def opening():
        try:
            opened = webbrowser.open(address)
        except (webbrowser.Error, OSError):
            opened = False
        if not opened:
            wrong.say("no browser could be opened: open the address above")

    threading.Thread(target=opening, daemon=True).start()


def _has_screen():
    if os.environ.get("BROWSER") or os.name == "nt" or sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
