"""Observations that an entity no longer shows: Markdown files in `archive/` beside the graph's file.

People read and edit these files, and memory-lean's archives of the same folder are read as they are: what
this module does not understand stays where it is, to the byte, and a file that neither wrote is nobody's
archive. It only moves text; which observations go into the archive or come back is decided by those who
change the graph, and they hold the graph's lock.
"""

import os
import time

from foreword import files
from foreword.errors import ForewordError
from foreword.graph.archive_lines import (
    FOREIGN,
    HEAD,
    ITEM,
    OTHER,
    SECTION,
    SURROGATE,
    file_name,
    folded_stem,
    lean_stems,
    numbered_name,
    pieces,
    spelled,
    whole,
)


class Archive:
    """The archive in `folder`, which need not exist. Raises ForewordError when a file cannot be written, or
    when one that must change cannot be read."""

    def __init__(self, folder):
        self.folder = folder
        self.unreadable = []  # [(file name, why)] as of the last look
        self._cleared_at = 0.0
        self._files = {}  # file name -> (stat, pieces, why it is unreadable or "")
        self._entries: dict | None = None  # what `entries()` answers
        self._named = {}  # name -> {observation: True}
        self._guessed = {}  # folded stem -> {stem: {observation: True}}: only the file's name tells whose

    def entries(self, names=()):
        """{entity name: [observations]}, as they stand in the files, each once; not to be changed by callers.

        What only a file's name tells the entity of (memory-lean renamed it) is given to those of `names` that
        fit, the graph's say, as `of` gives it; without one to the file's name without `.md`. Files are read
        anew when their time, size or inode changed.
        """
        self._look()
        if self._entries is None:
            self._named, self._guessed = {}, {}
            for file, (_, found, _) in sorted(self._files.items()):
                alike = self._guessed.setdefault(folded_stem(file[:-3]), {}) if _is_guess(found) else {}
                for piece in found:
                    if piece.kind == ITEM and piece.text is not None:
                        of = alike if piece.is_guessed else self._named
                        of.setdefault(piece.name, {})[piece.text] = True
            self._entries = self._given(())
        return self._given(names) if names and self._guessed else self._entries

    def _given(self, names):
        fitting = {}
        for name in names:
            for stem in lean_stems(whole(name)) & self._guessed.keys():
                fitting.setdefault(stem, []).append(whole(name))
        entries = {name: list(texts) for name, texts in self._named.items()}
        for folded, alike in self._guessed.items():
            for stem, texts in alike.items():
                for name in fitting.get(folded, [stem]):
                    entries[name] = list(dict.fromkeys([*entries.get(name, ()), *texts]))
        return entries

    def of(self, name):
        """The archived observations of one entity; [] when there are none."""
        self.entries()
        return self._known(name)

    def _known(self, name):
        """`of`, as of the last look."""
        name = whole(name)
        texts = dict(self._named.get(name, {}))
        for folded in {folded_stem(name), *lean_stems(name)} & self._guessed.keys():
            for stem, guessed in self._guessed[folded].items():
                if stem == name or folded in lean_stems(name):
                    texts.update(guessed)
        return list(texts)

    def add(self, name, observations):
        """Append observations to an entity's archive, durably; those that are there already are left out."""
        self.add_all({name: observations})

    def add_all(self, moved):
        """`add` for several entities, {name: [observations]}, with one look at the folder."""
        self.entries()
        there = {name: set(self._known(name)) for name in moved}
        for name, observations in moved.items():
            wanted = [t for t in dict.fromkeys(map(whole, observations)) if t not in there[name]]
            if wanted:
                self._append(name, wanted)
        self._clear()

    def _file_for(self, name):
        """(file name, text, pieces) of where something is added for an entity. A file of somebody else's that
        has the name already, also in capitals where those are not told apart, is left alone."""
        names = dict.fromkeys((file_name(name), numbered_name(name)))
        for file in names:
            if file in self._files or not os.path.lexists(os.path.join(self.folder, file)) or len(names) == 1:
                text = self._text_of(file)
                found = pieces(text, file[:-3])
                if not any(piece.kind == FOREIGN for piece in found):
                    return file, text, found
        raise ForewordError(
            "%s is somebody else's file" % os.path.join(self.folder, file_name(name)),
            "move it to another folder",
        )

    def _append(self, name, wanted):
        file, text, found = self._file_for(whole(name))
        new = [spelled(t) for t in wanted]
        ends = "\r\n" if "\r\n" in text else "\n"
        at = _end_of_block(found, whole(name))
        if at is None:
            new = ["# " + spelled(whole(name)), "", *("- " + line for line in new)]
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
        wanted = dict.fromkeys(map(whole, observations))
        removed = self._cut(name, lambda piece: piece.text in wanted)
        return [text for text in wanted if text in removed]

    def drop(self, name):
        """Take out all that is archived of an entity, and its headings; the number of observations."""
        return len(self._cut(name, lambda piece: True, headings=True))

    def rename(self, old, new):
        """Give an entity's archive to another name; what that one has already stays."""
        moving = self.of(old)
        if whole(old) == whole(new) or not moving:
            return
        self.add(new, moving)  # first: a crash between the two leaves them twice, never nowhere
        self.remove(old, moving)

    def _cut(self, name, is_wanted, headings=False):
        self._look()
        name = whole(name)
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
        self._clear()
        return removed

    def _clear(self):
        """Remove now and then what writers that were killed left here."""
        if not 0 <= time.time() - self._cleared_at < files.LEFT_S:
            self._cleared_at = time.time()
            files.clear_left(self.folder)

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
        bad = SURROGATE.search(text)
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


def _is_guess(found):
    return any(piece.is_guessed for piece in found)


def _is_of(piece, name, file):
    return piece.name == name or (piece.is_guessed and folded_stem(file[:-3]) in lean_stems(name))


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
