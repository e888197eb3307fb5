"""Which memories hold a term, and which terms a memory holds. Hot: a save writes here, a prompt reads.

Knows numbers only: what a term weighs is made elsewhere (`impacts`), and whether a memory is worth
showing too (`search`). Every change belongs to the caller's transaction.

A *term* stands as a hash of 63 bits, so that no word of a memory is in these tables. Its *impact* in a
memory is 1 to 255; *fields* is a byte of bits that say where it stands; *pairs* are 16-bit hashes of
neighbours. `profiles` has a memory's terms, `postings` a term's memories, in segments of 16,384 numbers.
What was saved last is the *tail*: it has profiles only, and `fold` writes its postings, many at once.
One posting row for each of a memory's 200 terms would change as many pages at every save.
"""

import sys
from array import array
from bisect import bisect_left

from foreword.digest import sha256
from foreword.index.schema import UnusableError

TAIL = 64  # memories from which on a fold pays; a prompt reads the tail's profiles one by one
_SEGMENT_BITS = 14  # so that a place within a segment is two bytes
_PLACE = (1 << _SEGMENT_BITS) - 1
_BLOCK = 64
_BLOCKS = (_PLACE + 1) // _BLOCK
_CROWDED = 4_096  # postings of a segment from which on a list for all its places is quicker than a dict
_ASKED_AT_ONCE = 500  # SQLite takes 999 parameters in its oldest builds
_SWAPPED = sys.byteorder != "little"  # a store may travel


class Candidate:
    """A memory that holds asked terms.

    score: the sum of weight x impact / 255 over the asked terms it holds. What `fill` adds: matched
    {term number: (impact, fields)} of the asked terms, pairs array('H') sorted, shape (a tuple of
    floats, as it was put), terms array('I') sorted.
    """

    __slots__ = ("matched", "number", "pairs", "score", "shape", "terms")

    def __init__(self, number, score):
        self.number = number
        self.score = score
        self.matched = None
        self.pairs = None
        self.shape = None
        self.terms = None


def put(db, number, weights, pairs, shape):
    """Add a memory: weights {term: (impact, fields)}, pairs (numbers below 65,536), shape (at most a
    handful of numbers, kept as 32-bit floats). The number must be new."""
    known = _numbers_of(db, weights)
    rows = {known[term]: weight for term, weight in weights.items()}
    terms = sorted(rows)
    db.execute(
        "INSERT INTO profiles VALUES(?,?,?,?,?,?)",
        (
            number,
            _packed("I", terms),
            bytes([rows[term][0] for term in terms]),
            bytes([rows[term][1] for term in terms]),
            _packed("H", sorted(pairs)),
            _packed("f", shape),
        ),
    )
    db.execute("INSERT INTO tail VALUES(?)", (number,))
    _count(db, 1)


def take_out(db, number):
    """Take a memory out, and the terms that no other holds; False when it is not there."""
    row = db.execute("SELECT terms FROM profiles WHERE number=?", (number,)).fetchone()
    if row is None:
        return False
    terms = _unpacked("I", row[0])
    db.execute("DELETE FROM profiles WHERE number=?", (number,))
    if not db.execute("DELETE FROM tail WHERE number=?", (number,)).rowcount:
        _take_out_of_postings(db, number, terms)
        db.executemany("UPDATE terms SET memories=memories-1 WHERE number=?", ((t,) for t in terms))
    lone = {term for (term,) in _among(db, "SELECT number FROM terms WHERE memories<1 AND number", terms)}
    for _, held, _ in _tail(db) if lone else ():
        lone.difference_update(held)
    db.executemany("DELETE FROM terms WHERE number=?", ((t,) for t in lone))
    _count(db, -1)
    return True


def _take_out_of_postings(db, number, terms):
    segment, place = number >> _SEGMENT_BITS, number & _PLACE
    found = _postings(db, segment, terms)
    changed, empty = [], []
    for term, numbers, impacts in found:
        places = _paired("H", numbers, impacts)
        at = bisect_left(places, place)
        if at == len(places) or places[at] != place:
            raise UnusableError("a posting is missing")
        if len(places) == 1:
            empty.append((segment, term))
        else:
            changed.append(
                (numbers[: 2 * at] + numbers[2 * at + 2 :], impacts[:at] + impacts[at + 1 :], segment, term)
            )
    db.executemany("UPDATE postings SET numbers=?, impacts=? WHERE segment=? AND term=?", changed)
    db.executemany("DELETE FROM postings WHERE segment=? AND term=?", empty)


def fold(db, least=1):
    """Write the postings of the tail when it has `least` memories; how many were folded."""
    if db.execute("SELECT count(*) FROM tail").fetchone()[0] < least:
        return 0
    made, held = {}, {}
    tail = _tail(db)
    for number, terms, impacts in tail:
        segment, place = number >> _SEGMENT_BITS, number & _PLACE
        rows = made.setdefault(segment, {})
        for term, impact in zip(terms, impacts, strict=True):
            row = rows.get(term)
            if row is None:
                row = rows[term] = (array("H"), bytearray())
            row[0].append(place)
            row[1].append(impact)
            held[term] = held.get(term, 0) + 1
    for segment, rows in made.items():
        _merge(db, segment, rows)
    db.executemany(
        "UPDATE terms SET memories=memories+? WHERE number=?", ((held[term], term) for term in sorted(held))
    )
    db.execute("DELETE FROM tail")
    return len(tail)


def _merge(db, segment, rows):
    terms = sorted(rows)
    for term, numbers, impacts in _postings(db, segment, terms):
        before = _paired("H", numbers, impacts)
        places, told = rows[term]
        if before[-1] < places[0]:
            rows[term] = (before + places, impacts + told)
        else:  # a number that was taken out and given again
            merged = sorted([*zip(before, impacts, strict=True), *zip(places, told, strict=True)])
            rows[term] = (array("H", [place for place, _ in merged]), bytes(i for _, i in merged))
    db.executemany(
        "INSERT OR REPLACE INTO postings VALUES(?,?,?,?)",
        ((segment, term, _packed("H", rows[term][0]), bytes(rows[term][1])) for term in terms),
    )


def counts(db, terms):
    """{term: (its number, memories that hold it)} of the terms that any memory holds."""
    keys = {_key(term): term for term in terms}
    found = {}
    for key, number, memories in _among(db, "SELECT term, number, memories FROM terms WHERE term", keys):
        found[number] = [keys[key], memories]
    if found:
        wanted = set(found)
        for (held,) in db.execute("SELECT p.terms FROM tail t JOIN profiles p ON p.number=t.number"):
            for number in wanted.intersection(_unpacked("I", held)):
                found[number][1] += 1
    return {term: (number, memories) for number, (term, memories) in found.items() if memories}


def total(db):
    """How many memories the index has."""
    row = db.execute("SELECT value FROM meta WHERE key='total'").fetchone()
    if row and not (isinstance(row[0], int) and row[0] >= 0):
        raise UnusableError("the number of memories is none")
    return row[0] if row else 0


def candidates(db, asked, most=100, limit=20_000, allowed=None):
    """The `most` memories with the highest score, best first, as Candidates; of two alike the newer.

    asked: [(term number, weight, memories that hold it)]. Postings are read rarest term first, `limit`
    of them; what the others add is looked up in the profiles of the best. So a memory that holds only
    terms beyond the limit is not found. Memories `without` (a set of numbers) and those of which
    `allowed(number)` is false do not count; the first is the quick way to leave out a few.
    """
    asked = sorted(asked, key=lambda row: row[2])
    weight_of = {term: weight / 255 for term, weight, _ in asked}
    read = 0
    for at, (_, _, memories) in enumerate(asked):
        read += memories
        if at and read > limit:
            break
    else:
        at = len(asked)
    asked_in_postings = sorted(term for term, _, _ in asked[:at])
    probed = {term for term, _, _ in asked[at:]}
    best = _best_of_postings(db, weight_of, asked_in_postings, most, limit, allowed)
    if probed and best:
        best = _probed(db, weight_of, probed, best)
    wanted = set(weight_of)
    for number, terms, impacts in _tail(db):
        held = wanted.intersection(terms)
        if held and (allowed is None or allowed(number)):
            best.append((sum(weight_of[t] * impacts[bisect_left(terms, t)] for t in held), number))
    best.sort(reverse=True)
    return [Candidate(number, score) for score, number in best[:most]]


def _best_of_postings(db, weight_of, terms, most, limit, allowed):
    """[(score, number)] of the best in the segments; `most` where so many match."""
    best = []
    if not terms:
        return best
    last = db.execute("SELECT max(number) FROM profiles").fetchone()[0] or 0
    floor = 0.0
    for segment in range(last >> _SEGMENT_BITS, -1, -1):
        rows = _postings(db, segment, terms)
        read = sum(len(row[2]) for row in rows)
        base = segment << _SEGMENT_BITS
        if read > _CROWDED and most <= _BLOCKS:
            found, floor = _best_of_many(rows, weight_of, base, most, floor, allowed)
        else:
            found, floor = _best_of_few(rows, weight_of, base, most, floor, allowed)
        best += found
        limit -= read
        if limit <= 0:
            break
    best.sort(reverse=True)
    return best[:most]


def _best_of_few(rows, weight_of, base, most, floor, allowed):
    scores = {}
    for term, numbers, impacts in rows:
        weight = weight_of[term]
        for place, impact in zip(_paired("H", numbers, impacts), impacts, strict=True):
            if place in scores:
                scores[place] += weight * impact
            else:
                scores[place] = weight * impact
    if allowed is not None:
        scores = {place: score for place, score in scores.items() if allowed(base + place)}
    high = [score for score in scores.values() if score >= floor]
    if len(high) > most:
        floor = sorted(high)[-most]
    return [(score, base + place) for place, score in scores.items() if score >= floor], floor


def _best_of_many(rows, weight_of, base, most, floor, allowed):
    """The same for a segment of which much is read: a list is added to in half the time of a dict.

    That `most` blocks have a score of `floor` or more says that so many memories have one, so only
    these blocks are looked through.
    """
    scores = [0.0] * (_PLACE + 1)
    for term, numbers, impacts in rows:
        weight = weight_of[term]
        for place, impact in zip(_paired("H", numbers, impacts), impacts, strict=True):
            scores[place] += weight * impact
    if allowed is not None:
        scores = [score if score and allowed(base + place) else 0.0 for place, score in enumerate(scores)]
    highest = [max(scores[at : at + _BLOCK]) for at in range(0, len(scores), _BLOCK)]
    floor = max(floor, sorted(highest)[-most])
    found = []
    for at, score in zip(range(0, len(scores), _BLOCK), highest, strict=True):
        if score >= floor:
            block = enumerate(scores[at : at + _BLOCK], base + at)
            found += [(score, number) for number, score in block if score >= floor and score]
    return found, floor


def _probed(db, weight_of, probed, best):
    """The same memories, with what the terms not read yet add to their scores."""
    scores = {number: score for score, number in best}
    sql = "SELECT number, terms, impacts FROM profiles WHERE number"
    for number, terms, impacts in _among(db, sql, scores):
        terms = _paired("I", terms, impacts)
        for term in probed.intersection(terms):
            scores[number] += weight_of[term] * impacts[bisect_left(terms, term)]
    return [(score, number) for number, score in scores.items()]


def fill(db, asked, found):
    """Read what the ranking wants to know of some Candidates: matched, pairs, shape, terms.

    asked: as for `candidates`. About 10 us a memory, so not for all of a hundred.
    """
    wanted = {term for term, _, _ in asked}
    by_number = {candidate.number: candidate for candidate in found}
    for number, terms, impacts, fields, pairs, shape in _among(
        db, "SELECT * FROM profiles WHERE number", by_number
    ):
        candidate = by_number[number]
        candidate.terms = terms = _paired("I", terms, impacts, fields)
        matched = {}
        for term in wanted.intersection(terms):
            at = bisect_left(terms, term)
            matched[term] = (impacts[at], fields[at])
        candidate.matched = matched
        candidate.pairs = _unpacked("H", pairs)
        candidate.shape = tuple(_unpacked("f", shape))


def _tail(db):
    """[(number, terms, impacts)] of the memories without postings, by number."""
    rows = db.execute(
        "SELECT p.number, p.terms, p.impacts FROM tail t JOIN profiles p ON p.number=t.number"
        " ORDER BY t.number"
    )
    return [(number, _paired("I", terms, impacts), impacts) for number, terms, impacts in rows]


def _numbers_of(db, terms):
    """{term: its number} of all the terms; new ones get one."""
    keys = {_key(term): term for term in terms}
    sql = "SELECT term, number FROM terms WHERE term"
    known = dict(_among(db, sql, keys))
    new = [key for key in keys if key not in known]
    if new:
        db.executemany("INSERT INTO terms(term, memories) VALUES(?,0)", ((key,) for key in new))
        known.update(_among(db, sql, new))
    return {term: known[key] for key, term in keys.items()}


def _key(term):
    """63 bits of a hash: among a million terms, two share one with a chance of 1 in 18 million."""
    return int.from_bytes(sha256(term.encode("utf-8", "surrogatepass")).digest()[:8], "little") >> 1


def _postings(db, segment, terms):
    """[(term, numbers, impacts)] of the terms that a segment has, as they stand in it."""
    sql = "SELECT term, numbers, impacts FROM postings WHERE segment=? AND term"
    return _among(db, sql, terms, segment)


def _among(db, sql, values, *given):
    """The rows of `sql IN (values)`; given: what stands for the question marks of `sql`."""
    values = list(values)
    found = []
    for at in range(0, len(values), _ASKED_AT_ONCE):
        some = values[at : at + _ASKED_AT_ONCE]
        found += db.execute("%s IN (%s)" % (sql, ",".join("?" * len(some))), [*given, *some])
    return found


def _packed(code, values):
    made = array(code, values)
    if _SWAPPED:
        made.byteswap()
    return made.tobytes()


def _unpacked(code, blob):
    made = array(code)
    try:
        made.frombytes(blob)
    except (TypeError, ValueError) as error:
        raise UnusableError("a list is cut") from error
    if _SWAPPED:
        made.byteswap()
    return made


def _paired(code, blob, *beside):
    """The numbers of a blob, of which each has a byte beside it. Pages can be damaged and still be read."""
    made = _unpacked(code, blob)
    for other in beside:
        if len(other) != len(made):
            raise UnusableError("numbers without their bytes")
    return made


def glance(db):
    """Raise schema.UnusableError where a quick look tells that the tables do not belong together."""
    memories, last = db.execute("SELECT count(*), max(number) FROM memories").fetchone()
    if memories != total(db):
        raise UnusableError("%d memories, counted as %d" % (memories, total(db)))
    if last != db.execute("SELECT max(number) FROM profiles").fetchone()[0]:
        raise UnusableError("memories without profiles")
    sql = "SELECT 1 FROM profiles WHERE number NOT IN (SELECT number FROM tail) AND length(terms) LIMIT 1"
    for table in ("postings", "terms") if db.execute(sql).fetchone() else ():
        if not db.execute("SELECT 1 FROM %s LIMIT 1" % table).fetchone():  # noqa: S608
            raise UnusableError("no %s" % table)


def check(db):
    """Raise schema.UnusableError or sqlite3.Error where postings and profiles do not agree."""
    held, postings, memories = {}, 0, 0
    tail = {number for (number,) in db.execute("SELECT number FROM tail")}
    for number, terms, impacts, fields, pairs, shape in db.execute("SELECT * FROM profiles"):
        for code, blob in (("H", pairs), ("f", shape)):
            _unpacked(code, blob)
        terms = _paired("I", terms, impacts, fields)
        memories += 1
        if number not in tail:
            postings += len(terms)
            for term in terms:
                held[term] = held.get(term, 0) + 1
    if memories != total(db):
        raise UnusableError("the index counts %d memories, not %d" % (total(db), memories))
    for numbers, impacts in db.execute("SELECT numbers, impacts FROM postings"):
        postings -= len(_paired("H", numbers, impacts))
    if postings:
        raise UnusableError("%d postings too few" % postings)
    for number, memories in db.execute("SELECT number, memories FROM terms"):
        if memories != held.pop(number, 0):
            raise UnusableError("a term is counted wrong")
    if held:
        raise UnusableError("%d terms without a number" % len(held))


def _count(db, by):
    db.execute(
        "INSERT INTO meta VALUES('total', max(0, ?)) ON CONFLICT(key) DO UPDATE SET value=max(0, value+?)",
        (by, by),
    )
