"""What a query quotes is held letter for letter by what stands first."""

import pytest

from foreword import memory


def titles(place, query, **options):
    return [row["title"] for row in memory.search(place, query, **options)]


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ("we pin the pool size here", '"pool size"'),
        ("we pin the Pool Size here", '"pool size"'),
        ("we pin the pool\n    size here", '"pool size"'),
        ("we pin the pool size here", '"POOL  size"'),
        ("we pin the pool size here", "“pool size”"),
        ("we pin the pool size here", 'pool "pool size" size'),
        ("we pin the ｐｏｏｌ size here", '"pool size"'),
    ],
)
def test_who_holds_the_phrase_stands_above_who_holds_its_words(place, body, query):
    memory.save(place, body + ". " + "Long talk about other things follows. " * 20, title="phrase")
    memory.save(place, "the size of the pool: size, pool, size, pool", title="pool and its size")
    assert titles(place, query)[0] == "phrase"
    assert titles(place, query, limit=1) == ["phrase"]


def test_without_quotes_no_order_of_words_is_asked_for(place):
    memory.save(place, "we pin the pool size here. " + "Long talk about other things. " * 20, title="phrase")
    memory.save(place, "the size of the pool: size, pool, size, pool", title="pool and its size")
    assert titles(place, "pool size")[0] == "pool and its size"


def test_who_holds_more_of_the_phrases_stands_higher(place):
    memory.save(place, "the pool size of the retry policy", title="both")
    memory.save(place, "size of pool, the retry policy: pool, retry, policy, size", title="one")
    memory.save(place, "the policy on size: to retry, a pool", title="none")
    assert titles(place, '"pool size" "retry policy"') == ["both", "one", "none"]


def test_a_phrase_of_usual_words_is_found_among_many_that_rank_higher(place):
    memory.save(
        place, "It is what it is, said the walrus. " + "Other talk follows here. " * 50, title="phrase"
    )
    for n in range(110):
        memory.save(place, f"the walrus {n}x", title=f"walrus {n}")
    assert titles(place, 'walrus "it is what it is"')[0] == "phrase"
    assert titles(place, '"it is what it is"') == ["phrase"]
    assert memory.search(place, '"it is what it is"').nearest is False


def test_a_phrase_is_found_in_title_tags_and_names_of_files_too(place):
    memory.save(place, "one body", title="the retry policy")
    memory.save(place, "other body", title="t", tags=("retry policy",))
    memory.save(place, "the policy, a retry", title="neither")
    assert set(titles(place, '"retry policy"')[:2]) == {"the retry policy", "t"}


def test_what_lacks_the_words_beside_the_phrase_is_the_nearest(place):
    memory.save(place, "the pool size", title="phrase")
    assert memory.search(place, '"pool size"').nearest is False
    assert memory.search(place, '"ool siz"').nearest is False
    assert memory.search(place, '"pool size" zebra').nearest is True


def test_the_snippet_is_the_line_with_the_phrase(place):
    memory.save(
        place, "pool, size, pool, size\nfiller\nwe pin the pool size here\nsize of the pool", title="t"
    )
    [row] = memory.search(place, '"pool size"')
    assert row["snippet"] == "we pin the pool size here"


def test_a_superseded_or_archived_memory_is_not_found_letter_for_letter(place):
    old = memory.save(place, "The flag is ++ there", title="Flag")["id"]
    new = memory.save(place, "The flag is ++ here", title="Flag")["id"]
    gone = memory.save(place, "Another ++ flag", title="Other")["id"]
    memory.archive(place, [gone])
    assert [row["id"] for row in memory.search(place, "++")] == [new]
    assert [row["id"] for row in memory.search(place, '"flag is ++"')] == [new]
    assert [row["id"] for row in memory.search(place, "++", archived=True)] == [gone]
    assert old != new


@pytest.mark.parametrize(
    "query", ['"', '""', '" "', '"""', '"a', 'a"', '"\0"', '"\n"', '"pool" "', "“", '"' * 10_000]
)
def test_quotes_that_hold_nothing_are_survived(place, query):
    memory.save(place, "the pool size", title="t")
    assert memory.search(place, query) in ([], memory.search(place, "pool"))
