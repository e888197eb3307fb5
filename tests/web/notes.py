"""Notes for the pages' tests, as the stop hook writes them."""

import time

from foreword.store import write

NOW = time.time()
DAY_S = 86_400


def note(place, title, body="What was found out.", age=0.0, **fields):
    """The id of a note so many days old."""
    known = {
        "title": title,
        "question": "Why?",
        "source": "claude-code",
        "basis": "saved-by-itself",
        **fields,
    }
    return write.create(place.folder, "note", known, body, NOW - age * DAY_S)[0]
