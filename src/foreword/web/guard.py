"""Who may ask: nothing reaches a page unless it comes from the user's own browser, by the run's address.

Pure ASGI, before everything else. Any program and any web page can send requests to a loopback port; so
the host must be ours by name (a foreign name that points here is DNS rebinding), the address must hold the
run's token, and a POST must come from our own pages.
"""

import hmac

METHODS = ("GET", "HEAD", "POST")
# What browsers say of a request that does not come from another site; None where they say nothing.
SITES = (None, "same-origin", "same-site", "none")
LARGEST_BODY = 1 << 20  # bytes; the largest form holds one memory, at most 68,000 characters
BODY = "foreword.body"  # where in a request's scope its body is (bytes): sync pages cannot wait for one
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not no-referrer: with that, browsers send `Origin: null` with our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
NO_STORE = (b"cache-control", b"no-store")

# What is refused -> status and words. They name nothing of the store: whoever reads them may be anybody.
REFUSALS = {
    "host": (421, "This address is not the view's. Use the one that foreword view printed."),
    "token": (403, "This address holds no valid token. Run foreword view again and use what it prints."),
    "origin": (403, "This request did not come from a page of the view."),
    "method": (405, "The view takes GET, HEAD and POST."),
    "cut": (400, "The request ended before it was whole."),
    "body": (413, "That is more than the view takes: 1 MiB. Nothing was saved; go back for what you typed."),
}


class Guard:
    """An ASGI application around another: `token` is that of the run, `port` the one it listens on.

    `once`: a second key, good for one GET of `/open/<once>`, which leads to the start page `start`. It is
    for the command line of a browser, which other users of the machine can read.
    """

    def __init__(self, app, token, port, once="", start=""):
        self.app = app
        self.token = token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.once = once
        self.start = start

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # the server has no other: closed without an answer
        wrong = self._wrong(scope)
        if not wrong and self._opens(scope):
            await _answer(send, 303, b"", (b"location", self.start.encode()))
            return
        wrong = wrong or self._without_token(scope)
        body = b""
        if not wrong and scope["method"] == "POST":
            body, wrong = await _body(receive)
        if wrong:
            status, words = REFUSALS[wrong]
            allow = ((b"allow", ", ".join(METHODS).encode()),) if status == 405 else ()
            await _answer(send, status, b"" if scope["method"] == "HEAD" else _told(words), *allow)
            return
        scope[BODY] = body
        await self.app(scope, _again(body, receive), _with_headers(send))

    def _wrong(self, scope):
        """The word of REFUSALS for what is wrong with a request besides its token; "" for nothing."""
        method = scope["method"]
        host = _only(scope, b"host")
        if host not in self.hosts:
            return "host"
        if method not in METHODS:
            return "method"
        is_foreign = _only(scope, b"sec-fetch-site") not in SITES
        if method == "POST" and (_only(scope, b"origin") != "http://" + host or is_foreign):
            return "origin"
        if is_foreign and _only(scope, b"sec-fetch-mode") != "navigate":
            return "origin"  # another site takes a picture or a script of ours; following a link is fine
        length = _only(scope, b"content-length")
        if length is None or (length.isascii() and length.isdigit() and int(length) <= LARGEST_BODY):
            return ""
        return "body"

    def _without_token(self, scope):
        given = scope["path"].partition("/")[2].partition("/")[0]
        return "" if _same(given, self.token) else "token"

    def _opens(self, scope):
        if not self.once or scope["method"] != "GET" or not _same(scope["path"], "/open/" + self.once):
            return False
        self.once = ""
        return True


def _same(given, ours):
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), ours.encode())


def _only(scope, name):
    """The value of a header; None when it is missing, and "" when it is there twice."""
    found = [value for key, value in scope["headers"] if key == name]
    if not found:
        return None
    return found[0].decode("latin-1") if len(found) == 1 else ""


async def _body(receive):
    """(the whole body, word of REFUSALS for what is wrong with it or "")"""
    pieces, held = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"", "cut"  # half a form is none
        pieces.append(message.get("body", b""))
        held += len(pieces[-1])
        if held > LARGEST_BODY:
            return b"", "body"
        if not message.get("more_body"):
            return b"".join(pieces), ""


def _again(body, receive):
    """`receive` for the application, with the body that was read already."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def again():
        return left.pop() if left else await receive()

    return again


def _with_headers(send):
    async def sent(message):
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            names = {name.lower() for name, _ in own}
            added = [header for header in (*HEADERS, NO_STORE) if header[0] not in names]
            message = {**message, "headers": [*own, *added]}
        await send(message)

    return sent


def _told(words):
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Refused</title></head>'
        f"<body><main><h1>Refused</h1><p>{words}</p></main></body></html>"
    ).encode()


async def _answer(send, status, body, *headers):
    own = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    sent = _with_headers(send)
    await sent({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await sent({"type": "http.response.body", "body": body})
