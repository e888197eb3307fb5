"""What a hook costs: CPU time of the whole process against `python -I -c "import json, sqlite3"` (B).

    python bench/hooks.py [--notes 200 1000 10000] [--facts N] [--entities N] [--only HOOK...] [--runs 41]
                          [--json]

Builds a repository of 8,000 files and a store of each size in a temporary folder, fires every hook
as a client does, and prints the median and the 95th percentile as ratios to B, taken in the same
run, interleaved. Notes are made of lines of the standard library's own source, so their words are
distributed as words in code are. One memory in twenty is a fact, one in sixty a session, unless --facts
says how many facts there are. With --entities the setting graph.in_index is on, and the graph has so many.
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

from foreword import files, graph_index, project
from foreword.graph import change, place
from foreword.index import catch_up, schema, search
from foreword.store import write
from foreword.text.question import Question

BASE = [sys.executable, "-I", "-c", "import json, sqlite3"]
BUDGETS = {
    "prompt": 1.8,
    "prompt, 12 common words": 1.8,
    "prompt of 10 MB": 4.0,
    "prompt of 150,000 words": 4.0,
    "stop": 2.0,
    "stop, answer of 256 KB": 2.0,
    "stop, turn goes on": 2.0,
    "session-start": 2.0,
    "session-start, resumed": 2.0,
}
FILES = 8_000


def source_lines():
    """Lines of the standard library with at least four words."""
    root = os.path.dirname(os.__file__)
    lines = []
    for name in sorted(os.listdir(root)):
        if name.endswith(".py"):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
                lines += [line.strip() for line in f if len(line.split()) >= 4]
    return lines


def make_repository(folder, count):
    for n in range(count):
        path = os.path.join(folder, "src", "part%03d" % (n // 80), "file%04d.py" % n)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("VALUE = %d\n" % n)
    run = ["git", "-c", "user.name=b", "-c", "user.email=b@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*run, *command], cwd=folder, check=True)


def make_notes(folder, count, lines, dice):
    now = time.time() - count * 600
    for n in range(count):
        now += 600
        path = "src/part%03d/file%04d.py" % (n % 100, n % FILES)
        body = "\n".join(dice.sample(lines, 18)) + "\nIt stands in `%s:1`." % path
        fields = {
            "title": dice.choice(lines)[:80],
            "question": " ".join(dice.sample(lines, 2)),
            "source": "claude-code",
            "basis": "saved-by-itself",
            "turn": "t%d" % n,
            "files": [{"path": path, "sha256": "0" * 64}],
        }
        write.create(folder, "note", fields, body, now)


def make_facts(folder, count, lines, dice):
    """Facts, and a third as many sessions."""
    now = time.time() - (count + 1) * 600
    for n in range(count):
        now += 600
        fields = {"title": "%d %s" % (n, dice.choice(lines)[:60]), "source": "cli", "basis": "user"}
        write.create(folder, "fact", fields, "\n".join(dice.sample(lines, 3)), now)
        if n % 3 == 0:
            write.create(folder, "session", fields, "\n".join(dice.sample(lines, 30)), now)


def make_graph(home, count, lines, dice):
    """A graph of entities with five observations each, and its index for prompts."""
    with open(os.path.join(home, "config.toml"), "a") as f:
        f.write("graph.in_index = true\n")
    wanted = [
        {
            "name": "%d %s" % (n, dice.choice(lines)[:40]),
            "entityType": "module",
            "observations": [line[:200] for line in dice.sample(lines, 5)],
        }
        for n in range(count)
    ]
    change.create_entities(place.open_graph(place.default(home)), wanted)
    graph_index.keep_up(home)


LAUNCH = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
print(os.wait4(child, 0)[2].ru_maxrss, file=sys.stderr)
"""


def peak_mib(command, stdin, environment):
    """Peak memory of one process, started by a small one: a child inherits its parent's peak."""
    launcher = [sys.executable, "-I", "-c", LAUNCH, *command]
    done = subprocess.run(launcher, input=stdin, capture_output=True, env=environment, check=True)
    return int(done.stderr) / 1024


def cost(command, stdin, environment):
    """CPU milliseconds of one process."""
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(
            command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("%s ended with %d" % (command, child.returncode))
    return (used.ru_utime + used.ru_stime) * 1000


def payloads(repository, lines, dice, n):
    """One payload per hook, fresh in each round (a session never sees a note twice)."""
    base = {"session_id": "bench-%d" % n, "cwd": repository}
    question = " ".join(dice.sample(lines, 3))
    usual = "return value of self with import from the class for a string name and list of int object data"
    answer = "\n".join(dice.sample(lines, 20)) + "\nSee `src/part001/file0081.py:1`."
    found = {
        "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": question},
        "prompt, 12 common words": {"hook_event_name": "UserPromptSubmit", "prompt": usual},
        "stop": {"hook_event_name": "Stop", "last_assistant_message": answer},
        "stop, answer of 256 KB": {
            "hook_event_name": "Stop",
            "last_assistant_message": "\n".join(dice.choices(lines, k=6_000))[: 256 * 1024],
        },
        "stop, turn goes on": {
            "hook_event_name": "Stop",
            "prompt_id": "stop %d" % n,
            "stop_hook_active": True,
            "last_assistant_message": answer[:600],
        },
        "session-start": {"hook_event_name": "SessionStart", "source": "startup"},
        "session-start, resumed": {"hook_event_name": "SessionStart", "source": "resume"},
        "prompt of 10 MB": {"hook_event_name": "UserPromptSubmit", "prompt": (question + "\n") * 60_000},
        "prompt of 150,000 words": {
            "hook_event_name": "UserPromptSubmit",
            "prompt": " ".join("w%dx" % (n * 7 + i) for i in range(150_000)),
        },
    }
    found["prompt of 10 MB"]["prompt"] = found["prompt of 10 MB"]["prompt"][:10_000_000]
    return {
        name: json.dumps({**base, "prompt_id": "%s %d" % (name, n), **payload}).encode()
        for name, payload in found.items()
    }


def event_of(name):
    return name.split()[0].rstrip(",")


def measure(home, repository, lines, runs, only):
    environment = {"PATH": os.environ["PATH"], "HOME": home, "FOREWORD_HOME": os.path.join(home, "f")}
    dice = random.Random(7)
    seen = {"B": []}
    peaks = {}
    for n in range(runs):
        seen["B"].append(cost(BASE, b"", environment))
        for name, payload in payloads(repository, lines, dice, n).items():
            if only and name not in only:
                continue
            command = [sys.executable, "-I", "-m", "foreword.hook", "claude-code", event_of(name)]
            seen.setdefault(name, []).append(cost(command, payload, environment))
            seen["B"].append(cost(BASE, b"", environment))
            if n == 0:
                again = payload.replace(b"bench-0", b"bench-x")
                peaks[name] = peak_mib(command, again, environment)
    return seen, peaks


def ranking_ms(folder, lines):
    """Median milliseconds of the ranking alone (candidates, features, model) for a long prompt."""
    dice = random.Random(11)
    db = schema.open_reading(folder)
    taken = []
    for _ in range(25):
        text = " ".join(dice.sample(lines, 6))
        started = time.perf_counter()
        search.offered(db, Question(text), set(), 5)
        taken.append((time.perf_counter() - started) * 1000)
    db.close()
    return statistics.median(taken)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--notes", type=int, nargs="+", default=[200, 1_000, 10_000])
    options.add_argument("--facts", type=int, help="facts beside the notes (default: one for 20)")
    options.add_argument("--entities", type=int, help="entities of a graph that prompts are offered too")
    options.add_argument("--only", nargs="+", metavar="HOOK", choices=BUDGETS, help="measure these only")
    options.add_argument("--runs", type=int, default=31)
    options.add_argument("--json", action="store_true")
    asked_for = options.parse_args()
    top = tempfile.mkdtemp(prefix="foreword-bench-")
    lines = source_lines()
    report = {}
    try:
        repository = os.path.join(top, "repository")
        os.makedirs(repository)
        make_repository(repository, FILES)
        for count in asked_for.notes:
            home = os.path.join(top, "home%d" % count)
            files.make_folder(os.path.join(home, "f"))
            with open(os.path.join(home, "f", "config.toml"), "w") as f:
                f.write('switch = "on"\n')
            if asked_for.entities:
                make_graph(os.path.join(home, "f"), asked_for.entities, lines, random.Random(9))
            found = project.find(repository, os.path.join(home, "f"), ask_git=True)
            make_notes(found.folder, count, lines, random.Random(3))
            facts = count // 20 if asked_for.facts is None else asked_for.facts
            make_facts(found.folder, facts, lines, random.Random(5))
            catch_up.catch_up(found.folder)
            ranked = ranking_ms(found.folder, lines)
            seen, peaks = measure(home, repository, lines, asked_for.runs, asked_for.only)
            base = statistics.median(seen.pop("B"))
            report[count] = {"B ms": round(base, 1), "ranking ms": round(ranked, 1)}
            for name, rows in seen.items():
                cpu = sorted(ms / base for ms in rows)
                report[count][name] = {
                    "median": round(statistics.median(cpu), 2),
                    "p95": round(cpu[min(len(cpu) - 1, int(len(cpu) * 0.95))], 2),
                    "MiB": round(peaks[name], 1),
                }
            if not asked_for.json:
                show(count, report[count])
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if asked_for.json:
        print(json.dumps(report, indent=2))


def show(count, found):
    print("\n%d notes (B = %.1f ms; ranking alone %.1f ms)" % (count, found["B ms"], found["ranking ms"]))
    print("%-26s %8s %8s %8s  %s" % ("hook", "median", "p95", "MiB", "budget"))
    for name, row in found.items():
        if isinstance(row, dict):
            budget = BUDGETS.get(name)
            told = "" if budget is None else "%.1f B" % budget
            print("%-26s %6.2f B %6.2f B %8.1f  %s" % (name, row["median"], row["p95"], row["MiB"], told))


if __name__ == "__main__":
    main()
