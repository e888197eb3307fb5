"""A question to ranked memories, and to the few that are worth a line. Hot.

The postings give candidates, the features say what is known of each, the model how sure it is. This
file asks them in turn and decides what does not count: archived and superseded memories, what was shown
already, what says the same as a line above.
"""

import json

from foreword.index import features, postings, rank, schema, uses
from foreword.index.impacts import CJK_MARK, QUESTION, path_term
from foreword.text.budget import cut

CANDIDATES = 30  # ranked for a prompt
SEARCHED = 100  # and for a search: R@5 is .03 higher, for three times the work
PROBED = 100  # of the best by the rarest words, in which the others are looked up
READ = 10_000  # postings that are read for a prompt, and a tenth of the memories: the other words are probed
QUESTION_SHOWN = 300
TOLD = 10  # candidates of a prompt of which is remembered what became of them
ALIKE = 0.7  # share of words in common from which on two memories say the same; a guess
TOUCHED = 20  # files of the client session that are looked up
CJK_LEAST = 50  # one memory in so many has text of these scripts before others are asked in them too
TRANSLATED = 60  # terms and runs of a prompt that are looked up in other languages
TO_ENGLISH = 0.4  # what a translated word counts for; figures in docs/cjk.md
MOST_PINNED = 20  # the newest of them
AT_ONCE = 500  # rows asked for by number: SQLite takes 999 parameters in its oldest builds
SAID = 0.1  # log odds: less is no reason
PINNED = 2.0  # added to the log odds of what somebody wants considered always
SAME = 3.0  # and of what answered this very question
ALL = 0.8  # of the words of both
_NEVER = 1e18

ROWS = (
    "SELECT m.number, m.id, m.type, m.title, m.question, m.conclusion, m.created, m.files, m.archived,"
    " m.offer, m.place, m.mtime, m.size, m.basis FROM memories m"
)
_OLD = "SELECT id FROM superseded WHERE id"
_PINNED = "SELECT number FROM memories WHERE offer=1 ORDER BY created DESC LIMIT ?"


class Hit:
    """One memory that was found.

    score: the sum of impacts; odds: log odds that it is worth a line, by `model`; words: the asked
    terms that it holds, of those `asked`; row: its features; terms: the numbers of all its terms,
    ascending; offer: 1 pinned, -1 rejected, else 0; used: what uses.shift says of it.
    """

    __slots__ = (
        "_files", "_question", "archived", "asked", "basis", "conclusion", "created", "id", "model", "mtime",
        "number", "odds", "offer", "place", "row", "same", "score", "size", "terms", "title", "type", "used",
        "words",
    )  # fmt: skip

    def __init__(self, found, score=0.0):
        (
            self.number, self.id, self.type, self.title, self._question, self.conclusion, self.created,
            self._files, archived, self.offer, self.place, self.mtime, self.size, self.basis,
        ) = found  # fmt: skip
        self.created = float(self.created)
        self.archived = bool(archived)
        self.score = score
        self.odds = 0.0
        self.model = None
        self.same = False
        self.words = []
        self.asked = ()
        self.row = ()
        self.terms = ()
        self.used = (0.0, 0, 0)

    @property
    def question(self):
        """On one line, at most QUESTION_SHOWN characters."""
        return cut(" ".join(self._question.split()), QUESTION_SHOWN)

    @property
    def files(self):
        """[[path, sha256, spans], ...]; [] where they cannot be read."""
        try:
            return [[str(path), str(digest), spans] for path, digest, spans in json.loads(self._files)]
        except (ValueError, TypeError):
            return []

    @property
    def reasons(self):
        """[(label, log odds or 0.0, words)]: the whole first, then what it holds and what not, then what
        speaks for it and against it, the strongest first (see rank.reasons)."""
        if not self.model:
            return []
        sure, needed = rank.confidence(self.odds), rank.confidence(self.model["needed"])
        missing = [term for term in self.asked if term not in self.words]
        found = rank.reasons(self.model, self.row)
        if self.used[1]:
            found.append(uses.reason(*self.used))
        if self.offer > 0:
            found.append(("pinned", PINNED, ()))
        if self.same:
            found.append(("answers this very question", SAME, ()))
        return [
            (f"{sure:.0%} sure; a line before a prompt needs {needed:.0%}", 0.0, ()),
            (f"holds {len(self.words)} of {len(self.asked)} words", 0.0, self.words),
            *([("does not hold", 0.0, missing)] if missing else []),
            *sorted((r for r in found if abs(r[1]) >= SAID), key=lambda reason: -abs(reason[1])),
        ]


def search(
    db, question, limit=CANDIDATES, before=None, archived=False, types=(), touched=(), among=SEARCHED,
    allowed=None,
):  # fmt: skip
    """Memories that hold at least one of the Question's terms, the surest first, as Hits.

    `before` (epoch seconds): only memories older than that. `types`: only these. Archived memories
    are left out unless `archived`, which gives only them; superseded ones always are. `touched`: paths,
    relative to the project, of files that the client session has read or edited. `among`: how many of
    those with the highest score are ranked. `allowed`: a set of memories' numbers: only these, and each
    that holds a term, however usual the term is.
    """
    try:
        return _search(db, question, limit, before, archived, types, touched, among, allowed)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Pages can be read and hold nonsense all the same.
        raise schema.UnusableError(f"the index holds what it cannot: {type(error).__name__}") from error


def _search(db, question, limit, before, archived, types, touched, among, allowed):
    hits, dated = candidates(db, question, max(limit, among), before, archived, types, touched, allowed)
    made = rank.model(dated) if hits else None
    used = {}
    for at in range(0, len(hits), AT_ONCE):
        used |= uses.shift(db, [hit.id for hit in hits[at : at + AT_ONCE]])
    for hit in hits:
        hit.used = used.get(hit.id, hit.used)
        hit.odds = rank.log_odds(made, hit.row) + hit.used[0]
        hit.odds += (PINNED if hit.offer > 0 else 0.0) + (SAME if hit.same else 0.0)
        hit.model = made
    hits.sort(key=lambda hit: (-hit.odds, -hit.score))
    return hits[:limit]


def _asks_the_same(question, candidate):
    """True when prompt and question have nearly all words in common: its age does not matter then.

    By count: what words are worth changes as more memories hold them.
    """
    common = sum(1 for _, fields in candidate.matched.values() if fields & QUESTION)
    return common > 1 and common >= ALL * max(len(question.terms), candidate.shape[0])


class Offer:
    """What a prompt is told, and why.

    hits: those worth a line, the surest first; told: [[id, confidence, reason, ...], ...] of the TOLD best:
    offered, below (not sure enough), known (to this client session), rejected, room (more than the
    lines allowed) or alike and the id of the line that says the same; needed: the confidence that is enough;
    why: "" or why nothing was asked: control (a prompt that only steers).
    """

    __slots__ = ("hits", "needed", "told", "why")

    def __init__(self, why=""):
        self.hits: list[Hit] = []
        self.told: list[list] = []
        self.needed: float | None = None
        self.why = why


def offered(db, question, known_ids, limit, before=None, touched=(), among=CANDIDATES):
    """The Offer for a prompt: at most `limit` memories, few, right, or none; `among`: see `search`."""
    if question.only_steers():
        return Offer("control")
    offer = Offer()
    hits = search(db, question, among, before=before, touched=touched, among=among)
    if not hits:
        return offer
    needed = hits[0].model["needed"]
    offer.needed = round(rank.confidence(needed), 3)
    for hit in hits:
        reason, same = "offered", None
        if hit.odds < needed:
            reason = "below"
        elif hit.offer < 0:
            reason = "rejected"
        elif hit.id in known_ids:
            reason = "known"
        elif same := next((one.id for one in offer.hits if _alike(one.terms, hit.terms)), None):
            reason = "alike"
        elif len(offer.hits) == limit:
            reason = "room"
        else:
            offer.hits.append(hit)
        if len(offer.told) < TOLD:
            told = [hit.id, round(rank.confidence(hit.odds), 3), reason]
            offer.told.append([*told, same] if same else told)
    return offer


def _alike(some, others):
    """True when two memories have nearly the same terms."""
    if min(len(some), len(others)) < ALIKE * max(len(some), len(others)):
        return False
    common = len(set(some).intersection(others))
    return common >= ALIKE * (len(some) + len(others) - common)


def candidates(
    db, question, limit=CANDIDATES, before=None, archived=False, types=(), touched=(), allowed=None
):  # fmt: skip
    """(Hits with their features, the highest score first; whether their dates say anything)."""
    asked = ask(db, question)
    hits, found = _found(db, asked, limit, before, archived, types, allowed) if asked.weights else ([], [])
    if not hits:
        return [], True
    sql = "SELECT created FROM memories WHERE created<? ORDER BY created DESC LIMIT ?"
    newest = db.execute(sql, (_NEVER if before is None else before, features.NEWER_MOST + 1)).fetchall()
    cites = postings.counts(db, [path_term(path) for path in touched[:TOUCHED]]) if touched else {}
    dates = [hit.created for hit in hits]
    rows = features.rows(asked, found, dates, [d for (d,) in reversed(newest)], dict(cites.values()))
    for hit, candidate, row in zip(hits, found, rows, strict=True):
        hit.row = row
        hit.terms = candidate.terms
        hit.asked = question.terms
        hit.same = _asks_the_same(question, candidate)
        hit.words = [term for term in asked.known if asked.numbers[term] in candidate.matched]
    return hits, 2 * len(set(dates)) > len(dates)


def ask(db, question):
    """A Question beside the counts of this store, in the other languages that it holds too."""
    counts = postings.counts(db, [*question.terms, CJK_MARK])
    asked = features.Asked(question, counts, postings.total(db))
    others = []
    # Not for one commit message with a name in it: reading the table takes 1 ms.
    _, many = counts.get(CJK_MARK, (None, 0))
    translated = many * CJK_LEAST >= asked.total > 0
    if translated or question.runs:
        from foreword.text import across

        if translated:
            for term in question.terms[:TRANSLATED]:
                others += [(term, other, share) for other, share in across.to_cjk(term)]
        for run in question.runs[:TRANSLATED]:
            others += [("", other, share * TO_ENGLISH) for other, share in across.to_english(run)]
    if others:
        asked.add(others, postings.counts(db, {other for _, other, _ in others}))
    return asked


def _found(db, asked, limit, before, archived, types, allowed):
    """(Hits, Candidates) side by side, the highest score first: at most `limit`, and the pinned ones."""
    wanted, read = max(PROBED, limit), READ + asked.total // 10
    if allowed is not None:
        read = sum(memories for _, _, memories in asked.weights)  # all: the few may be anywhere among them
    if before is not None:
        older = {n for (n,) in db.execute("SELECT number FROM memories WHERE created<?", (before,))}
        allowed = older if allowed is None else older & allowed
    test = None if allowed is None else allowed.__contains__
    step = min(limit, AT_ONCE)
    while True:
        ranked = postings.candidates(db, asked.weights, wanted, read, allowed=test)
        pairs = []
        for at in range(0, len(ranked), step):
            pairs += _hits(db, ranked[at : at + step], archived, types)
            if len(pairs) >= limit:
                break
        if len(pairs) >= limit or len(ranked) < wanted:
            break
        wanted *= 4  # what was found was archived, superseded or of another type: look further
    pairs = pairs[:limit]
    postings.fill(db, asked.weights, [candidate for _, candidate in pairs])
    known = {hit.number for hit, _ in pairs}
    pinned = [n for (n,) in db.execute(_PINNED, (MOST_PINNED,)) if n not in known and (not test or test(n))]
    if pinned:
        pairs += _pinned(db, asked, pinned, archived, types)
        pairs.sort(key=lambda pair: -pair[0].score)
    return [hit for hit, _ in pairs], [candidate for _, candidate in pairs]


def _hits(db, found, archived, types):
    """[(Hit, Candidate)] of those that count."""
    marks = ",".join("?" * len(found))
    rows = {
        row[0]: row for row in db.execute(f"{ROWS} WHERE m.number IN ({marks})", [c.number for c in found])
    }
    # A newer memory stands for these; in the archive they are what is looked for.
    old = (
        set()
        if archived
        else {i for (i,) in db.execute(f"{_OLD} IN ({marks})", [row[1] for row in rows.values()])}
    )
    made = [(Hit(rows[c.number], c.score), c) for c in found]
    return [
        (hit, candidate)
        for hit, candidate in made
        if hit.archived == archived and (not types or hit.type in types) and hit.id not in old
    ]


def _pinned(db, asked, numbers, archived, types):
    """The same of memories that are looked at whatever their score, where they hold any asked term."""
    found = [postings.Candidate(number, 0.0) for number in numbers]
    postings.fill(db, asked.weights, found)
    weights = {number: weight for number, weight, _ in asked.weights}
    for candidate in found:
        candidate.score = (
            sum(weights[n] * impact for n, (impact, _) in (candidate.matched or {}).items()) / 255
        )
    return _hits(db, [candidate for candidate in found if candidate.matched], archived, types)
