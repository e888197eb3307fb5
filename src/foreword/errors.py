"""What goes wrong for a user, and the exit codes. The bottom room: imports nothing of ours.

`message` says what was wrong with which file or value; `hint` is the next command to type.
"""

DONE, NO, USAGE, BUG, BUSY, DAMAGED = range(6)


class ForewordError(Exception):
    """An error a person can act on; printed as `error: MESSAGE` and `hint: HINT`, never a traceback."""

    exit_code = USAGE

    def __init__(self, message, hint="", exit_code=None):
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code


class NotFoundError(ForewordError):
    exit_code = NO


class BusyError(ForewordError):
    exit_code = BUSY


class DamagedError(ForewordError):
    exit_code = DAMAGED
