"""The arguments of a tool call against the tool's schema: forgiving about form, exact about meaning.

Models send `"10"` for 10, `"a, b"` for a list, null for nothing, and keys nobody asked for (all seen
in field reports). What can mean only one thing is taken; the rest is an error that says what to send.
Programs that expect another server's refusals get those from `faults`.
"""

import json

from foreword.errors import ForewordError

_NOTHING = {"string": str, "boolean": bool, "array": list, "integer": int, "object": dict}
_KIND = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
_WANTED = {
    "string": "a string", "boolean": "true or false", "array": "a list", "integer": "a whole number",
    "object": "an object",
}  # fmt: skip


def fit(schema, given, where="", literal=False):
    """Arguments as a dict that holds every property of `schema`; absent ones get their default, else
    "", False, 0, [] or {}. Whole numbers are brought into their range. Raises ForewordError.

    literal: texts are kept as they are sent. One in place of a list is its only item, with all its commas;
    a blank one is a value.
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise ForewordError(f"{where or 'arguments'} must be an object, not {_kind(given)}")
    fitted = {}
    for name, rule in schema["properties"].items():
        value = given.get(name)
        at = f"{where}.{name}" if where else name
        if value is None:
            if name in schema.get("required", ()):
                raise ForewordError(f"{at} is missing", _hint(rule))
            value = rule.get("default", _NOTHING[rule["type"]]())
        else:
            value = _fit_one(rule, value, at, literal)
            blank = isinstance(value, str) and not value.strip()
            if blank and not literal and name in schema.get("required", ()):
                raise ForewordError(f"{at} is empty", _hint(rule))
        fitted[name] = value
    return fitted


def _fit_one(rule, value, at, literal):
    kind = rule["type"]
    if kind == "object" and "properties" in rule:
        fitted = _object(value) if literal and isinstance(value, str) else value
        return fit(rule, value if fitted is None else fitted, at, literal)
    fitted = _items(value) if literal and kind == "array" else _AS[kind](value)
    if fitted is None:
        raise ForewordError(f"{at} must be {_WANTED[kind]}, not {_kind(value)}", _hint(rule))
    if kind == "array":
        return [_fit_one(rule["items"], item, f"{at}[{n}]", literal) for n, item in enumerate(fitted)]
    if kind == "integer":
        return max(rule.get("minimum", fitted), min(rule.get("maximum", fitted), fitted))
    if fitted and fitted not in rule.get("enum", (fitted,)):
        raise ForewordError("{} must be one of: {}".format(at, ", ".join(rule["enum"])))
    return fitted


def _string(value):
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _integer(value):
    if isinstance(value, str) and len(value) < 20:
        try:
            return int(value)
        except ValueError:
            return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _boolean(value):
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _array(value):
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return None
        else:
            value = [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else None


def _items(value):
    """A list, from one that was sent as JSON, or from its only item."""
    if isinstance(value, str):
        parsed = _array(value) if value.lstrip().startswith("[") else None  # `[2026-03-02] moved` is a text
        return [value] if parsed is None else parsed
    return [value] if isinstance(value, dict) else value if isinstance(value, list) else None


def _object(value):
    """An object of any shape: whoever takes it says what is wrong with it."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


_AS = {"string": _string, "integer": _integer, "boolean": _boolean, "array": _array, "object": _object}


def _kind(value):
    return _KIND.get(type(value), "a number" if isinstance(value, (int, float)) else "null")


def _hint(rule):
    return rule.get("description", "")


# -- for programs that know the reference server -------------------------------------------------

_JS = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}


def faults(schema, given, where=""):
    """What the reference memory server (2026.8.31) would refuse in arguments, in its words, a line each.

    Nothing is taken for what it is not, and only what is required must be there.
    """
    if not isinstance(given, dict):
        return [f"Invalid input: expected object, received {_JS.get(type(given), 'number')}"]
    found = []
    for name in schema.get("required", ()):
        at = f"{where}.{name}" if where else name
        if name not in given:
            found.append(_fault(schema["properties"][name]["type"], "undefined", at))
        else:
            found += _faults_of(schema["properties"][name], given[name], at)
    return found


def _faults_of(rule, value, at):
    kind = _JS.get(type(value), "number")
    if kind != rule["type"].replace("integer", "number"):
        return [_fault(rule["type"], kind, at)]
    if kind == "array":
        return [f for n, item in enumerate(value) for f in _faults_of(rule["items"], item, f"{at}[{n}]")]
    return faults(rule, value, at) if kind == "object" else []


def _fault(wanted, received, at):
    return f"Invalid input: expected {wanted.replace('integer', 'number')}, received {received} at {at}"
