"""Front matter: what is written can be read by any YAML reader, and a change touches one key only."""

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from foreword.store import header

LOADERS = [yaml.BaseLoader, yaml.SafeLoader] + [
    getattr(yaml, name) for name in ("CBaseLoader", "CSafeLoader") if hasattr(yaml, name)
]
HARD = st.text(
    st.sampled_from("\"'\\:#-[]{},&*!|>%@`\n\r\t\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\uffff😀 a~0")
)
TEXTS = st.one_of(st.text(), HARD)
WHOLE = TEXTS.map(lambda t: t.encode("utf-8", "replace").decode())  # half a surrogate pair is no character


def read_back(text, loader=yaml.BaseLoader):
    head, body = header.split(text)
    return yaml.load(head, Loader=loader) or {}, body


@given(
    fields=st.fixed_dictionaries(
        {},
        optional={
            "title": WHOLE,
            "question": WHOLE,
            "source": WHOLE,
            "basis": WHOLE,
            "turn": WHOLE,
            "tags": st.lists(WHOLE, max_size=3),
            "files": st.lists(st.fixed_dictionaries({"path": WHOLE, "sha256": WHOLE}), max_size=3),
        },
    ),
    body=WHOLE,
)
def test_every_field_and_the_body_come_back(fields, body):
    text = header.render(fields, body)
    for loader in (yaml.BaseLoader, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
        found, said = read_back(text, loader)
        assert found == fields
        assert said == body.strip("\r\n")
    assert header.render(fields, body).encode("utf-8").decode("utf-8-sig") == text


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    "title",
    ["no", "12", "1e3", "~", "null", "2026-03-14", "a: b", "# c", "- x", "'", '"', "&a *a", "{a: b}", "|",
     "!!python/object:os.system x", "%YAML", "a\u0085b", "a\u2028b", "\ufeffa", "😀", "\x00", "tab\there",
     "---", "..."],
)  # fmt: skip
def test_no_text_becomes_another_type_or_a_tag_in_any_reader(title, loader):
    assert read_back(header.render({"title": title, "tags": [title]}, "b"), loader)[0] == {
        "title": title,
        "tags": [title],
    }


@given(TEXTS)
def test_a_field_is_one_line_whatever_it_holds(text):
    assert len(header.line("title", text).splitlines()) == 1


@pytest.mark.parametrize("half", ["\ud800", "\udfff", "a\ud83db"])
def test_half_a_surrogate_pair_does_not_make_the_front_matter_unreadable(half):
    for loader in LOADERS:
        found, _ = read_back(header.render({"title": half}, "b"), loader)
        assert found["title"] == half.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_a_plain_word_that_ends_in_a_colon_is_quoted():
    assert read_back(header.render({"source": "a:", "basis": "b"}, "c"))[0] == {"source": "a:", "basis": "b"}


@given(WHOLE)
def test_a_text_without_front_matter_is_all_body(text):
    assume(not text.removeprefix("\ufeff").startswith("---"))
    assert header.split(text) == ("", text.removeprefix("\ufeff").strip("\r\n"))


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("---\na: b\n---\nbody\n", ("a: b\n", "body")),
        ("\ufeff---\na: b\n---\n\nbody", ("a: b\n", "body")),
        ("---\r\na: b\r\n---\r\n\r\nbody\r\n", ("a: b\r\n", "body")),
        ("--- \na: b\n---\t\nbody", ("a: b\n", "body")),
        ("---\n---\nbody", ("", "body")),
        ("---\na: b\n---", ("a: b\n", "")),
        ("---\na: b\nbody", ("", "---\na: b\nbody")),
        ("---", ("", "---")),
        ("----\na\n----\n", ("", "----\na\n----")),
        ("---\na: |\n  ---\n  x\n---\nbody", ("a: |\n  ---\n  x\n", "body")),
        ("---\na: b\n---\nx\n\n---\n\ny", ("a: b\n", "x\n\n---\n\ny")),
        ("", ("", "")),
        ("text\n---\na: b\n---\n", ("", "text\n---\na: b\n---")),
    ],
)
def test_a_text_is_split_at_its_fences(text, split):
    assert header.split(text) == split


@given(st.text(st.sampled_from("-\n\r ab:"), max_size=30))
def test_a_body_of_fences_comes_back(body):
    assert header.split(header.render({"title": "t"}, body))[1] == body.strip("\r\n")


KEY = st.sampled_from(["mine", "titles", "my-title", "'quoted'", '"q2"', "Ünicode", "x.y", "title2"])
SHORT = st.sampled_from(["x", '"title: x"', "'it''s'", "[a, b]", "{title: x}", "", "2026", "a  # why"])
LONG = st.sampled_from(
    [
        "\n  title: nested\n  tags:\n    - a\n",
        "\n- a\n- title: b\n",
        "\n  - a\n\n  - b\n",
        " |\n  title: in a block\n\n  # no comment\n",
        " >-\n    folded\n    title: x\n",
        " 'two\n  lines'\n",
        " [a,\n  title: b]\n",
        " \u2028 odd\u0085 \x0b line\n",
    ]
)
FOREIGN = st.one_of(
    st.tuples(KEY, SHORT).map(lambda row: "{}: {}\n".format(*row)),
    st.tuples(KEY, LONG).map(lambda row: "{}:{}".format(*row)),
    st.sampled_from(["# a comment\n", "\n", "  # an indented comment\n", "#title: not this\n", "   \n"]),
)
OURS = st.sampled_from(
    ["title: old\n", 'title: "old"\n', "'title': old\n", '"title" : old\n', "title:\n  folded\n  twice\n",
     "title: |\n  # a\n\n  b\n", "title:\n- a\n- b\n", "title:\n", "title: >\n  x\n", "title: [a,\n  b]\n"]
)  # fmt: skip


@given(
    before=st.lists(FOREIGN, max_size=4),
    ours=OURS,
    after=st.lists(FOREIGN, max_size=4).filter(lambda rows: not rows or not rows[0].startswith((" ", "-"))),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.sampled_from(["", "\ufeff"]),
    tail=st.sampled_from(["", "\n", "body", "\n\n\nbody\n\n", "body\n---\nmore\n", "\nb\u2028c\x0b\n"]),
)
def test_a_change_of_one_key_leaves_every_other_byte(before, ours, after, newline, bom, tail):
    assume(
        not (ours[7:8] in ("|", ">") and "".join(after).lstrip("\n").startswith(" "))
    )  # then it is in the block

    def file(middle):
        return bom + "".join(["---\n", *before, middle, *after, "---\n", tail]).replace("\n", newline)

    text = file(ours)
    assert header.rewrite(text, {"title": 'new "title"'}) == file('title: "new \\"title\\""\n')
    assert header.rewrite(text, {"title": None}) == file("")
    assert header.rewrite(text, {}) == text
    assert header.rewrite(text, {}, header.split(text)[1]) == text


@given(rows=st.lists(FOREIGN, max_size=5), newline=st.sampled_from(["\n", "\r\n"]))
def test_a_new_key_is_added_at_the_end(rows, newline):
    text = "".join(["---\n", *rows, "---\n\nbody\n"]).replace("\n", newline)
    added = "".join(["---\n", *rows, 'tags: ["a"]\n', "---\n\nbody\n"]).replace("\n", newline)
    assert header.rewrite(text, {"tags": ["a"]}) == added
    assert header.rewrite(added, {"tags": None}) == text


def test_a_blank_line_and_a_comment_behind_a_changed_key_stay():
    text = "---\ntitle: a\n\n# about mine\nmine: 1\n---\n\nb\n"
    assert header.rewrite(text, {"title": "c"}) == text.replace("title: a", 'title: "c"')


def test_a_comment_between_the_items_of_a_changed_list_leaves_no_item_behind():
    text = "---\ntags:\n- a\n# why\n- b\nmine: 1\n---\n\nb\n"
    assert header.rewrite(text, {"tags": ["c"]}) == '---\ntags: ["c"]\nmine: 1\n---\n\nb\n'


def test_line_separators_inside_other_values_do_not_end_lines():
    text = "---\nmine: 'a\u2028b\u0085c\x0cd'\ntitle: x\n---\n\nb\n"
    assert header.rewrite(text, {"title": "y"}) == text.replace("title: x", 'title: "y"')


def test_a_key_that_stands_twice_is_changed_once_and_said_once():
    changed = header.rewrite("---\ntitle: a\nmine: 1\ntitle: b\n---\n\nb\n", {"title": "c"})
    assert read_back(changed)[0] == {"title": "c", "mine": "1"}


@pytest.mark.parametrize(
    "text", ["just text\n", "\ufeffjust text", "---\nunclosed: x\nbody", "", "a\r\nb\r\n", "---"]
)
def test_a_file_without_front_matter_gets_one_and_keeps_its_body(text):
    changed = header.rewrite(text, {"title": "t"})
    assert header.split(changed)[1] == header.split(text)[1]
    assert read_back(changed)[0] == {"title": "t"}
    assert changed.startswith("\ufeff") == text.startswith("\ufeff")


@given(
    body=WHOLE,
    old=st.sampled_from(["", "\n", "old", "\n\nold\n\n\n"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_a_new_body_leaves_the_front_matter(body, old, newline):
    text = ("---\nmine: 1 # c\n---\n" + old).replace("\n", newline)
    changed = header.rewrite(text, {}, body)
    assert header.split(changed) == (header.split(text)[0], body.strip("\r\n"))


def test_a_body_is_put_behind_a_fence_that_ends_the_file():
    assert header.rewrite("---\na: b\n---", {}, "body") == "---\na: b\n---\n\nbody\n"
