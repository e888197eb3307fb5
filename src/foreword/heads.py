"""Where definitions begin and end in source text, by plain rules. Hot; pure; loaded only for a file of which
a line or a name was cited.

Nothing is parsed: strings and comments are blanked out, one pattern a language finds the lines that begin a
definition, and its end is where its indentation or its brackets end. The same text gives the same answer, and
that is all that comparing needs. Patterns are strings: `re` compiles those of the one language at hand.
"""

import re

LONGEST_HEAD = 4_000  # characters from a name to the `{` or `;` that decides what it is
DECORATOR_LINES = 60
STATEMENT_LINES = 12

_ENDINGS = {
    "python": "py pyi pyx",
    "script": "js jsx mjs cjs ts tsx mts cts",
    "go": "go",
    "rust": "rs",
    "c": "c h cc cpp cxx hpp hh hxx cu m mm",
    "java": "java kt kts cs swift scala php dart groovy",
}
LANGUAGES = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}

# Strings and comments. One way to match each, and a quote that is not closed on its line is a plain sign.
_C_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_QUOTED = r'"(?:[^"\\\n]|\\.)*+"'
_TICKED = r"`(?:[^`\\]|\\(?s:.))*+`"
TOKENS = {
    "python": r'"""(?:[^"\\]|\\(?s:.)|"(?!""))*+"""|'
    r"'''(?:[^'\\]|\\(?s:.)|'(?!''))*+'''|" + _QUOTED + r"|'(?:[^'\\\n]|\\.)*+'|#[^\n]*",
    "script": _C_COMMENT + "|" + _QUOTED + r"|'(?:[^'\\\n]|\\.)*+'|" + _TICKED,
    "go": _C_COMMENT + "|" + _QUOTED + r"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`",
    # A quote may open a lifetime: only one sign between two is a letter.
    "rust": _C_COMMENT + r'|r(#+)"(?s:.{0,4000}?)"\1|"(?:[^"\\]|\\(?s:.))*+"' + r"|'(?:[^'\\\n]|\\[^\n']+)'",
    "c": _C_COMMENT + "|" + _QUOTED + r"|'(?:[^'\\\n]|\\.)*+'",
    "java": _C_COMMENT + r'|"""(?:[^"\\]|\\(?s:.)|"(?!""))*+"""|' + _QUOTED + r"|'(?:[^'\\\n]|\\.)*+'",
}

_CONTROL = (
    "if|for|while|switch|catch|return|function|else|do|new|await|typeof|super|throw|yield|delete|void|in|of|with"
    "|sizeof|defined|case|using|lock|foreach|when|try|finally|match|elseif|and|or|not|import|require"
)
_JS_MARKS = (
    r"(?:(?:export|default|declare|abstract|async|public|private|protected|static|override|readonly|accessor)"
    r"[ \t]+)*+"
)
_RUST_MARKS = (
    r"(?:pub(?:\([^)\n]*\))?[ \t]+)?"
    r"(?:(?:default|const(?=[ \t]+(?:fn|async|unsafe|extern))|async|unsafe|extern)[ \t]+)*+"
)
_JAVA_MARKS = r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*+(?:[a-z]+[ \t]+){0,8}?"
_C_TYPE = r"[A-Za-z_][\w \t*&:<>,\[\]]{0,160}[ \t*&]"  # bounded, for what is tried at each length
_ARROW = r"(?:async\b[ \t]*)?(?:function\b|class\b|\([^()\n]*\)[^=\n;]*=>|[\w$]+[ \t]*=>)"
_NO_CONTROL = rf"(?!(?:{_CONTROL})\b)"
# language -> [(kind or None for the pattern's group `kind`, pattern with a group `name`)]; on blanked text.
_HEADS = {
    "python": [
        (None, r"^[ \t]*(?:(?:async|cdef|cpdef)[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)"),
    ],
    "script": [
        (
            None,
            rf"^[ \t]*{_JS_MARKS}(?P<kind>function|class|interface|enum|namespace|type)\b[ \t]*\*?[ \t]+"
            r"(?P<name>[\w$]+)",
        ),
        ("const", rf"^{_JS_MARKS}(?:const|let|var)[ \t]+(?P<name>[\w$]+)"),
        ("const", rf"^[ \t]+{_JS_MARKS}(?:const|let|var)[ \t]+(?P<name>[\w$]+)[^=\n]*=[ \t]*{_ARROW}"),
        ("method", rf"^[ \t]*{_JS_MARKS}(?P<name>[\w$#.]+)[ \t]*[:=](?!=)[ \t]*{_ARROW}"),
        (
            "method",
            rf"^[ \t]+{_JS_MARKS}(?:(?:get|set)[ \t]+)?\*?[ \t]*(?P<name>{_NO_CONTROL}[\w$#]+|\[[\w$.]+\])"
            r"[ \t]*(?:<[^>\n]*>)?\(",
        ),
    ],
    "go": [
        ("func", r"^func[ \t]+(?:\((?:[^()\n]*?[ \t*])?(?P<of>\w+)(?:\[[^\]\n]*\])?\)[ \t]*)?(?P<name>\w+)"),
        (None, r"^(?P<kind>type|var|const)[ \t]+(?P<name>\w+)"),
        ("type", r"^\t(?P<name>\w+)[ \t]+(?:struct|interface)\b"),
    ],
    "rust": [
        (
            None,
            rf"^[ \t]*{_RUST_MARKS}(?P<kind>fn|struct|enum|trait|union|mod|type|static|const)[ \t]+"
            r"(?:mut[ \t]+)?(?P<name>\w+)",
        ),
        ("impl", r"^[ \t]*(?:unsafe[ \t]+)?impl\b(?P<name>[^{;]{1,300})"),
        ("macro", r"^[ \t]*macro_rules![ \t]*(?P<name>\w+)"),
    ],
    "c": [
        ("define", r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)"),
        (
            None,
            r"^[ \t]*(?:(?:typedef|static|const|extern|template[ \t]*<[^>\n]*>)[ \t]*)*+"
            r"(?P<kind>struct|union|enum|class|namespace)[ \t]+(?:class[ \t]+|struct[ \t]+)?"
            r"(?P<name>\w+)(?=[^;(){}=]{0,400}\{)",
        ),
        ("function", rf"^(?:{_C_TYPE})?(?P<name>{_NO_CONTROL}[A-Za-z_~][\w:~]*)[ \t]*\("),
        ("function", rf"^[ \t]+{_C_TYPE}(?P<name>{_NO_CONTROL}[A-Za-z_~][\w:~]*)[ \t]*\("),
    ],
    "java": [
        (
            None,
            rf"^[ \t]*{_JAVA_MARKS}(?P<kind>class|interface|enum|record|struct|object|trait|protocol"
            r"|extension|namespace|fun|func|function|def)[ \t]+(?:<[^>\n]*>[ \t]*)?(?P<name>[\w.]+)",
        ),
        (
            "method",
            r"^[ \t]+(?:@\w+(?:\([^)\n]*\))?[ \t]+)*+(?:[\w<>\[\],.?]{1,80}[ \t]+){0,8}?"
            rf"(?P<name>{_NO_CONTROL}\w+)[ \t]*\(",
        ),
    ],
}
# Kinds that must have a body in braces: what looks like them and has none is a call or a declaration.
_BODIED = {"method", "function"}
_ENDS_AT_LINE = {"const", "type", "var", "static", "define"}
_FUNCTIONS, _CALLBACKS = {"function", "method", "const"}, {"const", "method"}
HOLDERS = {
    "class", "interface", "namespace", "impl", "trait", "mod", "struct", "enum", "union", "record", "object",
    "protocol", "extension", "def", "function", "const", "method",
}  # fmt: skip


class Head:
    """Where a definition begins: at (offset of its line), line (the first is 1), indent, kind, name (with
    what it stands in, `Client.send`), behind (the offset behind its name)."""

    __slots__ = ("at", "behind", "indent", "kind", "line", "name")

    def __init__(self, at, line, indent, kind, name, behind):
        self.at, self.line, self.indent = at, line, indent
        self.kind, self.name, self.behind = kind, name, behind


class Source:
    """A text with what was found in it: text, bare (strings and comments blanked, as long as the text),
    starts (offsets of its lines), heads (in order)."""

    def __init__(self, text, language):
        self.text, self.language = text, language
        self.bare = re.sub(TOKENS[language], _blank, text)
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.heads = self._heads()

    def line_of(self, offset):
        from bisect import bisect_right

        return bisect_right(self.starts, offset)

    def line(self, number):
        """A line of the blanked text, without its end."""
        start = self.starts[number - 1]
        end = self.starts[number] - 1 if number < len(self.starts) else len(self.bare)
        return self.bare[start:end]

    def _heads(self):
        found = {}
        for kind, pattern in _HEADS[self.language]:
            for match in re.finditer(pattern, self.bare, re.MULTILINE):
                at = match.start()
                if at in found:
                    continue  # an earlier row of the table knows it better
                groups = match.groupdict()
                is_kind = kind or groups["kind"]
                if is_kind in _BODIED and not self._has_body(match.end() - 1):
                    continue
                name = "".join(groups["name"].split()) or "-"
                if groups.get("of"):
                    name = groups["of"] + "." + name
                found[at] = is_kind, name, match.end("name")
        heads = []
        open_heads = []
        for at in sorted(found):
            kind, name, behind = found[at]
            row = self.bare[at:behind]
            indent = len(row) - len(row.lstrip(" \t"))
            while open_heads and open_heads[-1].indent >= indent:
                open_heads.pop()
            around = [head for head in open_heads if head.kind in HOLDERS]
            if around and kind in _CALLBACKS and around[-1].kind in _FUNCTIONS:
                continue  # a callback is part of the function that it stands in
            if around:
                name = around[-1].name + "." + name
            head = Head(at, self.line_of(at), indent, kind, name, behind)
            heads.append(head)
            open_heads.append(head)
        return heads

    def _has_body(self, at):
        """Whether what has its `(` at an offset is followed by a body in braces."""
        end = _matching(self.bare, at, at + LONGEST_HEAD)
        if end < 0:
            return False
        brace = re.compile(r"[{;=]|\n[ \t]*\n").search(self.bare, end, end + 400)
        if brace is None or brace.group() != "{":
            return False
        between = self.bare[end : brace.start()]
        # K&R parameters aside, what stands between is a type, `const`, `where`: never a bracket that closes.
        return not set(between) & set(")]}") or between.count("(") == between.count(")")

    def end(self, head):
        """The last line of a definition."""
        if self.language == "python":
            return self._end_by_indent(head)
        if head.kind == "define":
            number = head.line
            while number < len(self.starts) and self.line(number).rstrip().endswith("\\"):
                number += 1
            return number
        return self._end_by_bracket(head)

    def _end_by_indent(self, head):
        opened = self.bare.find("(", head.behind, head.behind + 80) if head.kind == "def" else -1
        last = self.line_of(_matching(self.bare, opened, len(self.bare))) if opened >= 0 else head.line
        last = max(last, head.line)
        depth = 0
        for number in range(last + 1, len(self.starts) + 1):
            row = self.line(number)
            bare = row.strip()
            if depth <= 0 and bare and len(row) - len(row.lstrip(" \t")) <= head.indent:
                # A string over several lines is blank here, but its last line may hold more than its end.
                break
            if bare:
                last = number
                depth += _depth(bare)
        return last

    def _end_by_bracket(self, head):
        """At the bracket that closes its body; where it has none, at the `;` or where its line ends."""
        depth = 0
        by_line = head.kind in _ENDS_AT_LINE
        for found in re.compile(r"[()\[\]{};\n]").finditer(self.bare, head.behind):
            sign = found.group()
            if sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
                if depth < 0:
                    return max(head.line, self.line_of(found.start()) - 1)
                if depth == 0 and sign == "}" and not by_line:
                    return self.line_of(found.start())
            elif depth == 0 and (sign == ";" or (by_line and self._ends_here(found.start(), head))):
                return self.line_of(found.start())
        return len(self.starts) if depth <= 0 else self._end_by_indent(head)

    def _ends_here(self, newline, head):
        """Whether a statement that needs no `;` ends at a line's end."""
        number = self.line_of(newline) + 1
        if (
            self.bare[max(0, newline - 1) : newline] in tuple("=,+-*/|&?:<>(")
            and self.line(number - 1).strip()
        ):
            return False
        while number <= len(self.starts) and not self.line(number).strip():
            number += 1
        if number > len(self.starts):
            return True
        row = self.line(number)
        return len(row) - len(row.lstrip(" \t")) <= head.indent and row.strip()[0] not in ".?:|&+-*/=)"

    def statement(self, line):
        """(first, last) of the lines of the statement that holds one: as far as its brackets are open."""
        first = last = line
        depth = _depth(self.line(line))
        while depth > 0 and last < len(self.starts) and last - line < STATEMENT_LINES:
            last += 1
            depth += _depth(self.line(last))
        depth = _depth(self.line(line))
        while depth < 0 and first > 1 and line - first < STATEMENT_LINES:
            first -= 1
            depth += _depth(self.line(first))
        return first, last

    def first(self, head):
        """The first line of a definition: that of its decorators or attributes."""
        first = head.line
        while first > 1 and head.line - first < DECORATOR_LINES:
            row = self.line(first - 1).strip()
            if _decorates(row):
                first -= 1
                continue
            if not row or row[-1] not in ")]":
                break
            depth, number = _depth(row), first - 1
            while depth < 0 and number > 1 and head.line - number < DECORATOR_LINES:
                number -= 1
                depth += _depth(self.line(number).strip())
            if depth != 0 or not _decorates(self.line(number).strip()):
                break
            first = number
        return first


def _decorates(row):
    return row.startswith(("@", "#[", "#![")) or (row.startswith("template") and row.endswith(">"))


def _blank(found):
    text = found.group()
    if "\n" not in text:
        return " " * len(text)
    return "\n".join(" " * len(row) for row in text.split("\n"))


def _depth(row):
    return sum(map(row.count, "([{")) - sum(map(row.count, ")]}"))


def _matching(text, at, limit):
    """The offset behind the bracket that closes the one at `at`; -1 where none does before `limit`."""
    depth = 0
    for found in re.compile(r"[()\[\]{}]").finditer(text, at, limit):
        depth += 1 if found.group() in "([{" else -1
        if depth == 0:
            return found.end()
    return -1
