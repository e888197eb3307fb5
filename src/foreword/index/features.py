"""What the ranking knows of a prompt and each memory that may match it, as numbers. Hot; no I/O.

One row of numbers a memory, in the order of NAMES. The model (rank.py) has learnt what they mean;
bench/train_ranker.py makes the rows that it learns from with this very file. A *worth* is
ln((N + 301) / (memories with the term + 300 x its share of texts in general + .5)): about 0 for a word
that stands everywhere, 5 to 9 for a rare one.
"""

import math
from bisect import bisect_left
from itertools import pairwise

from foreword.index.impacts import FILES, HEAD, IMAGINED, QUESTION, pair
from foreword.text import common

# name: what it says. `share of ...` is of worth.
MEANING = {
    "score": "ln of the summed impacts",
    "score_share": "summed impacts by the prompt's worth",
    "place": "ln of the place among the candidates by summed impacts",
    "z": "standard deviations above the candidates' mean",
    "lead_sixth": "how far above the sixth candidate, by the first's score",
    "lead_sixth_worth": "the same by the prompt's worth",
    "of_first": "score by the first candidate's",
    "lead_next": "how far above the next candidate",
    "held": "share of the prompt's words that it holds",
    "held_known": "the same of words that any memory holds",
    "held_question": "share of the prompt's words in its question",
    "held_files": "share of the prompt's words in its files' names",
    "held_first": "share of the prompt's first sentence that it holds",
    "first_in_first": "share of the prompt's first sentence in its question's",
    "question_held": "share of its question that the prompt holds",
    "alike": "distinct words of first sentence and question in common, by all of both",
    "cosine": "cosine of prompt and memory",
    "worth": "worth of what it holds",
    "worth_question": "the same in its question",
    "worth_files": "the same in its files' names",
    "rarest": "worth of the rarest word it holds",
    "rarest_five": "worth of the five rarest",
    "few_hold": "ln of how few memories hold the rarest, by all",
    "words": "how many words it holds",
    "impact": "mean impact of what it holds",
    "neighbours": "worth of neighbouring words that are neighbours in it too",
    "neighbour_count": "how many such pairs",
    "code_held": "share of the prompt's code that it holds",
    "ticked_held": "share of what the prompt puts in backticks",
    "special": "how much more usual what it holds is here than elsewhere",
    "length": "ln of its terms",
    "question_length": "ln of its question's terms",
    "files": "ln of its files",
    "worth_of_best": "its worth by the best candidate's",
    "files_of_best": "its held_files by the best candidate's",
    "special_of_best": "its special by the best candidate's",
    "neighbours_of_best": "its neighbours by the best candidate's",
    "cosine_of_best": "its cosine by the best candidate's",
    "first_of_best": "its first_in_first by the best candidate's",
    "prompt_terms": "ln of the prompt's terms",
    "prompt_code": "ln of the worth of the prompt's code",
    "prompt_unknown": "share of the prompt's worth that no memory holds",
    "prompt_usual": "share of its terms that are usual in general",
    "prompt_special": "mean special of its words",
    "prompt_most_special": "the greatest",
    "prompt_best": "the first candidate's score by the prompt's worth",
    "prompt_spread": "spread of the candidates' scores by their mean",
    "store": "ln of the memories in the store",
    "newer": "ln of how many memories are newer, at most 50",
    "newer_here": "share of the candidates that are newer",
    "newer_strong": "ln of the newer ones among candidates nearly as strong as the first",
    "touched": "cites a file that this client session has read or edited: 1 by the root of how many do",
}  # fmt: skip
NAMES = tuple(MEANING)

# What people are told about a ranking: groups of features that say much the same.
GROUPS = {
    "how much of the prompt it holds": (
        "score", "score_share", "held", "held_known", "worth", "words", "impact", "cosine", "prompt_best",
        "prompt_unknown",
    ),
    "how far it stands out among the candidates": (
        "place", "z", "lead_sixth", "lead_sixth_worth", "of_first", "lead_next", "worth_of_best",
        "special_of_best", "cosine_of_best", "prompt_spread",
    ),
    "what the first sentence asks": (
        "held_first", "first_in_first", "alike", "first_of_best", "held_question", "question_held",
        "worth_question",
    ),
    "rare words": (
        "rarest", "rarest_five", "few_hold", "special", "prompt_special", "prompt_most_special",
        "prompt_usual",
    ),
    "words that stand side by side": ("neighbours", "neighbour_count", "neighbours_of_best"),
    "code and names of files": (
        "code_held", "ticked_held", "held_files", "worth_files", "files_of_best", "prompt_code",
    ),
    "how new it is": ("newer", "newer_here", "newer_strong"),
    "files of this session": ("touched",),
    "length": ("length", "question_length", "files", "prompt_terms"),
    "size of the store": ("store",),
}  # fmt: skip
_NOTHING = 1e-9  # instead of a zero below a line
NEWER_MOST = 50  # age misleads where follow-ups are not soon, so that it counts only this far
STRONG = 0.6  # of the first candidate's score; a guess, no other was tried


class Asked:
    """A Question beside the counts of one store: what its terms are worth there.

    total: memories; worths, shares, held, special: {term: its worth, share in general, memories, how much
    more usual it is here than there}; weights: [(term number, weight, memories)] for postings.candidates;
    numbers: {term: its number}; neighbours: [(number, number, their pair's hash, worth)]; length: that of
    the prompt as a vector; whole, whole_...: the worth of all terms, of those that any memory holds, of the
    first sentence, of code, of what is between backticks.
    """

    __slots__ = (
        "held", "known", "length", "neighbours", "numbers", "question", "shares", "special", "stand_ins",
        "total", "weights", "whole", "whole_code", "whole_head", "whole_known", "whole_ticked", "worths",
    )  # fmt: skip

    def __init__(self, question, counts, total):
        self.question = question
        self.total = total
        self.held = {}
        self.numbers = {}
        self.shares = {}
        self.worths = {}
        self.known = []
        self.stand_ins = {}
        self.weights = []
        for term in question.terms:
            number, held = counts.get(term, (None, 0))
            self.shares[term] = share = common.share(term)
            self.held[term] = held
            worth = math.log((total + IMAGINED + 1) / (held + IMAGINED * share + 0.5))
            if not term.isascii():
                worth *= _weight(term)
            self.worths[term] = max(0.0, worth)
            if held:
                self.known.append(term)
                self.numbers[term] = number
                self.weights.append((number, self._idf(term, held), held))
        self.special = {
            term: max(0.0, math.log((self.held[term] + 0.5) / (total + 1) / (self.shares[term] + 0.0005)))
            for term in self.known
        }
        worths = self.worths.values()
        self.length = math.sqrt(sum(worth * worth for worth in worths)) or _NOTHING
        self.whole = sum(worths) or _NOTHING
        self.whole_known = self._worth(self.known) or _NOTHING
        self.whole_head = self._worth(question.head) or _NOTHING
        self.whole_code = self._worth(question.code)
        self.whole_ticked = self._worth(question.ticked)
        self.neighbours = [
            (self.numbers[one], self.numbers[two], pair(one, two), min(self.worths[one], self.worths[two]))
            for one, two in dict.fromkeys(pairwise(question.sequence))
            if one in self.numbers and two in self.numbers
        ]

    def _worth(self, terms):
        # Exact, for a sum over a set comes out otherwise in each process, by its last bit.
        return math.fsum(self.worths.get(term, 0.0) for term in terms)

    def add(self, others, counts):
        """Ask in other languages too.

        others: [(asked term or "", term, weight)]; where it names an asked term that a memory does not
        hold, what stands in for it counts by its weight.
        """
        weights = {}
        for for_term, term, weight in others:
            if term in counts and term not in self.held:
                number, held = counts[term]
                weights[number] = max(weights.get(number, (0.0,))[0], weight * self._idf(term, held)), held
                if for_term:
                    self.stand_ins.setdefault(for_term, []).append((number, weight))
        self.weights += [(number, weight, held) for number, (weight, held) in weights.items()]

    def _idf(self, term, held):
        idf = math.log(1 + max(0, self.total - held + 0.5) / (held + 0.5))
        return idf if term.isascii() else idf * _weight(term)


def _weight(term):
    from foreword.text import cjk

    return cjk.weight(term) if term > "\u2fff" else 1.0


def rows(asked, found, created, newest, touched=None):
    """A row of numbers for each of the Candidates `found` (best first, filled), in their order.

    created: when each was saved, epoch seconds; newest: the same of the NEWER_MOST + 1 newest memories of
    the store, ascending; touched: {term number of a path: memories that cite it}.
    """
    scores = [candidate.score for candidate in found]
    mean = sum(scores) / len(scores)
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores)) + 1e-6
    first = scores[0] or _NOTHING
    strong = sorted(c for c, score in zip(created, scores, strict=True) if score >= STRONG * first)
    order = sorted(created)
    prompt = _of_prompt(asked, first, mean, spread)
    made = [
        [
            *_of_score(asked, scores, at, mean, spread),
            *_of_content(asked, candidate),
            *_UNKNOWN_YET,
            *prompt,
            math.log(1 + min(NEWER_MOST, max(0, len(newest) - bisect_left(newest, created[at]) - 1))),
            _newer(order, created[at]) / len(order),
            math.log(1 + _newer(strong, created[at])),
            _cites(candidate, touched or {}),
        ]
        for at, candidate in enumerate(found)
    ]
    for into, of in _OF_BEST:
        best = max(row[of] for row in made) or _NOTHING
        for row in made:
            row[into] = row[of] / best
    return made


def _of_prompt(asked, first, mean, spread):
    """The numbers that all candidates of a prompt share, prompt_terms to store."""
    terms, special = asked.question.terms, asked.special.values()
    return (
        math.log(1 + len(terms)),
        math.log(1 + asked.whole_code),
        1 - asked.whole_known / asked.whole,
        sum(1 for term in terms if asked.shares[term]) / len(terms),
        sum(special) / max(1, len(special)),
        max(special, default=0.0),
        first / asked.whole,
        spread / (mean + 1e-6),
        math.log(1 + asked.total),
    )


def _of_score(asked, scores, at, mean, spread):
    """What the scores alone say of the candidate at a place, score to lead_next."""
    score, first = scores[at], scores[0] or _NOTHING
    sixth = scores[5] if len(scores) > 5 else 0.0
    following = scores[at + 1] if at + 1 < len(scores) else 0.0
    return (
        math.log(score + 1e-6),
        score / asked.whole,
        math.log(1 + at),
        (score - mean) / spread,
        (score - sixth) / first,
        (score - sixth) / asked.whole,
        score / first,
        (score - following) / first,
    )


def _of_content(asked, candidate):
    """What it holds of the prompt, held to files."""
    question, worths, held, special = asked.question, asked.worths, asked.held, asked.special
    in_head, code, ticked = question.head, question.code, question.ticked
    matched = candidate.matched
    question_terms, answer_terms, files, question_worth, norm = candidate.shape
    worth_held = in_question = in_files = first_held = first_in_first = squares = 0.0
    special_here = code_here = ticked_here = 0.0
    impacts = alike = 0
    fewest = asked.total
    each = []
    for term, number in asked.numbers.items():
        if number not in matched:
            continue
        impact, fields = matched[number]
        worth = worths[term]
        each.append(worth)
        worth_held += worth
        squares += worth * worth
        special_here += special[term]
        impacts += impact
        fewest = min(fewest, held[term])
        if fields & QUESTION:
            in_question += worth
        if fields & FILES:
            in_files += worth
        if term in in_head:
            first_held += worth
            if fields & HEAD:
                first_in_first += worth
            if fields & QUESTION:
                alike += 1
        if term in code:
            code_here += worth
        if term in ticked:
            ticked_here += worth
    for term, others in asked.stand_ins.items():
        standing = [(matched[n], weight) for n, weight in others if n in matched]
        if not standing or asked.numbers.get(term) in matched:
            continue
        worth = worths[term] * min(1.0, sum(weight for _, weight in standing))
        (impact, fields), _ = max(standing)
        each.append(worth)
        worth_held += worth
        squares += worth * worth
        impacts += impact
        if fields & QUESTION:
            in_question += worth
        if term in in_head:
            first_held += worth
            if fields & HEAD:
                first_in_first += worth
    each.sort(reverse=True)
    beside = [
        worth
        for one, two, key, worth in asked.neighbours
        if one in matched and two in matched and _has(candidate.pairs, key)
    ]
    union = len(in_head) + question_terms - alike
    return (
        worth_held / asked.whole,
        min(1.0, worth_held / asked.whole_known),  # more than all where another language stands in
        in_question / asked.whole,
        in_files / asked.whole,
        first_held / asked.whole_head,
        first_in_first / asked.whole_head,
        in_question / question_worth if question_worth else 0.0,
        alike / union if union > 0 else 0.0,
        squares / (asked.length * norm + _NOTHING),
        worth_held,
        in_question,
        in_files,
        each[0] if each else 0.0,
        sum(each[:5]),
        math.log((fewest + 1) / (asked.total + 1)),
        len(each),
        impacts / 255 / max(1, len(each)),
        sum(beside),
        len(beside),
        code_here / asked.whole_code if asked.whole_code else 0.0,
        ticked_here / asked.whole_ticked if asked.whole_ticked else 0.0,
        special_here,
        math.log(1 + question_terms + answer_terms),
        math.log(1 + question_terms),
        math.log(1 + files),
    )


def _cites(candidate, touched):
    """1 by the root of how many memories cite it, for the rarest of the touched files that it cites."""
    fewest = min(
        (memories for number, memories in touched.items() if _has(candidate.terms, number)), default=0
    )
    return 1 / math.sqrt(fewest) if fewest else 0.0


_OF_BEST = [
    (NAMES.index(into), NAMES.index(of))
    for into, of in (
        ("worth_of_best", "worth"),
        ("files_of_best", "held_files"),
        ("special_of_best", "special"),
        ("neighbours_of_best", "neighbours"),
        ("cosine_of_best", "cosine"),
        ("first_of_best", "first_in_first"),
    )
]
_UNKNOWN_YET = (0.0,) * len(_OF_BEST)


def _newer(order, when):
    """How many of the ascending times are later; those of the same time count half, itself aside.

    Where all have one time, as after an import, that says the same of all: nothing.
    """
    low = bisect_left(order, when)
    high = low
    while high < len(order) and order[high] == when:
        high += 1
    return len(order) - high + max(0, high - low - 1) / 2


def _has(ordered, wanted):
    at = bisect_left(ordered, wanted)
    return at < len(ordered) and ordered[at] == wanted
