"""What a dream should look at, found mechanically: reads files and rows, judges nothing, writes nothing.

Superseded memories, sessions that are no longer handed over, facts whose files changed, near-duplicates and
old facts. The same store gives the same candidates in the same order.
"""

import json
import os
from collections import Counter
from contextlib import ExitStack

from foreword import files, settings, stale
from foreword.digest import sha256
from foreword.index.curated import LINES, is_due, standing
from foreword.memory.find import Newer, folders, opened
from foreword.store import header, layout
from foreword.store import read as reading
from foreword.text.frame import plain
from foreword.text.words import terms

KINDS = ("superseded", "beyond", "stale", "alike", "old")
OLD_DAYS = 90
SECONDS_A_DAY = 86_400
FILES_TOLD = 3
HASHED = 1_000_000_000  # bytes of cited files that are compared, of all facts together
SEARCHES = 200  # cited files, gone or without what was cited of them, that are looked for elsewhere
STEP = 200  # memories between two calls of `progress`

# Two memories are alike that share this much of the words in either; or nearly all words of the shorter one,
# where it has words enough to tell and is not lost in the other. Of 16 pairs that say the same in other words
# (English, Japanese, Chinese) each shares 0.46 or more, of 5 about related things none over 0.38, and of a
# million pairs of notes about one repository 4 share as much.
ALIKE = 0.45
HELD, HELD_WORDS, HELD_ALIKE = 0.9, 6, 0.25
FEWEST = 3  # words that are shared at least, where not all are
READ = 16_000  # characters of a text that are compared
# Pairs are found by their rarer words. So many entries are looked at for one memory, rarest word first, and
# so many memories compared with it: 10,000 take seconds, whatever they hold.
POSTINGS, COMPARED = 2_000, 20


class Survey:
    """candidates (dicts, see `survey`), digests ({id: sha256 of the file's bytes} of the live facts and
    sessions), debt ({"superseded", "beyond", "due"})."""

    __slots__ = ("candidates", "debt", "digests")

    def __init__(self, candidates, digests, debt):
        self.candidates, self.digests, self.debt = candidates, digests, debt


def survey(place, now, progress=None):
    """The Survey of a project and the global facts at a time (epoch seconds).

    A candidate: kind (one of KINDS), ids (one; of `alike` more, newest first), titles and created (ISO
    8601) of each, why (a phrase), type, global (bool: one of them is). `progress(done, all)` is called as
    files are read. Raises BusyError, DamagedError.
    """
    with ExitStack() as stack:
        sources = opened(folders(place, False), stack)
        stand = standing(sources)
        newer = superseders(sources)
        cited = _cited(sources)
    whole = settings.load(place.home)["recall.sessions"]
    texts = _Texts(progress, len(stand.superseded) + len(stand.facts) + len(stand.sessions))
    for row in stand.superseded:
        texts.read(row, compare=False)
    facts = [row for row in stand.facts if texts.read(row)]
    sessions = [row for row in stand.sessions if texts.read(row)]
    found = [_one("superseded", row, _by(row, newer)) for row in stand.superseded if row.id in texts.digests]
    told = "no longer handed over: older than the newest %d" % (whole + LINES)
    found += [_one("beyond", row, told) for row in stand.beyond(whole) if row.id in texts.digests]
    changed = _changed(facts, cited, place.root)
    found += [_one("stale", row, changed[row.id]) for row in facts if row.id in changed]
    for rows in (facts, sessions):
        found += [_together(group, share) for group, share in _alike(rows, texts)]
    for row in facts:
        days = int((now - max(row.created, texts.checked[row.id])) // SECONDS_A_DAY)
        if days > OLD_DAYS and row.id not in changed:
            found.append(_one("old", row, "not checked for %d days" % days))
    found.sort(key=lambda one: (KINDS.index(one["kind"]), one["created"], one["ids"]))
    superseded, beyond = stand.debt(whole)
    debt = {"superseded": superseded, "beyond": beyond, "due": is_due(superseded, beyond)}
    return Survey(found, texts.digests, debt)


def superseders(sources):
    """{id: id of the newest live memory that takes its place} of all that is superseded, live or not: by
    name, or as a fact of the same title."""
    newer = Newer()
    for _, db, _ in sources:
        newer.look(db)
    return newer.all()


def _cited(sources):
    """{id: [[path, sha256, spans], ...]} of the project's facts that cite files. Not of global ones: the
    paths would be files of whichever project one is in."""
    return {
        memory_id: json.loads(found)
        for _, db, everywhere in sources
        if not everywhere
        for memory_id, found in db.execute(
            "SELECT id, files FROM memories WHERE type='fact' AND archived=0 AND files<>'[]'"
        )
    }


class _Texts:
    """What is read of the files: digests and `checked` (epoch seconds, 0 for never) by id, and the words of
    those that are compared."""

    def __init__(self, progress, whole):
        self.digests, self.checked, self.words = {}, {}, {}
        self.progress, self.done, self.whole = progress, 0, whole

    def read(self, row, compare=True):
        """True when the memory's file could be read."""
        self.done += 1
        if self.progress and (self.done % STEP == 0 or self.done == self.whole):
            self.progress(self.done, self.whole)
        try:
            raw = files.read(os.path.join(row.folder, row.place), reading.LARGEST + 1)
        except OSError:
            raw = None
        if raw is None or len(raw) > reading.LARGEST:
            return False  # gone meanwhile, or nothing that we wrote
        self.digests[row.id] = sha256(raw).hexdigest()
        if compare:
            checked = reading.parse(raw, row.place)["checked"] if b"checked" in raw else ""
            self.checked[row.id] = layout.epoch(checked) or 0.0
            body = header.split(raw.decode("utf-8", "replace"))[1]
            self.words[row.id] = frozenset(terms(row.title + "\n" + body[:READ]))
        return True


def _one(kind, row, why):
    return {
        "kind": kind,
        "ids": [row.id],
        "titles": [_title(row)],
        "created": [layout.timestamp(row.created)],
        "why": why,
        "type": row.type,
        "global": row.everywhere,
    }


def _together(rows, share):
    """The candidate of memories that are alike; `share` of their words is the same (of two: exactly)."""
    told = "share %d %% of their words" % round(100 * share)
    is_mixed = len({row.everywhere for row in rows}) > 1
    return {
        "kind": "alike",
        "ids": [row.id for row in rows],
        "titles": [_title(row) for row in rows],
        "created": [layout.timestamp(row.created) for row in rows],
        "why": told + (", %s is global" % ", ".join(r.id for r in rows if r.everywhere) if is_mixed else ""),
        "type": rows[0].type,
        "global": any(row.everywhere for row in rows),
    }


def _title(row):
    return " ".join(plain(row.title).split())


def _by(row, newer):
    return "superseded by " + newer[row.id] if row.id in newer else "superseded"


def _changed(facts, cited, root):
    """{id: what became of its files} of the facts that cite a file which is another now."""
    tree = stale.Tree(root, HASHED, SEARCHES)
    found = {}
    for row in facts:
        told = []
        for citation in cited.get(row.id, ()):
            state = tree.state(citation)
            # A file without a digest that is gone was gone when the fact was last kept.
            if state.is_bad() and (citation[1] or state.word != stale.DELETED):
                told.append(plain(_became(citation[0], state)))
        if told:
            more = len(told) - FILES_TOLD
            found[row.id] = ", ".join(told[:FILES_TOLD]) + (" and %d more" % more if more > 0 else "")
    return found


def _became(path, state):
    if state.word == stale.MOVED:
        return f"{path} moved to {state.to}"
    if state.word == stale.DELETED:
        return f"{path} is gone"
    return f"{path}:{state.line} changed" if state.line else f"{path} changed"


def _alike(rows, texts):
    """[(rows that are alike, the newest first, share of words)]: each is compared with the newest of every
    group, so that ten thousand copies of one text cost as much as ten thousand texts."""
    usual = Counter(word for row in rows for word in texts.words[row.id])
    groups, postings = [], {}
    for row in rows:
        words = texts.words[row.id]
        rare_first = sorted(words, key=lambda word: (usual[word], word))
        best, most = None, 0.0
        for number in _near(rare_first, postings):
            first = groups[number][0][0]
            share = _share(words, texts.words[first.id])
            if share > most and not _told_apart(row, first, texts):
                best, most = groups[number], share
        if best:
            best[0].append(row)
            best[1].append(most)
            continue
        for word in words:
            if usual[word] > 1:
                postings.setdefault(word, []).append(len(groups))
        groups.append(([row], []))
    return [(group, min(shares)) for group, shares in groups if shares]


def _near(words, postings):
    """Numbers of the groups that share most of some words, best first; looked for by the first of them."""
    counts = Counter()
    left = POSTINGS
    # What is alike shares a quarter of the longer one: who has none of the other three quarters, does not.
    for word in words[: len(words) * 3 // 4 + 1]:
        found = postings.get(word, ())
        counts.update(found[:left])
        left -= len(found)
        if left <= 0:
            break
    least = max(counts.values(), default=0) / 2  # the best one shares more than others do
    near = [(-count, number) for number, count in counts.items() if count > least]
    return [number for _, number in sorted(near)[:COMPARED]]


def _share(one, other):
    """The share of words that two memories have in common; 0.0 where they are not alike."""
    shared = len(one & other)
    fewer = min(len(one), len(other))
    share = shared / (len(one) + len(other) - shared)
    if shared < FEWEST and share < 1:
        return 0.0
    is_held = fewer >= HELD_WORDS and shared >= HELD * fewer and share >= HELD_ALIKE
    return share if share >= ALIKE or is_held else 0.0


def _told_apart(one, other, texts):
    """True when somebody looked at both, and kept them, since the newer was saved."""
    newest = max(one.created, other.created)
    return texts.checked[one.id] > newest and texts.checked[other.id] > newest
