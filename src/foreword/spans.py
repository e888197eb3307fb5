"""What a citation is about: the smallest definition around a cited line or name, as a hash. Hot; pure; loaded
only for a file of which a line or a name was cited.

A span is a line: `KIND NAME LINE LINES SAME/ALL DIGEST`: `def Client.send 42 17 1/1 9f86d081884c7d65`.
LINE is the cited one (of a name: where its definition began), LINES how many it has, ALL how many definitions
of that kind and name the file has, SAME how many of those say the same. DIGEST: the first 16 digits of the
sha256 of its text without comments, documentation strings, white space and trailing commas. The kind `text`
is for lines that no definition stands around: the statement, or in a text that is no source the paragraph;
its NAME is the CRC-32 of its first line, and white space alone counts for nothing.

A hash says that the text stands, never that what was said of it is true: what it calls may be another.
"""

import re
from binascii import crc32

from foreword.digest import sha256
from foreword.heads import LANGUAGES, TOKENS, Source

STANDS, CHANGED, GONE = "stands", "changed", "gone"
TEXT = "text"
LONGEST_TEXT = 12  # lines of a `text` span
LEAST_TEXT = 12  # characters: less says nothing ("}")
MOST_OF_A_NAME = 3  # definitions of one name that a citation may mean; more mean none of them
LEAST_MOVED = 3  # lines: equal small functions stand in many files
LONGEST_LINE = 2_000  # characters; a file with longer ones is minified: its hash decides
VOID = "0" * 16  # for the digest of what is not there any more
_SPAN = r"([a-z]{1,20}) (\S{1,200}) (\d{1,7}) (\d{1,7}) (\d{1,5})/(\d{1,5}) (?!" + VOID + r")([0-9a-f]{16})\Z"
_WHITE = r"\s+"
_TRAILING = r",(?=[)\]}])"


def is_span(text):
    """Whether a text is one that `take` could have made."""
    return len(text) < 300 and re.match(_SPAN, text) is not None


def name_of(span):
    """The name of a span as it stands in the text of a file, without what holds it; "" where it has none."""
    kind, name = span.split(" ")[:2]
    return "" if kind == TEXT else _bare(name)


def take(text, path, marks):
    """The spans of what is cited of a file: marks, [(line or 0, name or "")], in order, each once.

    A line beyond the end, and a name that is not defined, has none. A file in a language that is not known
    has the lines themselves.
    """
    source = _source(text, path)
    found = {}
    for line, name in marks:
        if name and not line:
            taken = _named(source, name) if source else []
        else:
            taken = [_at(source, text, line)] if 0 < line <= text.count("\n") + 1 else []
        for span in filter(None, taken):
            found.setdefault(_key(span), span)
    return list(found.values())


def judge(text, path, spans):
    """(STANDS, CHANGED or GONE, the worst of all; the cited line of the first that does not stand, or 0)."""
    source = _source(text, path)
    worst, bad = STANDS, 0
    for span in spans:
        state = _judged(source, text, span)
        if state == STANDS:
            continue
        if worst == STANDS:
            bad = _fields(span)[2]
        # Where one only changed the file is still its place.
        worst = state if worst in (STANDS, state) else CHANGED
    return worst, bad


def holds(text, path, span):
    """The line at which another file holds this very definition, so that it may be called moved; 0 where it
    holds none or more than one, or where the span is too small to tell."""
    kind, name, _, lines, _, count, digest = _fields(span)
    if kind == TEXT or lines < LEAST_MOVED or count > 1:
        return 0
    source = _source(text, path)
    if source is None:
        return 0
    heads = [head for head in source.heads if head.kind == kind and _bare(head.name) == _bare(name)]
    heads = [head for head in heads if _sane(head.name) == name] or heads
    return heads[0].line if len(heads) == 1 and _digest(source, heads[0]) == digest else 0


def renewed(text, path, span):
    """A span as the file has it now, of the same kind and name; where it holds no such thing any more, one
    that is void: `is_span` denies it, so that the file's hash decides."""
    kind, name, line, *_ = _fields(span)
    source = _source(text, path)
    now = ""
    if kind == TEXT:
        now = _at(source, text, line) if line <= text.count("\n") + 1 else ""
    elif source is not None:
        heads = [head for head in source.heads if (head.kind, _sane(head.name)) == (kind, name)]
        if heads:
            nearest = min(heads, key=lambda head: abs(head.line - line))
            now = _span(source, nearest, nearest.line)
    if now.split(" ")[:2] == [kind, name]:
        return now
    return " ".join([*span.split(" ")[:-1], VOID])


def _fields(span):
    kind, name, line, lines, share, digest = span.split(" ")
    same, _, count = share.partition("/")
    return kind, name, int(line), int(lines), int(same), int(count), digest


def _key(span):
    """What tells two spans of one file apart: two cited lines of one definition are one."""
    kind, name, line, lines, _, _, digest = _fields(span)
    return (kind, name, digest) if kind != TEXT else (kind, line, lines, digest)


def _bare(name):
    return re.split(r"[.:]", name)[-1] if not name.endswith((".", ":")) else name


def _source(text, path):
    language = LANGUAGES.get(path.rpartition(".")[2].lower()) if "." in path else None
    if language is None or _is_minified(text):
        return None
    return Source(text, language)


def _is_minified(text):
    """True for a file with a line so long that it is no source: about 20 µs for 10,000 lines."""
    return (
        len(text) > LONGEST_LINE * (text.count("\n") + 1) // 4
        or max(map(len, text.split("\n")), default=0) > 20 * LONGEST_LINE
    )


def _named(source, name):
    """The spans of the definitions that a name means: `send`, `Client.send`, `Client::send`."""
    wanted = [part for part in re.split(r"\.|::|#|->", name) if part]
    heads = []
    for head in source.heads:
        parts = [part for part in re.split(r"[.:]+", head.name) if part]
        if wanted and parts[-len(wanted) :] == wanted:
            heads.append(head)
    # A class and a namespace of one name, or overloads, are one matter: the first of them is meant.
    heads = list({head.name: head for head in reversed(heads)}.values())[::-1]
    if len(heads) > MOST_OF_A_NAME:
        return []
    return [_span(source, head, head.line) for head in heads]


def _at(source, text, line):
    """The span around a line; "" where it says nothing."""
    if source is None:
        return _lines(text.split("\n"), line, *_paragraph(text.split("\n"), line))
    # A decorator, or a comment above, belongs to what stands below it.
    around = below = None
    for head in reversed(source.heads):
        if head.line > line:
            below = head
        elif source.end(head) >= line:
            around = head
            break
    if below is not None and source.first(below) <= line:
        around = below
    if around is not None:
        return _span(source, around, line)
    return _lines(text.split("\n"), line, *source.statement(line))


def _span(source, head, line):
    digest = _digest(source, head)
    twins = [other for other in source.heads if (other.kind, other.name) == (head.kind, head.name)]
    same = sum(_digest(source, other) == digest for other in twins)
    lines = source.end(head) - source.first(head) + 1
    return f"{head.kind} {_sane(head.name)} {line} {lines} {same}/{len(twins)} {digest}"


def _judged(source, text, span):
    kind, name, _, lines, same, count, digest = _fields(span)
    if kind == TEXT:
        return STANDS if _holding(_squeezed(text), name, lines, digest) >= same else CHANGED
    if source is None:
        return CHANGED
    heads = [head for head in source.heads if head.kind == kind and _sane(head.name) == name]
    if not heads:
        return GONE
    found = sum(_digest(source, head) == digest for head in heads)
    # One of two equal ones that changed must be seen; one more is no change.
    return STANDS if found >= min(same, count) else CHANGED


def _sane(name):
    """A name without what YAML would escape."""
    return re.sub(r"[^\x21\x23-\x5b\x5d-\x7e]", "?", name)[-200:] or "-"


def _digest(source, head):
    """The digest of a definition with its decorators."""
    start = source.starts[source.first(head) - 1]
    last = source.end(head)
    stop = source.starts[last] if last < len(source.starts) else len(source.text)
    return _hash(_stripped(source.text[start:stop], source.language))


def _stripped(text, language):
    """Without comments, white space and trailing commas; in Python without documentation strings."""
    kept = []

    def without(found):
        token = found.group()
        if (token[0] == "#" and language == "python") or token.startswith(("//", "/*")):
            return " "
        if language == "python" and _is_documentation(found):
            return " "
        kept.append(token)
        return "\0"

    bare = re.sub(_TRAILING, "", re.sub(_WHITE, "", re.sub(TOKENS[language], without, text)))
    return bare + "\0" + "\0".join(kept)


def _is_documentation(found):
    """Whether a string is a statement of its own: nothing before it on its line, nothing behind it."""
    text, start, end = found.string, found.start(), found.end()
    before = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    if before.strip(" \trRuU") or (behind.strip(" \t") and not behind.lstrip().startswith("#")):
        return False
    above = text[:start].rstrip(" \trRuU\n")
    return above.endswith(":") or not above


def _paragraph(rows, line):
    """(first, last) of the lines around one up to blank ones."""
    first = last = line
    while first > 1 and rows[first - 2].strip():
        first -= 1
    while last < len(rows) and rows[last].strip():
        last += 1
    return first, last


def _lines(rows, line, first, last):
    """The span of the lines from `first` to `last`; of many only the cited one, with its neighbours where it
    says too little by itself."""
    if last - first >= LONGEST_TEXT:
        first = last = line
    wanted = _squeezed("\n".join(rows[first - 1 : last]))
    while sum(map(len, wanted)) < LEAST_TEXT and last - first < LONGEST_TEXT:
        first, last = max(1, first - 1), min(len(rows), last + 1)
        wanted = _squeezed("\n".join(rows[first - 1 : last]))
        if (first, last) == (1, len(rows)):
            break
    if sum(map(len, wanted)) < LEAST_TEXT:
        return ""
    name, digest = "%08x" % crc32(wanted[0].encode("utf-8", "replace")), _hash("\n".join(wanted))
    same = _holding(_squeezed("\n".join(rows)), name, len(wanted), digest)
    return f"{TEXT} {name} {line} {len(wanted)} {same}/{same} {digest}"


def _holding(rows, name, count, digest):
    """How often some rows hold `count` of a digest, the first of a CRC-32 in hexadecimal."""
    try:
        wanted = int(name, 16)
    except ValueError:
        return 0
    starts = [at for at, row in enumerate(rows) if crc32(row.encode("utf-8", "replace")) == wanted]
    return sum(_hash("\n".join(rows[at : at + count])) == digest for at in starts)


def _squeezed(text):
    """The lines of a text without white space, blank ones left out."""
    return [row for line in text.split("\n") if (row := "".join(line.split()))]


def _hash(text):
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
