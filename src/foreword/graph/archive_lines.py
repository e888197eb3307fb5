"""The lines of an archive's files: which file an entity's is, how a name and an observation are spelled, and
a file's text taken apart. Text to text, no disk.

memory-lean's archives are understood too. What is neither is told apart, so that nobody cuts it.
"""

import json
import re

from foreword.digest import of_text

NAME_LIMIT = 200  # bytes of a file's name: most file systems take 255, and a temporary name is longer
_SLUG_LIMIT = 100  # bytes; the rest of a name is in the digits that follow

_SAFE = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")
_DIGITS = re.compile(r"-[0-9a-f]{8}\Z")
# Windows takes these for devices, whatever follows the first dot.
DEVICES = {"con", "prn", "aux", "nul", *("com%d" % n for n in range(10)), *("lpt%d" % n for n in range(10))}

# Not in a plain line: what ends one for some editor, what cannot be seen, and what UTF-8 cannot hold.
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
SURROGATE = re.compile("[\ud800-\udfff]")
_FROM = re.compile(r" from (?:entity )?`")  # "entity": memory-lean's compact script of 2026-03
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

HEAD, SECTION, ITEM, OTHER, FOREIGN = range(5)


def file_name(name):
    """The name of the file for an entity's archive: `<name>.md` for a name that any file system keeps as it
    is, else its letters and digits and 8 hexadecimal digits of its sha256. Two entities never share one,
    also where case or the form of accents is not told apart. At most NAME_LIMIT bytes."""
    plain = _SAFE.match(name) and len(name) + 3 <= NAME_LIMIT
    if plain and not _DIGITS.search(name) and name.partition(".")[0] not in DEVICES:
        return name + ".md"
    return numbered_name(name)


def numbered_name(name):
    """The name with digits, also of a name that has a plain one: for where a file of somebody's has that."""
    return "%s-%s.md" % (_slug(name), of_text(name)[:8])


def _is_named(stem, name):
    """Whether a file's name is one that we give to an entity's archive."""
    if not stem.isascii():
        import unicodedata

        stem = unicodedata.normalize("NFC", stem)  # some file systems list it in the other form
    return stem + ".md" == file_name(name) or stem + ".md" == numbered_name(name)


def _slug(name):
    import unicodedata  # a C module, for the few names that are no plain words

    kept = []
    for c in unicodedata.normalize("NFKC", name[: 4 * _SLUG_LIMIT]).lower():
        kept.append(c if c == "_" or unicodedata.category(c)[0] in "LMN" else "-")
    text = unicodedata.normalize("NFC", re.sub("-+", "-", "".join(kept)))
    cut = text.encode()[:_SLUG_LIMIT].decode(errors="ignore").strip("-")
    return cut or "entity"


def spelled(text):
    """A name or an observation as one line of an archive: as it is, or as a JSON string where it is not one
    plain line or would be taken for a JSON string."""
    if text and text == text.strip() and text[0] != '"' and not _ODD.search(text):
        return text
    return _ODD.sub(lambda m: "\\u%04x" % ord(m[0]), json.dumps(text, ensure_ascii=False))


def read_spelled(line):
    """What a line says; the opposite of `spelled`. A line that only looks like JSON is taken as it is."""
    if line.startswith('"'):
        try:
            text = json.loads(line)
        except ValueError:
            return line
        if isinstance(text, str):
            return text
    return line


def whole(text):
    """Two halves of one character that stand side by side are that character: JSON has one form for both."""
    if not SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Piece:
    """Some whole lines of an archive: `raw` is their text, the pieces of a file joined are the file.

    `kind`: HEAD (`# name`), SECTION (memory-lean's `## why date from name`), ITEM (an observation and the
    lines that continue it; `text` says it, None when its bytes are no UTF-8), FOREIGN (a heading or an item
    of a file that is not ours, and in no section of memory-lean's) or OTHER. `name` is the entity's, None of
    what is FOREIGN; `is_guessed` when only the file's own name tells it.
    """

    __slots__ = ("is_guessed", "kind", "name", "raw", "text")

    def __init__(self, kind, raw, name=None, text: "str | None" = ""):
        self.kind, self.raw, self.name, self.text = kind, raw, name, text
        self.is_guessed = False


def pieces(text, stem):
    """The pieces of an archive's text, in order; `stem` is its file name without `.md`."""
    ours, found = True, []  # whether we stand above the first section, where the lines are ours
    grown = {}  # item -> its parts: ([raw], [text])
    name = None
    ends = "\r\n" if text.count("\n") == text.count("\r\n") > 0 else "\n"
    lines = text.split("\n")
    last = lines.pop()
    raws = [line + "\n" for line in lines] + ([last] if last else [])
    blank = 0  # empty lines since the last item that may turn out to be within it
    for number, raw in enumerate(raws):
        line = raw.removesuffix(ends).removesuffix("\n")
        if number == 0:
            line = line.removeprefix("\ufeff")
        if ours:
            line = line.removesuffix("\r")
        item = found[-1 - blank] if len(found) > blank and found[-1 - blank].kind == ITEM else None
        if line.startswith("## "):
            ours, name = False, _name_of(line)
            found.append(Piece(SECTION, raw, name))
        elif ours and line.startswith("# "):
            name = read_spelled(line[2:].strip())
            found.append(Piece(HEAD, raw, name))
        elif line.startswith("- "):
            found.append(Piece(ITEM, raw, name, read_spelled(line[2:].strip()) if ours else line[2:]))
        elif not line.strip():
            found.append(Piece(OTHER, raw, name))
            blank += 1 if item and not ours else 0
            continue
        elif item and not (ours and line.startswith("#")):
            # Within an item of memory-lean's, which writes an observation's line breaks as they are, or
            # of somebody who went on in a second line. Empty lines between belong to it then.
            parts, texts = grown.setdefault(item, ([item.raw], [item.text]))
            parts += [*(piece.raw for piece in found[len(found) - blank :]), raw]
            texts += [*[""] * blank, line.removeprefix("  ") if ours else line]
            del found[len(found) - blank :]
        else:
            found.append(Piece(OTHER, raw, name))
        blank = 0
    for item, (parts, texts) in grown.items():
        item.raw, item.text = "".join(parts), "\n".join(texts)
    _give_names(found, stem)
    for piece in found:
        if piece.kind == ITEM and SURROGATE.search(piece.raw):
            piece.text = None  # a byte that is no UTF-8: ours are escaped
    return found


def _name_of(line):
    """The name in memory-lean's `## why date from `name``; None of another heading."""
    begins, line = _FROM.search(line, 3), line.rstrip()
    if begins and begins.end() < len(line) and line.endswith("`") and _DAY.search(line, 3, begins.start()):
        return line[begins.end() : -1]
    return None


def _give_names(found, stem):
    """Tell whose the items are that stand under no name, or under one that the file is not named after.

    A heading is believed in a file that is named as we name its archive: notes that somebody keeps here are
    not an entity's because their title is its name. memory-lean goes by the file's name alone: after a
    rename there the sections still have the old one.
    """
    heads = dict.fromkeys(piece.name for piece in found if piece.kind == HEAD)
    sections = dict.fromkeys(p.name for p in found if p.kind == SECTION and p.name is not None)
    fitting = [name for name in sections if _fits(name, stem)]
    head = next((name for name in heads if _is_named(stem, name)), None)
    own = head if head is not None else next(iter(fitting), None)
    fitting = set(fitting)
    in_section, is_known = False, head is not None
    for piece in found:
        in_section = in_section or piece.kind == SECTION
        is_known = is_known or (piece.kind == SECTION and piece.name is not None)
        if not is_known:
            piece.kind = OTHER if piece.kind == OTHER else FOREIGN
            piece.name = None
        elif piece.name is None or (in_section and piece.name not in fitting):
            piece.is_guessed = own is None
            piece.name = stem if own is None else own


def lean_stems(name):
    """The file names, without `.md`, that memory-lean's releases and its script gave an entity's archive; in
    one case and one form of accents."""
    stems = {re.sub(r"[^A-Za-z0-9_.-]+", "_", name)}
    if not name.isascii():
        import unicodedata

        stems.add(re.sub(r"[^\w.-]+", "_", name))
        kept = (c if c in "._-" or unicodedata.category(c)[0] in "LMN" else "\0" for c in name)
        stems.add(re.sub("\0+", "_", "".join(kept)))
    return {folded_stem(stem) for stem in stems}


def folded_stem(stem):
    """A file name, without `.md`, in one case and one form of accents."""
    if not stem.isascii():
        import unicodedata

        stem = unicodedata.normalize("NFC", stem)
    return stem.casefold()


def _fits(name, stem):
    return folded_stem(stem) in lean_stems(name) or _is_named(stem, name)
