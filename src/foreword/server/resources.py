"""One document as a resource of the protocol: listed, read, and told about to whoever subscribed.

Knows nothing of what the document holds. A client subscribes by `resources/subscribe`, or, in revisions
where each request carries its revision, by a `subscriptions/listen` that stays unanswered while it holds.
"""

from foreword.errors import ForewordError
from foreword.server.protocol import CACHED, INTERNAL_ERROR, INVALID_PARAMS, ProtocolError

CAPABILITIES = {"resources": {"subscribe": True}}
NOT_FOUND = -32002  # of a resource; newer revisions have -32602 for it
_ID = "io.modelcontextprotocol/subscriptionId"
_UPDATED, _HEARD = "notifications/resources/updated", "notifications/subscriptions/acknowledged"
_NOW = {"ttlMs": 0, "cacheScope": "private"}  # a document may change at any time


def methods(resource, read, begin, not_found=NOT_FOUND):
    """{method: function(session, params)} for `protocol.serve`.

    resource: {uri, name, mimeType, ...} as resources/list shows it; read(session): its text; begin(session):
    called when a subscription starts; not_found: the error's code for any other URI.
    """
    uri = resource["uri"]

    def check(session, params):
        asked = params.get("uri")
        if not isinstance(asked, str):
            raise ProtocolError(INVALID_PARAMS, "uri is a string")
        if asked != uri:
            code = INVALID_PARAMS if session.enveloped else not_found
            raise ProtocolError(code, f"Resource {asked[:200]} not found", {"uri": asked[:200]})

    def give(session, params):
        check(session, params)
        content = {"uri": uri, "mimeType": resource["mimeType"], "text": _told(read, session)}
        return {"contents": [content], **(_NOW if session.enveloped else {})}

    def subscribe(session, params):
        check(session, params)
        _told(begin, session)
        _subscriptions(session)[None] = uri
        return {}

    def unsubscribe(session, params):
        if params.get("uri") == uri:
            _subscriptions(session).pop(None, None)
        return {}

    def listen(session, params):
        wanted = params.get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        honoured = {"resourceSubscriptions": [uri]} if isinstance(uris, list) and uri in uris else {}
        if honoured:
            _told(begin, session)
            _subscriptions(session)[session.number] = uri
        session.notify(_HEARD, {"notifications": honoured, "_meta": {_ID: session.number}})
        # No answer while it holds: it ends with the connection, or when the client cancels it.

    return {
        "resources/list": lambda session, params: {"resources": [resource], **_cached(session)},
        "resources/templates/list": lambda session, params: {"resourceTemplates": [], **_cached(session)},
        "resources/read": give,
        "resources/subscribe": subscribe,
        "resources/unsubscribe": unsubscribe,
        "subscriptions/listen": listen,
        "notifications/cancelled": _cancelled,
    }


def is_watched(session):
    """Whether this client wants to be told of changes."""
    return bool(_subscriptions(session))


def changed(session):
    """Tell the client, once for each subscription, that the document is another one now."""
    for number, uri in _subscriptions(session).items():
        session.notify(_UPDATED, {"uri": uri, **({"_meta": {_ID: number}} if number is not None else {})})


def _cancelled(session, params):
    number = params.get("requestId")
    if type(number) in (str, int):  # not True, which is 1 to a dict
        _subscriptions(session).pop(number, None)


def _subscriptions(session):
    """{id of the request that listens, None for resources/subscribe: URI}"""
    return session.kept.setdefault("subscriptions", {})


def _cached(session):
    return CACHED if session.enveloped else {}


def _told(function, session):
    try:
        return function(session)
    except ForewordError as error:
        told = f"{error.message}\nHint: {error.hint}" if error.hint else error.message
        raise ProtocolError(INTERNAL_ERROR, told) from error
