"""Observations that an entity no longer shows: Markdown files in `archive/` beside the graph's file.

People read and edit these files, and memory-lean's archives of the same folder are read as they are: what
this module does not understand stays where it is, to the byte. It only moves text; which observations go
into the archive or come back is decided by those who change the graph, and they hold the graph's lock.
"""

import json
import os
import re

from foreword import files
from foreword.digest import of_text
from foreword.errors import ForewordError

NAME_LIMIT = 200  # bytes of a file's name: most file systems take 255, and a temporary name is longer
_SLUG_LIMIT = 100  # bytes; the rest of a name is in the digits that follow

_SAFE = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")
_DIGITS = re.compile(r"-[0-9a-f]{8}\Z")
# Windows takes these for devices, whatever follows the first dot.
_DEVICES = {"con", "prn", "aux", "nul", *("com%d" % n for n in range(10)), *("lpt%d" % n for n in range(10))}

# Not in a plain line: what ends one for some editor, what cannot be seen, and what UTF-8 cannot hold.
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SECTION = re.compile(r"## .*? from (?:entity )?`(.*)`\s*\Z")  # "entity": its compact script of 2026-03

HEAD, SECTION, ITEM, OTHER = range(4)


def file_name(name):
    """The name of the file for an entity's archive: `<name>.md` for a name that any file system keeps as it
    is, else its letters and digits and 8 hexadecimal digits of its sha256. Two entities never share one,
    also where case or the form of accents is not told apart. At most NAME_LIMIT bytes."""
    plain = _SAFE.match(name) and len(name) + 3 <= NAME_LIMIT
    if plain and not _DIGITS.search(name) and name.partition(".")[0] not in _DEVICES:
        return name + ".md"
    return "%s-%s.md" % (_slug(name), of_text(name)[:8])


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


def _whole(text):
    """Two halves of one character that stand side by side are that character: JSON has one form for both."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Piece:
    """Some whole lines of an archive: `raw` is their text, the pieces of a file joined are the file.

    `kind`: HEAD (`# name`), SECTION (memory-lean's `## why date from name`), ITEM (an observation and the
    lines that continue it; `text` says it, None when its bytes are no UTF-8) or OTHER. `name` is the
    entity's; `is_guessed` when only the file's own name tells it.
    """

    __slots__ = ("is_guessed", "kind", "name", "raw", "text")

    def __init__(self, kind, raw, name=None, text: "str | None" = ""):
        self.kind, self.raw, self.name, self.text = kind, raw, name, text
        self.is_guessed = False


def pieces(text, stem):
    """The pieces of an archive's text, in order; `stem` is its file name without `.md`."""
    ours, found = True, []  # whether we stand above the first section, where the lines are ours
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
            section = _SECTION.match(line)
            ours, name = False, section[1] if section else None
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
            item.raw += "".join(piece.raw for piece in found[len(found) - blank :]) + raw
            item.text += "\n" * (blank + 1) + (line.removeprefix("  ") if ours else line)
            del found[len(found) - blank :]
        else:
            found.append(Piece(OTHER, raw, name))
        blank = 0
    _give_names(found, stem)
    for piece in found:
        if piece.kind == ITEM and _SURROGATE.search(piece.raw):
            piece.text = None  # a byte that is no UTF-8: ours are escaped
    return found


def _give_names(found, stem):
    """Tell whose the items are that stand under no name, or under one that the file is not named after.

    memory-lean goes by the file's name alone: after a rename there the sections still have the old one.
    """
    heads = [piece.name for piece in found if piece.kind == HEAD]
    sections = [piece.name for piece in found if piece.kind == SECTION and piece.name is not None]
    fitting = {name for name in sections if _fits(name, stem)}
    own = next((name for name in heads if file_name(name) == stem + ".md"), None)
    if own is None:
        own = next(iter([*[name for name in sections if name in fitting], *heads]), None)
    in_section = False
    for piece in found:
        in_section = in_section or piece.kind == SECTION
        if piece.name is None or (in_section and piece.name not in fitting):
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
    return {_folded(stem) for stem in stems}


def _folded(stem):
    if not stem.isascii():
        import unicodedata

        stem = unicodedata.normalize("NFC", stem)
    return stem.casefold()


def _fits(name, stem):
    return _folded(stem) in lean_stems(name) or file_name(name) == stem + ".md"


class Archive:
    """The archive in `folder`, which need not exist. Raises ForewordError when a file cannot be written, or
    when one that must change cannot be read."""

    def __init__(self, folder):
        self.folder = folder
        self.unreadable = []  # [(file name, why)] as of the last look
        self._files = {}  # file name -> (stat, pieces, why it is unreadable or "")
        self._entries: dict | None = None
        self._guessed = {}  # folded stem -> [observations], where only the file's name tells whose they are

    def entries(self):
        """{entity name: [observations]}, as they stand in the files, each once; not to be changed by callers.

        Files are read anew when their time, size or inode changed.
        """
        self._look()
        if self._entries is None:
            entries, guessed = {}, {}
            for file, (_, found, _) in sorted(self._files.items()):
                for piece in found:
                    if piece.kind == ITEM and piece.text is not None:
                        entries.setdefault(piece.name, {})[piece.text] = True
                        if piece.is_guessed:
                            guessed.setdefault(_folded(file[:-3]), []).append(piece.text)
            self._entries = {name: list(texts) for name, texts in entries.items()}
            self._guessed = guessed
        return self._entries

    def of(self, name):
        """The archived observations of one entity; [] when there are none."""
        self.entries()
        return self._known(name)

    def _known(self, name):
        """`of`, as of the last look."""
        name = _whole(name)
        texts = (self._entries or {}).get(name, [])
        for stem in lean_stems(name) if self._guessed else ():
            texts = texts + self._guessed.get(stem, [])
        return list(dict.fromkeys(texts))

    def add(self, name, observations):
        """Append observations to an entity's archive, durably; those that are there already are left out."""
        self.add_all({name: observations})

    def add_all(self, moved):
        """`add` for several entities, {name: [observations]}, with one look at the folder."""
        self.entries()
        there = {name: set(self._known(name)) for name in moved}
        for name, observations in moved.items():
            wanted = [t for t in dict.fromkeys(map(_whole, observations)) if t not in there[name]]
            if wanted:
                self._append(name, wanted)

    def _append(self, name, wanted):
        file = file_name(_whole(name))
        text = self._text_of(file)
        found = pieces(text, file[:-3])
        new = [spelled(t) for t in wanted]
        ends = "\r\n" if "\r\n" in text else "\n"
        at = _end_of_block(found, _whole(name))
        if at is None:
            new = ["# " + spelled(_whole(name)), "", *("- " + line for line in new)]
            at = next((n for n, piece in enumerate(found) if piece.kind == SECTION), len(found))
            while at and not found[at - 1].raw.strip():
                at -= 1
            new = ["", *new] if at else new
            # An empty line sets it apart from what follows; memory-lean's sections begin with one.
            new += [""] if at < len(found) and found[at].raw.strip() else []
        else:
            new = ["- " + line for line in new]
            # What somebody wrote below must not become a part of the last one.
            new += [""] if at < len(found) and found[at].kind == OTHER and _says(found[at]) else []
        before = "".join(piece.raw for piece in found[:at])
        if before and not before.endswith("\n"):
            before += ends
        after = "".join(piece.raw for piece in found[at:])
        self._write(file, before + "".join(line + ends for line in new) + after)

    def remove(self, name, observations):
        """Take observations out of an entity's archive, wherever they stand; a list of those that were there.

        Their lines are cut, and a file or a section in which nothing else stands.
        """
        wanted = dict.fromkeys(map(_whole, observations))
        removed = self._cut(name, lambda piece: piece.text in wanted)
        return [text for text in wanted if text in removed]

    def drop(self, name):
        """Take out all that is archived of an entity, and its headings; the number of observations."""
        return len(self._cut(name, lambda piece: True, headings=True))

    def rename(self, old, new):
        """Give an entity's archive to another name; what that one has already stays."""
        moving = self.of(old)
        if _whole(old) == _whole(new) or not moving:
            return
        self.add(new, moving)  # first: a crash between the two leaves them twice, never nowhere
        self.remove(old, moving)

    def _cut(self, name, is_wanted, headings=False):
        self._look()
        name = _whole(name)
        removed = {}
        for file in sorted(self._files):
            _, found, _ = self._files[file]
            if not any(_is_of(piece, name, file) for piece in found if piece.kind != OTHER):
                continue
            text = self._text_of(file)
            found = pieces(text, file[:-3])
            gone = {p for p in found if p.kind == ITEM and _is_of(p, name, file) and is_wanted(p)}
            removed.update((p.raw if p.text is None else p.text, True) for p in gone)
            full = _headings(found, {piece for piece in found if _says(piece)} - gone)
            if headings:
                emptied = {p for p in found if p.kind in (HEAD, SECTION) and _is_of(p, name, file)} - full
                for piece in full:
                    if _is_of(piece, name, file):
                        _anonymous(piece)
            else:
                emptied = _headings(found, gone) - full
            kept = _without(found, gone, emptied)
            rest = "".join(piece.raw for piece in kept)
            if rest == text:
                continue
            if rest.strip("\ufeff \t\r\n"):
                # The mark of the encoding stands in the first line, which may be one that went.
                mark = "\ufeff" if text[0] == "\ufeff" and rest[0] != "\ufeff" else ""
                self._write(file, mark + rest)
            else:
                self._unlink(file)
        return removed

    def _look(self):
        """Read the files that changed since the last look."""
        seen = {}
        try:
            with os.scandir(self.folder) as inside:
                for entry in inside:
                    if entry.name.endswith(".md") and not entry.name.startswith("."):
                        seen[entry.name] = _stat_of(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise ForewordError(
                "%s: %s" % (self.folder, error.strerror), "make the folder readable"
            ) from None
        changed = False
        for file in list(self._files):
            if file not in seen:
                del self._files[file]
                changed = True
        for file, stat in seen.items():
            if file not in self._files or self._files[file][0] != stat:
                self._files[file] = (stat, *self._parsed(file))
                changed = True
        if changed:
            self._entries = None
            self.unreadable = [(file, why) for file, (_, _, why) in sorted(self._files.items()) if why]

    def _parsed(self, file):
        """(pieces, why it cannot all be read or "")."""
        try:
            data = files.read(os.path.join(self.folder, file))
        except IsADirectoryError:
            return [], ""
        except OSError as error:
            return [], error.strerror or str(error)
        text = (data or b"").decode(errors="surrogateescape")
        bad = _SURROGATE.search(text)
        why = "line %d is not UTF-8" % (text.count("\n", 0, bad.start()) + 1) if bad else ""
        return pieces(text, file[:-3]), why

    def _text_of(self, file):
        try:
            data = files.read(os.path.join(self.folder, file))
        except OSError as error:
            raise self._refused(file, error) from None
        return (data or b"").decode(errors="surrogateescape")

    def _write(self, file, text):
        try:
            files.make_folder(self.folder)
            # A link stays one: the file that it names is replaced.
            path = os.path.realpath(os.path.join(self.folder, file))
            files.write(path, text.encode(errors="surrogateescape"))
        except OSError as error:
            raise self._refused(file, error) from None

    def _unlink(self, file):
        try:
            files.remove(os.path.join(self.folder, file))
            files.sync_folder(self.folder)
        except OSError as error:
            raise self._refused(file, error) from None

    def _refused(self, file, error):
        return ForewordError(
            "%s: %s" % (os.path.join(self.folder, file), error.strerror or error),
            "make it readable and writable, or move it away",
        )


def _stat_of(path):
    try:
        stat = os.stat(path)
    except OSError:
        return None  # a link to nowhere, or gone since
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _is_of(piece, name, file):
    return piece.name == name or (piece.is_guessed and _folded(file[:-3]) in lean_stems(name))


def _end_of_block(found, name):
    """Where a further item of ours goes: behind the last one under `# name`; None without that heading."""
    at = None
    for n, piece in enumerate(found):
        if piece.kind in (HEAD, SECTION):
            if at is not None:
                return at
            if piece.kind == HEAD and piece.name == name:
                at = n + 1
        elif at is not None and (piece.kind == ITEM or (found[n - 1].kind == HEAD and not _says(piece))):
            at = n + 1
    return at


def _says(piece):
    return piece.kind != OTHER or bool(piece.raw.strip())


def _anonymous(heading):
    """Take the name out of a heading below which somebody wrote something that stays. It must not become a
    part of the observation above: of ours nothing is after an empty line, of memory-lean's all is."""
    ends = "\r\n" if heading.raw.endswith("\r\n") else "\n"
    heading.raw = ends if heading.kind == HEAD else "## archived" + ends


def _without(found, gone, headings):
    """The pieces but those that are gone, and but some headings with the empty lines that set them apart."""
    left, is_below, is_owed = [], False, False
    for piece in found:
        if piece in headings:
            is_below, is_owed = True, not left or _says(left[-1])
            if not is_owed:
                left.pop()
        elif piece in gone:
            is_below = False
        elif _says(piece):
            is_below = is_owed = False
            left.append(piece)
        elif not is_below and not is_owed:
            left.append(piece)
        elif not is_below:
            is_owed = False
    return left


def _headings(found, below):
    """The headings under which one of the pieces `below` stands."""
    heading, having = None, set()
    for piece in found:
        if piece.kind in (HEAD, SECTION):
            heading = piece
        elif heading is not None and piece in below:
            having.add(heading)
    return having
