"""Which entities a query means, best first, and which names someone may have meant. Reads a Graph, and
writes nothing but the cache that each Entity keeps for this module (`folded`).

Every word of a query has to stand somewhere in an entity: in its name, type, an observation, or the type of a
relation that touches it. What the reference server finds (the whole query as one substring of one of these)
is among that. Where no entity has all words, the nearest are ranked instead, by the rarity of the words that
they or the entities linked to them hold.
"""

import math
import re

from foreword.text.words import STOP, asked_part, terms

# Characters of a query, as in the reference server's upstream, and words of it that have to match: beyond, a
# pasted text would take seconds, and what it finds holds its beginning too.
LONGEST_QUERY, MOST_SOUGHT = 2_048, 100
MOST_WORDS = 32  # that are looked at for ranking
CLOSE = 200  # entities that are ranked by all they say; of more, those that hold the rarest words
LONG, OTHERS = 4, 5  # words of a query that reads like a sentence; entities that come close to one
SNIPPET, SNIPPETS = 110, 2  # characters of a passage; passages of an entity
LONGEST_NAME = 256  # characters of a name that are compared with others
ALIKE = 0.6  # difflib's ratio of names that may be typos of each other; its own default

# Ranking, as chosen on two real graphs (bench/quality.py, `graphs`): how soon repeats count no more, how much
# long entities are discounted; weights of a name, a type and a relation beside an observation, of words that
# only begin alike, and of what the neighbours hold.
_REPEATS, _LENGTH = 1.5, 0.75
_NAME, _TYPE, _RELATION = 2.0, 1.0, 0.5
_ALIKE, _NEIGHBOURS = 0.3, 1.0
_PHRASED = 2.0  # more for all words beside each other, as they were asked
_HEAD = 4  # letters of a longer word whose beginning counts


class Row:
    """entity: the best match of its name; observations: how many entities of that name hold; relations: how
    many touch it; snippets: at most SNIPPETS passages that matched, made when they are asked for."""

    __slots__ = ("_passages", "_snippets", "entity", "observations", "relations")

    def __init__(self, graph, entity, passages, observations):
        self.entity, self.observations = entity, observations
        self.relations = graph.degree(entity.name)
        self._passages, self._snippets = passages, None

    def __repr__(self):
        return f"Row({self.entity.name!r}, {self.snippets!r})"

    @property
    def snippets(self):
        """[str]"""
        if self._snippets is None:
            self._snippets = self._passages(self.entity)
        return self._snippets


class Found:
    """What a query found.

    query: as it was asked; total: how many names match; rows: [Row], best first, one a name; matched: every
    Entity that matches, in the file's order, names repeated where the file repeats them; nearest: whether
    nothing matched and rows are those that come close; others: [Row] that come close to a sentence which
    hardly anything matched; graph: that was searched.
    """

    __slots__ = ("graph", "matched", "nearest", "others", "query", "rows", "total")

    def __init__(self, graph, query, total=0, rows=(), matched=(), nearest=False, others=()):
        self.graph, self.query, self.total = graph, query, total
        self.rows, self.matched = list(rows), list(matched)
        self.nearest, self.others = nearest, list(others)


class _Folded:
    """What the search knows of an entity: its text in one case, fields apart by newlines, and its terms."""

    __slots__ = ("name", "terms", "type", "whole")

    def __init__(self, entity):
        self.name, self.type = folded(entity.name), folded(entity.type)
        self.whole = "\n".join((self.name, self.type, folded("\n".join(entity.observations))))
        self.terms = None


def folded(text):
    """Text without case, for comparing. What Unicode writes in several ways stands in it as it was and as
    compatibility and composition make it, so that both can be found."""
    low = text.lower()
    if text.isascii():
        return low
    fair = _fair(low)
    return low if fair == low else low + "\n" + fair


def _fair(text):
    if text.isascii():
        return text.lower()
    import unicodedata  # a C module; only for texts beyond ASCII

    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words_of(query):
    """The words of a query, each as the spellings of which one has to be found: parted at white space; a
    "quoted phrase" is one word. [] for a blank query. Only the first MOST_SOUGHT words of the first
    LONGEST_QUERY characters."""
    return _words(query)[:MOST_SOUGHT]


def is_long(query):
    """Whether words_of leaves a part of a query out."""
    return len(query) > LONGEST_QUERY or len(_words(query)) > MOST_SOUGHT


def _words(query):
    found = {}
    for match in re.finditer(r'(?<!\S)"(?!\s*+")([^"]++)"(?!\S)|\S+', query[:LONGEST_QUERY].lower()):
        word = match[1] or match[0]
        spellings = (word,) if word.isascii() else tuple(dict.fromkeys((word, _fair(word))))
        found[spellings] = True
    return list(found)


# -- finding -----------------------------------------------------------------------------------


def find(graph, query, limit=None):
    """What matches a query, at most `limit` rows or all. A blank query matches all entities, as in the
    reference server; the most connected come first."""
    wanted = words_of(query)
    if not wanted:
        best = sorted(graph.entities, key=lambda e: (-graph.degree(e.name), -len(e.observations)))
        best = _once(best)
        rows = _rows(graph, best[:limit], lambda entity: [])
        return Found(graph, query, len(best), rows, graph.entities)
    for entity in graph.entities:
        if entity.folded is None:
            entity.folded = _Folded(entity)
    matched = _holding_all(graph, wanted)
    if not matched:
        return Found(graph, query, rows=_close_rows(graph, query, limit or CLOSE), nearest=True)
    best = _once(_ranked(graph, query, wanted, matched))
    rows = _rows(graph, best[:limit], lambda entity: _passages(graph, entity, wanted[:MOST_WORDS]))
    others, room = [], OTHERS if limit is None else min(OTHERS, limit - len(rows))
    if len(wanted) >= LONG and len(best) < OTHERS:
        # All words of a sentence stand together by chance as often as not.
        others = _close_rows(graph, query, room, {entity.name for entity in best})
    return Found(graph, query, len(best), rows, matched, others=others)


def _rows(graph, entities, passages):
    more = {}
    if len(graph.by_name) < len(graph.entities):
        for entity in graph.entities:
            more[entity.name] = more.get(entity.name, 0) + len(entity.observations)
    return [Row(graph, e, passages, more.get(e.name, len(e.observations))) for e in entities]


def _close_rows(graph, query, limit, but=()):
    close = (entity for entity in _nearest(graph, query) if entity.name not in but)
    close = [entity for entity, _ in zip(close, range(limit), strict=False)]
    return _rows(graph, close, lambda entity: _close_passages(graph, entity, query))


def _once(entities):
    """The first entity of each name."""
    return list({entity.name: entity for entity in reversed(entities)}.values())[::-1]


def _holding_all(graph, wanted):
    """Every entity that holds all words, in the file's order."""
    left, verbs = graph.entities, {relation.type: "" for relation in graph.relations}
    for verb in verbs:
        verbs[verb] = folded(verb)
    all_verbs = "\0".join(verbs.values())  # most words are in none of them
    for spellings in wanted:
        linked = ()
        if _holds(all_verbs, spellings):
            linked = _linked_by(graph, {verb for verb, low in verbs.items() if _holds(low, spellings)})
        if len(spellings) == 1 and not linked:
            word = spellings[0]
            left = [entity for entity in left if word in entity.folded.whole]
        else:
            left = [e for e in left if e.name in linked or _holds(e.folded.whole, spellings)]
        if not left:
            break
    return left


def _holds(text, spellings):
    for word in spellings:  # noqa: SIM110 - a generator for any() takes three times as long
        if word in text:
            return True
    return False


def _linked_by(graph, verbs):
    """Names at the ends of relations of these types."""
    return {name for r in graph.relations if r.type in verbs for name in (r.from_, r.to)}


# -- ranking what matches ----------------------------------------------------------------------


def _ranked(graph, query, wanted, matched):
    """Matching entities, best first: of the name that was asked; with all words in the name; the rest by what
    they say about it, and of very many the most connected."""
    asked = " ".join(spellings[-1] for spellings in wanted)
    named, rest = [], []
    for entity in matched:
        name = entity.folded.name
        for spellings in wanted:
            if not _holds(name, spellings):
                rest.append(entity)
                break
        else:
            named.append(entity)
    bare = _bare(asked)

    def standing(entity):
        name = entity.folded.name
        return 0 if asked in name.split("\n") else 1 if _bare(name) == bare else 2

    # One word is as rare for one entity as for the next.
    scores = _Scores(graph, query) if len(wanted) > 1 else _Scores(graph, query, rare=1.0)
    apart = [_apart(spellings) for spellings in wanted[:MOST_WORDS] if not terms(spellings[0])]
    ranked = []
    for group in (named, rest):
        if len(group) > CLOSE:
            group.sort(key=lambda entity: -graph.degree(entity.name))
        close, others = group[:CLOSE], group[CLOSE:]
        said = {}
        for entity in close:
            whole = entity.folded.whole
            phrased = _PHRASED * (" " in asked and asked in whole)
            said[id(entity)] = scores.of(entity) + phrased + sum(bool(re.search(p, whole)) for p in apart)
        close.sort(key=lambda e: (-round(said[id(e)], 3), -graph.degree(e.name)))
        ranked += close + others
    return sorted(ranked[: len(named)], key=standing) + ranked[len(named) :]


def _apart(spellings):
    """A pattern for a word that is no part of another, where it has no terms that would tell: `go`, `c`."""
    return r"(?<![^\W_])(?:" + "|".join(map(re.escape, spellings)) + r")(?![^\W_])"


class _Scores:
    """How much entities say about a query.

    Rarity is counted by substrings over the whole graph, which needs no terms of entities that nobody looks
    at closely; `rare` spares it. at_hand: {place in graph.entities: how much it may say}, by that count.
    """

    def __init__(self, graph, query, rare=0.0):
        self.graph, self.at_hand = graph, {}
        self.texts = [entity.folded.whole for entity in graph.entities]
        self.usual = max(1.0, sum(map(len, self.texts)) / max(1, len(self.texts)))
        self.rarity, self.heads = {}, {}
        for term in _terms_asked(query):
            within = range(len(self.texts))
            if len(term) > _HEAD and term.isascii():
                head = term[:_HEAD]
                if rare:
                    self.heads[head] = _ALIKE * rare
                else:
                    within = self._seek(head, within, self.heads, _ALIKE)
            if rare:
                self.rarity[term] = rare
            else:
                self._seek(term, within, self.rarity)

    def _seek(self, term, within, weights, share=1.0):
        """Weigh a term by how few hold it, for all of them; their places."""
        texts, at_hand = self.texts, self.at_hand
        holding = [n for n in within if term in texts[n]]
        if term not in weights:
            weight = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5)) * share
            weights[term] = weight
            for n in holding:
                at_hand[n] = at_hand.get(n, 0.0) + weight
        return holding

    def of(self, entity, linked=None):
        """How much one entity says, by its terms; `linked`: {term: count} of its relations."""
        if entity.folded.terms is None:
            entity.folded.terms = _terms_of(entity)
        counts, heads = entity.folded.terms
        lengthy = _REPEATS * (1 - _LENGTH + _LENGTH * len(entity.folded.whole) / self.usual)
        total = 0.0
        for term, rare in self.rarity.items():
            held = counts.get(term, 0)
            if linked:
                held += _RELATION * linked.get(term, 0)
            if held:
                total += rare * held * (_REPEATS + 1) / (held + lengthy)
        for head, rare in self.heads.items():
            held = heads.get(head, 0)
            if held:
                total += rare * held * (_REPEATS + 1) / (held + lengthy)
        return total

    def linked(self, name):
        """{term of the query: how many relations of a name hold it in their type or other end}"""
        found = {}
        for relation in self.graph.touching(name)[:CLOSE]:
            other = relation.to if relation.from_ == name else relation.from_
            for term in terms(f"{relation.type} {other}"):
                if term in self.rarity:
                    found[term] = found.get(term, 0) + 1
        return found


def _terms_asked(query):
    return list(dict.fromkeys(terms(asked_part(query[:LONGEST_QUERY]))))[:MOST_WORDS]


def _terms_of(entity):
    """({term: weight}, {head of a term: weight}) of one entity."""
    counts, heads = {}, {}
    texts = [(entity.name, _NAME), (entity.type, _TYPE), *((text, 1.0) for text in entity.observations)]
    for text, weight in texts:
        for term in terms(text):
            counts[term] = counts.get(term, 0) + weight
            if len(term) > _HEAD:
                head = term[:_HEAD]
                heads[head] = heads.get(head, 0) + weight
    return counts, heads


# -- the nearest -------------------------------------------------------------------------------


def _nearest(graph, query):
    """Entities that hold some of the words, or whose neighbours do; best first."""
    scores, own = _Scores(graph, query), {}
    places = sorted(scores.at_hand, key=lambda n: -scores.at_hand[n])
    for entity in (graph.entities[n] for n in places[:CLOSE]):
        said = scores.of(entity, scores.linked(entity.name))
        if said > own.get(entity.name, 0.0):
            own[entity.name] = said
    around = {}
    for name, said in own.items():
        for other in _neighbours(graph, name):
            around[other] = around.get(other, 0.0) + said
    total, linked = dict(own), {}
    for name, said in around.items():
        linked[name] = len(_neighbours(graph, name))
        total[name] = total.get(name, 0.0) + _NEIGHBOURS * said / linked[name]
    # Of those that say the same, first what holds the words itself, then the most connected.
    order = {name: (-round(total[name], 6), name not in own, -linked.get(name, 0)) for name in total}
    ranked = sorted(total, key=lambda name: order[name])
    return [graph.by_name[name] for name in ranked]


def _neighbours(graph, name):
    """The other entities at a name's relations, in the file's order."""
    ends = dict.fromkeys(end for relation in graph.touching(name) for end in (relation.from_, relation.to))
    return [end for end in ends if end in graph.by_name and end != name]


# -- passages ----------------------------------------------------------------------------------


def _passages(graph, entity, wanted):
    """What matched beside the name and the type: observations with the most words that are not shown yet,
    the later ones first; else a relation by whose type the entity was found."""
    left = [spellings for spellings in wanted if not _holds(entity.folded.name, spellings)]
    held = [folded(text) for text in entity.observations]
    hits = [(sum(_holds(text, s) for s in wanted), n) for n, text in enumerate(held)]
    hits = sorted((hit for hit in hits if hit[0]), reverse=True)
    shown, missing = [], list(wanted)
    while hits and len(shown) < SNIPPETS:
        hits.sort(key=lambda hit: (-sum(_holds(held[hit[1]], s) for s in missing), -hit[0], -hit[1]))
        _, n = hits.pop(0)
        shown.append(passage(entity.observations[n], wanted))
        missing = [spellings for spellings in missing if not _holds(held[n], spellings)]
    left = [s for s in left if s in missing and not _holds(entity.folded.type, s)]
    for relation in graph.touching(entity.name) if left and len(shown) < SNIPPETS else ():
        if any(_holds(folded(relation.type), spellings) for spellings in left):
            shown.append(passage(relation_line(relation), left))
            break
    return shown


def _close_passages(graph, entity, query):
    asked = [(term,) for term in _terms_asked(query)]
    for entry in asked[:]:
        head = entry[0][:_HEAD]
        if len(entry[0]) > _HEAD and not _holds(entity.folded.whole, entry):
            asked.append((head,))
    shown = _passages(graph, entity, asked)
    if not shown and not any(_holds(entity.folded.name, entry) for entry in asked):
        shown = [passage(relation_line(relation), asked) for relation in graph.touching(entity.name)[:1]]
    return shown


def passage(text, wanted, most=SNIPPET):
    """The part of a text around the first word that was asked, on one line, "…" where it was cut."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    low = text.lower()
    places = [at for spellings in wanted for word in spellings if (at := low.find(word)) >= 0]
    first = min(places, default=0)
    # A third of the room stands before the word: enough to see who does it.
    start = max(0, min(first - most // 3, len(text) - most + 1))
    if start:
        space = text.find(" ", start)
        start = space + 1 if 0 <= space <= first else start
    end = min(len(text), start + most - 1 - bool(start))
    if end < len(text):
        space = text.rfind(" ", start, end)
        end = space if space > first and space > end - 20 else end
    return ("…" if start else "") + text[start:end].rstrip() + ("…" if end < len(text) else "")


def relation_line(relation):
    """`a -verb-> b`"""
    return f"{relation.from_} -{relation.type}-> {relation.to}"


# -- did you mean ------------------------------------------------------------------------------


def near(graph, name, most=5):
    """At most `most` names of the graph that may have been meant by one that it does not have: the same but
    for case, spaces and signs, else those with all its words, those it holds, and those it misspells."""
    asked = _fair(name[:LONGEST_NAME].lower())[:LONGEST_NAME].strip()
    bare = _bare(asked)
    if not asked:
        return []
    parts = [part for part in re.findall(r"[^\W_]+", asked) if part not in STOP or part == asked]
    ranked, rest = [], []
    for other in graph.by_name:
        if other == name:
            continue
        theirs = _fair(other[:LONGEST_NAME].lower())[:LONGEST_NAME]
        plain = _bare(theirs)
        if plain == bare:
            ranked.append((0, abs(len(other) - len(name)), other))
        elif parts and all(part in theirs for part in parts):
            ranked.append((1, len(other), other))
        elif len(plain) > 2 and plain in bare:
            ranked.append((2, -len(other), other))
        elif abs(len(plain) - len(bare)) <= max(2, len(bare) // 2):
            rest.append((plain, other))
    ranked.sort()
    if ranked and ranked[0][0] == 0:
        ranked = [entry for entry in ranked if entry[0] == 0]
        most = min(most, len(ranked))
    found = [other for *_, other in ranked[:most]]
    return found + _misspelt(bare, rest, most - len(found)) if len(found) < most else found


def _bare(text):
    return re.sub(r"[\W_]+", "", text) or text


def _misspelt(asked, others, most):
    """Names that are close by their letters. Only those that share most pairs of letters are compared whole:
    difflib takes 20 microseconds and more for each."""
    pairs = _pairs(asked)
    sharing = [(len(pairs & _pairs(plain)), plain, name) for plain, name in others]
    sharing = sorted((entry for entry in sharing if entry[0] or len(asked) < 4), reverse=True)[:200]
    if not sharing:
        return []
    from difflib import SequenceMatcher  # only after a name that is unknown

    matcher, ranked = SequenceMatcher(None, "", asked, autojunk=False), []
    for _, plain, name in sharing:
        matcher.set_seq1(plain)
        if matcher.quick_ratio() >= ALIKE and (ratio := matcher.ratio()) >= ALIKE:
            ranked.append((-ratio, name))
    return [name for _, name in sorted(ranked)[:most]]


def _pairs(text):
    return {text[n : n + 2] for n in range(len(text) - 1)}
