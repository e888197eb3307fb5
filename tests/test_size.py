"""The house rules that can be counted: files stay small, and each says what it is for."""

import ast
import os

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_LINES = 500
SOURCES = ("src", "tests", "bench", "demo", "docs")


def modules(top):
    """The paths of all Python files below a checkout's own folders, relative to it."""
    for folder in SOURCES:
        for at, folders, names in os.walk(os.path.join(top, folder)):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                if name.endswith(".py"):
                    yield os.path.relpath(os.path.join(at, name), top)


def faults(top):
    """(path, what is wrong) of every module."""
    for path in modules(top):
        with open(os.path.join(top, path), encoding="utf-8") as f:
            text = f.read()
        if text.count("\n") > MOST_LINES:
            yield path, "has %d lines" % text.count("\n")
        if not (ast.get_docstring(ast.parse(text)) or "").strip():
            yield path, "has no docstring"


def test_every_file_is_short_and_every_module_says_what_it_is_for():
    assert len(list(modules(TOP))) > 50
    assert list(faults(TOP)) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"""Says what it is for."""\n' + "x = 1\n" * MOST_LINES, "has 501 lines"),
        ("x = 1\n", "has no docstring"),
        ('"""   """\n', "has no docstring"),
    ],
)
def test_a_module_that_breaks_a_rule_is_named(tmp_path, text, told):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "broken.py").write_text(text)
    assert list(faults(str(tmp_path))) == [(os.path.join("src", "broken.py"), told)]
