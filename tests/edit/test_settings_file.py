"""One value of config.toml is set or taken out; the rest stays to the byte."""

import os
import stat
import subprocess
import sys
import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from edit.toml_texts import NASTY, documents, values
from foreword import settings
from foreword.edit import settings_file, toml
from foreword.errors import ForewordError


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "store")


def read(home):
    with open(settings.path(home), "rb") as f:
        return f.read()


def choose(home, data):
    os.makedirs(home, exist_ok=True)
    with open(settings.path(home), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def with_values(text, values):
    for key, value in values.items():
        text = settings_file.with_value(text, key.split("."), value)
    return text


# -- a value goes where it stands ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[graph]\non = true\n"),
        ("# mine\n", "# mine\n\n[graph]\non = true\n"),
        ('switch = "on"', 'switch = "on"\n\n[graph]\non = true'),
        ("[graph]\n", "[graph]\non = true\n"),
        ("[graph]\non=false # why\nfile = ''\n", "[graph]\non=true # why\nfile = ''\n"),
        ("[ graph ]\n# the file\nfile = ''\n\n[index]\nlines = 3\n",
         "[ graph ]\n# the file\nfile = ''\non = true\n\n[index]\nlines = 3\n"),
        ("[graph]\r\nfile = ''\r\n", "[graph]\r\nfile = ''\r\non = true\r\n"),
        ("graph.on = false\n", "graph.on = true\n"),
        ('"graph" . on = false\n', '"graph" . on = true\n'),
        ("graph.file = ''\nswitch = 'on'\n[index]\nlines = 3\n",
         "graph.file = ''\ngraph.on = true\nswitch = 'on'\n[index]\nlines = 3\n"),
        ("graph.file = ''", "graph.file = ''\ngraph.on = true"),
        ("graph = {}\n", "graph = { on = true }\n"),
        ("graph = { file = 'a,b={}' } # mine\n", "graph = { file = 'a,b={}', on = true } # mine\n"),
        ("graph = {file='a',on = false}\n", "graph = {file='a',on = true}\n"),
        ("graph = { on = [ {on = 1}, 2 ], a.on = 3 }\n", "graph = { on = true, a.on = 3 }\n"),
        ("[[graph.on]]\nx = 1\n", None),
        ("[graph.on]\nx = 1\n", None),
        ("graph = 1\n", None),
        ("[[graph]]\nx = 1\n", None),
        ("[graph.more]\nx = 1\n", "[graph.more]\nx = 1\n\n[graph]\non = true\n"),
        ("\ufeff[index]\nlines = 3\n", "\ufeff[index]\nlines = 3\n\n[graph]\non = true\n"),
    ],
)  # fmt: skip
def test_a_value_goes_where_its_user_would_put_it(before, after):
    if after is None:
        with pytest.raises(toml.ClashError):
            settings_file.with_value(before, ["graph", "on"], True)
        return
    assert settings_file.with_value(before, ["graph", "on"], True) == after
    assert tomllib.loads(after.removeprefix("\ufeff"))["graph"]["on"] is True


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("[graph]\non = true\n", ""),
        ("[graph]\non = true # why\nfile = ''\n", "[graph]\nfile = ''\n"),
        ("[graph]\n# mine\non = true\n", "[graph]\n# mine\n"),
        ("graph.on = true\ngraph.file = ''\n", "graph.file = ''\n"),
        ("graph = { on = true }\nswitch = 'on'\n", "switch = 'on'\n"),
        ("graph = { on = true, file = '' }\n", "graph = { file = '' }\n"),
        ("graph = { file = '', on = true }\n", "graph = { file = '' }\n"),
        ("graph = { a = 1, on = true, file = '' }\n", "graph = { a = 1, file = '' }\n"),
    ],
)
def test_none_takes_a_value_out(before, after):
    assert settings_file.with_value(before, ["graph", "on"], None) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'switch = "on"\n'),
        ("switch='off' # why\n[index]\nlines = 3\n", 'switch="on" # why\n[index]\nlines = 3\n'),
        ("[other]\nswitch = 'x'\n", "switch = \"on\"\n[other]\nswitch = 'x'\n"),
        ("\ufeff[other]\r\n", '\ufeffswitch = "on"\r\n[other]\r\n'),
    ],
)
def test_a_key_without_a_table_stands_in_front_of_every_table(before, after):
    assert settings_file.with_value(before, ["switch"], "on") == after


@pytest.mark.parametrize("value", [True, False, 0, 7, "", "a \"b\" \\ 'c'\n\t\x7f# ü", [], ["a,b", "]"]])
def test_every_kind_of_value_reads_back_as_it_was(value):
    text = settings_file.with_value(NASTY, ["graph", "x"], value)
    assert tomllib.loads(text)["graph"]["x"] == value
    assert settings_file.with_value(text, ["graph", "x"], None) == NASTY


KEYS = st.sampled_from(["graph.on", "graph.file", "switch", "root0", "mcp_servers.k0", "clients.a b.x"])


@given(documents(), KEYS, st.sampled_from([True, "x"]))
def test_in_any_document_one_value_changes_and_taking_it_out_gives_the_bytes_back(text, key, value):
    keys = key.split(".")
    before = values(text)
    try:
        new = settings_file.with_value(text, keys, value)
    except toml.ClashError:
        assume(False)
        raise
    node = before
    for step in keys[:-1]:
        node = node.setdefault(step, {})
    was = node.get(keys[-1])
    node[keys[-1]] = (type(value).__name__, str(value))
    assert values(new) == before
    above = [h for h in toml.headers(text) if h.path == tuple(keys[:-1])]
    # A header above nothing but our value is taken out with it.
    if was is None and not any(h.body == h.end for h in above):
        assert left_lines(settings_file.with_value(new, keys, None)) == left_lines(text)
        assert set(left_lines(text)) <= set(left_lines(new))


def left_lines(text):
    return [line.strip() for line in text.removeprefix("\ufeff").splitlines() if line.strip()]


@given(documents(), st.data())
def test_in_any_document_a_value_that_is_there_is_replaced_alone(text, data):
    found = [keys for keys in paths(tomllib.loads(text.removeprefix("\ufeff"))) if "." not in "".join(keys)]
    assume(found)
    keys = data.draw(st.sampled_from(found))
    try:
        new = settings_file.with_value(text, keys, 41_99)
    except toml.ClashError:
        assume(False)
        raise
    expected = node = values(text)
    for step in keys[:-1]:
        node = node[step]
    node[keys[-1]] = ("int", "4199")
    assert values(new) == expected
    start, before_end, end = edges(text, new)
    assert new[:start] + text[start:before_end] + new[end:] == text
    assert "\n" not in new[start:end]


def paths(table, above=()):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from paths(value, (*above, key))
        else:
            yield (*above, key)


def edges(old, new):
    """(start, the end in old, the end in new) of the one piece in which two texts differ."""
    start = shared(old, new)
    same = shared(old[start:][::-1], new[start:][::-1])
    return start, len(old) - same, len(new) - same


def shared(one, other):
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


# -- the file ------------------------------------------------------------------------------------


def test_the_file_is_made_private_and_read_back_by_the_settings(home):
    assert settings_file.set_values(home, {"switch": "on", "index.lines": 3}) is True
    assert read(home) == b'switch = "on"\n\n[index]\nlines = 3\n'
    assert os.listdir(home) == ["config.toml"]
    assert settings.parse(home) == {"switch": "on", "index.lines": 3}
    if os.name != "nt":
        assert stat.S_IMODE(os.stat(settings.path(home)).st_mode) == 0o600


def test_what_is_set_already_is_not_written_again(home):
    choose(home, "index = {lines = 3}\n")
    before = os.stat(settings.path(home))
    assert settings_file.set_values(home, {"index.lines": 3, "graph.on": None}) is False
    after = os.stat(settings.path(home))
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_check_writes_nothing(home):
    settings_file.check(home)
    assert not os.path.exists(home)


def test_one_is_not_true(home):
    choose(home, "[graph]\non = 1\n")
    assert settings_file.set_values(home, {"graph.on": True}) is True
    assert read(home) == b"[graph]\non = true\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"lines = = 3\n", ":1:9: "),
        (b'switch = "on"\n[graph\non = true\n', ":2:7: "),
        (b"# caf\xe9\n", "is not UTF-8 (byte 5)"),
        (b"graph = 1\n", "no table"),
    ],
)
def test_a_file_that_cannot_be_changed_stays_and_its_place_is_told(home, data, told):
    choose(home, data)
    with pytest.raises(ForewordError) as caught:
        settings_file.set_values(home, {"switch": "off", "graph.on": True})
    assert caught.value.message.startswith(settings.path(home))
    assert told in caught.value.message
    assert "nothing was changed" in caught.value.message
    assert caught.value.hint
    assert read(home) == data
    if b"graph" not in data or b"[graph" in data:  # wrong whatever is to be set
        for refuse in (settings_file.check, lambda home: settings_file.set_values(home, {})):
            with pytest.raises(ForewordError) as again:
                refuse(home)
            assert again.value.message == caught.value.message


def test_a_folder_in_the_place_of_the_file_is_an_error_of_ours(home):
    os.makedirs(settings.path(home))
    for refuse in (settings_file.check, lambda home: settings_file.set_values(home, {"graph.on": True})):
        with pytest.raises(ForewordError, match="nothing was changed"):
            refuse(home)


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_a_link_and_the_mode_of_its_target_stay(home, tmp_path):
    os.makedirs(home)
    target = tmp_path / "dotfiles.toml"
    target.write_text("# mine\n")
    target.chmod(0o640)
    os.symlink(target, settings.path(home))
    settings_file.set_values(home, {"graph.on": True})
    assert os.path.islink(settings.path(home))
    assert target.read_text() == "# mine\n\n[graph]\non = true\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_of_many_writers_at_once_each_value_is_kept(home):
    script = (
        "import sys\nfrom foreword.edit import settings_file as s\n"
        "for n in range(25): s.set_values(sys.argv[1], {'t.k%s_%d' % (sys.argv[2], n): n})"
    )
    command = [sys.executable, "-I", "-c", script, home]
    running = [subprocess.Popen([*command, str(n)]) for n in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    kept = tomllib.loads(read(home).decode())["t"]
    assert kept == {f"k{p}_{n}": n for p in range(4) for n in range(25)}
    assert os.listdir(home) == ["config.toml"]
