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
from foreword.errors import BUSY, ForewordError, NotFoundError
from foreword.web import app, shown

ADDRESS = "127.0.0.1"  # and no other, ever
TOKEN_BYTES = 24
GRACE_S = 3  # for answers that are under way when it ends


def serve(path=None, home=None, port=0, browser=True):
    """Serve the pages of a home until SIGINT or SIGTERM; deletes that wait then are carried out.

    Opens the project of a folder (`path`, default: the current one), or all projects where there is none.
    Raises NotFoundError for a given folder that is no project, ForewordError for a port that is taken.
    """
    home, here = _start(path, home)
    view = shown.View(home, secrets.token_urlsafe(TOKEN_BYTES), here)
    listening = _listen(port)
    port = listening.getsockname()[1]
    first = f"/{view.token}/" + (f"p/{shown.part(here)}/" if here else "")
    once = secrets.token_urlsafe(TOKEN_BYTES)
    server = uvicorn.Server(
        uvicorn.Config(
            app.made(view, port, once, first), loop="asyncio", http="h11", ws="none", lifespan="off",
            log_config=None, log_level="critical", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=GRACE_S,
        )
    )  # fmt: skip

    def stop(*_):
        server.should_exit = True

    # Uvicorn takes the signals while it runs, and raises them again when it is done: these are there then.
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        print(f"http://{ADDRESS}:{port}{first}", flush=True)
        print("Ctrl-C ends it", file=sys.stderr, flush=True)
        if browser:
            _open(f"http://{ADDRESS}:{port}/open/{once}")
        server.run(sockets=[listening])
    finally:
        for title, error in view.pending.finish():
            told = f"not deleted: {shown.line(title)}: {error}" if error else f"deleted: {shown.line(title)}"
            print(told, file=sys.stderr)
        listening.close()
        for number, handler in before.items():
            signal.signal(number, handler)


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
        print("no browser can be opened here: open the address above", file=sys.stderr, flush=True)
        return

    def opening():
        try:
            opened = webbrowser.open(address)
        except (webbrowser.Error, OSError):
            opened = False
        if not opened:
            print("no browser could be opened: open the address above", file=sys.stderr, flush=True)

    threading.Thread(target=opening, daemon=True).start()


def _has_screen():
    if os.environ.get("BROWSER") or os.name == "nt" or sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
