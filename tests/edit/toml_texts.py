"""TOML as people write it, and blocks of ours beside it, for the tests of `edit.toml`."""

import tomllib

from hypothesis import assume
from hypothesis import strategies as st

from foreword.edit import jsonc, toml

OURS = '[mcp_servers.foreword]\n# written by foreword install\ncommand = "foreword"\nargs = ["serve"]\n'
OURS_PATH = ("mcp_servers", "foreword")
HOOKS = (
    '[[hooks.SessionStart]]\nmatcher = "startup"\n\n'
    '[[hooks.SessionStart.hooks]]\ntype = "command"\ncommand = "foreword hook"\n'
)
STATE = '[hooks.state."/home/u/.codex/hooks.json:session_start:0:0"]\ntrusted_hash = "sha256:7011"\n'

NASTY = (
    r'''# A config as people have it: [not.a.header]
model = "o#1"  # a "comment" [x]
notify = [
  "python3",   # ]
  "/abs/[notify].py",
  ["]", '[[deep]]'],
]
prompt = """
[mcp_servers.fake]
command = \"\"\" still inside
""quoted"" """""
literal = '''
    + "'''"
    + r'''
[[also.fake]]
"""
'''
    + "''''"
    + r"""
inline = { a = "}", "b # c" = [1, { d = "[x]" }], e."f g".h = 1979-05-27 }
"quo.ted" . 'li"t' . bare = nan

  [projects."/home/u/a \"b\".c"]  # [trailing]
  trust_level = "trusted"

[[hooks.SessionStart]]
matcher = "startup"
[[hooks.SessionStart.hooks]]
type = "command"
[[hooks.SessionStart.hooks]]
type = "mcp_tool"
[[hooks.SessionStart]]
[[hooks.SessionStart.hooks]]
type = "command"

# about the state
[ hooks . state . "/home/u/.codex/hooks.json:session_start:0:0" ]
trusted_hash = "sha256:7011"
# the end of the state

[mcp_servers.probe.env]
FOO = ""
[tui]
[mcp_servers.probe]
command = 'C:\probe'
# last words
"""
)


VALUES = st.sampled_from(
    [
        "1",
        "-0.0",
        "nan",
        "true",
        "07:32:00",
        '"a # [b]"',
        '"\\"[c]"',
        "'[[d]] \"'",
        '""',
        "''",
        '"""\n[mcp_servers.foreword]\n"""',
        '"""a\\"""" b"""""',
        '"""a""""',
        "'''a''''",
        "'''\n[[e]]\n'' # '''''",
        "[]",
        '[\n  "]", # ]\n\n  [[1], []],\n]',
        "{}",
        '{ "a.b" = "}", c = [{ d = "#" }] }',
        '[{ x = """\n[f]""" }]',
    ]
)
FILLING = st.sampled_from(["", "", "  ", "# c", "# [mcp_servers.foreword]", '  # """ {[', "\t#"])
TAILS = st.sampled_from(["", "", " ", " # t", '\t# [x] "', ' # " [{', " # ' ["])
NAMES = st.sampled_from(["a", "b-1", '"q.q"', "'l \"l'", '"/u/hooks.json:stop:0:0"', '"ü\\n"', '""'])


@st.composite
def documents(draw, is_later=False):
    """Valid TOML in a style of somebody's own, at times with tables beside ours. `is_later`: what may
    stand behind another document, tables only."""
    lines = []

    def fill():
        lines.extend(draw(st.lists(FILLING, max_size=2)))

    def keys(prefix):
        for n in range(draw(st.integers(0, 3))):
            name = draw(st.sampled_from(["%s%d", '"%s %d"', '%s%d . "x.y"', "%s%d.z", "'%s[%d]'"]))
            equals = draw(st.sampled_from(["=", " = ", "= ", "\t="]))
            indent = draw(st.sampled_from(["", "  "]))
            lines.append(indent + name % (prefix, n) + equals + draw(VALUES) + draw(TAILS))
            fill()

    fill()
    if not is_later:
        keys("root")
    for n in range(draw(st.integers(is_later, 5))):
        tops = ["later%d" % n] if is_later else ["mcp_servers", "hooks", "t%d" % n, '"t %d"' % n]
        path = [draw(st.sampled_from(tops)), *draw(st.lists(NAMES, max_size=2))]
        dot = draw(st.sampled_from([".", " . "]))
        form = draw(st.sampled_from(["[%s]", "[ %s ]", "[[%s]]", "  [[ %s ]]"]))
        lines.append(form % dot.join(path) + draw(TAILS))
        fill()
        keys("k%d" % n)
    fill()
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    final = draw(st.sampled_from(["", "\n", "\n", "\n\n", "\n\n\n", "\n  "]))
    bom = "" if is_later else draw(st.sampled_from(["", "", "\ufeff"]))
    text = bom + ("\n".join(lines) + final).replace("\n", newline)
    assume(is_valid(text))
    return text


@st.composite
def blocks(draw):
    """One to three tables of ours; their comments inside."""
    tables = draw(
        st.permutations([OURS, HOOKS, STATE, "[foreword]\n", "[[foreword_list]]\r\nx = '''\n[y]'''"])
    )
    gap = draw(st.sampled_from(["\n", "\n\n", "\n\n\n"]))
    return gap.join(tables[: draw(st.integers(1, 3))])


def is_valid(text):
    try:
        toml.parse(text)
    except jsonc.MalformedError:
        return False
    return True


def values(text):
    """The values in a form that is equal to itself, nan too."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        return (type(value).__name__, str(value))

    return plain(tomllib.loads(text.removeprefix("\ufeff")))


def appended(text, block):
    """append, or another example where the tables are there already in another form."""
    try:
        return toml.append(text, block)
    except toml.ClashError:
        assume(False)
        raise


def ours_in(text, block, before=""):
    """The spans of a block's tables behind a text."""
    n = len(toml.headers(before))
    return [header.span for header in toml.headers(text)[n : n + len(toml.headers(block))]]
