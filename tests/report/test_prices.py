"""prices.toml as people write it: dated, for models by name, and told with the key when it cannot be used."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.errors import ForewordError
from foreword.report import prices

NOW = 1_796_083_200.0  # 2026-12-01
PRICES = """\
date = 2026-11-01
[models."claude-opus-4-8"]
input = 5
cache_creation = 6.25
cache_read = 0.5
output = 25.0
[models."claude-*"]
input = 3
cache_creation = 3.75
cache_read = 0.3
output = 15
"""
ONE = "[models.x]\ninput = 1\ncache_creation = 2\ncache_read = 3\noutput = 4\n"


@pytest.fixture
def home(tmp_path):
    """A store's folder; the path as a str."""
    (tmp_path / "store").mkdir()
    return str(tmp_path / "store")


def put(home, text):
    with open(prices.path(home), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def refused(home, text):
    put(home, text)
    with pytest.raises(ForewordError) as told:
        prices.load(home, NOW)
    assert prices.path(home) in told.value.message
    assert told.value.hint
    return f"{told.value.message} | {told.value.hint}"


def test_without_a_file_there_are_no_prices(home):
    assert prices.load(home) is None
    assert prices.load(os.path.join(home, "none")) is None


def test_tokens_are_priced_by_the_million_and_by_their_kind(home):
    put(home, PRICES)
    found = prices.load(home, NOW)
    assert found.date == "2026-11-01T00:00:00Z"
    millions = [1_000_000, 2_000_000, 4_000_000, 8_000_000]
    assert prices.dollars(found, {"claude-opus-4-8": millions}) == 5 + 12.5 + 2 + 200
    assert prices.dollars(found, {"claude-opus-4-8": [200, 0, 0, 40]}) == pytest.approx(0.002)
    assert prices.dollars(found, {}) == 0


def test_the_whole_name_counts_before_the_longest_beginning(home):
    more = ONE.replace("models.x", 'models."claude-haiku-*"') + ONE.replace(
        "models.x", 'models."claude-opus-*"'
    )
    put(home, PRICES + more)
    found = prices.load(home, NOW)
    a_million = [1_000_000, 0, 0, 0]
    for model, dollars in (("claude-opus-4-8", 5), ("claude-opus-5", 1), ("claude-sonnet-4-6", 3)):
        assert prices.dollars(found, {model: a_million}) == dollars


def test_a_model_without_a_price_makes_the_sum_unknown_only_if_it_was_used(home):
    put(home, PRICES)
    found = prices.load(home, NOW)
    known = {"claude-opus-4-8": [1_000_000, 0, 0, 0]}
    assert prices.dollars(found, {**known, "gpt-5.5": [0, 0, 0, 0]}) == 5
    assert prices.dollars(found, {**known, "gpt-5.5": [0, 0, 0, 1]}) is None


@pytest.mark.parametrize("date", ["2026-11-01", '"2026-11-01"'])
def test_a_date_is_toml_or_a_text(home, date):
    put(home, f"date = {date}\n{ONE}")
    assert prices.load(home, NOW).date == "2026-11-01T00:00:00Z"


def test_a_mark_that_editors_put_before_a_file_does_not_matter(home):
    put(home, "\ufeff" + PRICES)
    assert set(prices.load(home, NOW).models) == {"claude-opus-4-8", "claude-*"}


def test_today_is_no_future_wherever_people_live(home):
    put(home, f"date = 2026-12-01\n{ONE}")
    assert prices.load(home, NOW - 13 * 3_600)
    assert "in the future (2026-12-01)" in refused_at(home, NOW - 15 * 3_600)


def refused_at(home, now):
    with pytest.raises(ForewordError) as told:
        prices.load(home, now)
    return told.value.message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ONE, "date is missing"),
        ("date = 3\n" + ONE, "date is no day"),
        ('date = "1.11.2026"\n' + ONE, "date is no day"),
        ('date = "2026-1-1"\n' + ONE, "date is no day"),
        ('date = "2026-13-01"\n' + ONE, "date is no day"),
        ("date = 2026-11-01T10:00:00\n" + ONE, "date is no day"),
        ("date = 2027-01-01\n" + ONE, "date is in the future (2027-01-01)"),
        ("date = 2026-11-01\n", "models is missing"),
        ("date = 2026-11-01\nmodels = 3\n", "models is missing"),
        ("date = 2026-11-01\n[models]\nx = 3\n", 'models."x" is no table'),
        ("date = 2026-11-01\ncurrency = 1\n" + ONE, "currency is no key of this file"),
        ("date = 2026-11-01\n" + ONE + "inputs = 1\n", 'models."x".inputs is no price that is known'),
        ("date = 2026-11-01\n" + ONE.replace("output = 4\n", ""), 'models."x".output is missing'),
        ("date = 2026-11-01\n" + ONE.replace("= 3", "= -3"), 'models."x".cache_read is no price'),
        ("date = 2026-11-01\n" + ONE.replace("= 3", "= true"), 'models."x".cache_read is no price'),
        ("date = 2026-11-01\n" + ONE.replace("= 3", "= nan"), 'models."x".cache_read is no price'),
        ("date = 2026-11-01\n" + ONE.replace("= 3", "= inf"), 'models."x".cache_read is no price'),
        ("date = 2026-11-01\n" + ONE.replace("= 3", '= "3"'), 'models."x".cache_read is no price'),
        ("date = 2026-11-01\n" + ONE.replace("models.x", "models.gpt-5.1"), 'quoted: [models."gpt-5.1"]'),
        ("date = 2026-11-01\n" + ONE.replace("models.x", 'models."a*b"'), "no name of a model"),
        ("date = 2026-11-01\n" + ONE.replace("models.x", 'models.""'), "no name of a model"),
        ("date = 2026-11-01\n[models.x\n", "not valid TOML"),
        (b"date = \xff\n", "not valid TOML"),
        ("", "models is missing"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_key(home, text, told):
    assert told in refused(home, text)


def test_a_folder_in_the_files_place_is_told(home):
    os.mkdir(prices.path(home))
    with pytest.raises(ForewordError, match=r"prices\.toml cannot be read"):
        prices.load(home)


NAMES = st.text(st.sampled_from("abc-.5*"), min_size=1, max_size=6).filter(lambda name: "*" not in name[:-1])
PRICE = st.one_of(st.integers(0, 10_000), st.floats(0, 10_000, allow_subnormal=False))
ISOLATED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@ISOLATED
@given(st.dictionaries(NAMES, st.tuples(PRICE, PRICE, PRICE, PRICE), min_size=1, max_size=4))
def test_what_was_written_is_what_is_read(home, models):
    text = "date = 2026-11-01\n"
    for name, each in models.items():
        text += f'[models."{name}"]\n'
        text += "".join(f"{kind} = {value!r}\n" for kind, value in zip(prices.KINDS, each, strict=True))
    put(home, text)
    assert prices.load(home, NOW).models == models


@ISOLATED
@given(
    st.one_of(st.binary(max_size=80), st.text(st.sampled_from('date=2026-11[]models."x*"\n'), max_size=80))
)
def test_any_file_is_prices_or_an_error_for_people(home, raw):
    put(home, raw)
    try:
        assert prices.load(home, NOW).models
    except ForewordError as error:
        assert error.hint
