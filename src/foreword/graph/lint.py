"""What is odd in a graph and beside it, and what it holds in numbers. Reads everything, changes nothing.

Of what looks like a secret only the kind is told, never the text.
"""

import os
import re
import shlex
import time
import unicodedata

from foreword import files
from foreword.graph import backups, sizes
from foreword.graph.archive import lean_stems, spelled
from foreword.graph.change import overflow

REMOVE_RELATION = "ask the agent to remove it (delete_relations)"
NAMED = 5  # entities in a list of stats
_FIT = 60  # characters of a name within a sentence

# (kind, a part that each of its kind has, the shape that the provider documents as of 2026-11). The part is
# looked for first: all the shapes at once cost 20 us an observation, a second for 10,000 entities.
SECRETS = tuple(
    (kind, part, re.compile(shape))
    for kind, part, shape in (
        ("an AWS access key", "IA", r"\bA(?:K|S)IA[A-Z0-9]{16}\b"),
        ("a GitHub token", "gh", r"\bgh[opsur]_[A-Za-z0-9]{36,}"),
        ("a GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{40,}"),
        ("a GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
        ("an Anthropic key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{24,}"),
        ("an OpenAI key", "sk-", r"\bsk-(?!ant-)(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{32,}"),
        ("a Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
        ("a Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}"),
        ("a Stripe key", "k_live_", r"\b[rs]k_live_[A-Za-z0-9]{20,}"),
        ("an npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}"),
        ("a PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{80,}"),
        ("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
        (
            "a signed token (JWT)",
            "eyJ",
            r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        ),
        ("a private key", "PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
        (
            "an address with a password in it",
            "://",
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]*:[^\s:/@<${*]{3,80}@",
        ),
    )
)

# Temporary files of the reference server since 2026.8.31, of memory-lean, and ours.
_LEFT_OVER = r"(?:%s\.(?:[0-9a-f]{32}|[0-9]+\.[0-9]+)|\.%s\.[0-9]+-[0-9a-f]{6})\.tmp\Z"


class Finding:
    """kind: one of KINDS; what: a sentence; where: the entity's exact name, `line 12`, or a path; hint: what
    to do, "" where nothing needs to be done."""

    __slots__ = ("hint", "kind", "what", "where")

    def __init__(self, kind, what, where, hint=""):
        self.kind, self.what, self.where, self.hint = kind, what, where, hint

    def __repr__(self):
        return f"Finding({self.kind!r}, {self.what!r}, {self.where!r})"


def lint(file):
    """Every Finding about a GraphFile, in the order of KINDS; [] when all is well. Raises ForewordError when
    the file cannot be read at all."""
    graph, archived = file.read(), file.archive.entries()
    found = []
    for look in (_lines, _names, _relations, _contents, _secrets):
        found += look(file, graph, archived)
    found += _archive(file, graph, archived)
    found += _beside(file)
    return sorted(found, key=lambda finding: KINDS.index(finding.kind))


# The order in which findings are told: what may be lost or harm first.
KINDS = (
    "unreadable line", "set aside", "secret", "open to others", "unreadable archive", "no backups",
    "repeated name", "similar names", "no entity", "repeated relation", "relation to itself", "empty text",
    "too many observations", "too long", "repeated observation", "alone", "archive of nothing",
    "archived and present", "unknown records", "left over",
)  # fmt: skip


def _name(text):
    """A name within a sentence: one line, not too long."""
    text = spelled(text)
    return text if len(text) <= _FIT else text[: _FIT - 1] + "…"


def _lines(file, graph, _):
    aside = os.path.basename(file.set_aside)
    for number, _, why in graph.unreadable:
        hint = f"correct the line in an editor; else the next write moves it to {aside}"
        yield Finding("unreadable line", why, f"line {number}", hint)
    waiting = _waiting(file)
    if waiting:
        told = _counted(waiting, "line") + " of the graph's file that held no record"
        hint = "correct them and put them back into the graph's file, or remove this one"
        yield Finding("set aside", told, file.set_aside, hint)
    if graph.others:
        told = f"{graph.others} of a type that is neither entity nor relation; kept as they are"
        yield Finding("unknown records", told, file.path)


def _waiting(file):
    """How many lines were set aside."""
    try:
        data = files.read(file.set_aside) or b""
    except OSError:
        return 0
    return sum(1 for line in data.split(b"\n") if line.strip())


def _names(file, graph, _):
    counts, alike = {}, {}
    for entity in graph.entities:
        counts[entity.name] = counts.get(entity.name, 0) + 1
    for name, count in counts.items():
        alike.setdefault(_folded(name), []).append(name)
        if count > 1:
            hint = "join their lines in an editor: what the agent adds goes to the first one only"
            yield Finding("repeated name", f"{count} entities have this name", name, hint)
    for names in alike.values():
        if len(names) > 1:
            told = ", ".join(map(_name, names))
            hint = "ask the agent to make one of them (add_observations, delete_entities; or rename_entity)"
            yield Finding("similar names", told, names[0], hint)


def _folded(name):
    """The same for names that differ in case, in white space, hyphens or in the form of their letters."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", text)).split())


def _relations(file, graph, _):
    counts, missing = {}, {}
    for relation in graph.relations:
        counts[relation.key] = counts.get(relation.key, 0) + 1
    for key, count in counts.items():
        told = f"{_name(key[0])} -{_name(key[2])}-> {_name(key[1])}"
        if count > 1:
            hint = "ask the agent to make it once (delete_relations, then create_relations)"
            yield Finding("repeated relation", f"{told} stands {count} times", key[0], hint)
        if key[0] == key[1]:
            yield Finding("relation to itself", told, key[0], REMOVE_RELATION)
        if not key[2].strip():
            yield Finding("empty text", f"{told} has no type", key[0], REMOVE_RELATION)
        for name in dict.fromkeys(key[:2]):
            if name not in graph.by_name:
                missing.setdefault(name, []).append(told)
    hint = "ask the agent to make it (create_entities), or to remove the relation (delete_relations)"
    for name, told in missing.items():
        more = f" and {len(told) - 1} more" if len(told) > 1 else ""
        yield Finding("no entity", f"{told[0]}{more}", name, hint)


def _contents(file, graph, _):
    limits = file.limits
    for entity in graph.entities:
        name, texts = entity.name, entity.observations
        if not name.strip():
            hint = "ask the agent to name it (rename_entity) or to delete it (delete_entities)"
            yield Finding("empty text", "an entity without a name", name, hint)
        if not entity.type.strip():
            yield Finding("empty text", "an entity without a type", name, "write its entityType in an editor")
        blank = sum(1 for text in texts if not text.strip())
        if blank:
            hint = "ask the agent to delete what is empty (delete_observations)"
            yield Finding("empty text", _counted(blank, "empty observation"), name, hint)
        long = [len(text) for text in texts if len(text) > limits.characters]
        if long:
            told = _counted(len(long), "observation") + f" over {limits.characters:,} characters"
            told += f", the longest has {max(long):,}"
            hint = (
                "ask the agent to split it into facts of a sentence (add_observations, delete_observations)"
            )
            yield Finding("too long", told, name, hint)
        if len(texts) > limits.observations:
            moving = overflow(texts, limits.observations)[1]
            told = f"{len(texts)} observations, {limits.observations} is the limit"
            if moving:
                hint = f"foreword graph compact moves {len(moving)} to the archive"
            else:
                hint = (
                    "none is dated, so none moves: ask the agent what is no longer true (delete_observations)"
                )
            yield Finding("too many observations", told, name, hint)
        if len(set(texts)) < len(texts):
            told = _counted(len(texts) - len(set(texts)), "observation") + " more than once"
            hint = "ask the agent to keep one (delete_observations, then add_observations)"
            yield Finding("repeated observation", told, name, hint)
        if not texts and not graph.degree(name):
            hint = "ask the agent what is known of it (add_observations), or to delete it (delete_entities)"
            yield Finding("alone", "neither an observation nor a relation", name, hint)


def _counted(number, what):
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _secrets(file, graph, archived):
    hint = (
        "revoke it, and ask the agent to delete it (delete_observations);"
        " backups/ keeps copies until newer ones replace them"
    )
    for entity in graph.entities:
        for kind in _kinds_of_secrets((entity.name, entity.type, *entity.observations)):
            yield Finding("secret", f"looks like {kind}", entity.name, hint)
    for name, texts in archived.items():
        for kind in _kinds_of_secrets(texts):
            yield Finding("secret", f"looks like {kind}, in the archive", name, hint)


def _kinds_of_secrets(texts):
    found = {}
    for text in texts:
        for kind, part, shape in SECRETS:
            if part in text and shape.search(text):
                found[kind] = True
    return found


def _archive(file, graph, archived):
    for name, why in file.archive.unreadable:
        where = os.path.join(file.archive.folder, name)
        yield Finding("unreadable archive", why, where, "correct it in an editor, or move it away")
    known = set(graph.by_name)
    orphans = [name for name in archived if name not in known]
    if orphans:
        known.update(*map(lean_stems, graph.by_name))
    for name in orphans:
        if name.casefold() not in known:
            told = _counted(len(archived[name]), "archived observation") + ", no entity of that name"
            hint = (
                "ask the agent to make it (create_entities), then foreword graph restore; or to drop them"
                " (delete_entities)"
            )
            yield Finding("archive of nothing", told, name, hint)
    for name, texts in archived.items():
        held = set(graph.by_name[name].observations if name in graph.by_name else ())
        twice = sum(1 for text in texts if text in held)
        if twice:
            told = _counted(twice, "observation") + " both in the graph and in the archive"
            hint = (
                f"nothing is lost: a write was cut short. foreword graph restore {shlex.quote(name)} mends it"
            )
            yield Finding("archived and present", told, name, hint)


def _beside(file):
    """What is odd about the files themselves, and those beside the graph."""
    taken = (file.archive.folder, backups.folder_of(file.real))
    if os.name != "nt":
        for path in filter(_is_open, (file.real, file.set_aside, *taken)):
            told = f"mode {_mode(path):o}: other users of this machine can read it"
            yield Finding("open to others", told, path, "chmod go= " + shlex.quote(path))
    if file.limits.backups and not _takes_files(taken[1]):
        told = "no copy of the graph can be made there"
        yield Finding("no backups", told, taken[1], "ls -ld " + shlex.quote(taken[1]))
    base = os.path.basename(file.real)
    yield from _left_over(os.path.dirname(file.real), re.escape(base), re.escape(base[:40]))
    for path in taken:
        yield from _left_over(path, "(?!)", ".{1,40}")


def _left_over(folder, theirs, ours):
    """What writes that were cut short left: those of other programs, and of `files.write`."""
    pattern = re.compile(_LEFT_OVER % (theirs, ours), re.S)
    for name in filter(pattern.match, _listed(folder)):
        path = os.path.join(folder, name)
        if time.time() - _changed(path) > files.LEFT_S:
            told = "a write that was cut short left it; what was deleted since may stand in it"
            yield Finding("left over", told, path, "rm " + shlex.quote(path))


def _is_open(path):
    """Whether others can read a file or look into a folder; in one that only its owner enters nobody can."""
    return bool(_mode(path) & 0o077 and _mode(os.path.dirname(path)) & 0o011)


def _listed(path):
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def _mode(path):
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        return 0


def _changed(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return time.time()


def _takes_files(folder):
    """Whether files can be made in a folder, or the folder itself and those above it can be."""
    while not os.path.lexists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def stats(file):
    """What a GraphFile holds, in numbers.

    path, real, bytes, changed (ISO 8601 UTC; None without a file), entities, relations, observations;
    types, verbs: {type: count}, most first; largest: [{name, observations, characters}] and connected:
    [{name, relations}], NAMED of them, most first; archived (observations), archived_entities; backups
    (count) and newest_backup (a moment or ""); unreadable (lines of the file), set_aside (lines beside it),
    others (records of unknown types), over (entities with more observations than the limit); odd: {kind:
    how many findings of `lint`}, in the order of KINDS; read_graph: {here, reference, copy, ratio,
    ratio_copy}, the first three in tokens: the reference as sent, and its smaller copy alone.
    """
    graph, archived = file.read(), file.archive.entries()
    largest = sorted(graph.entities, key=lambda e: (-sum(map(len, e.observations)), e.name))
    connected = sorted((-graph.degree(name), name) for name in graph.by_name if graph.degree(name))
    copies = backups.kept(file.real)
    row = sizes.compare(graph, (), file.limits.found)[0]
    return {
        "path": file.path,
        "real": file.real,
        **_of_file(file.real),
        "entities": len(graph.entities),
        "relations": len(graph.relations),
        "observations": sum(len(entity.observations) for entity in graph.entities),
        "types": _tally(entity.type for entity in graph.entities),
        "verbs": _tally(relation.type for relation in graph.relations),
        "largest": [
            {"name": e.name, "observations": len(e.observations), "characters": sum(map(len, e.observations))}
            for e in largest[:NAMED]
            if e.observations
        ],
        "connected": [{"name": name, "relations": -degree} for degree, name in connected[:NAMED]],
        "archived": sum(map(len, archived.values())),
        "archived_entities": len(archived),
        "backups": len(copies),
        "newest_backup": copies[-1][0] if copies else "",
        "unreadable": len(graph.unreadable),
        "set_aside": _waiting(file),
        "others": graph.others,
        "over": sum(len(entity.observations) > file.limits.observations for entity in graph.entities),
        "odd": _counts(finding.kind for finding in lint(file)),
        "read_graph": {
            "here": row["here"]["tokens"],
            "reference": row["reference"]["tokens"],
            "copy": row["reference"]["copy_tokens"],
            "ratio": row["ratio"],
            "ratio_copy": row["ratio_copy"],
        },
    }


def _of_file(path):
    try:
        stat = os.stat(path)
    except OSError:
        return {"bytes": 0, "changed": None}
    changed = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stat.st_mtime))
    return {"bytes": stat.st_size, "changed": changed}


def _tally(values):
    return dict(sorted(_counts(values).items(), key=lambda item: (-item[1], item[0])))


def _counts(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts
