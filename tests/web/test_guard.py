"""Who is refused, and with which words: nothing of the store reaches anybody but the user's own browser."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import memory
from foreword.web.guard import BODY, LARGEST_BODY, Guard
from web.conftest import OWN, PORT, TOKEN, Site

HOST = f"127.0.0.1:{PORT}"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
FORM = {"host": HOST, "origin": OWN}


async def _page(scope, receive, send):
    """An application that says what it was asked for, and with which body."""
    message = await receive()
    assert message["body"] == scope[BODY]
    headers = [(b"x-length", str(len(scope[BODY])).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"secret of the store"})


def asked(method="GET", path=f"/{TOKEN}/", headers=None, body=b"", guard=None, pieces=1):
    """(status, {header: value}, body) of one request; headers: a dict, or pairs where one is there twice."""
    headers = {"host": HOST} if headers is None else headers
    pairs = list(headers.items()) if isinstance(headers, dict) else headers
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in pairs],
    }
    each = -(-len(body) // pieces) or 1
    parts = [body[at : at + each] for at in range(0, len(body), each)] or [b""]
    left = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    left[-1]["more_body"] = False
    sent = []

    async def receive():
        return left.pop(0)

    async def send(message):
        sent.append(message)

    guard = guard or Guard(_page, TOKEN, PORT)
    asyncio.run(guard(scope, receive, send))
    answered = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(m.get("body", b"") for m in sent[1:])


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_the_own_address_is_answered_by_each_of_its_names(host):
    assert asked(headers={"host": host})[0] == 200
    assert asked("POST", headers={"host": host, "origin": f"http://{host}"})[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": ""},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:80"},
        {"host": f"evil.example:{PORT}"},
        {"host": f"127.0.0.1.evil.example:{PORT}"},
        {"host": f"localhost.:{PORT}"},
        {"host": f"evil@127.0.0.1:{PORT}"},
        [("host", HOST), ("host", HOST)],
        [("host", HOST), ("host", f"evil.example:{PORT}")],
    ],
)
def test_any_other_host_is_refused(headers):
    status, _, body = asked(headers=headers)
    assert status == 421
    assert b"secret" not in body


@pytest.mark.parametrize(
    "path",
    ["/", "", "//", f"/{TOKEN[:-1]}/", f"/{TOKEN}x/", f"//{TOKEN}/", f"/{TOKEN.upper()}/", "/é/",
     "/favicon.ico", f"/p/{TOKEN}/", "/static/view.css", "/open/", "/open/x", f"/./{TOKEN}/"],
)  # fmt: skip
def test_without_the_token_everything_is_refused(path):
    for method, headers in (("GET", {"host": HOST}), ("POST", FORM)):
        status, _, body = asked(method, path, headers)
        assert status == 403
        assert b"secret" not in body
        assert TOKEN.encode() not in body
        assert b"Run foreword view again" in body


def test_the_refusal_is_the_same_whether_or_not_there_is_such_a_page(site, place):
    memory.save(place, "Geese guard the barn.", title="Geese")
    texts = set()
    for path in ("/", f"/wrong/p/{place.name}/", "/wrong/p/none-00000000/", "/wrong/static/view.css"):
        answer = site.client.get(path)
        assert answer.status_code == 403
        texts.add(answer.text)
    assert len(texts) == 1
    assert place.name not in texts.pop()


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HOST},
        {"host": HOST, "origin": "null"},
        {"host": HOST, "origin": ""},
        {"host": HOST, "origin": "http://evil.example"},
        {"host": HOST, "origin": f"https://{HOST}"},
        {"host": HOST, "origin": "http://127.0.0.1"},
        {"host": HOST, "origin": f"http://127.0.0.1:{PORT + 1}"},
        {"host": HOST, "origin": f"http://localhost:{PORT}"},  # ours, and not where the form was shown
        {"host": HOST, "origin": OWN, "sec-fetch-site": "cross-site"},
        {"host": HOST, "origin": OWN, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        [("host", HOST), ("origin", OWN), ("origin", "http://evil.example")],
        [("host", HOST), ("origin", OWN), *[("sec-fetch-site", "same-origin")] * 2],
        {"host": HOST, "origin": OWN, "sec-fetch-site": ""},
        {"host": HOST, "origin": OWN, "sec-fetch-site": "somewhere"},
    ],
)
def test_a_form_that_no_page_of_ours_sent_is_refused(headers):
    status, _, body = asked("POST", headers=headers, body=b"title=x")
    assert status == 403
    assert b"secret" not in body


@pytest.mark.parametrize(
    ("mode", "status"), [("navigate", 200), ("no-cors", 403), ("cors", 403), ("websocket", 403)]
)
def test_a_link_from_elsewhere_works_and_a_picture_or_script_does_not(mode, status):
    headers = {"host": HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
    assert asked(headers=headers)[0] == status


@pytest.mark.parametrize("site", ["same-origin", "same-site", "none"])
def test_what_browsers_say_of_our_own_pages_is_taken(site):
    assert asked("POST", headers={**FORM, "sec-fetch-site": site})[0] == 200
    assert asked(headers={"host": HOST, "sec-fetch-site": site, "sec-fetch-mode": "cors"})[0] == 200


def test_a_site_that_is_named_twice_is_foreign():
    twice = [("host", HOST), ("sec-fetch-site", "cross-site"), ("sec-fetch-site", "cross-site")]
    assert asked(headers=[*twice, ("sec-fetch-mode", "no-cors")])[0] == 403
    assert asked(headers=[*twice, ("sec-fetch-mode", "navigate")])[0] == 200  # a link from elsewhere


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"])
def test_other_methods_are_refused(method):
    status, headers, body = asked(method, headers=FORM)
    assert (status, headers["allow"]) == (405, "GET, HEAD, POST")
    assert b"secret" not in body


def test_a_body_of_up_to_one_mebibyte_is_taken_however_it_comes():
    for pieces in (1, 7):
        status, headers, _ = asked("POST", headers=FORM, body=b"x" * LARGEST_BODY, pieces=pieces)
        assert (status, headers["x-length"]) == (200, str(1 << 20))


@pytest.mark.parametrize("pieces", [1, 7])
def test_a_larger_body_is_refused_also_without_its_length(pieces):
    assert asked("POST", headers=FORM, body=b"x" * (LARGEST_BODY + 1), pieces=pieces)[0] == 413


@pytest.mark.parametrize("length", [str(LARGEST_BODY + 1), "-1", "x", "", "9" * 30, "²"])
def test_a_length_that_is_too_large_or_none_is_refused_before_the_body_is_read(length):
    for method in ("GET", "POST"):
        status, _, body = asked(method, headers={**FORM, "content-length": length})
        assert status == 413
        assert b"go back for what you typed" in body


def test_a_browser_that_hangs_up_in_the_middle_of_a_form_harms_nothing():
    async def hang_up():
        return {"type": "http.disconnect"}

    called, sent = [], []

    async def page(scope, receive, send):
        called.append(scope[BODY])

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/"}
    scope["headers"] = [(key.encode(), value.encode()) for key, value in FORM.items()]
    asyncio.run(Guard(page, TOKEN, PORT)(scope, hang_up, send))
    assert (called, sent[0]["status"]) == ([], 400)


def test_a_head_request_gets_no_body_when_it_is_refused():
    assert asked("HEAD", "/")[::2] == (403, b"")


def test_every_answer_tells_the_browser_to_keep_to_itself(site):
    answers = [
        site.client.get("/"),
        site.client.put(f"/{TOKEN}/"),
        site.client.get(f"/{TOKEN}/", headers={"host": "evil.example"}),
        site.get("/"),
        site.get("/nothing", 404),
        site.get("/static/view.css"),
    ]
    for answer in answers:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_only_a_file_that_is_named_by_its_digest_may_be_kept(site):
    address = re.search(r'href="/t+(/static/view\.css\?v=[0-9a-f]{16})"', site.page("/")).group(1)
    assert "immutable" in site.get(address).headers["cache-control"]
    assert site.get("/static/view.css?v=0").headers["cache-control"] == "no-store"
    site.get("/static/view.py", 404)
    site.get("/static/../app.py", 404)


def test_the_key_of_the_browser_opens_once_and_leads_to_the_true_address(home):
    site = Site(home, once="k" * 32, first=f"/{TOKEN}/")
    assert site.client.head(f"/open/{'k' * 32}").status_code == 403
    assert site.client.get(f"/open/{'x' * 32}").status_code == 403
    answer = site.client.get(f"/open/{'k' * 32}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/{TOKEN}/")
    assert site.client.get(f"/open/{'k' * 32}", follow_redirects=False).status_code == 403


def test_without_such_a_key_nothing_opens():
    assert asked(path="/open/", guard=Guard(_page, TOKEN, PORT))[0] == 403


def test_a_web_socket_gets_no_answer():
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(Guard(_page, TOKEN, PORT)({"type": "websocket", "headers": []}, None, send))
    assert sent == []


@given(
    st.sampled_from(["GET", "HEAD", "POST", "PUT"]),
    st.text(max_size=40),
    st.lists(
        st.tuples(
            st.sampled_from(["host", "origin", "sec-fetch-site", "content-length"]),
            st.text(st.characters(max_codepoint=255), max_size=30),
        ),
        max_size=4,
    ),
)
def test_whatever_is_asked_without_the_token_gets_an_answer_of_ours(method, path, headers):
    status, answered, body = asked(method, "/" + path, [("host", HOST), *headers])
    assert status in (400, 403, 405, 413, 421)
    assert b"secret" not in body
    assert answered["cache-control"] == "no-store"
