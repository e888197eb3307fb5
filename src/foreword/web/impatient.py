"""HTTP/1.1 for a port that any program of the machine can reach: who connects and sends no whole request is
cut off.

Uvicorn waits for ever for the first request of a connection and for a body. A thousand idle connections take
all descriptors of the process then, and no page opens.
"""

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20.0  # from the beginning of a connection, or of a request after another, to its whole head
BODY_S = 60.0  # and from there to its whole body; the largest has 1 MiB


class Impatient(H11Protocol):
    """Uvicorn's protocol, with a time by which a request must be there."""

    _late = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self._expect(HEAD_S)

    def data_received(self, data):
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self._late is None:
            self._expect(HEAD_S)  # uvicorn's own time for a connection that is kept ended with this byte
        super().data_received(data)

    def handle_events(self):
        before = self.cycle
        super().handle_events()
        if self.cycle is None or self.cycle.response_complete:
            return  # no new request yet
        if not self.cycle.more_body:
            self._expect(None)
        elif self.cycle is not before:
            self._expect(BODY_S)

    def connection_lost(self, exc):
        self._expect(None)
        super().connection_lost(exc)

    def _expect(self, within_s):
        """Cut the connection off after so many seconds (None: not at all), instead of what was set before."""
        if self._late is not None:
            self._late.cancel()
        self._late = None if within_s is None else self.loop.call_later(within_s, self.transport.close)
