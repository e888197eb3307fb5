"""SessionStart and its like: settle which project this is, and what the context still holds. Hot."""

from foreword import files, project
from foreword.hook.waiting import Waiting


def run(client, heard, home, now):
    """("", None): nothing is handed over here yet."""
    if heard.subagent or not home:
        return "", None
    if heard.source in ("clear", "compact"):
        Waiting(home, client, heard.session).context_was_emptied()
    place = project.find(heard.folder, home, ask_git=True, anchor=heard.anchor)
    if place is not None:
        files.spawn_detached(["foreword.worker", home, place.name, "catch-up"])
    return "", None
