"""How an entity stands in one line, before a prompt or among memories: its title and its date.

Knows texts alone, so that whoever lists entities loads neither an index nor the answers of the tools.
"""

import calendar
import time

from foreword.graph.change import day_of
from foreword.text.frame import plain


def titled(name, kind):
    """`shop-backend [service]`, on one line."""
    name, kind = (" ".join(plain(text).split()) for text in (name, kind))
    return f"{name} [{kind}]" if kind else name


def newest_day(observations):
    """Epoch seconds of the newest day that an observation begins with; None where none does."""
    for day in sorted(filter(None, map(day_of, observations)), reverse=True):
        try:
            return float(calendar.timegm(time.strptime(day, "%Y-%m-%d")))
        except ValueError:
            continue  # the 31st of February
    return None
