"""What the index costs as it grows: building, saving, changing, folding, asking, and bytes on the disk.

    python bench/index.py [--sizes 1000 10000 100000 300000] [--runs 60] [--json]

Notes are of made-up words, always the same ones. Their frequency falls with (1 + rank/120)^-1.5: of ten
thousand notes the tenth word stands in 39 of 100, the thousandth in 2, and each note has some ten words
that no other has. Commits of three real repositories are alike, with half as many words.

One index grows through all sizes. Each question is asked on a connection of its own, as a hook does: the
time has opening, counting, adding up and reading the 30 best. Times are compared with B, the CPU time of
`python -I -c "import json, sqlite3"`.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

from foreword.index import build, postings, schema
from foreword.text.question import Question

BASE = [sys.executable, "-I", "-c", "import json, sqlite3"]
FLAT, FALL = 120, 0.5
BODY, QUESTION = 130, 14  # words
BATCH = 200
PROMPTS = (12, 60)  # terms
SYLLABLES = [c + v for c in "bdfgklmnprtvz" for v in "aiou"]


def word(rank):
    """A word of its own for each rank, which the stemmer leaves alone."""
    made = SYLLABLES[rank % 52]
    while rank := rank // 52:
        made += SYLLABLES[rank % 52]
    return made + "lo" if len(made) < 4 else made


def some_words(dice, count):
    return [word(int(FLAT * ((1 - dice.random()) ** (-1 / FALL) - 1))) for _ in range(count)]


def note(dice, n):
    path = "src/%s/%s.py" % tuple(some_words(dice, 2))
    return {
        "id": "20261103-101500-%04x" % n,
        "type": "note",
        "title": "",
        "question": " ".join(some_words(dice, QUESTION)),
        "body": " ".join(some_words(dice, BODY)) + "\nIt stands in `%s`." % path,
        "created": 1793700900.0 + 60 * n,
        "turn": "turn%d" % n,
        "session": "",
        "files": [[path, "0" * 64]],
    }


def place(n):
    return "notes/2026-11/%d.md" % n


def grow(folder, dice, start, end):
    """Seconds of indexing the notes from `start` to `end`, without making up their text."""
    taken = 0.0
    db = schema.open_writing(folder)
    for at in range(start, end, BATCH):
        notes = [(n, note(dice, n)) for n in range(at, min(end, at + BATCH))]
        began = time.perf_counter()
        db.execute("BEGIN IMMEDIATE")
        for n, memory in notes:
            build.add(db, memory, place(n), n, n)
        postings.fold(db, 1_024 if at + BATCH < end else 1)
        db.execute("COMMIT")
        taken += time.perf_counter() - began
    db.close()
    return taken


def changes(folder, dice, size, runs):
    """({what: [milliseconds]}, notes added, bytes of the log of one save)."""
    seen = {"save": [], "change": [], "fold": []}
    logged = []
    n = size
    for _ in range(2):
        for _ in range(postings.TAIL):
            memory = note(dice, n)
            db = schema.open_writing(folder)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            began = time.perf_counter()
            db.execute("BEGIN IMMEDIATE")
            build.add(db, memory, place(n), n, n)
            db.execute("COMMIT")
            seen["save"].append(1000 * (time.perf_counter() - began))
            logged.append(os.path.getsize(schema.path(folder) + "-wal"))
            db.close()
            n += 1
        db = schema.open_writing(folder)
        began = time.perf_counter()
        db.execute("BEGIN IMMEDIATE")
        postings.fold(db)
        db.execute("COMMIT")
        seen["fold"].append(1000 * (time.perf_counter() - began))
        db.close()
    for _ in range(runs):
        db = schema.open_writing(folder)
        body = " ".join(some_words(dice, BODY))
        began = time.perf_counter()
        db.execute("BEGIN IMMEDIATE")
        build.revise(db, place(dice.randrange(size)), body, [], 1, 1)
        db.execute("COMMIT")
        seen["change"].append(1000 * (time.perf_counter() - began))
        db.close()
    db = schema.open_writing(folder)
    db.execute("BEGIN IMMEDIATE")
    postings.fold(db)
    db.execute("COMMIT")
    db.close()
    return seen, n, statistics.median(logged)


def ask(folder, prompt):
    """Milliseconds of one question, by step."""
    began = time.perf_counter()
    db = schema.open_reading(folder)
    counted = postings.counts(db, Question(prompt).terms)
    after = time.perf_counter()
    total = postings.total(db)
    asked = [(number, 1 + total / held, held) for number, held in counted.values()]
    found = postings.candidates(db, asked)
    added = time.perf_counter()
    postings.fill(db, asked, found[:30])
    filled = time.perf_counter()
    db.close()
    return [1000 * (t - began) for t in (after, added, filled)]


def questions(folder, dice, runs):
    """{terms: [[milliseconds at the end of each step]]}."""
    seen = {}
    for count in PROMPTS:
        for _ in range(runs):
            prompt = " ".join(some_words(dice, count * 5 // 4))
            seen.setdefault(count, []).append(ask(folder, prompt))
    return seen


def share(rows, part):
    return sorted(rows)[min(len(rows) - 1, int(len(rows) * part))]


def base_ms(runs=15):
    seen = []
    for _ in range(runs):
        child = subprocess.Popen(BASE)
        used = os.wait4(child.pid, 0)[2]
        child.returncode = 0
        seen.append(1000 * (used.ru_utime + used.ru_stime))
    return statistics.median(seen)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 300_000])
    options.add_argument("--runs", type=int, default=60)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    folder = tempfile.mkdtemp(prefix="foreword-bench-")
    report = []
    try:
        dice = random.Random(5)
        there, built = 0, 0.0
        for size in sorted(given.sizes):
            built += grow(folder, dice, there, size)
            db = schema.open_writing(folder)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.close()
            base = base_ms()
            row = {"notes": size, "B ms": base, "build s": built}
            row["ms a note"] = 1000 * built / size
            row["bytes a note"] = os.path.getsize(schema.path(folder)) / size
            for count, steps in questions(folder, dice, given.runs).items():
                ends = [step[-1] for step in steps]
                row["%d terms p50" % count] = share(ends, 0.5)
                row["%d terms p95" % count] = share(ends, 0.95)
                row["%d terms p50, of it counting" % count] = share([step[0] for step in steps], 0.5)
                row["%d terms p50, of it the 30 best" % count] = share([s[2] - s[1] for s in steps], 0.5)
            seen, there, row["log bytes a save"] = changes(folder, dice, size, given.runs)
            for name, taken in seen.items():
                row[name] = share(taken, 0.5)
            report.append(row)
            if not given.json:
                print("%d notes" % size, file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)


def show(report):
    print("%-34s" % "" + "".join("%18d" % row["notes"] for row in report))
    for name in report[0]:
        if name == "notes":
            continue
        cells = []
        for row in report:
            value = row[name]
            timed = not name.startswith(("B ms", "build", "bytes", "log", "ms"))
            told = "%.0f" % value if name.startswith(("bytes", "log")) else "%.2f" % value
            cells.append("%18s" % (told + " ms, %.2f B" % (value / row["B ms"]) if timed else told))
        print("%-34s" % name + "".join(cells))


if __name__ == "__main__":
    main()
