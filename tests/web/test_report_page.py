"""The report in words: what report.json holds is on the page, and no more is claimed than it allows."""

import html
import json
import os
import re

import pytest

from foreword import memory
from foreword.report import made

MEDIANS = ("tokens", "input_output", "turns", "tool_calls", "files_read", "files_read_again", "characters")
COUNTS = (
    "requests", "turns", "tool_calls", "input", "cache_creation", "cache_read", "output", "tokens",
    "input_output", "files_read", "files_read_again", "subagents", "prompts", "with_foreword", "lines",
    "opened", "characters",
)  # fmt: skip


def measure(low=None, mid=None, high=None, on=700_000, off=900_000):
    is_open = None if mid is None else low < 0 < high
    return {
        "on": on, "off": off, "difference": mid, "low": low, "high": high, "level": 0.95,
        "inconclusive": is_open,
    }  # fmt: skip


def arm(n, tokens=123_456):
    return {"sessions": n, **dict.fromkeys(MEDIANS, tokens if n else None), "dollars": None}


def row(n, on=True, off=False, **more):
    return {
        "started": f"2026-11-{1 + n // 24:02d}T{n % 24:02d}:00:00.000000Z", "on": on, "off": off,
        **dict.fromkeys(COUNTS, n + 1), "dollars": None, **more,
    }  # fmt: skip


def report(on=3, off=5, design="by_day", tokens=None, **more):
    """What report.json holds; `tokens` (low, difference, high) where the arms can be compared."""
    none = measure(on=None, off=None)
    return {
        "format": 1,
        "made": "2026-11-30T10:15:00.000000Z",
        "sessions": {"counted": on + off, "on": on, "off": off, "mixed": 0, "without_log": 2},
        "comparison": {
            "need": 10, "on": on, "off": off, "possible": bool(tokens),
            "assigned": {key: key == design for key in ("by_session", "by_day", "by_hand")},
            "days": {"on": 4, "off": 6},
            "tokens": measure(*tokens) if tokens else none,
            "input_output": measure(-0.2, 0.1, 0.4) if tokens else none,
            "turns": none,
        },
        "arms": {"on": arm(on), "off": arm(off), "mixed": arm(0)},
        "use": {
            "prompts": 60, "prompts_on": 56, "with_foreword": 39, "hit_rate": 39 / 56, "lines": 78,
            "memories_offered": 31, "memories_opened": 11, "times_opened": 13, "never_opened": 20,
            "characters": 41_300, "recalls": 9, "recall_characters": 21_900,
        },
        "fixed": {"characters": 7_400, "tokens_estimated": 1_850},
        "prices": None,
        "rows": {"claude-code": [row(0, True, False), row(2, False, True)], "codex": [row(1, True, True)]},
        **more,
    }  # fmt: skip


def written(place, found):
    with open(os.path.join(place.folder, "report.json"), "w") as f:
        f.write(found if isinstance(found, str) else json.dumps(found))


def at(place):
    return f"/p/{place.name}/report"


def words(text):
    """The page as it is read."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_without_a_report_the_page_says_how_to_get_one(site, place):
    text = site.page(at(place))
    assert "not counted yet" in text and "foreword report" in text
    assert f'action="/{site.view.token}{at(place)}"' in text


def test_counting_anew_writes_the_report_and_shows_it(site, place):
    text = site.after(at(place))
    assert "Counted anew." in text
    assert "Too few sessions to compare (0 on / 0 off, need 10 each)" in text
    assert made.load(place.home, place.name)["sessions"]["counted"] == 0


def test_a_price_file_that_cannot_be_used_is_said(site, place):
    with open(os.path.join(place.home, "prices.toml"), "w") as f:
        f.write("[models\n")
    text = site.after(at(place))
    assert 'role="alert"' in text and "prices.toml" in text


def test_too_few_sessions_give_no_percentage(site, place):
    written(place, report())
    text = site.page(at(place))
    assert '<p class="lead">Too few sessions to compare (3 on / 5 off, need 10 each).</p>' in text
    assert "foreword switch auto:session" in text
    assert "Difference" not in text and '<svg class="interval"' not in text
    assert "2 client sessions have no log that can be read" in text
    assert "On 4 days memory was on, on 6 days off." in words(text)


def test_a_difference_comes_with_its_interval_and_what_it_cannot_rule_out(site, place):
    written(place, report(24, 22, tokens=(-0.41, -0.24, -0.03)))
    text = site.page(at(place))
    assert "24 % fewer tokens (95 % interval -41 % to -3 %)" in text
    assert "Inconclusive" not in text and "task mix" in text
    assert '<svg class="interval"' in text
    assert "-24 % (-41 % to -3 %)" in words(text)
    assert "+10 % (-20 % to +40 %) inconclusive" in words(text)


def test_an_interval_that_spans_zero_is_called_inconclusive(site, place):
    written(place, report(12, 12, "by_session", tokens=(-0.3, -0.1, 0.1)))
    text = site.page(at(place))
    assert "Inconclusive" in text and "may be chance" in text
    assert "memory and chance are all that tells the two arms apart" in text


def test_every_number_of_use_is_on_the_page(site, place):
    written(place, report(prices={"date": "2026-11-01T00:00:00Z", "unpriced_sessions": 2}))
    text = words(site.page(at(place)))
    for told in (
        "Hit rate 70 % of 56 prompts", "Prompts 60", "Lines offered 78", "Memories offered 31",
        "opened at least once since 11", "never opened 20", "Times a memory was opened 13", "41,300",
        "21,900", "1,850 tokens", "your own prices of 2026-11-01",
        "2 client sessions used a model without a price",
    ):  # fmt: skip
        assert told in text, told


def test_sessions_are_listed_the_newest_first_with_their_arm(site, place):
    written(place, report())
    found = re.findall(
        r'<th scope="row"><time datetime="([^"]*)">.*?</th><td>(.*?)</td><td>(.*?)</td>', site.page(at(place))
    )
    assert found == [
        ("2026-11-01T02:00:00.000000Z", "claude-code", "off"),
        ("2026-11-01T01:00:00.000000Z", "codex", "mixed"),
        ("2026-11-01T00:00:00.000000Z", "claude-code", "on"),
    ]


def test_many_sessions_are_paged(site, place):
    written(place, report(rows={"codex": [row(n) for n in range(120)]}))
    counts = [site.page(f"{at(place)}?page={n}").count("<td>codex</td>") for n in (1, 2, 3, 4)]
    assert counts == [50, 50, 20, 20]
    assert f"{at(place)}?page=2" in site.page(at(place))


def test_dollars_are_a_column_where_a_session_has_them(site, place):
    written(place, report())
    assert "Dollars</th>" not in site.page(at(place))
    written(place, report(rows={"codex": [row(1, dollars=1.5)]}))
    text = site.page(at(place))
    assert "Dollars</th>" in text and ">1.50</td>" in text


def test_what_was_never_opened_leads_to_the_list_of_it(site, place):
    written(place, report())
    assert f'{place.name}/memories?never_opened=1">20</a>' in site.page(at(place))


def offered(place, *ids):
    with open(os.path.join(place.folder, "prompts.log"), "a") as f:
        f.writelines(
            json.dumps({"time": f"2026-11-30T10:00:{n:02d}.000000Z", "ids": [i]}) + "\n"
            for n, i in enumerate(ids)
        )


def test_what_is_offered_again_and_again_in_vain_can_be_rejected_there(site, place):
    written(place, report())
    often, once, known = (memory.save(place, f"Fact {n}.", title=f"Fact {n}")["id"] for n in range(3))
    offered(place, often, often, once, known, known, "20200101-000000-0000", "20200101-000000-0000")
    memory.mark(place, [known], "always")
    text = site.page(at(place))
    assert "Offered again and again, never opened" in text
    assert "Fact 0 2 times Reject" in words(text)
    assert "Fact 1" not in text and "Fact 2" not in text  # once only; somebody wants it
    text = site.after(f"/p/{place.name}/memories/{often}/reject", back="report")
    assert "Rejected" in text and "Does memory pay?" in text
    assert "again and again" not in text
    assert memory.read(place, often)["offer"] == "never"


def test_no_more_than_five_are_named_that_were_offered_in_vain(site, place):
    written(place, report())
    ids = [memory.save(place, f"Fact {n}.", title=f"Fact {n}")["id"] for n in range(8)]
    offered(place, *ids, *ids)
    assert site.page(at(place)).count(">Reject</button>") == 5


def test_the_drawing_and_the_text_have_one_minus(site, place):
    written(place, report(24, 22, tokens=(-0.41, -0.24, -0.004)))
    text = site.page(at(place))
    assert "−" not in text
    assert "95 % interval -41 % to -0.4 %" in text and ">-0.4 %</text>" in text


def test_commands_in_its_sentences_are_set_as_that(site, place):
    written(place, report(24, 22, tokens=(-0.41, -0.24, -0.03)))
    assert "<code>foreword switch auto:session</code> lets a coin decide" in site.page(at(place))


def test_a_project_with_a_report_says_it_in_whole_sentences(site, place):
    written(place, report())
    told = "Memory on against off: too few sessions to compare (3 on / 5 off, need 10 each)."
    assert told in words(site.page(f"/p/{place.name}/"))
    written(place, report(24, 22, tokens=(-0.41, -0.24, -0.03)))
    text = words(site.page(f"/p/{place.name}/"))
    assert "With memory, the median client session took 24 % fewer tokens" in text
    assert "Memory on against off" not in text


def test_pages_of_client_sessions_are_newer_and_older(site, place):
    written(place, report(rows={"codex": [row(n) for n in range(120)]}))
    text = words(site.page(at(place) + "?page=2"))
    assert "Newer 51–100 of 120 Older" in text


@pytest.mark.parametrize(
    "found",
    [
        "", "no JSON", "[]", '{"format": 2}', '{"format": 1}', report(rows=[]), report(rows={"codex": [1]}),
        report(use={}), report(comparison={"possible": True}), report(sessions={"mixed": "x"}),
        report(arms=None),
    ],
)  # fmt: skip
def test_a_report_that_somebody_spoiled_counts_as_none(site, place, found):
    written(place, found)
    assert "not counted yet" in site.page(at(place))
    assert "Not counted yet" in site.page(f"/p/{place.name}/")


def test_what_a_spoiled_report_says_is_only_text(site, place):
    script = "<script>alert(1)</script>"
    written(place, report(made=script, rows={script: [row(1)]}))
    assert "<script>alert" not in site.page(at(place))
    assert "<script>alert" not in site.page(f"/p/{place.name}/")
