"""Who may import whom, as tables: what test_layers holds every import statement against."""

BOTTOM = ("errors", "paths", "files", "digest", "text.*")
STORE = ("store.*", *BOTTOM)
INDEX = ("index.*", *STORE)
GRAPH = ("graph.*",)  # a room of its own beside memory: faces take what they need from its modules
FACE = ("", "memory", *BOTTOM)
WIRING = (*FACE, "settings", "edit.*")
# What puts ours into clients and takes it out.
INSTALLING = ("clients", "clients.loaded", "clients.parts", "clients.taking_out", *WIRING)
WIRE = ("clients.heard", "clients.tail", "paths", "text.*")  # what a client's wire takes
SHARED = (
    "clients.about", "clients.hook_entries", "clients.marked_block", "clients.mcp_entries",
    "clients.others", "clients.parts", "clients.places", "clients.probe", "clients.proof",
    "clients.server_entry", "skills",
)  # fmt: skip

# Room -> what its modules may import: "text.*" is a whole room, "memory" that one module, "" the
# package itself. The longest name that a module begins with counts. The rows of the single clients are
# made from the tables in clients/__init__.py: see `tables`.
MAY_IMPORT = {
    "": (),
    "errors": (),
    "paths": (),
    **dict.fromkeys(("heads", "marks", "tracked"), ()),
    "files": ("errors", "paths"),
    "digest": (),
    "text": ("text.*", "errors"),
    "settings": ("exclude", *BOTTOM),
    "git": BOTTOM,
    "project": (*BOTTOM, "settings", "git", "store.join"),
    "store": STORE,
    "index": INDEX,
    "index.rebuild": ("index.postings", "index.schema", *BOTTOM),  # no reader of memories: that loads YAML
    "cited": ("stale", "tracked", "marks", "spans", *BOTTOM),
    "moved": ("stale", "tracked", "spans"),
    "spans": ("heads", "digest"),
    "stale": ("moved", "spans", "tracked", *BOTTOM),
    "exclude": (),
    "graph": (*GRAPH, "settings", *BOTTOM),
    "graph.servers": (*GRAPH, "clients.mcp_entries", "clients.server_entry", *BOTTOM),
    "graph_index": (
        *GRAPH,
        "index.build",
        "index.entities",
        "index.postings",
        "index.rebuild",
        "index.schema",
        "settings",
        *BOTTOM,
    ),
    "recall": ("stale", "store.layout", "text.*"),
    "curated": ("index.curated", "store.header", "store.layout", "settings", "files", "text.*"),
    "memory": (
        "memory.*",
        *GRAPH,
        *INDEX,
        "project",
        "settings",
        "cited",
        "exclude",
        "spans",
        "stale",
        "recall",
        "curated",
    ),
    "memory.origin": ("clients", "paths", "store.logs"),  # of the clients the table of names alone
    "memory.state": (
        "memory.*",
        "edit.settings_file",
        "graph.place",
        "graph_index",
        *INDEX,
        "project",
        "settings",
    ),
    "worker": (*INDEX, "graph_index", "memory", "memory.retention", "project", "report.made", "settings"),
    "transcripts": ("transcripts.*", *BOTTOM),
    "report": (
        "report.*",
        "transcripts.*",
        "project",
        "settings",
        "skills",
        "store.layout",
        "store.logs",
        *BOTTOM,
    ),
    "edit": ("edit.*", "errors", "files", "digest"),
    "edit.settings_file": ("edit.*", "settings", "errors", "files"),  # of our own settings: the only one
    "clients": (),  # names, loaded on demand, and what every client's wire needs
    "clients.heard": ("files",),
    "clients.tail": (),
    "clients.about": (),
    "clients.places": ("paths",),
    "clients.parts": ("clients.places", "skills", *WIRING),
    "clients.server_entry": ("clients.hook_entries", "clients.marked_block", "clients.parts", *WIRING),
    "clients.marked_block": ("clients.parts", *WIRING),
    "clients.mcp_entries": ("clients.places", "clients.server_entry", *WIRING),
    "clients.served": ("clients.parts", "clients.proof", *WIRING),
    "clients.loaded": ("clients", "clients.served"),
    "clients.hook_entries": WIRING,
    "clients.probe": FACE,
    "clients.others": ("clients.server_entry",),
    "clients.taking_out": ("clients", "clients.parts", *WIRING),
    "clients.doctor": (*INSTALLING, *SHARED, "graph.servers", "memory.health"),
    "clients.proof": (*SHARED, "clients.mcp_entries", *WIRING, "recall"),
    "skills": (),
    "hook": (
        "hook.*",
        *INDEX,
        "project",
        "settings",
        "cited",
        "exclude",
        "stale",
        "recall",
        "curated",
        "clients",
    ),
    "server": ("server.*", *GRAPH, *FACE),
    "server.notes": ("server.*", "clients", *FACE),
    "server.graph": ("server.*", *GRAPH, "graph_index", "settings", *FACE),
    "web": ("web.*", "report.*", "clients", "clients.doctor", "memory.*", "settings", *GRAPH, *FACE),
    "cli": ("cli", "cli.root", "cli.output", "cli.marks", "cli.cmd_completion", "cli.cmd_serve", *FACE),
    "cli.cmd_serve": ("server.*", "clients", "settings", "paths", "errors"),  # the only door to that face
    "cli.cmd_install": (*INSTALLING, "cli.output", "cli.install_told", "cli.place", "cli.taking_over"),
    "cli.install_told": ("cli.output", "settings", *FACE),
    "cli.taking_over": ("cli.output", "cli.cmd_graph", "clients", *SHARED, *GRAPH, *WIRING),
    "cli.cmd_graph": (
        "cli.output",
        "cli.graph_file",
        "cli.graph_look",
        "cli.graph_move",
        "cli.graph_tables",
        "cli.wirings",
        "graph_index",
        *GRAPH,
        *WIRING,
    ),
    "cli.graph_file": ("cli.output", "cli.graph_tables", *GRAPH, *BOTTOM),
    "cli.graph_look": ("cli.output", "cli.graph_file", "cli.graph_tables", *GRAPH, *BOTTOM),
    "cli.graph_move": ("cli.output", "cli.graph_file", "cli.graph_tables", "graph_index", *GRAPH, *BOTTOM),
    "cli.graph_tables": ("cli.output", *BOTTOM),
    "cli.wirings": ("clients", "clients.loaded", "clients.parts", *WIRING),
    "cli.cmd_completion": ("cli", "cli.root", "cli.output", "clients", "memory.ids", *FACE),
    "cli.cmd_protocol": ("cli.output", "clients", "skills", "settings", *FACE),
    "cli.cmd_uninstall": (*INSTALLING, "cli.output", "clients.places", "graph.servers", "memory.purge"),
    "cli.cmd_doctor": (*INSTALLING, "cli.output", "cli.cmd_install", "clients.doctor", "memory.health"),
    "cli.cmd_report": ("cli.output", "report", "report.*", "settings", *FACE),
    "cli.cmd_view": ("cli.output", "web.run", *FACE),  # the only door to that face
    "cli.cmd_why": ("cli.output", "memory.why", *FACE),
    "cli.cmd_search": ("cli.output", "memory.entities", *FACE),
    "cli.cmd_show": ("cli.output", "clients.loaded", "memory.entities", *FACE),
    "cli.cmd_skill": ("cli.output", "skills", "settings", *FACE),
    "cli.cmd_switch": ("cli.output", "settings", *FACE),
    "cli.cmd_plugin": ("cli.output", "cli.place", "clients", "clients.loaded", "skills", *SHARED, *WIRING),
}

# Everything that a hook may load, but for the clients' own. A folder's name stands for its __init__.py alone.
HOT = {
    "", "paths", "files", "digest", "settings", "git", "project", "recall", "curated",
    "cited", "exclude", "heads", "marks", "moved", "spans", "stale", "tracked",
    "text", "text.across", "text.budget", "text.cjk", "text.common", "text.frame", "text.question",
    "text.redact", "text.secrets", "text.speaks", "text.unkept", "text.words",
    "store", "store.header", "store.join", "store.layout", "store.write",
    "index", "index.build", "index.curated", "index.entities", "index.features",
    "index.impacts", "index.postings", "index.rank",
    "index.schema", "index.search", "index.uses",
    "clients", "clients.heard", "clients.tail",
    "hook", "hook.__main__", "hook.forewords", "hook.prompt", "hook.run", "hook.session_start", "hook.stop",
    "hook.left_out", "hook.waiting",
}  # fmt: skip

HOT_STANDARD = {
    "os", "sys", "time", "json", "re", "sqlite3", "math", "_thread", "datetime", "fcntl", "msvcrt", "stat",
    "array", "binascii", "bisect", "itertools",
}  # fmt: skip

# What a hot module imports beyond that, and why it may.
EXCEPTIONS = {
    ("files", "subprocess"): "in a function: Windows alone, which has no posix_spawn",
    ("git", "subprocess"): "in a function: git is asked on a miss only",
    ("settings", "tomllib"): "in a function: once after each change of config.toml",
    ("exclude", "signal"): "in a function: only where a pattern of the user's is matched",
    ("text.words", "unicodedata"): "in a function: a C module, for texts beyond ASCII",
    ("text.speaks", "unicodedata"): "the same",
    ("text.frame", "unicodedata"): "in a function: a C module, for full-width letters and their like",
}

# Other people's packages, and who may import them.
THIRD_PARTY = {
    "click": ("cli.*",),
    "jinja2": ("web.*",),
    "markupsafe": ("web.*",),
    "starlette": ("web.*",),
    "uvicorn": ("web.run", "web.impatient"),
    "yaml": ("store.read",),
}

# Modules that load a module by its name, from a table: what they load is a row of that table.
BY_NAME = {
    "digest": "the first of three names of the standard library that has a sha256",
    "cli.root": "the table of verbs",
    "cli.cmd_plugin": "the table of clients: install.py",
    "clients.loaded": "the table of clients: install.py and health.py",
    "clients": "its own table: wire.py",
    "hook.run": "the table of events",
}
