"""Makes foreword/text/across.txt: which Chinese, Japanese and Korean words stand for which English ones.

    python bench/across.py [--check]

Fetches translation catalogues of the packages in SOURCES, and two dictionary segmenters that are used here
and nowhere else, into build/across, which git ignores. Lets the words of each message and of its translation
find each other (IBM model 1: expectation maximisation over which word stands for which), keeps pairs that are
sure of each other, and prints what each package gave and its licence. Only pairs of words go into the table,
never a message. The outcome depends on the packages, this file and foreword.text alone: run it again when the
tokeniser changes. --check compares instead of writing. It must not read what the ranking is measured with.
"""

import argparse
import email
import gettext
import glob
import html
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from collections import Counter, defaultdict

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "src"))

from foreword.text import cjk, words

FETCHED = os.path.join(TOP, "build", "across")
TABLE = os.path.join(TOP, "src", "foreword", "text", "across.txt")

# Package, version, how it is fetched, how it is read, and the folder of each language in it.
SOURCES = [
    ("jupyterlab-language-pack-ja-jp", "4.5.post3", "pip", "mo", {"ja": "ja_JP"}),
    ("jupyterlab-language-pack-zh-cn", "4.5.post3", "pip", "mo", {"zh": "zh_CN"}),
    ("jupyterlab-language-pack-ko-kr", "4.5.post3", "pip", "mo", {"ko": "ko_KR"}),
    ("apache-superset", "6.1.0", "pip", "mo", {"ja": "ja", "zh": "zh", "ko": "ko"}),
    ("horizon", "27.0.0", "pip", "po", {"ja": "ja", "zh": "zh_Hans", "ko": "ko_KR"}),
    ("wagtail", "8.0.1", "pip", "mo", {"ja": "ja", "zh": "zh_Hans", "ko": "ko"}),
    ("apache-airflow-core", "3.3.2", "pip", "json", {"en": "en", "ja": "ja", "zh": "zh-CN", "ko": "ko"}),
    (
        "@node-red/editor-client",
        "5.0.7",
        "npm",
        "json",
        {"en": "en-US", "ja": "ja", "zh": "zh-CN", "ko": "ko"},
    ),
    ("@node-red/nodes", "5.0.7", "npm", "json", {"en": "en-US", "ja": "ja", "zh": "zh-CN", "ko": "ko"}),
    ("typescript", "5.6.3", "npm", "typescript", {"ja": "ja", "zh": "zh-cn", "ko": "ko"}),
]
SEGMENTERS = ["janome==0.5.1", "jieba==0.42.1"]
ALLOWED = re.compile(r"MIT|BSD|Apache|ISC|PSF|Python-2.0", re.I)

ROUNDS = 8  # of expectation maximisation; the ranking changes no more after 5
LEAST_SHARE = 0.05  # of an English word's translations
LEAST_BACK = 0.08  # of what a translation stands for: common words that stand near everything go
LEAST_COUNT = 1.5  # expected messages in which the one stands for the other
MOST = {"ja": 4, "zh": 4, "ko": 3}  # words of a language for one English word
MOST_BACK, LEAST_SURE, LEAST_BACK_COUNT = 2, 0.2, 3.0  # English words for one word, and what each needs

TEXT = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]+")
IDEOGRAPHS = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]+")


def fetch():
    """Everything into FETCHED, once; nothing of the sources is run. Returns nothing."""
    os.makedirs(FETCHED, exist_ok=True)
    for name, version, by, _, _ in SOURCES:
        if archive(name, version, missing=True):
            continue
        if by == "pip":
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*pip, "-d", FETCHED, f"{name}=={version}"], check=True)
        else:
            npm = ["npm", "pack", "--silent", "--pack-destination", FETCHED, f"{name}@{version}"]
            subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
    tools = os.path.join(FETCHED, "tools")
    if not os.path.isdir(tools):
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", tools]
        subprocess.run([*pip, *SEGMENTERS], check=True)
    sys.path.insert(0, tools)


def archive(name, version, missing=False):
    """The path of a fetched wheel or tarball."""
    for pattern in (
        f"{re.sub('[-_.]+', '[-_.]', name)}-{version}-*.whl",
        f"{name.lstrip('@').replace('/', '-')}-{version}.tgz",
    ):
        if found := glob.glob(os.path.join(FETCHED, pattern)):
            return found[0]
    if missing:
        return ""
    raise SystemExit(f"{name} {version} is not in {FETCHED}")


def contents(path):
    """{name in the archive: bytes} of what may be read, by name."""
    wanted = re.compile(r"\.(mo|po|json|html)$|/METADATA$|/typescript\.js$")
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as file:
            return {name: file.read(name) for name in sorted(file.namelist()) if wanted.search(name)}
    with tarfile.open(path) as file:
        members = sorted((m for m in file if m.isfile() and wanted.search(m.name)), key=lambda m: m.name)
        return {m.name: file.extractfile(m).read() for m in members}


def licence(files):
    """What the package says of itself, in one line."""
    for name, data in files.items():
        if name.endswith(".dist-info/METADATA"):
            about = email.message_from_bytes(data)
            said = [about.get("License-Expression", "")]
            said += [
                c.rpartition(":: ")[2] for c in about.get_all("Classifier", []) if c.startswith("License ::")
            ]
            said += [(about.get("License") or "").strip().split("\n")[0].strip()]
            return next(filter(None, said), "")
    return json.loads(files["package/package.json"])["license"]


# --- messages with their translations, a reader for each kind of catalogue


def read_mo(files, language, folders):
    for name, data in files.items():
        if f"/{folders[language]}/LC_MESSAGES/" in name and name.endswith(".mo"):
            for message, translation in gettext.GNUTranslations(io.BytesIO(data))._catalog.items():
                message = message[0] if isinstance(message, tuple) else message
                if message and isinstance(translation, str):
                    yield message.split("\x04")[-1], translation


def read_po(files, language, folders):
    for name, data in files.items():
        if f"/{folders[language]}/LC_MESSAGES/" in name and name.endswith(".po"):
            for entry in data.decode().split("\n\n"):
                texts = dict(re.findall(r'^(msgid|msgstr(?:\[0\])?) ((?:".*"\n?)+)', entry, re.M))
                said = {key: "".join(map(json.loads, text.splitlines())) for key, text in texts.items()}
                if "#, fuzzy" not in entry and said.get("msgid"):
                    yield said["msgid"], said.get("msgstr") or said.get("msgstr[0]", "")


def read_json(files, language, folders):
    for name, data in files.items():
        other = name.replace(f"/{folders['en']}/", f"/{folders[language]}/")
        if other == name or other not in files:
            continue
        if name.endswith(".json"):
            yield from _alike(json.loads(data), json.loads(files[other]))
        else:
            ours, theirs = _blocks(data.decode()), _blocks(files[other].decode())
            if len(ours) == len(theirs):
                yield from zip(ours, theirs, strict=True)


def _alike(ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours.keys() & theirs.keys():
            yield from _alike(ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list):
        for one, other in zip(ours, theirs, strict=False):
            yield from _alike(one, other)
    elif isinstance(ours, str) and isinstance(theirs, str):
        yield ours, theirs


def _blocks(page):
    parts = re.split(r"</?(?:p|li|ul|ol|dl|dt|dd|h\d|tr|td|th|table|pre|div|section|script)\b[^>]*>", page)
    texts = (html.unescape(re.sub(r"<[^>]+>", "", part)).strip() for part in parts)
    return [text for text in texts if text]


def read_typescript(files, language, folders):
    code = files["package/lib/typescript.js"].decode()
    diagnostic = r'diag\(\d+, \d+ /\* \w+ \*/, "([^"]+)", ("(?:[^"\\]|\\.)*")'
    messages = {key: json.loads(text) for key, text in re.findall(diagnostic, code)}
    theirs = json.loads(files[f"package/lib/{folders[language]}/diagnosticMessages.generated.json"])
    yield from ((messages[key], text) for key, text in theirs.items() if key in messages)


READERS = {"mo": read_mo, "po": read_po, "json": read_json, "typescript": read_typescript}


# --- a message to English stems, a translation to words


def stems(message):
    plain = re.sub(r"\{\w*\}|%\(?\w+\)?[sd]?|<[^>]+>", " ", message)
    found = dict.fromkeys(words.terms(plain))
    return [stem for stem in found if re.fullmatch("[a-z][a-z_]+", stem)]


def japanese(texts):
    """A function that cuts a text into words, and katakana compounds into the words that stand alone."""
    tokenizer = importlib.import_module("janome.tokenizer").Tokenizer()
    alone = Counter(bare(run) for text in texts for run in KATAKANA.findall(text))
    known = {word for word, count in alone.items() if count >= 3 and len(word) >= 3}

    def cut(text):
        found = []
        for token in tokenizer.tokenize(text):
            surface = token.surface
            if KATAKANA.fullmatch(surface):
                found += parts(surface, known)
            elif IDEOGRAPHS.search(surface):
                found.append(re.sub("[\u3041-\u309f]+$", "", surface))
        return found

    return cut


def bare(word):
    return word[:-1] if len(word) > 3 and word[-1] == "ー" else word


def parts(run, known):
    """A run of katakana as the fewest known words, or as it is."""
    best = {0: []}
    for begin in range(len(run)):
        if begin in best:
            for end in range(begin + 3, len(run) + 1):
                word = run[begin:end]
                for form in (word, bare(word)):
                    new = [*best[begin], form]
                    if form in known and len(form) < len(run) - 1 and len(new) < len(best.get(end, "." * 99)):
                        best[end] = new
    return best.get(len(run), [bare(run)])


def chinese(_):
    segmenter = importlib.import_module("jieba")
    segmenter.setLogLevel("ERROR")
    return lambda text: [word for word in segmenter.cut(text) if len(word) > 1 and IDEOGRAPHS.fullmatch(word)]


def korean(_):
    """Pairs, as the index has them: a word's particles are spread over too many pairs to be learnt."""
    return lambda text: [term for term in words.terms(text) if re.fullmatch("[\uac00-\ud7af]{2}", term)]


CUTTERS = {"ja": japanese, "zh": chinese, "ko": korean}


# --- which word stands for which


def align(pairs):
    """{stem: {word: expected count}} of [(stems, words)]: IBM model 1 with an empty word."""
    pairs = [(["", *ours], theirs) for ours, theirs in pairs if ours and theirs and len(ours) <= 60]
    chance = defaultdict(lambda: defaultdict(lambda: 1.0))
    counts = {}
    for _ in range(ROUNDS):
        counts = defaultdict(lambda: defaultdict(float))
        for ours, theirs in pairs:
            for word in theirs:
                whole = sum(chance[stem][word] for stem in ours)
                if whole > 0:
                    for stem in ours:
                        counts[stem][word] += chance[stem][word] / whole
        chance = defaultdict(lambda: defaultdict(float))
        for stem, row in counts.items():
            whole = sum(row.values())
            chance[stem].update((word, n / whole) for word, n in row.items() if n / whole > 1e-4)
    return counts


def select(counts, most):
    """({stem: [(share, word)]}, {word: [(share, stem)]}), the best first."""
    held = Counter()
    for row in counts.values():
        held.update(row)
    there, back = {}, defaultdict(list)
    for stem in sorted(counts.keys() - {""}):
        whole = sum(counts[stem].values())
        good = []
        for word, count in counts[stem].items():
            share, sure = count / whole, count / held[word]
            if share >= LEAST_SHARE and count >= LEAST_COUNT and sure >= LEAST_BACK:
                good.append((share, word))
                if sure >= LEAST_SURE and count >= LEAST_BACK_COUNT and len(word) > 1:
                    back[word].append((sure, stem))
        if good:
            there[stem] = best(good, most)
    return there, {word: best(row, MOST_BACK) for word, row in back.items()}


def best(row, most):
    return sorted(row, key=lambda each: (-each[0], each[1]))[:most]


def line(row):
    """Words with their part of the whole in ninths: `状態8 状況1`."""
    whole = sum(share for share, _ in row)
    shown = [(max(1, round(9 * share / whole)), word) for share, word in row]
    return " ".join(f"{word}{ninths}" for ninths, word in shown)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--check", action="store_true", help="compare with the table instead of writing it")
    check = options.parse_args().check
    fetch()
    catalogues = {language: {} for language in CUTTERS}  # (message, translation) -> None: each once, in order
    for name, version, _, kind, folders in SOURCES:
        files = contents(archive(name, version))
        terms = licence(files)
        if not ALLOWED.search(terms):
            raise SystemExit(f"{name} {version}: the licence {terms!r} is not one of those allowed")
        numbers = []
        for language in sorted(CUTTERS.keys() & folders.keys()):
            before = len(catalogues[language])
            for message, translation in sorted(READERS[kind](files, language, folders)):
                if TEXT.search(translation):
                    catalogues[language][message, unicodedata.normalize("NFKC", translation)] = None
            numbers.append(f"{language} {len(catalogues[language]) - before}")
        print(f"{name} {version}: {terms}; {', '.join(numbers)}")
    rows, backs = defaultdict(list), defaultdict(list)
    for language, cutter in CUTTERS.items():
        pairs = list(catalogues[language])
        cut = cutter([translation for _, translation in pairs])
        both = [(stems(ours), list(dict.fromkeys(cut(theirs)))) for ours, theirs in pairs]
        there, back = select(align(both), MOST[language])
        print(f"{language}: {len(pairs)} messages, {len(there)} English words, {len(back)} back")
        for stem, row in there.items():
            rows[stem].append(line(row))
        for word, row in back.items():
            backs[word] += row
    lines = [f"{stem}\t" + "\t".join(row) for stem, row in rows.items()]
    lines += [f"{word}\t{line(best(row, MOST_BACK))}" for word, row in backs.items() if word not in cjk.STOP]
    table = "\n".join(sorted(lines))
    print(f"{len(lines)} lines, {len(table.encode())} bytes")
    if check:
        with open(TABLE, encoding="utf-8") as file:
            raise SystemExit(0 if file.read() == table else "the table differs from what the packages give")
    with open(TABLE, "w", encoding="utf-8", newline="\n") as file:
        file.write(table)


if __name__ == "__main__":
    main()
