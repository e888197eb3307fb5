"""config.toml as people write it: read through a compiled copy that never outlives a change, never fatal."""

import hashlib
import itertools
import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from foreword import settings

ISOLATED = hypothesis(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150
)


@pytest.fixture
def home(tmp_path):
    """A store's folder; the path as a str."""
    (tmp_path / "store").mkdir()
    return str(tmp_path / "store")


def choose(home, text):
    with open(settings.path(home), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def compiled(home):
    return os.path.join(home, "state", "config.json")


def put_compiled(home, raw):
    os.makedirs(os.path.join(home, "state"), exist_ok=True)
    with open(compiled(home), "wb") as f:
        f.write(raw)


def imported(home):
    """Whether a new process has to read TOML to load the settings."""
    script = (
        "import sys\nfrom foreword import settings as s\ns.load(sys.argv[1])\nprint('tomllib' in sys.modules)"
    )
    command = [sys.executable, "-I", "-c", script, home]
    return json.loads(subprocess.check_output(command, text=True).lower())


def test_without_a_file_the_defaults_hold_and_nothing_is_written(home):
    assert settings.load(home) == settings.DEFAULTS
    assert settings.load(os.path.join(home, "none")) == settings.DEFAULTS
    assert os.listdir(home) == []


def test_what_is_chosen_holds(home):
    choose(home, 'switch = "on"\n[index]\nlines = 3\ncharacters = 900\n')
    for _ in range(2):  # the second time from the compiled copy
        assert settings.load(home) == {
            **settings.DEFAULTS,
            "switch": "on",
            "index.lines": 3,
            "index.characters": 900,
        }


@pytest.mark.parametrize("spelled", ["index.lines = 3", "[index]\nlines = 3", "index = {lines = 3}"])
def test_every_way_to_spell_a_table_is_one(home, spelled):
    choose(home, spelled + "\n")
    assert settings.load(home)["index.lines"] == 3


def test_a_byte_order_mark_and_windows_lines_are_no_damage(home):
    choose(home, b'\xef\xbb\xbfswitch = "on"\r\n')
    assert settings.load(home)["switch"] == "on"
    assert settings.wrong(home) == []


@ISOLATED
@given(raw=st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))))
@example(raw=b"a=" + b"[" * 5_000)
@example(raw=b"a." * 5_000 + b"a=1")
@example(raw=b"index.lines = " + b"9" * 5_000)
@example(raw=b'switch = "on')
@example(raw=b"switch = ['on']")
@example(raw=b"switch = 2026-11-30")
@example(raw=b"index = 1\n")
@example(raw=b"index.lines = true\n")
@example(raw=b"index.lines = -1\n")
@example(raw=b"index.lines = nan\n")
def test_no_bytes_of_the_file_are_fatal(home, raw):
    choose(home, raw)
    first = settings.load(home)
    assert settings.load(home) == first
    assert set(first) == set(settings.DEFAULTS)
    assert all(settings.problem(key, value) is None for key, value in first.items())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@ISOLATED
@given(value=VALUES)
def test_no_compiled_copy_is_fatal_or_believed_beyond_what_can_be_used(home, value):
    choose(home, 'switch = "on"\n')
    settings.load(home)
    with open(compiled(home), encoding="utf-8") as f:
        stamp = json.load(f)["stamp"]
    for kept in (value, {"stamp": stamp, "settings": value}, {"stamp": stamp, "settings": {"switch": value}}):
        put_compiled(home, json.dumps(kept).encode())
        loaded = settings.load(home)
        assert set(loaded) == set(settings.DEFAULTS)
        assert all(settings.problem(key, found) is None for key, found in loaded.items())


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b'{"stamp": 1}'], ids=lambda raw: repr(raw[:9])
)
def test_a_damaged_compiled_copy_is_made_anew(home, raw):
    choose(home, 'switch = "on"\n')
    put_compiled(home, raw)
    assert settings.load(home)["switch"] == "on"
    assert not imported(home)


def test_the_file_is_parsed_once_after_each_change(home):
    choose(home, 'switch = "on"\n')
    assert [imported(home), imported(home)] == [True, False]
    choose(home, 'switch = "off"\n')
    assert [imported(home), imported(home)] == [True, False]
    assert settings.load(home)["switch"] == "off"


def test_a_file_that_is_no_toml_is_parsed_once_as_well(home):
    choose(home, "switch = on\n")
    assert [imported(home), imported(home)] == [True, False]
    assert settings.load(home) == settings.DEFAULTS
    with pytest.raises(ValueError, match="line 1"):
        settings.wrong(home)


def test_a_change_of_the_same_size_and_time_is_seen_when_the_file_is_another(home):
    choose(home, "index.lines = 3\n")
    assert settings.load(home)["index.lines"] == 3
    before = os.stat(settings.path(home))
    other = settings.path(home) + ".new"
    with open(other, "w", encoding="utf-8") as f:
        f.write("index.lines = 4\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, settings.path(home))
    assert settings.load(home)["index.lines"] == 4


def test_a_removed_file_gives_the_defaults_again(home):
    choose(home, 'switch = "on"\n')
    settings.load(home)
    os.unlink(settings.path(home))
    assert settings.load(home) == settings.DEFAULTS


def test_a_version_that_knows_more_settings_reads_the_file_again(home, monkeypatch):
    """What an older version had left out of the compiled copy was not found after an upgrade."""
    choose(home, 'switch = "on"\nindex.depth = 7\n')
    settings.load(home)
    monkeypatch.setitem(settings.DEFAULTS, "index.depth", 1)
    assert settings.load(home)["index.depth"] == 7


def test_what_is_chosen_holds_where_nothing_can_be_written(home):
    """The compiled copy could not be written on a read-only disk, and the choice was dropped with it."""
    choose(home, 'switch = "on"\n')
    with open(os.path.join(home, "state"), "w", encoding="utf-8"):
        pass  # a file in the way: nothing can be written below it, also by root
    assert settings.load(home)["switch"] == "on"


@pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")
def test_a_pipe_or_a_folder_in_the_place_of_the_file_is_not_waited_for(home):
    os.mkfifo(settings.path(home))
    assert settings.load(home) == settings.DEFAULTS
    os.unlink(settings.path(home))
    os.mkdir(settings.path(home))
    assert settings.load(home) == settings.DEFAULTS


def test_a_file_that_cannot_be_read_is_no_reason_to_forget_it(home, monkeypatch):
    choose(home, 'switch = "on"\n')

    def unreadable(_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as now:
        now.setattr(settings, "parse", unreadable)
        assert settings.load(home) == {**settings.DEFAULTS, **settings.EVERYTHING}
    assert settings.load(home)["switch"] == "on"
    assert not settings.leaves_out(settings.load(home))


def test_settings_that_cannot_be_used_are_told_and_the_others_hold(home):
    choose(home, 'switch = "sometimes"\ncolour = "red"\n[index]\nlines = 2\ncharacters = "many"\n')
    assert settings.load(home) == {**settings.DEFAULTS, "index.lines": 2}
    told = settings.wrong(home)
    assert [sentence.split()[0] for sentence in told] == ["switch", "colour", "index.characters"]


# -- the switch -------------------------------------------------------------------------------------

DAY = 86_400


@pytest.mark.parametrize("day", [0, 1, 2, 3, 20_787, 20_788])
@pytest.mark.parametrize("second", [0, 1, DAY - 1, DAY - 0.000_001])
def test_auto_is_on_for_even_days_of_utc(day, second):
    assert settings.effective("auto", day * DAY + second) == ("on" if day % 2 == 0 else "off")


@given(now=st.floats(min_value=0, max_value=1e11), switch=st.sampled_from(["on", "off"]))
def test_on_and_off_hold_on_every_day_and_auto_changes_daily(now, switch):
    assert settings.effective(switch, now) == switch
    assert {settings.effective("auto", int(now)), settings.effective("auto", int(now) + DAY)} == {"on", "off"}


IDS = st.one_of(
    st.uuids(version=4).map(str),
    st.integers(0, 10**6).map("session-{:06}".format),  # however a client counts or names its sessions
    st.text(min_size=1),
)


@given(session=IDS, times=st.lists(st.floats(min_value=0, max_value=1e11), min_size=2))
def test_by_session_a_client_session_stays_what_it_is_whatever_the_time(session, times):
    assert len({settings.effective("auto:session", now, session) for now in (*times, None)}) == 1


@pytest.mark.parametrize(
    "name",
    [lambda n, dice: str(n), lambda n, dice: "f%08x" % (2 * n), lambda n, dice: str(dice.random())],
    ids=["counted", "even", "random"],
)
def test_the_coin_is_fair_however_a_client_makes_its_ids(name):
    dice = random.Random(11)
    drawn = [settings.effective("auto:session", 0, name(n, dice)) for n in range(10_000)]
    assert 4_800 < drawn.count("on") < 5_200  # four standard deviations
    turns = sum(one != next_one for one, next_one in itertools.pairwise(drawn))
    assert 4_800 < turns < 5_200  # and one says nothing about the next


def test_the_coin_is_the_first_digit_of_the_ids_sha256():
    for session in ("s1", "s2", "s3", "0b8e1f7c-1f43-47a2-9f8f-6b2a4d1f0c55", "日本"):
        even = hashlib.sha256(session.encode()).hexdigest()[0] in "02468ace"
        assert settings.effective("auto:session", 0, session) == ("on" if even else "off")


@given(now=st.floats(min_value=0, max_value=1e11))
def test_by_session_a_session_without_an_id_has_the_day_of_auto(now):
    assert settings.effective("auto:session", now, "") == settings.effective("auto", now)


@given(now=st.floats(min_value=0, max_value=1e11), session=IDS, switch=st.sampled_from(["on", "off", "auto"]))
def test_the_other_switches_do_not_look_at_the_session(now, session, switch):
    assert settings.effective(switch, now, session) == settings.effective(switch, now)


def test_auto_does_not_depend_on_the_time_zone(monkeypatch):
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"):
        monkeypatch.setenv("TZ", zone)
        assert settings.effective("auto", 20_788 * DAY) == "on"
        assert settings.effective("auto", 20_788 * DAY - 1) == "off"


def test_today_is_what_counts_when_no_time_is_given(monkeypatch):
    for day, state in ((20_788, "on"), (20_789, "off")):
        monkeypatch.setattr(settings.time, "time", lambda day=day: day * DAY + 5.0)
        assert settings.effective("auto") == state
