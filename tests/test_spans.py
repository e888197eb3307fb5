"""Spans: which definition a citation is about, and whether it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import heads, spans

PYTHON = '''"""About."""

import os

LIMITS = {
    "small": 1,
    "large": 2,
}


@cache(
    size=10,
)
class Client:
    """A client."""

    def send(self, text):
        if text:
            return self.post(
                text,
            )
        return None

    async def close(
        self,
    ):
        def later():
            return 1

        return later


def send(text):
    return text
'''
SCRIPT = """import { x } from "./x";

export const LIMIT = {
  a: 1,
  b: "}",
};

export class Client<T> extends Base {
  private n = 1;
  async send(req: Request): Promise<void> {
    if (req.ok) {
      call(() => { x(); });
    }
  }
  get size() { return this.n; }
}

export function go(a: number,
  b: string): number {
  return a;
}
const arrow = async (x) => x + 1;
type Shape = {
  a: string;
};
describe('thing', () => {
  it('works', () => {
    expect(1);
  });
});
"""
GO = """package x

const (
\tRetries = 1
\tWait = 2
)

type Client struct {
\tn int
}

func (c *Client) Send(a int) error {
\tif a > 1 { return nil }
\treturn nil
}

func New() *Client { return &Client{} }
"""
RUST = """use std::fmt;

/// doc
#[derive(Debug)]
pub struct A<'a> {
    x: &'a str,
}

impl<'a> A<'a> {
    pub fn new(x: &'a str) -> Self {
        let c = '"';
        A { x }
    }
}
impl fmt::Display for A<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", '"')
    }
}
pub const LIMIT: u32 = 5;
"""
C = """#include <stdio.h>
#define MAX(a, b) \\
    ((a) > (b) ? (a) : (b))
struct node {
    int x;
};
static int
helper(int a,
       int b)
{
    return a + b;
}
int declared(int a);
int main(void) {
    helper(1, 2);
    if (x) { return 0; }
    return 1;
}
"""
JAVA = """package a;
public class Foo extends Bar {
    private int x = 1;
    @Override
    public String toString(int a) throws X {
        return "a" + call(b);
    }
}
"""
TEXTS = {"a.py": PYTHON, "a.ts": SCRIPT, "a.go": GO, "a.rs": RUST, "a.c": C, "A.java": JAVA}


def named(path, line):
    """`kind name` of the span around a line; "text" for the line itself."""
    [span] = spans.take(TEXTS[path], path, [(line, "")])
    kind, name = span.split(" ")[:2]
    return kind if kind == spans.TEXT else f"{kind} {name}"


def line_of(path, part):
    return TEXTS[path][: TEXTS[path].index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("path", "part", "name"),
    [
        ("a.py", "return None", "def Client.send"),
        ("a.py", "size=10", "class Client"),
        ("a.py", "return 1", "def Client.close.later"),
        ("a.py", "return later", "def Client.close"),
        ("a.py", "return text\n", "def send"),
        ("a.py", '"large"', "text"),
        ("a.py", "import os", "text"),
        ("a.ts", "b: \"}\"", "const LIMIT"),
        ("a.ts", "call(", "method Client.send"),
        ("a.ts", "private n", "class Client"),
        ("a.ts", "get size", "method Client.size"),
        ("a.ts", "return a;", "function go"),
        ("a.ts", "x + 1", "const arrow"),
        ("a.ts", "a: string;\n", "type Shape"),
        ("a.ts", "expect(1)", "text"),
        ("a.go", "n int", "type Client"),
        ("a.go", "return nil\n}", "func Client.Send"),
        ("a.go", "func New", "func New"),
        ("a.go", "Retries = 1", "text"),
        ("a.rs", "#[derive", "struct A"),
        ("a.rs", "A { x }", "fn <'a>A<'a>.new"),
        ("a.rs", "write!", "fn fmt::DisplayforA<'_>.fmt"),
        ("a.rs", "LIMIT", "const LIMIT"),
        ("a.c", "((a) > (b)", "define MAX"),
        ("a.c", "int x;", "struct node"),
        ("a.c", "return a + b", "function helper"),
        ("a.c", "if (x)", "function main"),
        ("A.java", "return \"a\"", "method Foo.toString"),
        ("A.java", "@Override", "method Foo.toString"),
        ("A.java", "private int", "class Foo"),
    ],
)  # fmt: skip
def test_a_line_is_about_the_smallest_definition_around_it(path, part, name):
    assert named(path, line_of(path, part)) == name


@pytest.mark.parametrize("path", TEXTS)
def test_every_line_of_a_file_stands_against_that_file(path):
    text = TEXTS[path]
    for line in range(1, text.count("\n") + 2):
        taken = spans.take(text, path, [(line, "")])
        assert all(map(spans.is_span, taken))
        assert spans.judge(text, path, taken) == (spans.STANDS, 0)


@pytest.mark.parametrize(
    ("path", "part", "other"),
    [
        ("a.py", "return None", "return 0"),
        ("a.py", "size=10", "size=11"),
        ("a.py", "return 1", "return 2"),
        ("a.ts", "call(", "shout("),
        ("a.ts", "return a;", "return b;"),
        ("a.go", "return nil\n}", "return a\n}"),
        ("a.rs", "A { x }", "A { y }"),
        ("a.c", "return a + b", "return a - b"),
        ("a.c", "(a) > (b)", "(a) < (b)"),
        ("A.java", '"a" +', '"b" +'),
    ],
)
def test_a_change_within_is_seen_and_names_the_cited_line_and_one_elsewhere_is_not(path, part, other):
    text, line = TEXTS[path], line_of(path, part)
    taken = spans.take(text, path, [(line, "")])
    assert spans.judge(text.replace(part, other), path, taken) == (spans.CHANGED, line)
    comment = "# more\n\n" if path == "a.py" else "// more\n\n"
    assert spans.judge(comment + text + "\n" + comment, path, taken) == (spans.STANDS, 0)


def test_white_space_comments_documentation_and_trailing_commas_are_no_change():
    taken = spans.take(PYTHON, "a.py", [(line_of("a.py", "return None"), ""), (0, "Client.close")])
    other = PYTHON.replace("        return None", "        # nothing\n\n        return  None  # here")
    other = other.replace("                text,\n            )", "text)").replace(
        "        self,\n", "        self\n"
    )
    other = other.replace("def send(self, text):\n", 'def send(self, text):\n        """Sends."""\n')
    assert other != PYTHON
    assert spans.judge(other, "a.py", taken) == (spans.STANDS, 0)


def test_a_text_in_a_string_is_no_comment():
    taken = spans.take("def f():\n    return 'a # b'\n", "a.py", [(2, "")])
    assert spans.judge("def f():\n    return 'a # c'\n", "a.py", taken)[0] == spans.CHANGED


def test_a_definition_that_is_gone_is_told_from_one_that_changed():
    taken = spans.take(PYTHON, "a.py", [(0, "Client.send")])
    assert spans.judge(PYTHON.replace("def send(self", "def post(self"), "a.py", taken)[0] == spans.GONE


def test_of_two_equal_twins_one_that_changes_is_seen():
    text = "if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 1\n"
    taken = spans.take(text, "a.py", [(3, "")])
    assert " 2/2 " in taken[0]
    assert spans.judge(text.replace("return 1", "return 2", 1), "a.py", taken)[0] == spans.CHANGED


def test_of_two_twins_a_change_of_the_other_is_none():
    text = "if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    taken = spans.take(text, "a.py", [(3, "")])
    assert spans.judge(text.replace("return 2", "return 3"), "a.py", taken) == (spans.STANDS, 0)


def test_a_name_is_what_the_file_defines_and_nothing_else():
    assert [s.split(" ")[1] for s in spans.take(PYTHON, "a.py", [(0, "send")])] == ["Client.send", "send"]
    assert [s.split(" ")[1] for s in spans.take(PYTHON, "a.py", [(0, "Client.send")])] == ["Client.send"]
    assert spans.take(PYTHON, "a.py", [(0, "post"), (0, "os"), (0, "")]) == []


def test_a_name_that_stands_for_many_definitions_means_none_of_them():
    text = "".join(f"class C{n}:\n    def run(self):\n        return {n}\n" for n in range(4))
    assert spans.take(text, "a.py", [(0, "run")]) == []
    assert len(spans.take(text, "a.py", [(0, "C2.run")])) == 1


def test_two_lines_of_one_definition_are_one_span():
    line = line_of("a.py", "return None")
    assert len(spans.take(PYTHON, "a.py", [(line, ""), (line - 1, ""), (line, "")])) == 1


def test_a_line_beyond_the_end_has_no_span():
    assert spans.take(PYTHON, "a.py", [(PYTHON.count("\n") + 5, "")]) == []


def test_lines_of_a_text_that_is_no_source_are_compared_as_they_are():
    text = "[pool]\nsize = 5\nwait = 30\n\n[mail]\nfrom = a@example.invalid\n"
    taken = spans.take(text, "app.toml", [(2, "")])
    assert spans.judge(text.replace("[mail]", "[post]"), "app.toml", taken) == (spans.STANDS, 0)
    assert spans.judge("# new\n\n" + text, "app.toml", taken) == (spans.STANDS, 0)
    assert spans.judge(text.replace("size = 5", "size = 6"), "app.toml", taken) == (spans.CHANGED, 2)


def test_a_minified_file_has_no_definitions():
    text = "function a(){return 1}" * 500
    assert spans.take(text, "a.js", [(0, "a")]) == []
    assert spans.take(text, "a.js", [(1, "")])[0].startswith("text ")


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.rs", "a.c"])
def test_a_definition_is_held_by_another_file_that_has_just_it(path):
    part = {
        "a.py": "return None",
        "a.ts": "call(",
        "a.go": "return nil\n}",
        "a.rs": "A { x }",
        "a.c": "a + b",
    }
    [span] = spans.take(TEXTS[path], path, [(line_of(path, part[path]), "")])
    assert spans.holds(TEXTS[path], path, span) > 0
    assert spans.holds(TEXTS[path].replace(part[path], "0"), path, span) == 0


def test_a_small_definition_and_a_twin_are_never_called_moved():
    [span] = spans.take(GO, "a.go", [(0, "New")])
    assert spans.holds(GO, "a.go", span) == 0
    text = "def f():\n    a()\n    b()\n    return 1\n\n\n" * 2
    taken = spans.take(text, "a.py", [(2, "")])
    assert spans.holds(text, "a.py", taken[0]) == 0


def test_a_span_is_renewed_where_it_stands_and_void_where_it_is_gone():
    taken = spans.take(PYTHON, "a.py", [(line_of("a.py", "return None"), ""), (3, "")])
    other = "# one line more\n" + PYTHON.replace("return None", "return 0")
    renewed = [spans.renewed(other, "a.py", span) for span in taken]
    assert spans.judge(other, "a.py", renewed[:1]) == (spans.STANDS, 0)
    assert renewed[0].split(" ")[:2] == taken[0].split(" ")[:2]
    gone = spans.renewed("x = 1\n", "a.py", taken[0])
    assert gone.split(" ")[:2] == taken[0].split(" ")[:2]
    assert not spans.is_span(gone)


PIECES = [
    "def f(x):\n", "class A:\n", "    return 1\n", "\n", "function f() {\n", "}\n", "@d(\n", ")\n",
    "impl A {\n", '"""\n', "func (a *A) B() {\n", "#define X \\\n", "fn f() {}\n", "const a = () => {\n",
    "/*\n", "*/\n",
]  # fmt: skip
CODE = st.one_of(
    st.text(st.sampled_from("abc(){}[]<>;:=,.\"'`#/*\\\n \t@é_1"), max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)
MARKS = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["", "f", "A", "A.f", "B", "a"])), max_size=5)


@given(CODE, st.sampled_from(["a.py", "a.ts", "a.go", "a.rs", "a.c", "a.java", "a.md", "Makefile"]), MARKS)
def test_any_text_can_be_taken_judged_and_renewed_and_stands_against_itself(text, path, marks):
    taken = spans.take(text, path, marks)
    assert all(map(spans.is_span, taken))
    assert all('"' not in span and "\\" not in span and span.isprintable() for span in taken)
    assert spans.judge(text, path, taken) == (spans.STANDS, 0)
    for span in taken:
        spans.holds(text, path, span)
        now = spans.renewed(text + "\n", path, span)
        assert now.split(" ")[:2] == span.split(" ")[:2]


@given(CODE, CODE, st.sampled_from(["a.py", "a.ts", "a.go", "a.rs", "a.c"]), MARKS)
def test_any_two_texts_can_be_compared(text, other, path, marks):
    state, line = spans.judge(other, path, spans.take(text, path, marks))
    assert (state == spans.STANDS) == (line == 0)


@given(st.text(max_size=80) | st.from_regex(r"[a-z]{1,5} \S{1,5} \d \d \d/\d [0-9a-f]{16}", fullmatch=True))
def test_what_is_no_span_is_known(text):
    if spans.is_span(text):
        spans.judge(PYTHON, "a.py", [text])
        spans.name_of(text)


@given(CODE, st.sampled_from(sorted(heads.TOKENS)))
def test_blanking_keeps_every_line_and_its_length(text, language):
    source = heads.Source(text, language)
    assert [len(row) for row in source.bare.split("\n")] == [len(row) for row in text.split("\n")]
    for head in source.heads:
        assert 1 <= source.first(head) <= head.line <= source.end(head) <= text.count("\n") + 1
