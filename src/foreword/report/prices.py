"""What tokens cost: prices.toml, which the user writes and dates. Cold. There are no prices of ours.

    date = 2026-11-01
    [models."claude-opus-4-8"]   # dollars for a million tokens
    input = 5.0
    cache_creation = 6.25
    cache_read = 0.5
    output = 25.0

A name that ends in "*" stands for every model that begins so; the longest that fits counts.
"""

import math
import os
import time
from typing import NamedTuple

from foreword import files
from foreword.errors import ForewordError

NAME = "prices.toml"
KINDS = ("input", "cache_creation", "cache_read", "output")  # in the order of `dollars`
A_PRICE_IS_FOR = 1_000_000  # tokens
_AHEAD_S = 14 * 3_600  # some people's calendar is that far ahead of UTC
_DATE = 'the day you looked the prices up, such as "2026-11-01"'


class Prices(NamedTuple):
    date: str  # an ISO time: 00:00 UTC of the day that the user wrote
    models: dict[str, tuple[float, ...]]  # name or beginning with "*" -> a price for each of KINDS


def path(home):
    return os.path.join(home, NAME)


def load(home, now=None):
    """The user's prices; None without a file. Raises ForewordError (the file, the key, what is expected)."""
    import tomllib  # 16 ms, and most people have no prices

    at = path(home)
    try:
        raw = files.read(at)
    except OSError as error:
        why = f"{at} cannot be read: {error.strerror or error}"
        raise ForewordError(why, "make it readable, or take it away") from error
    if raw is None:
        return None
    try:
        written = tomllib.loads(raw.decode("utf-8-sig"))  # editors on Windows put a mark before it
    except (ValueError, RecursionError) as error:
        raise ForewordError(f"{at} is not valid TOML: {error}", "mend that line") from error
    unknown = next((key for key in written if key not in ("date", "models")), None)
    if unknown is not None:
        raise _wrong(at, unknown, "no key of this file", "date and [models.NAME] are")
    models = written.get("models")
    if not isinstance(models, dict) or not models:
        raise _wrong(at, "models", "missing", f'give [models."NAME"] with {", ".join(KINDS)}')
    return Prices(
        _date(at, written.get("date"), time.time() if now is None else now),
        {name: _of_model(at, name, table) for name, table in models.items()},
    )


def dollars(prices, models):
    """What {model: [input, cache creation, cache read, output tokens]} cost; None when a model that used any
    has no price."""
    if unpriced(prices, models):
        return None
    whole = 0.0
    for model, tokens in models.items():
        price = _price(prices, model)
        if price and any(tokens):
            whole += sum(n * each / A_PRICE_IS_FOR for n, each in zip(tokens, price, strict=True))
    return whole


def unpriced(prices, models):
    """The models of such a dict that used tokens and have no price."""
    return [model for model, tokens in models.items() if any(tokens) and _price(prices, model) is None]


def _price(prices, model):
    if model in prices.models:
        return prices.models[model]
    fitting = [name for name in prices.models if name.endswith("*") and model.startswith(name[:-1])]
    return prices.models[max(fitting, key=len)] if fitting else None


def _date(at, value, now):
    import datetime

    if value is None:
        raise _wrong(at, "date", "missing", f"give {_DATE}")
    if type(value) is not datetime.date:
        try:
            # Python reads "20261101" and weeks too; people are asked for one way to write it.
            value = datetime.date(*map(int, value.split("-"))) if len(value) == 10 else None
        except (AttributeError, TypeError, ValueError):
            value = None
    if value is None:
        raise _wrong(at, "date", "no day", f"give {_DATE}")
    if value > datetime.datetime.fromtimestamp(now + _AHEAD_S, datetime.UTC).date():
        raise _wrong(at, "date", f"in the future ({value.isoformat()})", f"give {_DATE}")
    return value.isoformat() + "T00:00:00Z"


def _of_model(at, name, table):
    key = f'models."{name}"'
    if not name or "*" in name[:-1]:
        raise _wrong(at, key, "no name of a model", 'a "*" may stand at its end')
    if not isinstance(table, dict):
        raise _wrong(at, key, "no table", f"give {', '.join(KINDS)} below [{key}]")
    for kind, value in table.items():
        if isinstance(value, dict):
            raise _wrong(
                at, f"{key}.{kind}", "a table", f'a name with a dot is quoted: [models."{name}.{kind}"]'
            )
        if kind not in KINDS:
            raise _wrong(at, f"{key}.{kind}", "no price that is known", f"known are {', '.join(KINDS)}")
    for kind in KINDS:
        value = table.get(kind)
        if value is None:
            raise _wrong(at, f"{key}.{kind}", "missing", "give dollars for a million tokens, 0 for none")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise _wrong(at, f"{key}.{kind}", "no price", "give dollars for a million tokens, such as 2.50")
    return tuple(float(table[kind]) for kind in KINDS)


def _wrong(at, key, what, hint):
    return ForewordError(f"{at}: {key} is {what}", hint)
