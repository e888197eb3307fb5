"""Whether an event is one of which nothing is kept. Hot; loaded only where config.toml leaves something
out."""

import os

from foreword import clients, exclude, project


def is_left_out(client, heard, chosen, home):
    """True for a folder or project that is excluded, and for a headless run where those are left out."""
    if exclude.place(chosen, heard.folder) or exclude.place(chosen, heard.anchor):
        return True
    if chosen[exclude.PROJECTS]:
        place = project.find(heard.folder, home, create=False, anchor=heard.anchor)
        if place is not None and exclude.place(chosen, place.root, place.name):
            return True
    return not chosen["headless"] and clients.wire(client).is_headless(heard, os.environ)
