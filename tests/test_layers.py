"""Who may import whom: every import statement of src/foreword, wherever it stands, against written tables.

The tables say what architecture.md says. A module that no row names, a row that names no module, and
an exception that nothing uses any more are faults too, so the tables stay true.
"""

import ast
import functools
import os
import shutil
import sys

import pytest

from foreword.clients import CLIENTS, HOOKED
from layer_tables import BY_NAME, EXCEPTIONS, HOT, HOT_STANDARD, MAY_IMPORT, SHARED, THIRD_PARTY, WIRE, WIRING

SRC = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "foreword")


def tables(src):
    """(MAY_IMPORT, HOT) with the rows of the clients that the package's own tables name."""
    clients, hooked = _client_tables(src)
    packages = {name: _ours(package) for name, package in clients.items()}
    may_import = dict(MAY_IMPORT)
    hot = set(HOT)
    for name, package in packages.items():
        heard = ("clients.heard",) if name in hooked else ()
        may_import[package] = (package + ".*", *heard, *SHARED, *WIRING)
    for name in hooked:
        may_import[packages[name] + ".wire"] = WIRE
        hot |= {packages[name], packages[name] + ".wire"}
    return may_import, hot


def _client_tables(src):
    """CLIENTS and HOOKED, as clients/__init__.py has them written down."""
    with open(os.path.join(src, "clients", "__init__.py"), encoding="utf-8") as f:
        body = ast.parse(f.read()).body
    written = {node.targets[0].id: node.value for node in body if isinstance(node, ast.Assign)}
    return ast.literal_eval(written["CLIENTS"]), ast.literal_eval(written["HOOKED"])


def modules(src):
    """{module without the leading "foreword.": path} of a package folder."""
    found = {}
    for at, folders, names in os.walk(src):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            if name.endswith(".py"):
                parts = os.path.relpath(os.path.join(at, name), src)[:-3].split(os.sep)
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = os.path.join(at, name)
    return found


def imports(path, known):
    """(imported, whether inside a function) of each import; ours without the leading "foreword."

    `from foreword.index import schema` is an import of index.schema, `from foreword import
    __version__` of "". Others have a "!" before their name; loading by name gives "<by name>".
    """
    with open(path, encoding="utf-8") as f:
        statements = _statements(f.read())
    for source, name, inside in statements:
        if source == "<by name>":
            yield source, inside
        else:
            whole = _ours(f"{source}.{name}")
            yield (whole if name and whole in known else _ours(source)), inside


@functools.cache  # most files are the same in every test here
def _statements(text):
    """[(module, name taken from it or "", whether inside a function)] of a module's source."""
    found = []

    def walk(node, inside):
        for child in ast.iter_child_nodes(node):
            deeper = inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            if isinstance(child, ast.Import):
                found.extend((alias.name, "", deeper) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                source = "." * child.level + (child.module or "")
                found.extend((source, alias.name, deeper) for alias in child.names)
            elif isinstance(child, ast.Call) and _name(child.func) in ("import_module", "__import__"):
                found.append(("<by name>", "", deeper))
            walk(child, deeper)

    walk(ast.parse(text), False)
    return found


def _ours(name):
    """The name of a module of ours without "foreword."; any other with a "!" before it."""
    if name == "foreword" or name.startswith("foreword."):
        return name[9:]
    return "!" + name


def _name(function):
    return getattr(function, "attr", getattr(function, "id", ""))


def room_of(module, may_import):
    """The row of `may_import` for a module; None when there is none."""
    if not module:
        return module
    name = module
    while name and name not in may_import:
        name = name.rpartition(".")[0]
    return name or None


def within(module, names):
    """Whether a module is one of `names`, or in a room that they name with ".*"."""
    return any(
        module == name.removesuffix(".*") or (name.endswith(".*") and module.startswith(name[:-1]))
        for name in names
    )


def faults(src):
    """What the tables forbid or no longer describe, a line each."""
    known = modules(src)
    may_import, hot = tables(src)
    used = set()
    for module, path in known.items():
        room = room_of(module, may_import)
        if room is None:
            yield f"{module}: no row of MAY_IMPORT"
            continue
        for imported, inside in imports(path, known):
            if imported == "<by name>":
                used.add((module, imported))
                if module not in BY_NAME:
                    yield f"{module}: loads a module by its name"
            elif imported.startswith("!"):
                yield from _outside(module, imported[1:], inside, used, hot)
            elif not within(imported, may_import[room]):
                yield f"{module}: imports foreword.{imported}"
            elif module in hot and imported not in hot:
                yield f"{module}: is hot and imports foreword.{imported}, which is not"
    for module in hot | set(BY_NAME) | set(may_import):
        if module not in known:
            yield f"{module}: named in a table, no such module"
    for module, imported in set(EXCEPTIONS) - used:
        yield f"{module}: no longer imports {imported}"
    for module in BY_NAME:
        if module in known and (module, "<by name>") not in used:
            yield f"{module}: no longer loads a module by its name"


def _outside(module, imported, inside, used, hot):
    top = imported.partition(".")[0]
    if imported.startswith("."):
        yield f"{module}: a relative import"
    elif top in THIRD_PARTY:
        if not within(module, THIRD_PARTY[top]):
            yield f"{module}: imports {top}"
    elif (module, top) in EXCEPTIONS:
        used.add((module, top))
        if EXCEPTIONS[module, top].startswith("in a function") and not inside:
            yield f"{module}: is hot and imports {top}"
    elif top not in sys.stdlib_module_names:
        yield f"{module}: imports {top}, which is no dependency"
    elif module in hot and top not in HOT_STANDARD:
        yield f"{module}: is hot and imports {top}"


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, to be spoiled."""
    return shutil.copytree(SRC, tmp_path / "foreword", ignore=shutil.ignore_patterns("__pycache__"))


def test_every_import_goes_the_way_the_tables_say():
    assert list(faults(SRC)) == []


@pytest.mark.parametrize(
    ("module", "line", "told"),
    [
        ("store/read.py", "from foreword.index import schema", "store.read: imports foreword.index.schema"),
        ("store/read.py", "import foreword.index.schema", "store.read: imports foreword.index.schema"),
        ("errors.py", "from foreword import paths", "errors: imports foreword.paths"),
        ("paths.py", "from foreword.text import words", "paths: imports foreword.text.words"),
        ("files.py", "from foreword import project", "files: imports foreword.project"),
        ("text/words.py", "from foreword import files", "text.words: imports foreword.files"),
        ("text/words.py", "import click", "text.words: imports click"),
        ("cli/root.py", "from foreword.server import notes", "cli.root: imports foreword.server.notes"),
        ("cli/cmd_list.py", "from foreword.hook import run", "cli.cmd_list: imports foreword.hook.run"),
        (
            "cli/cmd_list.py",
            "from foreword.index import search",
            "cli.cmd_list: imports foreword.index.search",
        ),
        (
            "cli/cmd_list.py",
            "from foreword.cli import cmd_show",
            "cli.cmd_list: imports foreword.cli.cmd_show",
        ),
        ("cli/cmd_list.py", "import rich", "cli.cmd_list: imports rich, which is no dependency"),
        ("server/notes.py", "from foreword.cli import output", "server.notes: imports foreword.cli.output"),
        ("server/notes.py", "from foreword.store import read", "server.notes: imports foreword.store.read"),
        ("memory/find.py", "from foreword.server import log", "memory.find: imports foreword.server.log"),
        ("hook/stop.py", "from foreword import memory", "hook.stop: imports foreword.memory"),
        (
            "hook/stop.py",
            "from foreword.store import read",
            "hook.stop: is hot and imports foreword.store.read, which is not",
        ),
        ("hook/stop.py", "import subprocess", "hook.stop: is hot and imports subprocess"),
        ("stale.py", "import pathlib", "stale: is hot and imports pathlib"),
        ("recall.py", "from .text import words", "recall: a relative import"),
        ("worker.py", "__import__('foreword.cli')", "worker: loads a module by its name"),
        ("cli/cmd_list.py", "from foreword.memory import find", "cli.cmd_list: imports foreword.memory.find"),
        (
            "clients/claude_code/wire.py",
            "from foreword.clients.other import wire",
            "clients.claude_code.wire: imports foreword.clients.other",
        ),
    ],
)
@pytest.mark.parametrize("inside", [False, True], ids=["on-top", "in-a-function"])
def test_a_forbidden_import_is_found_wherever_it_stands(copied, module, line, told, inside):
    before = set(faults(copied))
    with open(os.path.join(copied, module), "a", encoding="utf-8") as f:
        f.write(f"\n\ndef _late():\n    {line}\n" if inside else f"\n{line}\n")
    assert set(faults(copied)) - before == {told}


def appended(path, line):
    with open(path, "a", encoding="utf-8") as f:
        f.write("\n" + line + "\n")


@pytest.mark.parametrize("module", ["subprocess", "tomllib", "pathlib"])
def test_no_wire_of_a_client_loads_what_costs_a_prompt_milliseconds(copied, module):
    before = set(faults(copied))
    for client in HOOKED:
        appended(copied / "clients" / client.replace("-", "_") / "wire.py", f"import {module}")
    told = {f"{_ours(CLIENTS[client])}.wire: is hot and imports {module}" for client in HOOKED}
    assert set(faults(copied)) - before == told


def newcomer(src, hooked):
    """A client that is one more folder and one more row of the package's tables; its folder."""
    tables = src / "clients" / "__init__.py"
    text = tables.read_text(encoding="utf-8")
    text = text.replace("CLIENTS = {\n", 'CLIENTS = {\n    "newcomer": "foreword.clients.newcomer",\n', 1)
    if hooked:
        text = text.replace("HOOKED = (", 'HOOKED = ("newcomer", ', 1)
    tables.write_text(text, encoding="utf-8")
    folder = src / "clients" / "newcomer"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A client."""\n')
    (folder / "install.py").write_text("from foreword.clients import about, places, server_entry\n")
    return folder


def test_a_new_client_needs_no_row_here_and_may_not_do_more_than_the_others(copied):
    before = set(faults(copied))
    folder = newcomer(copied, hooked=True)
    (folder / "wire.py").write_text("import json\n\nfrom foreword.clients import heard, tail\n")
    assert set(faults(copied)) - before == set()
    appended(folder / "wire.py", "import pathlib\nfrom foreword.edit import jsonc")
    appended(folder / "install.py", "from foreword.clients.codex import trust")
    assert set(faults(copied)) - before == {
        "clients.newcomer.wire: is hot and imports pathlib",
        "clients.newcomer.wire: imports foreword.edit.jsonc",
        "clients.newcomer.install: imports foreword.clients.codex.trust",
    }


def test_a_client_that_the_tables_name_and_nobody_wrote_is_found(copied):
    before = set(faults(copied))
    shutil.rmtree(newcomer(copied, hooked=False))
    assert set(faults(copied)) - before == {"clients.newcomer: named in a table, no such module"}


def test_a_folder_of_a_client_that_no_table_names_is_cold_and_has_no_room_of_its_own(copied):
    before = set(faults(copied))
    folder = copied / "clients" / "stray"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A client."""\n')
    (folder / "wire.py").write_text("from foreword.clients import heard\n")
    assert set(faults(copied)) - before == {"clients.stray.wire: imports foreword.clients.heard"}


def test_a_hot_module_may_not_do_at_its_top_what_it_may_do_in_a_function(copied):
    with open(copied / "git.py", "a", encoding="utf-8") as f:
        f.write("\nif os.name:\n    import subprocess\n")
    assert set(faults(copied)) - set(faults(SRC)) == {"git: is hot and imports subprocess"}


def test_a_module_that_belongs_to_no_room_is_found(copied):
    (copied / "extra.py").write_text('"""Stray."""\n')
    assert set(faults(copied)) - set(faults(SRC)) == {"extra: no row of MAY_IMPORT"}


def test_what_a_table_names_and_nobody_needs_is_found(copied):
    (copied / "settings.py").write_text('"""Nothing."""\n')
    (copied / "recall.py").unlink()
    told = set(faults(copied)) - set(faults(SRC))
    assert "settings: no longer imports tomllib" in told
    assert "recall: named in a table, no such module" in told
