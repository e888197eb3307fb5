"""A store as it looks after a month of work, made of files alone; for the tests of the view and for its
screenshots. The same `now` gives the same bytes, but for ids of projects where git is not used.

`made` makes two projects: notes, sessions, facts, stale files, a damaged file, what hostile text looks like,
logs, forewords, a report and a graph. `many` makes a project of thousands of notes, `empty` nothing.
"""

import json
import os
import random
import subprocess
from typing import Any

from browser import sample_texts as texts
from foreword import project, recall
from foreword.digest import sha256
from foreword.graph.archive import Archive
from foreword.store import header, layout

DAY_S = 86_400
SCRIPT = "<script>document.body.dataset.ran = 'yes'</script>"
LONG_TITLE = "A title that somebody's program wrote: " + "0123456789" * 496 + "!"  # 5,000 characters
PROMPTS, WITH_FOREWORD = 56, 39  # 70 % of those while on
DAMAGED = "20260101-000000-dead"  # its bytes are no UTF-8


class Sample:
    """home: FOREWORD_HOME; user: HOME; shop, gateway: Projects, None where there are none; ids: {title: id}
    of the shop's memories by the first memory of that title; now: epoch seconds it was made for."""

    def __init__(self, top, now):
        self.user = os.path.join(top, "home")
        self.home = os.path.join(self.user, ".foreword")
        os.makedirs(self.home, 0o700)
        self.now, self.ids = now, {}
        self.shop: Any = None
        self.gateway: Any = None


def empty(top, now):
    """A Sample without a project: what a new user has."""
    return Sample(top, now)


def made(top, now, flawless=False):
    """The Sample of a month's work, in the new folder `top`; `now` is when it ends (epoch seconds).

    `flawless` leaves out what only tests want to see: hostile texts, a damaged file, an unreadable line.
    """
    sample, chance = Sample(top, now), random.Random(20_261_130)
    _write(os.path.join(sample.home, "config.toml"), "[graph]\non = true\n")
    sample.shop = _project(sample, "shop")
    sample.gateway = _project(sample, "gateway")
    notes = _notes(sample, chance)
    _curated(sample)
    if not flawless:
        _hostile(sample)
    for n, (question, answer) in enumerate(texts.ABOUT_GATEWAY * 5):
        body = (
            f"{answer} It was seen in the logs of edge-{n % 2 + 1}, and a test of the gateway holds it. " * 2
        )
        _note(sample, sample.gateway, now - (n * 1.7 + 0.6) * DAY_S, question, body, "")
    _prompts(sample, sample.shop, notes, chance)
    for place, sessions in ((sample.shop, (14, 12)), (sample.gateway, (3, 5))):
        _write(
            os.path.join(place.folder, "report.json"), json.dumps(_report(now, *sessions, chance), indent=1)
        )
    _graph(sample, chance, flawless)
    # Since then one cited file changed and another is gone.
    _write(os.path.join(sample.shop.root, "src/cart.py"), '"""The cart, anew."""\n')
    os.remove(os.path.join(sample.shop.root, "src/webhooks.py"))
    return sample


def many(top, now, count=5_000):
    """A Sample of one project, with so many notes and nothing else; the newest is number 1."""
    sample = Sample(top, now)
    sample.shop = _project(sample, "shop")
    for n in range(1, count + 1):
        part, what, why, file = texts.PARTS[n % len(texts.PARTS)]
        answer = texts.ANSWERED.format(part=part, what=what, why=why, file=file)
        _note(sample, sample.shop, now - n * 600, f"Number {n}: why is it that {part} {what}?", answer, "")
    return sample


# -- projects and memories ---------------------------------------------------------------------


def _project(sample, name):
    """A project with a repository, always the same: its root commit, and with it its identity, is fixed."""
    top = os.path.join(sample.user, name)
    for file in {"README.md", *(n[2] for n in texts.NOTES), *(p[3] for p in texts.PARTS)}:
        _write(os.path.join(top, file), f'"""{file} of the {name}."""\n\nLIMIT = 30\n', 0o644)
    who = {"NAME": "Amara", "EMAIL": "amara@example.invalid", "DATE": "1700000000 +0000"}
    told = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()}
    environment = {**os.environ, **told, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=top, env=environment, check=True, capture_output=True)
    found = project.find(top, sample.home, ask_git=True)
    assert found is not None
    return found


def _save(sample, place, kind, at, fields, body):
    """Write one memory; its id. Not durable: no test pulls the plug, and thousands would take a minute."""
    memory_id = layout.new_id(at)
    head = {"id": memory_id, "type": kind, "created": layout.timestamp(at), **fields}
    path = os.path.join(place.folder, layout.place(kind, memory_id))
    assert not os.path.exists(path)
    _write(path, header.render(head, body))
    if place is sample.shop:
        sample.ids.setdefault(fields["title"], memory_id)
    return memory_id


def _note(sample, place, at, question, answer, file, session="", title=""):
    cited = (
        [{"path": file, "sha256": sha256(_read(os.path.join(place.root, file))).hexdigest()}]
        if file
        else None
    )
    fields = {
        "title": title or question[:80],
        "question": question,
        "source": "codex" if int(at) % 3 == 0 else "claude-code",
        "basis": "saved-by-itself",
        "session": session or None,
        "files": cited,
    }
    return _save(sample, place, "note", at, fields, answer)


def _notes(sample, chance):
    """The shop's notes over 30 days; [(id, question, answer, epoch seconds)], newest first."""
    wanted = [(*note, n * 0.45) for n, note in enumerate(texts.NOTES)]
    for n, days in enumerate(sorted(3.6 + 26 * chance.random() for _ in range(38))):
        part, what, why, file = texts.PARTS[n % len(texts.PARTS)]
        answer = texts.ANSWERED.format(part=part, what=what, why=why, file=file)
        wanted.append((texts.ASKED[n % len(texts.ASKED)].format(part=part, what=what), answer, file, days))
    found = []
    for n, (question, answer, file, days) in enumerate(wanted):
        at = sample.now - 3_600 - round(days * DAY_S) - n  # no two in one second
        memory_id = _note(sample, sample.shop, at, question, answer, file, f"sample-session-{n // 3}")
        found.append((memory_id, question, answer, at))
    return found


def _curated(sample):
    place, now = sample.shop, sample.now
    by_agent = {"source": "claude-code", "basis": "agent"}
    title, body, tags = texts.SUPERSEDED
    old = _save(
        sample, place, "fact", now - 26 * DAY_S, {"title": title, "tags": list(tags), **by_agent}, body
    )
    for n, (title, body, tags) in enumerate(texts.FACTS):
        fields = {"title": title, "tags": list(tags), **by_agent}
        fields |= {"supersedes": [old]} if title == texts.SUPERSEDED[0] else {}
        fields |= {"offer": "always"} if n == 3 else {}
        _save(sample, place, "fact", now - (5 + 4 * n) * DAY_S - 77, fields, body)
    for n, (title, body, tags) in enumerate(texts.SESSIONS):
        fields = {"title": title, "tags": list(tags), "session": f"sample-session-{n}", **by_agent}
        _save(sample, place, "session", now - (1.2 + 6 * n) * DAY_S, fields, body)


def _hostile(sample):
    """What no program of ours would write, and a file by hand that cannot be read in full."""
    place, now = sample.shop, sample.now
    body = f"The title and this say {SCRIPT}, <img src=x onerror=alert(1)> and </foreword>. " * 3
    _note(sample, place, now - 9.3 * DAY_S, f"Does {SCRIPT} run?", body, "")
    _note(sample, place, now - 9.6 * DAY_S, "q", "x" * 300 + " end", "", title=LONG_TITLE)
    path = os.path.join(place.folder, layout.place("note", DAMAGED))
    _write(path, b'---\ntitle: "Cut short"\n---\n\nThis was \xff\xfe written by something else.\n')


# -- what was offered, opened, counted -----------------------------------------------------------


def _prompts(sample, place, notes, chance):
    """prompts.log, opened.log, recalls.log and forewords.log of the last 14 days, oldest first."""
    logs = {"prompts": [], "opened": [], "forewords": []}
    for n in range(PROMPTS + 6):
        is_on = n < 3 or n >= 9  # six in between were asked while memory was off
        at = sample.now - 600 - (PROMPTS + 6 - n) * 0.22 * DAY_S
        shown = len([r for r in logs["prompts"] if r["index"]])
        left = PROMPTS + 6 - n
        wants = is_on and shown < WITH_FOREWORD and (left <= WITH_FOREWORD - shown or chance.random() < 0.7)
        older = [note for note in notes if note[3] < at - 60]
        picked = chance.sample(older[:12], min(len(older), chance.randint(1, 3))) if wants else []
        who = {
            "time": layout.timestamp(at),
            "client": "codex" if n % 4 == 0 else "claude-code",
            "session": f"sample-session-{n // 4}",
            "turn": f"sample-turn-{n}",
        }
        confidences = [round(0.93 - 0.11 * k, 3) for k in range(len(picked))]
        best = [[i, c, "offered"] for (i, *_), c in zip(picked, confidences, strict=True)]
        best += [[note[0], 0.21, "below"] for note in older[12:14]] if is_on else []
        text = _foreword(picked, at) if picked else ""
        told = {"switch": "auto", "state": "on" if is_on else "off", "index": bool(picked)}
        told |= {"ids": [p[0] for p in picked], "characters": len(text), "best": best, "needed": 0.46}
        logs["prompts"].append({**who, **told, "why": "" if is_on else "off"})
        if picked:
            said = {"kind": "prompt", "ids": told["ids"], "text": text}
            logs["forewords"].append({**who, **said})
        if picked and n % 3 == 0:
            opened = {"time": layout.timestamp(at + 30), "id": picked[0][0], "session": who["session"]}
            logs["opened"].append(opened)
    for name, records in logs.items():
        _write(os.path.join(place.folder, name + ".log"), "".join(json.dumps(r) + "\n" for r in records))


def _foreword(notes, at):
    lines = [f"- {i} ({recall.age(at - then)}) {q[:110]} -> {a[:200]}" for i, q, a, then in notes]
    return "\n".join([recall.OPEN, recall.SAYS, *lines, recall.CLOSE])


def _report(now, on, off, chance):
    """What report.json holds, of so many client sessions in either arm; with 10 in each a difference."""
    rows = [_row(now, n, n < on, chance) for n in range(on + off)]
    arms = {"on": _arm(rows[:on]), "off": _arm(rows[on:]), "mixed": _arm([])}
    possible = on >= 10 and off >= 10
    use = {
        "prompts": PROMPTS + 6, "prompts_on": PROMPTS, "with_foreword": WITH_FOREWORD,
        "hit_rate": round(WITH_FOREWORD / PROMPTS, 4), "lines": 78, "memories_offered": 31,
        "memories_opened": 11, "times_opened": 13, "never_opened": 20, "characters": 41_300, "recalls": 9,
        "recall_characters": 21_900,
    }  # fmt: skip
    return {
        "format": 1,
        "made": layout.timestamp(now - 900),
        "sessions": {"counted": on + off, "on": on, "off": off, "mixed": 0, "without_log": 2},
        "comparison": {
            "need": 10, "on": on, "off": off, "possible": possible,
            "assigned": {"by_session": False, "by_day": True, "by_hand": False},
            "days": {"on": min(on, 7), "off": min(off, 6)},
            "tokens": _measure(arms, "tokens", possible, -0.12, 0.11),
            "input_output": _measure(arms, "input_output", possible, -0.14, 0.09),
            "turns": _measure(arms, "turns", possible, -0.11, 0.17),
        },
        "arms": arms,
        "use": use,
        "fixed": {"characters": 7_400, "tokens_estimated": 1_850},
        "prices": None,
        "rows": {"claude-code": rows[::2], "codex": rows[1::2]},
    }  # fmt: skip


def _measure(arms, name, possible, below, above):
    on, off = arms["on"][name], arms["off"][name]
    share = round(on / off - 1, 4) if possible else None
    low, high = (round(share + below, 4), round(share + above, 4)) if share is not None else (None, None)
    is_open = low <= 0 <= high if low is not None and high is not None else None
    return {
        "on": on, "off": off, "difference": share, "low": low, "high": high, "level": 0.95,
        "inconclusive": is_open,
    }  # fmt: skip


def _row(now, n, is_on, chance):
    base = chance.lognormvariate(0, 0.15) * (0.85 if is_on else 1)
    read, creation = int(410_000 * base), int(38_000 * base)
    given, output, prompts = int(9_000 * base), int(6_500 * base), chance.randint(2, 7)
    return {
        "started": layout.timestamp(now - (26 - n) * DAY_S), "on": is_on, "off": not is_on,
        "requests": 3 * prompts, "turns": prompts, "tool_calls": 4 * prompts, "input": given,
        "cache_creation": creation, "cache_read": read, "output": output,
        "tokens": given + creation + read + output, "input_output": given + output,
        "files_read": 2 * prompts, "files_read_again": prompts, "subagents": 0, "prompts": prompts,
        "with_foreword": prompts - 1 if is_on else 0, "lines": 2 * prompts if is_on else 0,
        "opened": 1 if is_on else 0, "characters": 900 * prompts if is_on else 0, "dollars": None,
    }  # fmt: skip


def _arm(rows):
    named = (
        "tokens", "input_output", "turns", "tool_calls", "files_read", "files_read_again", "characters",
    )  # fmt: skip
    medians = {name: sorted(row[name] for row in rows)[len(rows) // 2] if rows else None for name in named}
    return {"sessions": len(rows), **medians, "dollars": None}


# -- the graph ---------------------------------------------------------------------------------


def _graph(sample, chance, flawless):
    records = []
    for kind, names in texts.ENTITIES.items():
        for name in names:
            days = [layout.timestamp(sample.now - (40 - 6 * k) * DAY_S)[:10] for k in range(4)]
            said = [
                f"{day}: {text.format(n=chance.randint(3, 90))}"
                for day, text in zip(days, texts.OBSERVED, strict=False)
            ]
            told = {"type": "entity", "name": name, "entityType": kind, "observations": said}
            records.append(json.dumps(told, ensure_ascii=False))
    for from_, to, verb in (*texts.RELATIONS, texts.DANGLING):
        records.append(json.dumps({"type": "relation", "from": from_, "to": to, "relationType": verb}))
    if not flawless:
        records.append('{"type":"entity","name":"cut sh')  # somebody's program was killed here
    path = os.path.join(sample.home, "graph", "memory.jsonl")
    _write(path, "\n".join(records) + "\n")
    archive = Archive(os.path.join(sample.home, "graph", "archive"))
    archive.add("shop", [f"2026-0{month}-11: release 2.{month}.0 went out" for month in range(1, 6)])


def _write(path, data, mode=0o600):
    _make(os.path.dirname(path))
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    os.chmod(path, mode)


def _make(folder):
    """A folder and those that it is in, each for its owner alone: os.makedirs gives that mode to the last."""
    if not os.path.isdir(folder):
        _make(os.path.dirname(folder))
        os.mkdir(folder, 0o700)


def _read(path):
    with open(path, "rb") as f:
        return f.read()
