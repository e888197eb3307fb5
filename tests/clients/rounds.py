"""A round through the files of a client that is only served: in, in again, changed by the user, out.

For the clients whose install.py makes its Parts of `server_entry`, `marked_block` and skills;
test_every_client.py plays all of them. A case is a folder of texts, in `cases` beside the client's own test;
a file of it is named by what it shows and by the file of the client that it is:

    before.mcp.json     as the user has it; left out where there is no such file
    after.mcp.json      with ours in
    edited.mcp.json     what the user made of that afterwards; left out where nothing was changed
    removed.mcp.json    with ours out again; left out where it is `before` to the byte
    python              one line: the interpreter that the case was written with; else PYTHON

The word {{protocol}} stands for the text that clients without hooks are taught by.
Skills have tests of their own and are no part of a case.
"""

import json
import os
import subprocess
import sys

from hypothesis import strategies as st

from foreword import skills
from foreword.clients import mcp_entries, places, server_entry
from foreword.clients.parts import Options, told
from foreword.edit import jsonc

# Spaces, letters beyond ASCII, a quote; and the other system's spelling, as its client is handed it.
PYTHON = '/home/me/my "tools"/日本/venv/bin/python'
WINDOWS_PYTHON = "C:\\Users\\me\\große tools\\.venv\\Scripts\\python.exe"
NEWLINES = ("\n", "\r\n")


# -- cases -----------------------------------------------------------------------------------------


def cases(beside, *names):
    """The paths of the cases in a folder, or beside a test, of all or of those named, for parametrize."""
    folder = beside if os.path.isdir(beside) else os.path.join(os.path.dirname(beside), "cases")
    return [os.path.join(folder, name) for name in names or sorted(os.listdir(folder))]


def named(case):
    """A case's name, for pytest's `ids`."""
    return os.path.basename(case)


def fullest(folders):
    """The case in which the user has the most of their own."""
    return max(folders, key=lambda folder: sum(map(len, Case(folder).all_before())))


class Case:
    """One case, line ends as `newline`. `files`: the names of the client's files in it."""

    def __init__(self, folder, newline="\n"):
        self.folder, self.newline = folder, newline
        self.files = sorted({name.split(".", 1)[1] for name in os.listdir(folder) if name != "python"})
        self.python = (self._read("python") or PYTHON).strip()

    def text(self, stage, name):
        """A file's text at a stage; where the case has none, that of the stage it would repeat, else ""."""
        instead = {"edited": "after", "removed": "before"}
        found = self._read(f"{stage}.{name}")
        if found is None and stage in instead:
            return self.text(instead[stage], name)
        taught = skills.protocol("notes", hooked=False).strip("\n")
        # A file that was not there has our own line ends.
        newline = "\n" if self._read("before." + name) is None else self.newline
        return (found or "").replace("{{protocol}}", taught).replace("\n", newline)

    def all_before(self):
        """What the user has before, a text for each file."""
        return [self.text("before", name) for name in self.files]

    def _read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as f:
                return f.read()
        except FileNotFoundError:
            return None


def make_folders(client):
    """The folders of all settings that a client may have on this machine, as if each had run here."""
    for name, what, _ in mcp_entries.OF_USER:
        if name == client:
            os.makedirs(os.path.dirname(places.path(client, what)), exist_ok=True)


def settings_parts(install, **options):
    """{the name of a file: its Part} of what a client's install.py makes, without skills."""
    made = install.parts(Options(graph=False, **options))
    return {os.path.basename(part.path): part for part in reversed(made) if not part.is_skill}


def play(install, folder, newline, monkeypatch):
    """Play a case and assert each of its stages."""
    case = Case(folder, newline)
    monkeypatch.setattr(sys, "executable", case.python)
    parts = settings_parts(install)
    assert case.files, folder
    for name in case.files:
        part, before = parts[name], case.text("before", name)
        made = kept(part.footprint(before))
        after = part.with_ours(before)
        assert after == case.text("after", name)
        assert part.holds_ours(after) and not part.holds_ours(before)
        assert part.with_ours(after) == after
        removed = case.text("removed", name)
        for way_out in (part, install.part(part.path)):  # an uninstall may find the file by its record alone
            assert way_out.without_ours(case.text("edited", name), made) == removed
            assert not way_out.holds_ours(removed)


def kept(made):
    """What an undo record keeps of a footprint: it goes through JSON."""
    return json.loads(json.dumps(made))


# -- any text --------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\ é日', max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("kµ", max_size=2), inner, max_size=2),
    max_leaves=4,
)
SERVERS = st.dictionaries(
    st.sampled_from(["github", "a server", "größe", "Foreword", "memory"]),
    st.fixed_dictionaries(
        {"command": st.sampled_from(["npx", "C:\\Program Files\\node\\npx.cmd", "/opt/été/x"])},
        optional={"args": st.lists(st.text("-y@/ é", max_size=4), max_size=2), "env": VALUES},
    ),
    max_size=3,
)
PIECES = st.lists(
    st.sampled_from(["# Mine\n", "- tabs, not spaces\n", "\n", "日本語 é\n", "<!-- not ours -->\n", "x  \n"]),
    max_size=5,
).map("".join)


@st.composite
def settings(draw, keys, with_comments=False):
    """A settings file as people have it, or "" for none: our entry's place at `keys` is there, half there
    or not there; any indentation, CRLF, a byte order mark, no newline at the end. `with_comments`: and
    comments and trailing commas."""
    if draw(st.booleans()) and draw(st.booleans()):
        return ""
    deep = draw(st.integers(0, len(keys)))
    value = draw(SERVERS) if deep == len(keys) else {}
    for n, key in enumerate(reversed(keys[:deep])):
        others = draw(st.dictionaries(st.sampled_from(["version", "théme", "inputs"]), VALUES, max_size=2))
        value = {**others, key: value} if draw(st.booleans()) else {key: value, **others}
        assert n < len(keys)
    indent = draw(st.sampled_from([None, 2, 4, "\t"]))
    separators = (",", ":") if indent is None and draw(st.booleans()) else None
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    if with_comments and indent is not None:
        text = _commented(draw, text)
    text = text + draw(st.sampled_from(["", "\n", "\n\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(NEWLINES)))


def _commented(draw, text):
    """The text with comments behind and between its lines, and trailing commas."""
    lines = []
    for line in text.split("\n"):
        closes = line.strip()[:1] in ("}", "]") and lines and not lines[-1].rstrip().endswith(("{", "["))
        bare = lines and not lines[-1].strip().startswith(("//", "/*")) and "//" not in lines[-1]
        if closes and bare and draw(st.booleans()):
            lines[-1] += ","
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(st.sampled_from(["  // été, mine", "/* two\n   lines */", "\t// {"])))
        tail = draw(st.sampled_from(["", "", "", " // } why", " /* é */"]))
        lines.append(line + tail)
    return "\n".join(lines)


@st.composite
def markdown(draw):
    """A file of instructions as people have it, or "" for none."""
    text = draw(PIECES).removesuffix("\n" * draw(st.integers(0, 1)))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(NEWLINES)))


def comes_back(part, text):
    """Assert that a text takes ours in once and gives it back, to the byte, however often that is done."""
    made = kept(part.footprint(text))
    after = part.with_ours(text)
    assert part.holds_ours(after)
    assert part.with_ours(after) == after
    assert part.without_ours(after, made) == text
    lost = part.without_ours(after, None)  # the record may be lost: then ours goes, and nothing of theirs
    assert not part.holds_ours(lost)
    return after


def keeps_theirs(part, keys, text):
    """Assert that what a settings file says to its client is the same but for our entry."""
    after = part.with_ours(text)
    theirs, now = _said(text), _said(after)
    at = now
    for key in keys:
        at = at[key]
    assert server_entry.is_ours(at.pop("foreword"))
    assert _without_empty(now, keys) == _without_empty(theirs, keys)


def _said(text):
    node = jsonc.parse(text)
    return {} if node is None else node.plain()


def _without_empty(value, keys):
    if not keys or keys[0] not in value:
        return value
    inner = _without_empty(value[keys[0]], keys[1:])
    return {
        key: inner if key == keys[0] else other for key, other in value.items() if key != keys[0] or inner
    }


# -- what is refused -------------------------------------------------------------------------------


def refusal(part, text):
    """The error that `foreword install` would show for a text of a file."""
    try:
        told(part.path, part.with_ours, text)
    except Exception as error:
        return error
    raise AssertionError("nothing was refused")


# -- through the command ---------------------------------------------------------------------------


def a_home_comes_back(install, case, home, with_files):
    """Assert that `foreword install` of a client and `foreword uninstall` leave a home as it was: each byte,
    each folder, `with_files` of a Case as they are before, or with nothing there."""
    if with_files:
        make_folders(install.NAME)
    parts = settings_parts(install)
    for name in case.files if with_files else ():
        os.makedirs(os.path.dirname(parts[name].path), exist_ok=True)
        with open(parts[name].path, "wb") as f:
            f.write(case.text("before", name).encode())
    before = all_below(home)
    foreword("install", install.NAME, "--anyway")
    between = all_below(home)
    foreword("install", install.NAME, "--anyway")
    assert all_below(home) == between
    foreword("uninstall", install.NAME, "--purge", "--yes")
    assert all_below(home) == before
    assert all(b"foreword" in between[part.path] for part in parts.values())


def foreword(*arguments):
    """Run the real command, which must succeed; (stdout, stderr)."""
    command = [sys.executable, "-I", "-m", "foreword.cli", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, (arguments, done.stdout.decode(), done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def all_below(folder):
    """{path: bytes of a file, or None for a folder}."""
    found = {}
    for top, folders, names in os.walk(folder):
        found.update((os.path.join(top, name), None) for name in folders)
        for name in names:
            with open(os.path.join(top, name), "rb") as f:
                found[os.path.join(top, name)] = f.read()
    return found
