"""How often `redact` finds a secret in text that should hold none, and what it costs.

    python bench/credentials.py [PATH...] [--show N] [--json]

Reads every text file below the paths (default: the standard library of this interpreter), and prints lines,
hits and hits in 10,000 lines by kind. --show prints so many of the lines, for somebody to judge; a secret in
them shows: nothing is written anywhere.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

from foreword.text import redact

PIECE = 64_000  # characters, as long as the longest answer


def texts(paths):
    """(path, text) of every file that is UTF-8."""
    for top in paths:
        if os.path.isfile(top):
            yield from _text(top)
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(set(folders) - {"__pycache__", ".git", "node_modules"})
            for name in sorted(names):
                yield from _text(os.path.join(folder, name))


def _text(path):
    try:
        with open(path, encoding="utf-8") as f:
            yield path, f.read()
    except (OSError, UnicodeDecodeError):
        pass


def scan(paths):
    """(lines, characters, seconds of CPU, [(path, line, kind, the line)])"""
    lines = characters = 0
    spent = 0.0
    hits = []
    for path, text in texts(paths):
        lines += text.count("\n") + 1
        characters += len(text)
        for at in range(0, len(text), PIECE):
            piece = text[at : at + PIECE]
            started = time.process_time()
            found = redact.found(piece)
            spent += time.process_time() - started
            for kind, start, end in found:
                line = piece[piece.rfind("\n", 0, start) + 1 : end + 20].split("\n")[0]
                hits.append((path, text.count("\n", 0, at + start) + 1, kind, line))
    return lines, characters, spent, hits


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("paths", nargs="*", default=[os.path.dirname(os.__file__)])
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines, characters, spent, hits = scan(given.paths)
    kinds = Counter(kind for _, _, kind, _ in hits)
    rate = 10_000 * len(hits) / max(1, lines)
    found = {"lines": lines, "characters": characters, "hits": len(hits), "in_10000_lines": round(rate, 3)}
    found |= {"kinds": dict(kinds.most_common())}
    found |= {"mb_a_second": round(characters / 1e6 / max(spent, 1e-9), 1)}
    if given.json:
        print(json.dumps(found))
        return
    for key, value in found.items():
        print(f"{key:16}{value}")
    for path, line, kind, text in hits[: given.show]:
        print(f"{path}:{line}: {kind}: {text.strip()[-160:]}")


if __name__ == "__main__":
    main()
