"""Which memories a prompt is offered: few, right, or none; and what a search finds."""

import os
import re
import sqlite3

import pytest

from foreword.index import catch_up, postings, rank, schema, search
from foreword.store import layout, write
from foreword.text.question import Question

NOW = 1793700900.0
HOUR = 3600.0
REASONS = {"offered", "below", "known", "rejected", "room", "alike"}
SURE = {  # a memory that holds all of the prompt's words is sure enough, by its share of them
    "features": ["held"], "logistic": [[0.0, 1.0, 4.0]], "bias": -3.0, "trees": [], "needed": 0.0,
}  # fmt: skip
NOTES = {
    "importer": (
        "Why does the importer drop rows whose currency is missing?",
        "Rows without a currency are dropped on purpose by `keep` in `src/importer.py`: the ledger adds up"
        " amounts per currency, so a row that names none has no column to go to.",
    ),
    "login": (
        "Why does the login page redirect in a loop after the session cookie expires?",
        "`refresh_session` in `src/auth.py` set the cookie with a path of /login, so that every other page"
        " saw none. The path is / now, and a test follows three redirects.",
    ),
    "flaky": (
        "test_upload_retries is flaky in CI, find out why",
        "The uploader waits a random backoff, and the fake clock was not advanced past its upper bound. The"
        " test advances it by `MAX_BACKOFF` now and passed 500 times.",
    ),
    "colours": (
        "Switch the charts of the weekly report to colours that the colour-blind can tell apart",
        "The palette is Okabe-Ito in `report/palette.py`, and lines have dashes of their own as well. The"
        " legend repeats the order of the lines.",
    ),
    "cache": (
        "How large may the thumbnail cache on disk become?",
        "Two gigabytes: `evict` in `thumbs/cache.py` removes what was not read for longest when a write"
        " passes that. Phones get 200 MB, from the build flavour.",
    ),
}
REPHRASED = {
    "importer": "The importer seems to lose rows that have no currency. Is that a bug or on purpose?",
    "login": "Users report that the login page redirects forever once their session cookie has expired",
    "flaky": "test_upload_retries failed again in CI, is it still flaky?",
    "colours": "Which colours do the charts of the weekly report use for colour-blind readers?",
    "cache": "Raise the maximum size of the thumbnail cache on disk to four gigabytes",
}
ELSEWHERE = [  # prompts about other repositories
    "Add a dark mode toggle to the settings screen of the Android app",
    "The Kubernetes ingress returns 502 for websockets, look into the timeout annotations",
    "Write a parser for the new GEDCOM header and cover it with property tests",
    "Why is the shader compilation stuttering on first frame in the Vulkan backend?",
    "Bump tokio to the latest version and fix the deprecation warnings",
    "Translate the onboarding mails into Portuguese",
    "数据库的连接池大小是多少？",
    "ドキュメントの目次を自動で生成するスクリプトを書いて",
]
STEERING = [
    "continue",
    "yes, do it",
    "commit this",
    "thanks!",
    "run the tests again",
    "hello",
    "はい",
    "好的",
    "👍",
]


class Store:
    """A folder of memories and its index."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.now = NOW
        self.db = None

    def note(self, question, answer, kind="note", archived=False, at=None, **head):
        """Save one, an hour after the one before; its id."""
        self.now += HOUR
        fields = {"title": question[:80], "question": question, **head}
        when = self.now if at is None else at
        found, place = write.create(self.folder, kind, fields, answer, when)
        if archived:
            into = os.path.join(self.folder, layout.place(kind, found, True))
            os.makedirs(os.path.dirname(into), exist_ok=True)
            os.rename(os.path.join(self.folder, place), into)
        return found

    def fill(self, *names):
        return {name: self.note(*NOTES[name]) for name in names or NOTES}

    def open(self):
        if self.db is not None:
            self.db.close()
        catch_up.catch_up(self.folder)
        self.db = schema.open_reading(self.folder)
        return self.db

    def offer(self, prompt, known=(), limit=5, **options):
        offer = search.offered(self.open(), Question(prompt), set(known), limit, **options)
        check(offer, limit)
        return offer

    def offered(self, prompt, **options):
        return [hit.id for hit in self.offer(prompt, **options).hits]

    def found(self, prompt, **options):
        return [hit.id for hit in search.search(self.open(), Question(prompt), **options)]


def check(offer, limit):
    """What holds for every Offer."""
    assert len(offer.hits) <= limit
    assert len(offer.told) <= search.TOLD
    shown = [hit.id for hit in offer.hits]
    assert len(set(shown)) == len(shown)
    for memory_id, confidence, reason, *same in offer.told:
        assert reason in REASONS
        assert 0 <= confidence <= 1
        assert (memory_id in shown) == (reason == "offered")
        assert (reason == "alike") == (len(same) == 1 and same[0] in shown)
        assert (reason == "below") == (confidence < offer.needed) or confidence == offer.needed
    sure = [row[1] for row in offer.told]
    assert sure == sorted(sure, reverse=True)


def told(offer):
    return {row[0]: row[2:] for row in offer.told}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    yield store
    if store.db is not None:
        store.db.close()


@pytest.fixture
def sure(monkeypatch):
    """A model by which all that holds the whole prompt is worth a line, so that the rules alone decide."""
    monkeypatch.setattr(rank, "model", lambda dated=True: rank.prepared(SURE))


# -- a young store, by the model that ships ---------------------------------------------------------


@pytest.mark.parametrize("name", NOTES)
def test_the_only_note_is_offered_to_its_own_question_and_to_it_rephrased(store, name):
    [one] = store.fill(name).values()
    assert store.offered(NOTES[name][0]) == [one]
    assert store.offered(REPHRASED[name]) == [one]


@pytest.mark.parametrize("name", NOTES)
def test_of_five_notes_the_one_that_answers_is_the_only_one_offered(store, name):
    ids = store.fill()
    assert store.offered(NOTES[name][0]) == [ids[name]]
    assert store.offered(REPHRASED[name]) == [ids[name]]


@pytest.mark.parametrize("prompt", ELSEWHERE)
def test_a_prompt_about_another_repository_is_offered_nothing(store, prompt):
    store.fill("importer")
    assert store.offered(prompt) == []
    store.fill("login", "flaky", "colours", "cache")
    assert store.offered(prompt) == []


@pytest.mark.parametrize("prompt", STEERING)
def test_a_prompt_that_steers_is_offered_nothing_whatever_the_store_holds(store, prompt):
    store.note(
        "continue, yes, do it, commit this and run the tests again, thanks!", "はい 好的 hello 👍 " * 20
    )
    offer = store.offer(prompt)
    assert (offer.hits, offer.told, offer.needed, offer.why) == ([], [], None, "control")


def test_a_japanese_note_is_found_by_an_english_prompt_and_the_other_way_round(store):
    eastern = store.note(
        "サーバーの接続が遅いのはなぜですか", "接続プールの上限が五つでした。二十に上げました。"
    )
    western = store.note(
        "Why does the parser fail on an empty file?", "It reads the header before the length check."
    )
    assert store.found("Why is the server connection slow?")[0] == eastern
    first, *_ = search.search(store.open(), Question("空のファイル"))
    assert first.id == western
    assert first.score > 0


def test_an_empty_store_offers_nothing(store):
    os.makedirs(store.folder)
    offer = store.offer(NOTES["importer"][0])
    assert (offer.hits, offer.told, offer.needed, offer.why) == ([], [], None, "")
    assert store.found("importer") == []


# -- the rules --------------------------------------------------------------------------------------


def test_what_was_shown_is_not_offered_again_and_makes_room(store, sure):
    one, other = store.note("walrus colony", "first"), store.note("walrus", "colony of others, second")
    assert set(store.offered("walrus colony")) == {one, other}
    offer = store.offer("walrus colony", known={one}, limit=1)
    assert [hit.id for hit in offer.hits] == [other]
    assert told(offer) == {one: ["known"], other: ["offered"]}


def test_a_rejected_memory_is_never_offered_and_still_found(store, sure):
    one, other = store.note("walrus colony", "first", offer="never"), store.note("walrus", "colony, second")
    offer = store.offer("walrus colony")
    assert [hit.id for hit in offer.hits] == [other]
    assert told(offer)[one] == ["rejected"]
    assert set(store.found("walrus colony")) == {one, other}


def test_no_more_lines_than_asked_for_the_surest_first(store, sure):
    ids = [store.note(f"walrus colony {n}x", f"answer {n}y " + f"word{n} " * n) for n in range(14)]
    offer = store.offer("walrus colony", limit=3)
    assert [row[2] for row in offer.told] == ["offered"] * 3 + ["room"] * 7
    assert [hit.id for hit in offer.hits] == [row[0] for row in offer.told[:3]]
    assert {row[0] for row in offer.told} < set(ids)
    assert store.offered("walrus colony", limit=0) == []


def test_what_is_not_sure_enough_is_below(store, sure):
    one, other = store.note("walrus colony", "first"), store.note("walrus", "second")
    offer = store.offer("walrus colony")
    assert told(offer) == {one: ["offered"], other: ["below"]}
    assert offer.needed == 0.5


@pytest.mark.parametrize("words", [25, 200])
def test_of_memories_that_say_nearly_the_same_one_is_offered(store, sure, words):
    text = " ".join(f"w{n}x" for n in range(words))
    first = store.note("walrus colony", text)
    second = store.note("walrus colony", text + " once more")
    third = store.note("walrus colony", " ".join(f"v{n}x" for n in range(words)))
    offer = store.offer("walrus colony")
    shown = [hit.id for hit in offer.hits]
    assert len(shown) == 2 and third in shown
    [same] = {first, second} & set(shown)
    [left_out] = {first, second} - {same}
    assert told(offer)[left_out] == ["alike", same]


@pytest.mark.parametrize(("common", "shown"), [(75, 2), (90, 1)])
def test_how_much_in_common_is_the_same_is_a_share_of_all_their_words(store, sure, common, shown):
    both = " ".join(f"w{n}x" for n in range(common))
    for at in ("left", "right"):
        own = " ".join(f"{at}{n}x" for n in range(100 - common))
        store.note("walrus colony", f"{both} {own}")
    assert len(store.offered("walrus colony")) == shown


def test_a_short_memory_within_a_long_one_is_not_the_same(store, sure):
    text = " ".join(f"w{n}x" for n in range(100))
    store.note("walrus colony", text)
    store.note("walrus colony", text[: len(text) // 2])
    assert len(store.offered("walrus colony")) == 2


def test_what_is_left_out_stands_for_nothing_else(store, sure):
    """A copy of what is known or rejected is a line of its own."""
    text = " ".join(f"w{n}x" for n in range(40))
    known, copy = store.note("walrus colony", text), store.note("walrus colony", text + " again")
    assert store.offered("walrus colony", known={known}) == [copy]


def test_superseded_and_archived_memories_are_neither_offered_nor_found(store, sure):
    old = store.note("walrus colony", "old", kind="fact", title="walrus colony")
    new = store.note("walrus colony", "new", kind="fact", title="walrus colony", supersedes=[old])
    gone = store.note("walrus colony", "gone", archived=True)
    assert store.offered("walrus colony") == [new]
    assert store.found("walrus colony") == [new]
    assert store.found("walrus colony", archived=True) == [gone]
    assert {row[0] for row in store.offer("walrus colony").told} == {new}


def test_only_what_is_older_counts_when_a_time_is_given(store, sure):
    first, second = store.note("walrus colony", "first"), store.note("walrus colony one", "second")
    assert store.offered("walrus colony", before=NOW + 1.5 * HOUR) == [first]
    assert store.found("walrus colony", before=NOW + HOUR) == []
    assert set(store.found("walrus colony", before=NOW + 9 * HOUR)) == {first, second}


def test_only_the_asked_types_are_found(store):
    note = store.note("walrus colony", "one")
    fact = store.note("walrus colony", "two", kind="fact")
    session = store.note("walrus colony", "three", kind="session")
    assert store.found("walrus", types=("fact",)) == [fact]
    assert set(store.found("walrus", types=("note", "session"))) == {note, session}
    assert set(store.found("walrus")) == {note, fact, session}


def test_a_hundred_archived_memories_hide_none_that_counts(store):
    for n in range(search.PROBED + 20):
        store.note("walrus colony walrus colony", f"{n}x", archived=True)
    one = store.note("walrus", "about the colony, among " + "other things " * 30)
    assert store.found("walrus colony") == [one]


def test_a_pinned_memory_is_looked_at_whatever_its_score(store):
    pinned = store.note("on the herring", "walrus " + "other things of all kinds " * 40, offer="always")
    for n in range(search.PROBED + search.CANDIDATES):
        store.note("walrus", f"walrus {n}x")
    ids = [hit.id for hit in search.candidates(store.open(), Question("walrus"))[0]]
    assert pinned in ids
    assert len(ids) == search.CANDIDATES + 1
    store.note("nothing of that", "zebra", offer="always")
    hits, _ = search.candidates(store.open(), Question("walrus"))
    assert [hit.id for hit in hits if hit.offer > 0] == [pinned]  # the other holds nothing of what is asked
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    before = search.candidates(store.open(), Question("walrus"), before=NOW + HOUR)[0]
    assert before == []


def test_a_pin_makes_surer_by_a_fixed_amount(store):
    one = store.note(*NOTES["importer"])
    [usual] = search.search(store.open(), Question(REPHRASED["importer"]))
    path = os.path.join(store.folder, usual.place)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("---\n", "---\noffer: always\n", 1))
    [pinned] = search.search(store.open(), Question(REPHRASED["importer"]))
    assert (pinned.id, pinned.offer, usual.offer) == (one, 1, 0)
    assert pinned.odds - usual.odds == pytest.approx(2.0)


def test_of_the_pinned_the_newest_are_looked_at(store):
    ids = [
        store.note("herring", f"walrus {n}x " + "other things " * (9 + n), offer="always") for n in range(25)
    ]
    for n in range(search.PROBED + 30):
        store.note("walrus", f"walrus {n}y")
    hits, _ = search.candidates(store.open(), Question("walrus"))
    assert {hit.id for hit in hits if hit.offer > 0} == set(ids[-search.MOST_PINNED :])
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_a_note_that_answered_this_very_question_is_surer_by_a_fixed_amount(store, sure):
    store.note("Where do the walrus and the herring meet?", "In the bay.")
    for prompt, same in (("Where do walrus and herring meet?", True), ("Is the herring in the bay?", False)):
        [hit] = search.search(store.open(), Question(prompt))
        assert hit.same == same
        assert (("answers this very question", 3.0, ()) in hit.reasons) == same
        usual = rank.log_odds(rank.model(), hit.row)
        assert hit.odds == pytest.approx(usual + 3.0 if same else usual)


def test_files_of_the_client_session_lift_what_cites_them(store):
    digest = "0" * 64
    one = store.note("walrus one", "colony", files=[{"path": "src/a.py", "sha256": digest}])
    other = store.note("walrus two", "colony", files=[{"path": "src/b.py", "sha256": digest}])
    for touched, first in ((("src/a.py",), one), (("src/b.py",), other)):
        hits = search.search(store.open(), Question("walrus colony"), touched=touched)
        rows = {hit.id: dict(zip(search.features.NAMES, hit.row, strict=True)) for hit in hits}
        assert [i for i, row in rows.items() if row["touched"] > 0] == [first]


# -- what a hit tells -------------------------------------------------------------------------------


def test_a_hit_knows_the_asked_words_it_holds_and_why_it_ranks(store):
    store.note("walrus colony", "one")
    [hit] = search.search(store.open(), Question("walrus zebra colony"))
    assert hit.words == ["walru", "colony"] or hit.words == ["walrus", "colony"]
    (sure, *_), holds, lacks, *others = hit.reasons
    assert re.fullmatch(r"\d+% sure; a line before a prompt needs \d+%", sure)
    assert holds == ("holds 2 of 3 words", 0.0, hit.words)
    assert lacks == ("does not hold", 0.0, ["zebra"])
    assert {label for label, _, _ in others} <= set(search.features.GROUPS)
    assert all(abs(change) >= search.SAID for _, change, _ in others)


def test_hits_are_the_surest_first(store):
    store.fill()
    hits = search.search(store.open(), Question("importer currency login cookie chart cache flaky"))
    odds = [hit.odds for hit in hits]
    assert len(hits) == 5
    assert odds == sorted(odds, reverse=True)
    assert [hit.id for hit in search.search(store.db, Question("importer currency login"), limit=1)] == [
        search.search(store.db, Question("importer currency login"))[0].id
    ]


def test_of_those_that_are_allowed_each_that_holds_a_word_is_found(store, monkeypatch):
    monkeypatch.setattr(search, "READ", 0)  # the usual words of the others are only looked up in the best
    first = store.note("about the colony", "it moved")
    rare = [store.note(f"walrus colony {n}", f"the colony {n}") for n in range(12)]
    usual = [store.note(f"another colony {n}", "moved") for n in range(postings.TAIL)]
    db = store.open()
    assert not db.execute("SELECT 1 FROM tail").fetchone()
    numbers = dict(db.execute("SELECT id, number FROM memories"))
    assert set(store.found("walrus colony", limit=100)) == set(rare)
    some = {numbers[i] for i in (first, rare[3], usual[5])}
    assert set(store.found("walrus colony", limit=100, allowed=some)) == {first, rare[3], usual[5]}
    assert store.found("walrus colony", limit=100, allowed=some, before=NOW + 2 * HOUR) == [first]
    assert set(store.found("walrus colony", allowed=some, before=NOW + 9 * HOUR)) == {first, rare[3]}
    assert store.found("walrus colony", allowed=set()) == []


def test_more_are_ranked_than_sqlite_takes_numbers_at_once(store, monkeypatch):
    made = {store.note(f"walrus {n}", "the colony") for n in range(23)}
    monkeypatch.setattr(search, "AT_ONCE", 5)
    monkeypatch.setattr(postings, "_ASKED_AT_ONCE", 5)
    db = store.open()
    db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 20)
    hits = search.search(db, Question("walrus"), limit=100)
    assert {hit.id for hit in hits} == made
    assert len(search.search(db, Question("walrus"), limit=7)) == 7


def test_where_all_have_one_time_the_model_without_dates_is_asked(store, monkeypatch):
    asked = []
    model = rank.model
    monkeypatch.setattr(rank, "model", lambda dated=True: asked.append(dated) or model(dated))
    for n in range(4):
        store.note(f"walrus {n}x", "colony", at=NOW)
    store.found("walrus")
    assert asked == [False]
    for n in range(4):
        store.note(f"walrus {n}y", "colony")
    store.found("walrus")
    assert asked == [False, True]


def test_the_note_that_answered_this_very_question_is_offered_however_old(store):
    asked = "How does the walrus cache evict its colonies in module_0?"
    one = store.note(asked, "It evicts the eldest colony when more than nine hundred are kept.")
    for n in range(1, 61):
        store.note(
            f"How does the walrus cache evict its colonies in module_{n}?", f"Rule {n} of the herring {n}x."
        )
    assert one in [hit.id for hit in search.offered(store.open(), Question(asked), set(), 5).hits]


def test_the_very_question_is_known_though_other_notes_share_its_words(store):
    store.note("Where do the walrus and the herring meet?", "In the bay.")
    store.note("Where does the walrus sleep?", "On the ice.")
    hits = search.search(store.open(), Question("Where do walrus and herring meet?"))
    assert [hit.same for hit in hits] == [True, False]
