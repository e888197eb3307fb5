"""What a report says, in the sentences that every face shows. Pure functions on what report.json holds."""

import math

ARMS = ("on", "off", "mixed")
# What the medians of an arm are of: the key in report.json, and the words for people.
MEDIANS = (
    ("tokens", "Tokens: input, cache and output"),
    ("input_output", "Input + output alone"),
    ("turns", "Turns"),
    ("tool_calls", "Tool calls"),
    ("files_read", "Files read"),
    ("files_read_again", "… that an earlier one had read"),
    ("characters", "Characters added"),
    ("dollars", "Dollars"),
)
NO_SPREAD = "0 %, all alike"
FEW = 100  # below, half a turn is worth a decimal
HOW = {
    "by_session": "A coin decided for each of these client sessions (auto:session), so memory and chance"
    " are all that tells the two arms apart.",
    "by_day": "Days decided (auto). That cannot rule out that the work of one kind of day was harder than"
    " that of the other (task mix). foreword switch auto:session lets a coin decide for each client session,"
    " which is the stronger design.",
    "by_hand": "Some of these client sessions were on or off because somebody set the switch. That cannot"
    " rule out that it was set for another kind of work, or at another time. foreword switch auto:session"
    " lets a coin decide for each client session, which is the stronger design.",
}
LOOKS = (
    "Each interval of 95 % misses the truth in one report of twenty, and there are three; that of tokens"
    " decides. Who looks again and again until one excludes zero will see that some day, whatever memory"
    " does: decide beforehand when to look."
)


def verdict(compared):
    """What the comparison of a report says of tokens, as a sentence."""
    if not compared["possible"]:
        return "too few sessions to compare ({on} on / {off} off, need {need} each)".format(**compared)
    tokens, days = compared["tokens"], compared["days"]
    if tokens["difference"] is None or tokens["low"] is None:
        if min(days["on"], days["off"]) < days.get("need", 0):
            return (
                "Inconclusive: days decided, {on} with memory and {off} without;"
                " an interval needs {need} each.".format(**days)
            )
        return "Inconclusive: these client sessions allow no interval."
    told = "with memory, the median client session took {}".format(
        "as many tokens" if not tokens["difference"] else _so_many(tokens["difference"])
    )
    told += f" (95 % interval {percent(tokens['low'])} to {percent(tokens['high'])})"
    if tokens["inconclusive"]:
        return f"Inconclusive: {told}; that may be chance."
    if compared["assigned"]["by_hand"]:
        return f"W{told[1:]}, but somebody set the switch: that is no proof that memory did it."
    return f"W{told[1:]}."


def _so_many(difference):
    return f"{percent(abs(difference)).lstrip('+')} {'fewer' if difference < 0 else 'more'} tokens"


def how(compared):
    """What the design cannot rule out; "" where nothing was compared."""
    if not compared["possible"]:
        return ""
    return next((told for key, told in HOW.items() if compared["assigned"][key]), "")


def arms(found):
    """[(arm, its client sessions, how many of them the medians are of)], mixed ones where there are any."""
    return [
        (arm, int(found["sessions"][arm]), int(found["arms"][arm]["sessions"]))
        for arm in ARMS
        if arm != "mixed" or found["sessions"][arm]
    ]


def medians(found):
    """[{"words", "values" (a text for each of `arms`, "" where it is not known), "difference" (a text, ""
    where it is not compared), "inconclusive"}] of what is known of any arm."""
    compared, rows = found["comparison"], []
    for key, words in MEDIANS:
        theirs = compared.get(key) if compared["possible"] else None
        theirs = theirs if isinstance(theirs, dict) else {}
        values = [found["arms"][arm].get(key) for arm, *_ in arms(found)]
        if all(value is None for value in values):
            continue
        row = {"words": words, "values": [number(value, key) for value in values]}
        row["difference"], row["inconclusive"] = "", bool(theirs.get("inconclusive"))
        if theirs.get("difference") is not None:
            difference, low, high = (percent(theirs[k]) for k in ("difference", "low", "high"))
            is_spread = theirs["low"] or theirs["high"]
            row["difference"] = f"{difference} ({low} to {high})" if is_spread else NO_SPREAD
        rows.append(row)
    return rows


def left_out(sessions):
    """Sentences about client sessions that were not compared."""
    n = sessions["mixed"]
    if n:
        told = "client session had memory on for a part of its turns and is"
        if n != 1:
            told = "client sessions had memory on for a part of their turns and are"
        yield f"{n} {told} not compared."
    n = sessions["without_log"]
    if n:
        told = "client session has" if n == 1 else "client sessions have"
        yield f"{n} {told} no log that can be read: another client's, cleaned up, or without an answer."
    n = sessions.get("unread", 0)
    if n:
        told = "line of a log is" if n == 1 else "lines of logs are"
        yield f"{n} {told} not counted: longer than 2 MiB, or damaged."


def hit_rate(use):
    """`Hit rate 70 % of 56 prompts`"""
    if use["hit_rate"] is None:
        return "No prompt while memory was on yet"
    n = use["prompts_on"]
    return f"Hit rate {percent(use['hit_rate']).lstrip('+')} of {n} prompt{'' if n == 1 else 's'}"


def percent(share):
    """`-12 %`, `+3 %`, `0 %`; "?" for None. What is not quite nothing or not quite all keeps a decimal: an
    interval that excludes zero must not read as if it ended there."""
    if share is None:
        return "?"
    value = 100 * share
    if not value:
        return "0 %"
    if 1 <= abs(value) <= 99 or abs(value) >= 100:
        return f"{value:+.0f} %"
    return (
        f"{math.copysign(min(max(abs(round(value, 1)), 0.1), 99.9 if abs(value) > 1 else 1), value):+.1f} %"
    )


def number(value, key=""):
    """A count with thousands apart, a small one that is not whole with a decimal, dollars with cents; "" for
    None."""
    if value is None:
        return ""
    if key == "dollars":
        return f"{value:,.2f}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= FEW else f"{value:,.1f}"
