"""The sentences that every face shows of a report."""

import pytest

from foreword.report import told

DAYS = {"days": {"on": 9, "off": 8, "need": 4}}
NOTHING = {"on": None, "off": None, "difference": None, "low": None, "high": None, "inconclusive": None}


def compared(difference, low, high, inconclusive=False, by="by_day"):
    measure = {"difference": difference, "low": low, "high": high, "inconclusive": inconclusive}
    assigned = {key: key == by for key in ("by_session", "by_day", "by_hand")}
    return {
        "possible": True,
        "on": 12,
        "off": 11,
        "need": 10,
        "tokens": measure,
        "assigned": assigned,
        **DAYS,
    }


def test_too_few_sessions_get_no_percentage():
    few = {"possible": False, "on": 3, "off": 5, "need": 10, "tokens": NOTHING, "assigned": {}}
    assert told.verdict(few) == "too few sessions to compare (3 on / 5 off, need 10 each)"
    assert told.how(few) == ""


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            compared(-0.2412, -0.405, -0.031),
            "With memory, the median client session took 24 % fewer tokens (95 % interval -40 % to -3 %).",
        ),
        (
            compared(0.2, 0.1, 0.3),
            "With memory, the median client session took 20 % more tokens (95 % interval +10 % to +30 %).",
        ),
        (
            compared(-0.1, -0.3, 0.2, inconclusive=True),
            "Inconclusive: with memory, the median client session took 10 % fewer tokens"
            " (95 % interval -30 % to +20 %); that may be chance.",
        ),
        (
            compared(0.0, -0.1, 0.1, inconclusive=True),
            "Inconclusive: with memory, the median client session took as many tokens"
            " (95 % interval -10 % to +10 %); that may be chance.",
        ),
        (
            compared(0.1, None, None, inconclusive=True),
            "Inconclusive: these client sessions allow no interval.",
        ),
    ],
)
def test_the_verdict_names_the_interval_and_never_claims_what_is_inconclusive(found, sentence):
    assert told.verdict(found) == sentence


def test_where_somebody_set_the_switch_nothing_is_put_down_to_memory():
    told_so = told.verdict(compared(-0.2, -0.3, -0.1, by="by_hand"))
    assert told_so == (
        "With memory, the median client session took 20 % fewer tokens (95 % interval -30 % to -10 %),"
        " but somebody set the switch: that is no proof that memory did it."
    )


def test_with_too_few_days_it_says_how_many_there_are_and_how_many_are_needed():
    found = compared(None, None, None, inconclusive=True)
    found["days"] = {"on": 1, "off": 2, "need": 4}
    assert told.verdict(found) == (
        "Inconclusive: days decided, 1 with memory and 2 without; an interval needs 4 each."
    )


def test_lines_that_were_not_counted_are_told():
    (one,) = told.left_out({"mixed": 0, "without_log": 0, "unread": 1})
    assert one == "1 line of a log is not counted: longer than 2 MiB, or damaged."


def test_each_design_says_what_it_cannot_rule_out():
    assert "task mix" in told.how(compared(0, 0, 0))
    assert "auto:session" in told.how(compared(0, 0, 0))
    assert "memory and chance" in told.how(compared(0, 0, 0, by="by_session"))
    assert "set the switch" in told.how(compared(0, 0, 0, by="by_hand"))


def test_what_was_left_out_is_told_in_words_that_fit_the_number():
    assert list(told.left_out({"mixed": 0, "without_log": 0})) == []
    one = list(told.left_out({"mixed": 1, "without_log": 1}))
    assert one[0] == "1 client session had memory on for a part of its turns and is not compared."
    assert one[1].startswith("1 client session has no log")
    many = list(told.left_out({"mixed": 2, "without_log": 3}))
    assert many[0] == "2 client sessions had memory on for a part of their turns and are not compared."
    assert many[1].startswith("3 client sessions have no log")


def test_the_hit_rate_is_of_prompts_while_memory_was_on():
    assert told.hit_rate({"hit_rate": 0.7, "prompts_on": 56}) == "Hit rate 70 % of 56 prompts"
    assert told.hit_rate({"hit_rate": 1.0, "prompts_on": 1}) == "Hit rate 100 % of 1 prompt"
    assert told.hit_rate({"hit_rate": None, "prompts_on": 0}) == "No prompt while memory was on yet"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "?"),
        (0, "0 %"),
        (0.126, "+13 %"),
        (-1.0, "-100 %"),
        (-0.004, "-0.4 %"),
        (0.00001, "+0.1 %"),
        (0.996, "+99.6 %"),
        (0.99999, "+99.9 %"),
        (0.00999, "+1.0 %"),
        (2.5, "+250 %"),
    ],
)
def test_a_share_is_written_with_its_sign(share, text):
    assert told.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(2.5, "2.5"), (1.5, "1.5"), (2.0, "2"), (0, "0"), (99.5, "99.5"), (1051.5, "1,052")]
)
def test_half_a_turn_is_not_rounded_away(value, text):
    assert told.number(value) == text


def test_numbers_have_thousands_apart_and_dollars_cents():
    assert (told.number(1234567.5), told.number(3.14159, "dollars"), told.number(None)) == (
        "1,234,568", "3.14", "",
    )  # fmt: skip
