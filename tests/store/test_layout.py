"""Names and places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.store import layout


@given(st.floats(allow_nan=False, min_value=-1e12, max_value=1e18))
def test_every_time_gives_a_sortable_id(now):
    assert layout.is_id(layout.new_id(now))


@given(st.integers(0, 65_535), st.integers(0, 65_535))
def test_ids_of_one_second_sort_by_time(a, b):
    ids = [layout.new_id(1793700900 + n / 65_536) for n in sorted((a, b))]
    assert ids == sorted(ids)
    assert layout.new_id(0.5) == layout.new_id(0.5)


@given(st.integers(min_value=0, max_value=4_000_000_000_000_000))
def test_a_time_comes_back_to_the_microsecond(micros):
    now = micros / 1_000_000
    assert abs(layout.epoch(layout.timestamp(now)) - now) < 2e-6


@pytest.mark.parametrize(
    "text",
    ["", "20261103-101500-a1b", "20261103-101500-a1b2\n", "../../etc/passwd", "20261103-101500-A1B2", None, 7,
     "20261103-101500-a1b2/..", "x" * 10_000_000, "２０２６1103-101500-a1b2", "20261103-101500-a1b2c3d4e"],
)  # fmt: skip
def test_what_is_no_id_is_refused(text):
    assert not layout.is_id(text)


@pytest.mark.parametrize("kind", layout.TYPES)
@pytest.mark.parametrize("archived", [False, True])
def test_a_place_tells_its_type(kind, archived):
    place = layout.place(kind, "20261103-101500-a1b2", archived)
    assert layout.kind_of(place) == (kind, archived)
    assert place.rpartition("/")[0] in ("notes/2026-11", "sessions", "facts", "archive/" + kind)


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_none(text):
    found = layout.epoch(text)
    assert found is None or isinstance(found, float)


def test_hidden_folders_among_the_months_hold_no_memories(tmp_path):
    for name in ("2026-11", ".trash"):
        (tmp_path / "notes" / name).mkdir(parents=True)
    assert "notes/2026-11" in layout.folders(str(tmp_path))
    assert "notes/.trash" not in layout.folders(str(tmp_path))
    assert layout.kind_of("notes/.trash/x.md") is None
