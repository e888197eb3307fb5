"""A question to ranked rows. Hot. Everything that decides which memories match stands in this file.

FTS5's bm25() orders; the share of the question's telling words that a memory holds cuts off: a raw
bm25 score means nothing in a young store, a share means the same from the first memory on.
"""

import json
import math

from foreword.text.words import USUAL_SHARE, USUAL_STEMS

MOST_WORDS = 12  # words asked of FTS5, the rarest: each costs a walk over all its memories
CANDIDATES = 30

# A word is worth its surprise: ln((N + P) / (n + P * share + .5)) with P imagined texts beside the N
# real ones, so that the first memory's words are not all "in every memory".
IMAGINED = 300

# A line is worth showing when what matches is both telling (the summed worth of the matched words, about
# 5 for a rare one) and a good part of the question (their share). Chosen on 1,366 prompts from three
# repositories' histories: of the lines at 8.5, a third are those the author named (always listing five:
# one in eleven), and 97 of 100 prompts about another repository get nothing.
SHARE_POWER = 0.75
NEEDED = 8.5

ROWS = (
    "SELECT m.number, m.id, m.type, m.title, m.question, m.conclusion, m.created, m.files, m.archived,"
    " m.place, m.mtime, m.size FROM memories m"
)
# The weights are those of question, answer and files.
ASK = (
    "SELECT rowid, bm25(entries,5.0,1.0,2.0) AS score FROM entries WHERE entries MATCH ?"
    " ORDER BY score LIMIT ?"
)


class Hit:
    """One candidate.

    score: bm25, greater is better; words: the asked words it holds; worth: what they are worth
    together; share: of what was asked, 0 to 1.
    """

    __slots__ = (
        "archived", "conclusion", "created", "files", "id", "mtime", "number", "place", "question", "score",
        "share", "size", "title", "type", "words", "worth",
    )  # fmt: skip

    def __init__(self, row, score=0.0):
        (self.number, self.id, self.type, self.title, self.question, self.conclusion, self.created,
         files, archived, self.place, self.mtime, self.size) = row  # fmt: skip
        self.archived = bool(archived)
        try:
            self.files = [(str(path), str(digest)) for path, digest in json.loads(files)]
        except (ValueError, TypeError):
            self.files = []
        self.score = score
        self.worth = 0.0
        self.share = 0.0
        self.words = []


def weigh(db, terms):
    """{term: (worth, memories that hold it)} of the asked terms."""
    total = db.execute("SELECT value FROM meta WHERE key='total'").fetchone()
    total = int(total[0]) if total else 0
    counts = {}
    for at in range(0, len(terms), 200):
        some = terms[at : at + 200]
        marks = ",".join("?" * len(some))
        counts.update(
            db.execute(f"SELECT term, memories FROM words WHERE term IN ({marks})", some)  # noqa: S608
        )
    worth = {}
    for term in terms:
        held = counts.get(term, 0)
        share = USUAL_SHARE if term in USUAL_STEMS else 0.0
        worth[term] = (
            max(0.05, math.log((total + IMAGINED) / (held + IMAGINED * share + 0.5))),
            held,
        )
    return worth


def search(
    db, terms, limit=CANDIDATES, before=None, archived=False, types=(), most_words=MOST_WORDS, sure=False
):
    """Memories that hold at least one of the terms, best first, as Hits.

    `before` (epoch seconds): only memories older than that. `types`: only these. Archived memories
    are left out unless `archived`, which gives only them; superseded ones always are. `sure`: only
    those that `offered` may keep.
    """
    worth = weigh(db, terms)
    known = sorted((t for t in terms if worth[t][1]), key=lambda t: -worth[t][0])[:most_words]
    if not known:
        return []
    telling, whole = _telling(terms, worth, known)
    asked_for = _essential(known, worth, whole) if sure else known
    if not asked_for:
        return []
    match = " OR ".join(f'"{term}"' for term in asked_for)
    wanted = limit + 10
    while True:
        found = db.execute(ASK, (match, wanted)).fetchall()
        hits = []
        for number, score in found:
            hit = Hit(db.execute(ROWS + " WHERE m.number=?", (number,)).fetchone(), -score)
            if hit.archived != archived or (before is not None and hit.created >= before):
                continue
            if types and hit.type not in types:
                continue
            if db.execute("SELECT 1 FROM superseded WHERE id=?", (hit.id,)).fetchone():
                continue  # its successor stands for it
            held = set(
                " ".join(
                    db.execute(
                        "SELECT question, answer, files FROM entries WHERE rowid=?", (number,)
                    ).fetchone()
                ).split()
            )
            hit.words = [term for term in telling if term in held]
            hit.worth = sum(worth[t][0] for t in hit.words)
            hit.share = hit.worth / whole
            hits.append(hit)
            if len(hits) == limit:
                return hits
        if len(found) < wanted:
            return hits
        wanted *= 4  # what was found was archived, too young or of another type: look further


def _essential(known, worth, whole):
    """The rarest words, so many that a memory with none of them cannot reach NEEDED.

    What is left out are the words in thousands of memories, which cost most and tell least: at
    10,000 notes a prompt of usual words goes from 17 ms to nothing at all.
    """
    least = (NEEDED * whole**SHARE_POWER) ** (1 / (1 + SHARE_POWER))
    left = 0.0
    for at in range(len(known), 0, -1):
        left += worth[known[at - 1]][0]
        if left >= least:
            return known[:at]
    return []


def _telling(terms, worth, known):
    """The words whose share counts, and what they are worth together.

    Words the store has never seen count too, each at half its worth and at most as many as
    known ones: a question about things never noted is not answered by the one word it shares.
    """
    unknown = [t for t in terms if not worth[t][1]][: max(3, len(known))]
    whole = sum(worth[t][0] for t in known) + sum(worth[t][0] for t in unknown) * 0.5
    return known, whole


def confidence(worth, share):
    """How sure a line is: the worth of the words it matched, discounted by what it did not match."""
    return worth * share**SHARE_POWER


def offered(db, terms, known_ids, limit, before=None):
    """The few Hits that are worth a line, best first; [] when none is."""
    kept = []
    for hit in search(db, terms, before=before, sure=True):
        if confidence(hit.worth, hit.share) < NEEDED or hit.id in known_ids:
            continue
        kept.append(hit)
        if len(kept) == limit:
            break
    return kept
