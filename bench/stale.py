"""How exact "changed" is: a repository's history replayed, the file's hash against what was cited of it.

    python bench/stale.py REPOSITORY... [--ages 1 7 30 90 180] [--commits 12] [--citations 40] [--seed 1]
                          [--json]

At sampled commits it cites what stands in the files then: a line within a definition or, as often, a
definition's name. For each age it looks at the commit nearest to that much later, and asks the truth of
tree-sitter: whether the smallest definition around that line (by kind and name) says the same, comments,
documentation strings, white space and trailing commas aside. An alert is right where it does not. Printed by
language and age: how many alerts there are for each right one, and the share of true changes that were
missed, by the file's sha256 and by spans (moved ones are looked for among files that are new or changed).

Needs: pip install tree-sitter tree-sitter-python tree-sitter-javascript tree-sitter-typescript tree-sitter-go
tree-sitter-rust tree-sitter-c
"""

import argparse
import importlib
import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

from foreword import spans
from foreword.heads import LANGUAGES

SECONDS_A_DAY = 86_400
LONGEST, LONGEST_LINE = 300_000, 2_000
NEEDS = __doc__.split("Needs: ")[1].strip().replace("\n", " ")
# ending -> (grammar's module, its function, what the table calls it)
GRAMMARS = {
    "py": ("tree_sitter_python", "language", "Python"),
    "js": ("tree_sitter_javascript", "language", "TypeScript/JavaScript"),
    "mjs": ("tree_sitter_javascript", "language", "TypeScript/JavaScript"),
    "ts": ("tree_sitter_typescript", "language_typescript", "TypeScript/JavaScript"),
    "tsx": ("tree_sitter_typescript", "language_tsx", "TypeScript/JavaScript"),
    "go": ("tree_sitter_go", "language", "Go"),
    "rs": ("tree_sitter_rust", "language", "Rust"),
    "c": ("tree_sitter_c", "language", "C"),
    "h": ("tree_sitter_c", "language", "C"),
}
# Nodes that are definitions, where they have a name.
NODES = frozenset(
    "function_definition class_definition function_declaration generator_function_declaration"
    " class_declaration abstract_class_declaration method_definition interface_declaration enum_declaration"
    " type_alias_declaration method_declaration type_spec function_item struct_item enum_item trait_item"
    " impl_item mod_item macro_definition const_item static_item type_item union_item struct_specifier"
    " enum_specifier union_specifier preproc_def preproc_function_def".split()
)
STRINGS = ("string", "template_string", "raw_string_literal", "string_literal")
COMMENTS = ("comment", "line_comment", "block_comment")


class Oracle:
    """Definitions by tree-sitter: `of(text, ending)` gives [(first line, last line, kind, name, digest)]."""

    def __init__(self):
        self.parsers = {}

    def of(self, text, ending):
        raw = text.encode("utf-8", "replace")
        tree = self._parser(ending).parse(raw)
        found = []
        todo = [(tree.root_node, ())]
        while todo:
            node, holders = todo.pop()
            name = self._name(node, raw) if node.type in NODES else ""
            if name:
                outer = node.parent if node.parent and node.parent.type == "decorated_definition" else node
                holders = (*holders, name)
                digest = hash(self._semantic(outer, raw))
                first, last = outer.start_point[0] + 1, outer.end_point[0] + 1
                found.append((first, last, node.type, ".".join(holders), digest))
            todo += [(child, holders) for child in node.children]
        return found

    def _parser(self, ending):
        if ending not in self.parsers:
            try:
                sitter = importlib.import_module("tree_sitter")
                module, function, _ = GRAMMARS[ending]
                language = sitter.Language(getattr(importlib.import_module(module), function)())
            except ImportError as error:
                sys.exit(f"error: {error}\nhint: {NEEDS}")
            self.parsers[ending] = sitter.Parser(language)
        return self.parsers[ending]

    @staticmethod
    def _name(node, raw):
        named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        if node.type == "impl_item":
            parts = [node.child_by_field_name(key) for key in ("trait", "type")]
            return " for ".join(raw[p.start_byte : p.end_byte].decode("utf-8", "replace") for p in parts if p)
        if node.type in ("struct_specifier", "enum_specifier", "union_specifier"):
            named = node.child_by_field_name("name") if node.child_by_field_name("body") else None
        while named is not None and named.child_by_field_name("declarator") is not None:
            named = named.child_by_field_name("declarator")
        return raw[named.start_byte : named.end_byte].decode("utf-8", "replace") if named else ""

    @staticmethod
    def _semantic(node, raw):
        """The tokens of a node without comments, documentation strings and trailing commas."""
        tokens = []
        todo = [node]
        while todo:
            at = todo.pop()
            if at.type in COMMENTS:
                continue
            if at.type == "expression_statement" and [c.type for c in at.children] == ["string"]:
                continue
            if (
                at.type in ("string", "template_string", "raw_string_literal", "string_literal")
                or not at.children
            ):
                tokens.append(raw[at.start_byte : at.end_byte])
                continue
            todo += reversed(at.children)
        text = b"\0".join(b"".join(token.split()) for token in tokens if token.strip())
        return re.sub(rb",\0(?=[)\]}])", b"", text)


def git(repo, *arguments):
    done = subprocess.run(["git", *arguments], cwd=repo, capture_output=True, check=True)
    return done.stdout


def commits(repo):
    """[(time, commit)] of the first parents, oldest first."""
    rows = git(repo, "log", "--first-parent", "--format=%ct %H").decode().split("\n")
    return sorted((int(when), commit) for when, commit in (row.split() for row in rows if row))


def blobs(repo, commit):
    """{path: blob} of the files in a language that the oracle knows."""
    rows = git(repo, "ls-tree", "-rz", commit).decode("utf-8", "replace").split("\0")
    found = {}
    for row in filter(None, rows):
        meta, _, path = row.partition("\t")
        if path.rpartition(".")[2] in GRAMMARS and LANGUAGES.get(path.rpartition(".")[2]):
            found[path] = meta.split()[2]
    return found


class Texts:
    """Texts and definitions of blobs, each read once."""

    def __init__(self, repo, oracle):
        self.repo, self.oracle = repo, oracle
        self.texts, self.definitions = {}, {}

    def text(self, blob):
        if blob not in self.texts:
            self.texts[blob] = git(self.repo, "cat-file", "blob", blob).decode("utf-8", "replace")
        return self.texts[blob]

    def of(self, blob, path):
        if blob not in self.definitions:
            self.definitions[blob] = self.oracle.of(self.text(blob), path.rpartition(".")[2])
        return self.definitions[blob]


def smallest(definitions, line):
    around = [one for one in definitions if one[0] <= line <= one[1]]
    return min(around, key=lambda one: one[1] - one[0], default=None)


def truth(before, now, elsewhere):
    """ "same", "moved" or "changed" of a definition: `now` are those of its file ([] when that is gone),
    `elsewhere` those of files that are new or changed."""
    if any(one[2:] == before[2:] for one in now):
        return "same"
    if any(one[2:] == before[2:] for one in elsewhere):
        return "moved"
    return "changed"


def replay(repo, ages, count, cited, dice, oracle):
    """{(language, age): counts} of a repository: cited, file (alerts by hash), file_right, span, span_right,
    changes, file_missed, span_missed."""
    history = commits(repo)
    if len(history) < 2:
        return {}
    last = history[-1][0]
    texts = Texts(repo, oracle)
    counts = defaultdict(lambda: defaultdict(int))
    starts = [one for one in history if one[0] + min(ages) * SECONDS_A_DAY <= last]
    for when, commit in dice.sample(starts, min(count, len(starts))):
        files = blobs(repo, commit)
        marks = _cited(files, texts, cited, dice)
        for age in ages:
            later = min(history, key=lambda one: abs(one[0] - when - age * SECONDS_A_DAY))
            if later[0] <= when or when + age * SECONDS_A_DAY > last + 5 * SECONDS_A_DAY:
                continue
            if abs(later[0] - when - age * SECONDS_A_DAY) > max(2, age / 3) * SECONDS_A_DAY:
                continue  # no commit near enough
            after = blobs(repo, later[1])
            fresh = {p: b for p, b in after.items() if files.get(p) != b}
            for path, definition, taken in marks:
                row = counts[GRAMMARS[path.rpartition(".")[2]][2], age]
                _count(row, path, definition, taken, files, after, fresh, texts)
    return counts


def _cited(files, texts, count, dice):
    """[(path, the oracle's definition, spans)] of sampled citations: a line within one, or its name."""
    found = []
    paths = sorted(files)
    for _ in range(count * 4):
        if len(found) >= count or not paths:
            break
        path = dice.choice(paths)
        text = texts.text(files[path])
        if len(text) > LONGEST or max(map(len, text.split("\n"))) > LONGEST_LINE:
            continue
        definitions = texts.of(files[path], path)
        if not definitions:
            continue
        chosen = dice.choice(definitions)
        if len(found) % 2:
            line = dice.randint(chosen[0], chosen[1])
            definition = smallest(definitions, line)
            taken = spans.take(text, path, [(line, "")])
        else:
            name = chosen[3].split(".")[-1]
            same = [one for one in definitions if one[3].split(".")[-1] == name]
            if len(same) > 1 or not re.fullmatch(r"\w+", name):
                continue
            definition = chosen
            taken = spans.take(text, path, [(0, name)])
            if not taken:
                continue
        if definition:
            found.append((path, definition, taken))
    return found


def _count(row, path, definition, taken, files, after, fresh, texts):
    now = texts.of(after[path], path) if path in after else []
    same_file = after.get(path) == files[path]
    elsewhere = []
    if not same_file:
        ending = path.rpartition(".")[2]
        elsewhere = [
            one for other, blob in fresh.items() if other != path and other.endswith("." + ending)
            for one in texts.of(blob, other)
        ]  # fmt: skip
    is_so = "same" if same_file else truth(definition, now, elsewhere)
    said = "same" if same_file else _said(path, taken, after, fresh, texts)
    row["cited"] += 1
    row["changes"] += is_so == "changed"
    row["file"] += not same_file
    row["file_right"] += not same_file and is_so == "changed"
    row["file_missed"] += same_file and is_so == "changed"
    row["span"] += said == "changed"
    row["span_right"] += said == "changed" and is_so == "changed"
    row["span_missed"] += said != "changed" and is_so == "changed"


def _said(path, taken, after, fresh, texts):
    """What stale.Tree would say, with moved.where's rule over the files that are new or changed."""
    if not taken:
        return "changed"
    if path in after:
        state, _ = spans.judge(texts.text(after[path]), path, taken)
        if state != spans.GONE:
            return "same" if state == spans.STANDS else "changed"
    held = 0
    for other, blob in fresh.items():
        if other != path and other.rpartition(".")[2] == path.rpartition(".")[2]:
            text = texts.text(blob)
            if all(spans.name_of(span) and spans.name_of(span) in text for span in taken):
                held += all(spans.holds(text, other, span) for span in taken)
    return "moved" if held == 1 else "changed"


def table(counts):
    """Rows for people: language, days, cited, changed, then alerts for each right one by hash and by span,
    and the share missed by span."""
    yield f"{'language':24}{'days':>5}{'cited':>7}{'changed':>9}{'file':>8}{'span':>8}{'missed':>9}"
    for (language, age), row in sorted(counts.items()):
        file, span = (ratio(row[key], row[key + "_right"]) for key in ("file", "span"))
        missed = "-" if not row["changes"] else "%.2f %%" % (100 * row["span_missed"] / row["changes"])
        yield f"{language:24}{age:5}{row['cited']:7}{row['changes']:9}{file:>8}{span:>8}{missed:>9}"


def ratio(alerts, right):
    return "-" if not right else "%.2f" % (alerts / right)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--ages", nargs="+", type=int, default=[1, 7, 30, 90, 180], metavar="DAYS")
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--citations", type=int, default=40, help="at each commit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    counts = defaultdict(lambda: defaultdict(int))
    oracle = Oracle()
    for repo in given.repositories:
        dice = random.Random(given.seed)
        found = replay(repo, given.ages, given.commits, given.citations, dice, oracle)
        for key, row in found.items():
            for name, value in row.items():
                counts[key][name] += value
    if given.json:
        print(
            json.dumps([{"language": key[0], "days": key[1], **row} for key, row in sorted(counts.items())])
        )
        return
    print("\n".join(table(counts)))


if __name__ == "__main__":
    main()
