"""What Foreword costs in every request, memory on or off: its tools and skills. Cold.

Counted in characters of what a client hands its model of them (a test holds the numbers to the server's);
each client wraps them in words of its own. A token is some four characters of English and JSON.
"""

from foreword import settings, skills

# Names, descriptions and schemas of arguments: what a client hands its model of tools/list.
NOTES_TOOLS = 3_094
GRAPH_TOOLS = 3_578
A_TOKEN = 4  # characters


def characters(home):
    """Of the tools and skills that a home's settings turn on."""
    graph = settings.load(home)["graph.on"]
    names = (*skills.NAMES, *((skills.GRAPH,) if graph else ()))
    return NOTES_TOOLS + (GRAPH_TOOLS if graph else 0) + sum(len(_listed(name)) for name in names)


def _listed(name):
    """A skill as a list of skills shows it: `- name: description`."""
    head = skills.text(name, "plain").split("---")[1]
    said = next(line for line in head.splitlines() if line.startswith("description:"))
    return f"- {name}: {said.removeprefix('description:').strip()}\n"
