"""What is said of an id that no memory has: an entity's name may have been meant. Reads the graph alone."""

from foreword.errors import ForewordError, NotFoundError
from foreword.graph import place
from foreword.store import layout


def unknown(ids):
    """The NotFoundError of ids that no memory has. Of an entity's name it says how those change."""
    ids = list(map(str, ids))
    shown = ", ".join(repr(i[:40]) for i in ids)
    hint = "foreword list"
    for name in ids:
        if at := "" if layout.is_id(name) else _graph_of(name):
            hint = (
                f"{name[:40]!r} is an entity of the knowledge graph; ask the agent to change it"
                f" (add_observations, delete_observations, rename_entity, delete_entities), or edit {at}"
            )
            break
    return NotFoundError(f"no memory of this project has the id {shown}", hint)


def _graph_of(name):
    """The path of the graph's file where it, or its archive, knows an entity of that name, else ""."""
    try:
        file = place.open_graph()
        return file.path if name in file.read().by_name or file.archive.of(name) else ""
    except ForewordError:
        return ""
