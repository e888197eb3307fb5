"""Makes foreword.text.common: how usual a term is in texts about software, whatever the project.

    python bench/background.py [--check]

Fetches the packages of PINNED with pip and npm (wheels and tarballs only, so that nothing of theirs is
run) into build/background, which git ignores, splits what people wrote in them into texts and counts in
how many texts of a project each term stands. Every project counts the same. Only packages are used whose
own metadata names a licence of ALLOWED; only counts of words go into the table, never a sentence. The
outcome depends on the packages, this file and foreword.text.words alone: run it again when the tokeniser
changes. It must not read anything that the ranking is measured with.
"""

import argparse
import ast
import email
import gettext
import gzip
import hashlib
import html
import io
import json
import math
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "src"))

from foreword.text import words

FETCHED = os.path.join(TOP, "build", "background")
TABLE = os.path.join(TOP, "src", "foreword", "text", "common.py")
PAGE = os.path.join(TOP, "docs", "background.md")

MODULE = r'''"""How usual a term is in texts about software, whatever the project. Pure data; hot.

Written by bench/background.py, which says from what; do not edit. A store's own counts know nothing while
it is young; beside these they do. Terms are those of foreword.text.words.
"""

# The greatest share, and what a level's share is to the one before it. A row begins with `=` and the first
# character of its terms; `:7` is before those of level 7. Chinese and Japanese are one row.
# It is searched as it is: a dict of all terms takes 1.1 ms to make, the first twenty shares take 0.1 ms.
_TOP, _STEP = %(top)s, %(step)s
_TERMS = """
%(terms)s
"""
_EASTERN = """
%(eastern)s
"""

_rows = {}


def share(term):
    """The share of texts, 0 <= share < 1, that hold a term; 0.0 when it is too rare to be in the table."""
    if not _rows:
        _fill()
    row = _rows.get(term[:1]) or _rows["eastern"]
    at = row.find(f" {term} ")
    if at < 0:
        return 0.0
    mark = row.rfind(":", 0, at) + 1
    return _TOP * _STEP ** int(row[mark : row.index(" ", mark)])


def table():
    """A new {term: share} of all terms, in no order; for few terms share() is faster."""
    if not _rows:
        _fill()
    found, level = {}, 0.0
    for row in _rows.values():
        for word in row.split():
            if word[0] == ":":
                level = _TOP * _STEP ** int(word[1:])
            else:
                found[word] = level
    return found


def _fill():
    _rows["eastern"] = _EASTERN.replace("\n", " ")
    for row in _TERMS.replace("\n", " ").split("=")[1:]:
        _rows[row[0]] = row[1:]
'''

PAGE_TABLE = """\
## What it was made from

<!-- Written by bench/background.py, from here to the end. -->

%(projects)s projects, %(texts)s texts; the licence is the one that the package's metadata names.

| package | version | stands for | licence | changes | pages | comments | Japanese | Chinese |
|---|---|---|---|---:|---:|---:|---:|---:|
%(rows)s
"""

# The beginning of the file's SHA-256, the package (== for pip, @ for npm), and what it stands for.
PINNED = """
fcff5267a11d865e sqlalchemy==2.1.9 databases
63c50ce3533f5a03 polars==2.1.0 data frames, a Rust core
e3fd2c13a7814cee networkx==3.7 graph algorithms
3732f42af218925a twisted==26.10.0 networking
267375fd402dc8d9 textual==8.2.8 terminal interfaces
5ba6e8cb0b5ac56a pyglet==2.1.19 games
64f6a0c66c9f4633 aider-chat==0.86.2 coding agents
6f017ec9d4b8d665 knex@3.3.0 SQL queries
7e348d18dcc14608 cesium@1.145.0 globes and 3D
09657ffa0401b075 @apollo/client@4.3.8 GraphQL
32241c5553f316a2 viem@2.57.20 blockchains
26058cdb21746236 undici@8.12.4 HTTP
4c1e263a856b5de3 appium@3.8.0 testing of apps
7f7f66869382f001 @node-red/nodes@5.0.7 devices and flows
e9dfd256ba090259 jax==0.12.0.1 compilers for arrays
18310a9c919f9029 celery==5.7.0 queues of jobs
d72683392fc10f59 kubernetes==37.0.2 clusters
630ebfea3bf689d0 cryptography==50.0.2 cryptography
c35f12552e689a8c qiskit==2.6.1 quantum circuits, a Rust core
a4fe1aac3d3b3cc7 redis==8.1.0 caches
8b33fee239194b9b numba==0.68.1 compilers
930bc7542cbd9f57 meson==1.12.1 builds of C and C++
87afb808ac8d5538 mitmproxy==12.3.1 proxies
9a062a029487c1bd trio==0.35.0 concurrency
d818f5a3c8e77227 awscli==1.46.2 clouds, command line
a14fb6724a557dea dbt-core==1.12.6 data pipelines
caa2860d486f71cd selenium==4.52.0 browsers, driven
1e6ad5c7891a54ef wagtail==8.0.1 content management
833de097150d498f openhands-ai==1.11.0 coding agents
ca140b45d5325a94 setuptools==84.2.1 packaging
959eb79c76214162 cocotb==2.1.0 hardware, simulated
04db2c7ec62afdd7 trimesh==5.2.0 meshes
f3fe9d9228f79fa5 jupyterlab-language-pack-ja-JP==4.5.post3 notebooks, in Japanese
47cdb0c41c6b066e jupyterlab-language-pack-zh-CN==4.5.post3 notebooks, in Chinese
e861b3a42eef7477 terser@5.51.2 minifiers
f9fae83c2c8e5263 react-router@8.5.1 routes of web pages
cb99d6e259c42193 mathjs@15.2.0 mathematics
c814f61afbb2b42e kafkajs@2.2.4 message brokers
4fee52fde01f4e38 @tauri-apps/api@2.12.5 desktop windows, a Rust core
b65e64fbeb2ab8d2 electron@45.3.4 desktop programs
6f5a60be62a4fddf playwright-core@1.65.1 browsers, driven
bc4efa5c925c4430 @google/gemini-cli@0.61.0 coding agents
ac05c93f0b3c4256 bmad-method@6.12.0 coding agents
f55cb023afca8ec4 @fission-ai/openspec@1.13.2 coding agents
3ea1712fbacd3290 monaco-editor@0.57.0 editors
10e108c9cf7d5f28 typescript@5.9.3 compilers
4b1ff98578bc8f4d blockly@13.3.0 teaching
954cc114e2e4f574 next@16.4.6 web servers
0d80de65b1300dc2 hardhat@3.18.0 contracts on blockchains
15663ca494484413 node-gyp@13.1.0 native add-ons
1e32c0bc7535f2d5 protobufjs@8.8.1 wire formats
c9255a14f237f8dc nodemailer@10.6.0 mail
ae4c208cb6e8d1f4 video.js@8.24.1 video
ac98a0864c2584e0 @google-cloud/storage@8.4.0 clouds, files
5260354a14533fa8 ace-builds@1.45.2 editors
14f356e6cadb5b06 handlebars@4.7.10 templates
f773a0544c663704 cmake==4.4.4 builds of C++
b8488090f8acffbc pybind11==3.1.0 bindings of C++
092228927de1b200 react-native@0.88.1 mobile programs
fe534f13e4758263 leveldown@6.1.1 storage engines
10ecdd08830c58dc cordova-android@15.1.0 mobile programs
"""

ALLOWED = frozenset(
    "MIT MIT-0 0BSD BSD BSD-2-Clause BSD-3-Clause Apache-2.0 ISC PSF-2.0 Zlib Unlicense".split()
)
# How metadata that is older than SPDX names them.
OLD_NAMES = (
    ("MIT", r"\bMIT\b|Permission is hereby granted, free of charge"),
    ("Apache-2.0", r"Apache"),
    ("BSD", r"\bBSD\b|Redistribution and use in source and binary forms"),
)

# Terms of a text: shorter neighbours of one file are joined until they have as many. A question and an
# answer of three sentences have 40.
SHORTEST = 40
LONGEST = 120  # what is behind them in a text is not looked at
MOST_TEXTS = 4_000  # of a project and a kind; of more, those with the smallest digests are taken
MOST_TERMS = 4_000
MOST_EASTERN = 500  # terms, of Japanese and of Chinese
LEAST_PROJECTS = 3  # a term of fewer projects is a name of theirs
LEAST_TEXTS = 20  # of a kind and a project: a share of fewer says nothing
STEP = 0.95  # one level of the table over the next
WIDTH = 110
KINDS = ("changes", "pages", "comments")
ENDINGS = tuple(
    ".md .mdx .markdown .rst .txt .html .py .pyi .d.ts .d.mts .d.cts .h .hpp .cc .cpp .mm .java .kt".split()
)
LANGUAGES = {
    "Japanese": re.compile(r"(^|[/._-])ja([-_]jp)?[/.]", re.IGNORECASE),
    "Chinese": re.compile(r"(^|[/._-])zh([-_](cn|hans|hans_cn))?[/.]", re.IGNORECASE),
}
EASTERN = re.compile(r"[^\x00-\u2e7f]|\^")  # how terms of these languages begin

# Other people's code inside a package, and what no person wrote.
LEFT_OUT = re.compile(
    r"(^|/)(node_modules|_?vendor(ed)?|third_?party|externals?|compiled|tests?|fixtures|licen[sc]es?)(/|$)"
    r"|licen[sc]e|copying|notice|authors|contributors|credits|code_of_conduct|\.min\.|top_level|entry_points"
    r"|requirements.*\.txt$|record$",
    re.IGNORECASE,
)
CHANGES = re.compile(
    r"(^|/)(changes|change_?log|history|news|release[-_]?notes?)([-_.]v?\d[\w.]*)?\.(md|rst|txt)$",
    re.IGNORECASE,
)
OTHER_LANGUAGES = re.compile(
    r"(^|/)(locales?|i18n|lang|translations?|nls)[/.]|\.nls\.|lc_messages", re.IGNORECASE
)


def fetch(pin, digest):
    """The path of a pinned package's file, downloaded if it is not there; ends the run if it is another."""
    folder = os.path.join(FETCHED, re.sub(r"\W+", "-", pin).strip("-"))
    if not os.path.isdir(folder) or not os.listdir(folder):
        os.makedirs(folder, exist_ok=True)
        if "==" in pin:
            platforms = ("any", *("manylinux_2_%d_x86_64" % n for n in (17, 24, 27, 28)))
            command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--dest", folder]
            command += ["--only-binary", ":all:", "--python-version", "3.12"]
            command += [f"--platform={name}" for name in platforms] + [pin]
        else:
            command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, pin]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (name,) = os.listdir(folder)
    path = os.path.join(folder, name)
    with open(path, "rb") as f:
        found = hashlib.file_digest(f, "sha256").hexdigest()
    if not found.startswith(digest):
        sys.exit(f"{path}: its SHA-256 is {found}, not {digest}...")
    return path


def members(path):
    """{name inside the package: a function that gives its bytes}, names in order."""
    if path.endswith(".whl"):
        package = zipfile.ZipFile(path)
        return {name: (lambda name=name: package.read(name)) for name in sorted(package.namelist())}
    with gzip.open(path) as f:  # whole: members are read out of order
        package = tarfile.open(fileobj=io.BytesIO(f.read()))
    return {
        m.name.partition("/")[2]: (lambda m=m: package.extractfile(m).read())
        for m in sorted(package.getmembers(), key=lambda m: m.name)
        if m.isfile()
    }


def licence(files):
    """The licence that a package's own metadata names, as SPDX where that can be told; "" for none."""
    if "package.json" in files:
        return str(json.loads(files["package.json"]()).get("license", ""))
    (path,) = (name for name in files if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
    told = email.message_from_bytes(files[path]())
    if told["License-Expression"]:
        return told["License-Expression"]
    classifiers = [c for c in told.get_all("Classifier", ()) if c.startswith("License ::")]
    inside = [n for n in files if re.search(r"dist-info/.*LICEN[SC]E", n)]
    for where in (classifiers, [told["License"] or ""], [files[n]().decode()[:2000] for n in inside]):
        for name, pattern in OLD_NAMES:
            if re.search(pattern, "\n".join(where)):
                return name
        if any("OSI Approved :: " in line for line in where):
            break  # it names one, and it is none of ours
    return ""


def may_ship(spdx):
    """Whether all licences of an SPDX expression are allowed, or one where it only offers a choice."""
    named = set(re.findall(r"[\w.+-]+", spdx)) - {"AND", "OR"}
    return bool(named & ALLOWED if " AND " not in spdx else named and named <= ALLOWED)


def clean(text):
    """A text without what tools put there: links' targets, commits, numbers of issues, names of people."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b[0-9a-f]{7,40}\b|(?<![\w/])@[\w-]+(?![\w/-])|#\d+|\bThanks\b", " ", text)
    return html.unescape(re.sub(r"</?[a-zA-Z][^<>]*>", " ", text))


def pieces(name, text):
    """(kind, the pieces of one file that people wrote, in order); ("", []) for other files."""
    if CHANGES.search(name):
        return "changes", re.split(r"\n(?=[-*+] |#|\d+\. )|\n\n(?=\S)", text)
    if name.endswith((".md", ".mdx", ".markdown")):
        return "pages", re.split(r"\n(?=#{1,6} )", text)
    if name.endswith((".rst", ".txt")):
        return "pages", re.split(r"\n(?=[^\n]+\n(?:={3,}|-{3,}|~{3,}|\^{3,})\n)", text)
    if name.endswith(".html"):
        return "pages", re.split(r"(?=<script|<h\d)", text)
    if name.endswith((".py", ".pyi")):
        return "comments", docstrings(text)
    if name.endswith(ENDINGS):
        return "comments", comments(text)
    return "", []


def docstrings(text):
    """The docstrings of a Python file, in order."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [(getattr(n, "lineno", 0), ast.get_docstring(n)) for n in ast.walk(tree) if isinstance(n, kinds)]
    return [told for _, told in sorted(found, key=lambda pair: pair[0]) if told]


def comments(text):
    """The comments of a file in a language like C that document (`/** */`, `///`), in order."""
    found = re.findall(r"/\*[*!](.*?)\*/|((?:^[ \t]*//[/!][^\n]*\n)+)", text, flags=re.DOTALL | re.MULTILINE)
    told = [re.sub(r"^[ \t]*(\*|//[/!]) ?", "", block or lines, flags=re.MULTILINE) for block, lines in found]
    return [comment for comment in told if not re.search("@license|copyright", comment, re.IGNORECASE)]


def messages(name, data):
    """The translated messages of one file, in order."""
    if name.endswith(".mo"):
        catalog = gettext.GNUTranslations(io.BytesIO(data))._catalog
        return [told for _, told in sorted(catalog.items(), key=str)]
    text = data.decode("utf-8", "replace")
    if name.endswith((".json", ".js")):
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
        return [re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), told) for told in strings]
    return [text]


def texts(files):
    """{kind: the texts of a package, each the set of its terms}; the same text once."""
    found = {kind: {} for kind in KINDS}
    for name, read in files.items():
        if LEFT_OUT.search(name) or (OTHER_LANGUAGES.search(name) and not re.search(r"/en(-US)?/", name)):
            continue
        if name.endswith(ENDINGS):
            kind, parts = pieces(name, read().decode("utf-8", "replace").replace("\r\n", "\n"))
            if kind:
                found[kind] |= joined(parts)
    return {kind: chosen(told) for kind, told in found.items() if len(told) >= LEAST_TEXTS}


def translated(files, pattern):
    """The texts of a package in another language, each the set of its terms of that language."""
    found = {}
    for name, read in files.items():
        twice = name.removesuffix(".json") + ".mo" in files
        if not twice and pattern.search(name) and name.endswith((".mo", ".json", ".js", ".html")):
            found |= joined(messages(name, read()), EASTERN.match)
    return chosen(found) if len(found) >= LEAST_TEXTS else []


def joined(parts, wanted=bool):
    """{digest: set of terms}: neighbouring pieces together until they have SHORTEST terms."""
    found, held = {}, []
    for part in parts:
        held += [term for term in words.terms(clean(part)) if wanted(term)][:LONGEST]
        if len(held) >= SHORTEST:
            found[hashlib.sha256(" ".join(held).encode()).hexdigest()] = frozenset(held[:LONGEST])
            held = []
    return found


def chosen(found):
    """At most MOST_TEXTS of the texts, as good as at random but always the same."""
    return [found[digest] for digest in sorted(found)[:MOST_TEXTS]]


def shares(projects):
    """{term: mean over the projects of the share of their texts that hold it}.

    The greatest share counts as the second greatest does: a project's own name is no usual word.
    """
    found = {}
    for told in projects:
        for term, count in Counter(term for text in told for term in text).items():
            found.setdefault(term, []).append(count / len(told))
    return {
        term: math.fsum([*ordered[:-1], ordered[-2]]) / len(projects)
        for term, each in found.items()
        if len(ordered := sorted(each)) > 1
    }


def table(projects):
    """{term: share}: each kind of text counts the same, and within it each project."""
    mean, spread = Counter(), Counter()
    for kind in KINDS:
        for term, share in shares([kinds[kind] for kinds, _ in projects if kind in kinds]).items():
            mean[term] += share / len(KINDS)
    for kinds, _ in projects:
        spread.update({term for found in kinds.values() for text in found for term in text})
    latin = {
        term: share
        for term, share in mean.items()
        if spread[term] >= LEAST_PROJECTS and not EASTERN.match(term)
    }
    for term in words.USUAL_STEMS:
        latin[term] = max(latin.get(term, 0), words.USUAL_SHARE)
    found = most(latin, MOST_TERMS)
    for language in LANGUAGES:
        told = [pairs[language] for _, pairs in projects if pairs[language]]
        for term, share in most(shares(told), MOST_EASTERN).items():
            found[term] = max(found.get(term, 0), share)
    return found


def most(shares_of, number):
    """The `number` terms with the greatest shares."""
    return dict(sorted(shares_of.items(), key=lambda pair: (-pair[1], pair[0]))[:number])


def module(shares_of):
    """The source of foreword.text.common."""
    top = round(max(shares_of.values()), 4)
    rows = {}
    for term, share in sorted(shares_of.items()):
        level = max(0, round(math.log(share / top) / math.log(STEP)))
        row = rows.setdefault("" if EASTERN.match(term) else term[0], {})
        row.setdefault(level, []).append(term)
    told = {
        first: [f"={first}"] * bool(first) + [word for n in sorted(row) for word in (f":{n}", *row[n])]
        for first, row in rows.items()
    }
    eastern = told.pop("", [])
    terms = [word for row in told.values() for word in row]
    return MODULE % {"top": top, "step": STEP, "terms": wrapped(terms), "eastern": wrapped(eastern)}


def wrapped(listed):
    """Words in lines of WIDTH columns; a Chinese or Japanese character has two."""
    lines, wide = [[]], 0
    for word in listed:
        columns = sum(1 + (c > "\u2e7f") for c in word) + 1
        if wide + columns > WIDTH + 1:
            lines.append([])
            wide = 0
        lines[-1].append(word)
        wide += columns
    return "\n".join(map(" ".join, lines))


def page(told):
    """docs/background.md with its last chapter anew; told: [(pin, world, licence, {kind: texts})]."""
    rows = []
    for pin, world, spdx, counts in told:
        name, version = re.fullmatch(r"(.+?)(?:==|@)([^@=]+)", pin).groups()
        cells = [counts.get(kind) or "" for kind in (*KINDS, *LANGUAGES)]
        rows.append("| %s |" % " | ".join(map(str, [f"`{name}`", version, world, spdx, *cells])))
    total = sum(sum(counts.values()) for _, _, _, counts in told)
    with open(PAGE, encoding="utf-8") as f:
        head = f.read().partition(PAGE_TABLE.partition("\n")[0])[0]
    return head + PAGE_TABLE % {"projects": len(told), "texts": f"{total:,}", "rows": "\n".join(rows)}


def written(path, text, check):
    """Writes a file, or with `check` only says whether it is so already."""
    try:
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return True
    except FileNotFoundError:
        pass
    if not check:
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
    print(os.path.relpath(path, TOP), "differs" if check else "written", file=sys.stderr)
    return not check


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare: exit 1 when a file differs")
    options = parser.parse_args()
    projects, told = [], []
    for row in PINNED.strip().splitlines():
        digest, pin, world = row.split(" ", 2)
        files = members(fetch(pin, digest))
        spdx = licence(files)
        if not may_ship(spdx):
            sys.exit(f"{pin}: the licence {spdx!r} is not one of those that may be used")
        kinds, pairs = texts(files), {name: translated(files, pattern) for name, pattern in LANGUAGES.items()}
        projects.append((kinds, pairs))
        counts = {kind: len(found) for kind, found in (kinds | pairs).items()}
        told.append((pin, world, spdx, counts))
        print(pin, spdx, counts, sep="\t")
    current = [
        written(TABLE, module(table(projects)), options.check),
        written(PAGE, page(told), options.check),
    ]
    return 0 if all(current) else 1


if __name__ == "__main__":
    sys.exit(main())
