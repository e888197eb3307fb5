"""A memory as a whole: saved, read, edited by hand, rewritten. What was put in comes out, and a rewrite of
one key leaves every other byte.
"""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from foreword.digest import of_answer
from foreword.store import header, read, write

NOW = 1793700900.25
PLACE = "facts/20261103-101500-a1b2.md"

HARD = st.text(
    st.sampled_from("\"'\\:#-[]{},&*!|>%@`\n\r\t\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe😀日本 a~0<>")
)
TEXTS = st.one_of(st.text(), HARD)


def whole(text):
    """A body as UTF-8 can hold it: half a surrogate pair, which is no character, becomes `?`."""
    return text.encode("utf-8", "replace").decode()


def field(text):
    """The same of a value in the front matter: U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def body_of(text):
    return whole(text).strip("\r\n").replace("\r\n", "\n")


@given(
    kind=st.sampled_from(["note", "session", "fact"]),
    texts=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(["question", "source", "basis", "turn", "session", "transcript"], TEXTS)
    ),
    title=TEXTS,
    tags=st.lists(TEXTS.filter(str.strip), max_size=4),
    files=st.lists(
        st.tuples(TEXTS, st.sampled_from(["", "ab" * 32]), st.lists(TEXTS, max_size=2)), max_size=3
    ),
    extra=st.fixed_dictionaries({}, optional={"mine": TEXTS, "x-y": TEXTS}),
    body=TEXTS,
)
def test_any_memory_comes_back_as_it_was_saved(
    tmp_path_factory, kind, texts, title, tags, files, extra, body
):
    folder = str(tmp_path_factory.mktemp("any"))
    fields = {
        "title": title,
        **texts,
        "tags": tags or None,
        "files": [{"path": path, "sha256": digest, "spans": spans} for path, digest, spans in files] or None,
        "origin": "guess",
        "checked": "2026-11-03T10:15:00.000000Z",
        "offer": "never",
        **extra,
    }
    memory_id, at = write.create(folder, kind, fields, body, NOW)
    found = read.load(folder, at)
    assert found is not None and found["damage"] == ""
    assert (found["id"], found["type"], found["created"]) == (memory_id, kind, NOW)
    for key, value in texts.items():
        assert found[key] == field(value)
    if title:
        assert found["title"] == field(title)
    assert found["tags"] == [field(tag) for tag in tags]
    assert found["files"] == [[field(path), digest, [*map(field, spans)]] for path, digest, spans in files]
    assert (found["origin"], found["checked"], found["offer"]) == ("guess", fields["checked"], -1)
    assert found["more"] == sorted(extra)
    assert found["body"] == body_of(body)


# What stands between the fences of a file that people wrote.
ROWS = st.lists(
    st.sampled_from(
        [
            "mine: 1", "# a comment", "", "other: [a, b]", "block: |\n  title: x\n  # no comment",
            "'quoted key': \"a\\u2028b\"", "Ünicode: 日本", "nested:\n  title: y", "list:\n- a\n# c\n- b",
            "long: 'one\n  two'", "source: cli  # by hand", "turn: \"7\"", "tags: a, b", "files: [src/a.py]",
            "created: 2026-11-03", "offer: ALWAYS", "supersedes: [x]",
        ]
    ),
    max_size=6,
    unique=True,
)  # fmt: skip
BODIES = st.one_of(
    TEXTS, st.sampled_from(["---", "---\ntitle: not mine\n---\n", "\n\n\nbody\n\n", "a\n---\nb"])
)


def by_hand(rows, body, newline, bom, blank):
    text = "".join(["---\n", *(row + "\n" for row in rows), "---\n", "\n" * blank, body])
    return (bom + text.replace("\n", newline)).encode("utf-8", "replace")


@given(
    rows=ROWS,
    body=BODIES,
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.sampled_from(["", "\ufeff"]),
    blank=st.integers(0, 3),
    title=TEXTS,
)
def test_a_file_by_hand_keeps_every_byte_but_those_of_the_key_that_is_set(
    tmp_path_factory, rows, body, newline, bom, blank, title
):
    folder = tmp_path_factory.mktemp("hand")
    (folder / "facts").mkdir()
    raw = by_hand(rows, body, newline, bom, blank)
    before = read.parse(raw, PLACE)
    assume(not before["damage"])
    (folder / PLACE).write_bytes(raw)
    write.change(str(folder), PLACE, {"title": title})
    changed = (folder / PLACE).read_bytes()
    after = read.parse(changed, PLACE)
    assert after["damage"] == ""
    if title:
        assert after["title"] == field(title)
    for key in before:
        if key != "title":
            assert after[key] == before[key], key
    line = (header.line("title", title) + newline).encode("utf-8", "replace")
    assert changed.replace(line, b"", 1) == raw
    write.change(str(folder), PLACE, {"title": None})
    assert (folder / PLACE).read_bytes() == raw


@given(rows=ROWS, body=BODIES, newline=st.sampled_from(["\n", "\r\n"]), bom=st.sampled_from(["", "\ufeff"]))
def test_a_rewrite_that_sets_what_is_there_already_changes_no_meaning(rows, body, newline, bom):
    raw = by_hand(rows, body, newline, bom, 1)
    found = read.parse(raw, PLACE)
    assume(not found["damage"])
    text = raw.decode()
    assert header.rewrite(text, {}, header.split(text)[1]) == text
    again = header.rewrite(text, {"tags": found["tags"] or None, "turn": found["turn"] or None})
    after = read.parse(again.encode(), PLACE)
    for key in found:
        if key != "more":
            assert after[key] == found[key], key


@given(body=BODIES, extra=TEXTS.filter(str.strip), newline=st.sampled_from(["\n", "\r\n"]))
def test_what_is_appended_stands_behind_what_was_there(tmp_path_factory, body, extra, newline):
    folder = tmp_path_factory.mktemp("more")
    (folder / "facts").mkdir()
    raw = by_hand(["mine: 1"], body, newline, "", 1)
    (folder / PLACE).write_bytes(raw)
    before = read.parse(raw, PLACE)["body"]
    said = write.change(str(folder), PLACE, {}, extra=extra)
    after = read.parse((folder / PLACE).read_bytes(), PLACE)
    assert after["body"].startswith(before)
    assert after["more"] == ["mine"]
    assert of_answer(whole(said)) == of_answer(after["body"])


@given(st.binary(max_size=200))
def test_no_bytes_make_the_look_for_faults_fail(raw):
    for line, told in read.faults(raw.decode("utf-8", "replace")):
        assert line >= 1 and told


FAULTY = st.sampled_from(
    ["title: [a]", "title: {a: b}", "tags: {a: b}", "offer: maybe", "created: never", "checked: [1]",
     "files: text", "question:\n  - a", "supersedes: {}", "source: {}"]
)  # fmt: skip


@given(
    before=ROWS,
    row=FAULTY,
    after=ROWS,
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.sampled_from(["", "\ufeff"]),
)
def test_a_fault_is_named_with_the_line_it_stands_on(before, row, after, newline, bom):
    key = row.partition(":")[0]
    rows = [r for r in before if not r.startswith(key)] + [row] + [r for r in after if r not in before]
    rows = [r for r in rows if r == row or not r.startswith(key)]
    raw = by_hand(rows, "body", newline, bom, 1)
    assume(not read.parse(raw, PLACE)["damage"])
    told = [(line, what) for line, what in read.faults(raw.decode()) if what.startswith(key)]
    assert len(told) == 1
    text = raw.decode().split("\n")
    assert text[told[0][0] - 1].startswith(key)


def test_what_is_right_or_merely_empty_is_no_fault():
    text = "---\ntitle:\ntags:\noffer:\ncreated: 2026-11-03\nfiles:\nmine: {a: [b]}\ntitle2: [x]\n---\nbody"
    assert read.faults(text) == []
    assert read.faults("no front matter") == []
