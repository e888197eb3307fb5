"""What a tool is, how tools/list shows it, and how what it answers becomes a result. Knows no tool."""

from collections import namedtuple

from foreword.server.arguments import fit

# call: function(session, arguments) -> text, or (text, structured content or None, _meta or None);
# output: the schema of structured content; fit: what brings arguments into the shape of `schema`.
Tool = namedtuple(
    "Tool", "name description schema annotations call meta title output fit", defaults=(None, "", None, fit)
)


def listed(tool):
    """A tool as tools/list shows it."""
    told = {"name": tool.name, "title": tool.title, "description": tool.description}
    told |= {"inputSchema": tool.schema, "annotations": tool.annotations}
    told |= {"outputSchema": tool.output, "_meta": tool.meta}
    return {key: value for key, value in told.items() if value}


def answered(answer):
    """The result of a call that gave `answer`."""
    text, structured, meta = (answer, None, None) if isinstance(answer, str) else answer
    result = {"content": [{"type": "text", "text": text}]}
    result |= {} if structured is None else {"structuredContent": structured}
    return result | ({"_meta": meta} if meta else {})


def failed(told):
    """The result of a call that failed, with what to do instead."""
    return {"content": [{"type": "text", "text": told}], "isError": True}
