"""What `foreword install` ends with: what each client has now, what the user does next, texts to paste."""

from foreword import settings
from foreword.cli.output import columns, width, wrapped

AUTO = (
    "auto: forewords are on for even days since 1970-01-01 (UTC) and off for odd ones, so that a report can "
    "compare; today they are %s. Notes are saved every day. To keep it on:"
)
BY_SESSION = (
    "auto:session: forewords are on in about half of the client sessions, decided by each one's id, so that "
    "a report can compare. Notes are saved in all of them. To keep it on:"
)
KEPT_ON = "    foreword install --switch on"  # on a line of its own, to be copied
ALWAYS = "switch: forewords are %s in every project that does not say otherwise"
COLUMNS = ("server", "forewords", "instructions")
PASTE_FROM, PASTE_TO = "-- 8< -- the text begins below this line --", "-- 8< -- and ends above this one --"
WIDEST = 80  # columns of what is told in whole sentences
WAITS_FOR_AN_ANSWER = ("codex",)  # told each time: it runs no hook before the user has answered


def about(chosen):
    """What the default switch means, in lines."""
    most = min(width(), WIDEST)
    if chosen == "auto":
        return [*wrapped(AUTO % settings.effective("auto"), most, len(AUTO)), KEPT_ON]
    if chosen == "auto:session":
        return [*wrapped(BY_SESSION, most, len(BY_SESSION)), KEPT_ON]
    return wrapped(ALWAYS % chosen, most, len(ALWAYS))


def as_table(wirings, tell):
    """What each client has now, by column."""
    lines = [("", *COLUMNS), *((wiring.name, *wiring.cells()) for wiring in wirings)]
    tell("")
    for line in columns(lines):
        tell(line)
    tell("")


def what_next(wirings, named, tell):
    """What the user does next, for the clients that were named, are new, or wait for an answer."""
    for wiring in wirings:
        if not (named or wiring.entry["changed"] or wiring.name in WAITS_FOR_AN_ANSWER):
            continue
        tell(f"next, {wiring.name}:")
        for line in wiring.entry["next"]:
            tell("    " + line)
    tell("to see it work: foreword doctor")


def to_paste(wirings, named, tell):
    """What only the user can put in, each text once; of clients that nobody named and where nothing
    changed, how to see it again."""
    places = {}
    for wiring in wirings:
        for pasted in wiring.entry["to_paste"]:
            if named or wiring.entry["changed"]:
                places.setdefault(pasted["text"], []).append(f"{wiring.name}, {pasted['where']}")
            else:
                tell(f"the text for {pasted['where']}: foreword protocol --client {wiring.name}")
    for text, where in places.items():
        tell("")
        for line in where:
            tell("to paste by hand, for " + line)
        tell(PASTE_FROM)
        tell(text.rstrip("\n"))
        tell(PASTE_TO)
