"""What the tools do to a graph: create, add, delete, rename, restore, compact. All or nothing: whatever is
refused is refused before anything is changed.

The nine tools do what the npm latest of the reference server does (2026.8.31), with limits on top: an
observation that is too long is refused, and what an entity holds too much of moves to the archive.
"""

import re

from foreword.errors import ForewordError, NotFoundError
from foreword.text.unkept import kept

# A day at the start of an observation: `2026-03-02: deployed`, also with brackets or a time behind it.
_DATED = re.compile(r"[\s\[(*_]*(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)")
TOLD = 5  # places named in one refusal


class Done:
    """What a change did, and what it did not.

    created: [Entity]; existing: names left as they are; relations: [Relation] made; known: keys of those
    already there; dangling: names that new relations point to and no entity has; added: [(entity name,
    [observations])] in the order of the call; present: [(entity name, observation)] that was there already;
    archived: {name: [observations]} that moved to the archive;
    restored: [observations]; renamed: (old, new) or None; deleted, relations_deleted, archive_deleted: how
    many; unknown: names that no entity has; unmatched: (entity name, observation) or keys of relations that
    are not there; counts: {name: observations now}; set_aside: lines that were no records.
    For the archive: unarchived, {name: [observations to be taken out]}; dropped: names.
    """

    def __init__(self):
        self.created, self.existing, self.relations, self.known, self.dangling = [], [], [], [], []
        self.added, self.present, self.archived, self.restored = [], [], {}, []
        self.renamed: tuple[str, str] | None = None
        self.deleted = self.relations_deleted = self.archive_deleted = self.set_aside = 0
        self.unknown, self.unmatched, self.counts = [], [], {}
        self.unarchived, self.dropped = {}, []


# -- creating ----------------------------------------------------------------------------------


def create_entities(file, wanted):
    """Store entities ([{name, entityType, observations}]). Of an existing name nothing is changed; one that
    the call repeats is stored twice, as the reference server does it: no observation is lost."""
    wanted = [
        {
            **{key: _kept(entity[key]) for key in ("name", "entityType")},
            "observations": list(map(_kept, entity["observations"])),
        }
        for entity in wanted
    ]
    _refuse_long(file, ((entity["name"], entity["observations"]) for entity in wanted))

    def create(graph):
        done = Done()
        before = set(graph.by_name)
        for entity in wanted:
            name, observations = entity["name"], entity["observations"]
            if name in before:
                done.existing.append(name)
                continue
            made = graph.add_entity(name, entity["entityType"], observations)
            done.created.append(made)
            _within_limit(file, graph, made, done)
        return done

    return file.change(create)


def create_relations(file, wanted):
    """Store relations ([{from, to, relationType}]) that are not there yet. An end that no entity has is
    accepted (existing graphs have such), but refused where the limits are strict."""

    wanted = [{key: _kept(relation[key]) for key in ("from", "to", "relationType")} for relation in wanted]

    def create(graph):
        done = Done()
        keys = [(relation["from"], relation["to"], relation["relationType"]) for relation in wanted]
        done.dangling = _once(name for key in keys for name in key[:2] if name not in graph.by_name)
        if done.dangling and file.limits.strict:
            raise NotFoundError(f"Entity with name {done.dangling[0]} not found", "create_entities first.")
        fresh = [key for key in keys if not graph.has_relation(key)]
        done.known = _once(key for key in keys if graph.has_relation(key))
        done.relations = [graph.add_relation(*key) for key in fresh]
        return done

    return file.change(create)


def add_observations(file, wanted):
    """Add to entities ([{entityName, contents}]) what they do not hold yet. Raises NotFoundError for a name
    that no entity has, and then adds nothing at all."""
    wanted = [{**entry, "contents": list(map(_kept, entry["contents"]))} for entry in wanted]
    _refuse_long(file, ((entry["entityName"], entry["contents"]) for entry in wanted))

    def add(graph):
        done = Done()
        for entry in wanted:
            if entry["entityName"] not in graph.by_name:
                name = entry["entityName"]
                raise NotFoundError(f"Entity with name {name} not found", "create_entities makes it.")
        held, fresh = {}, {}
        for entry in wanted:
            name = entry["entityName"]
            if name not in held:
                held[name] = set(graph.by_name[name].observations)
            new = [text for text in entry["contents"] if text not in held[name]]
            done.added.append((name, new))
            done.present += [(name, text) for text in _once(entry["contents"]) if text in held[name]]
            fresh.setdefault(name, []).extend(new)
            held[name].update(new)
        for name, new in fresh.items():
            entity = graph.by_name[name]
            if new:
                graph.set_observations(entity, entity.observations + new)
                _within_limit(file, graph, entity, done)
            done.counts[name] = len(entity.observations)
        return done

    return file.change(add)


def _kept(text):
    """A text without private parts and credentials; where nothing else was in it, a word for that."""
    left = kept(text, len(text))
    return left if left or not text else "[private]"


def _refuse_long(file, told):
    """Refuse the whole call where an observation is too long; what to do instead is in the error."""
    most = file.limits.characters
    long = [(name, len(text)) for name, texts in told for text in texts if len(text) > most]
    if long:
        told = [f"{name}: {length:,} characters" for name, length in long[:TOLD]]
        told += [f"and {len(long) - TOLD} more"] if len(long) > TOLD else []
        raise ForewordError(
            f"nothing was stored: an observation has at most {most} characters ({'; '.join(told)})",
            "split it into facts of one sentence each, or put the detail into the repository and name it.",
        )


def _within_limit(file, graph, entity, done):
    kept, moved = overflow(entity.observations, file.limits.observations)
    if moved:
        graph.set_observations(entity, kept)
        done.archived.setdefault(entity.name, []).extend(moved)


def overflow(observations, most):
    """([observations that stay], [that move to the archive]): past `most`, the oldest dated ones move, those
    of one day in their order. What has no date at its start always stays."""
    over = len(observations) - most
    if over <= 0:
        return observations, []
    dated = [(day, n) for n, text in enumerate(observations) if (day := day_of(text))]
    moving = {n for _, n in sorted(dated)[:over]}
    kept = [text for n, text in enumerate(observations) if n not in moving]
    return kept, [observations[n] for _, n in sorted(dated)[:over]]


def day_of(observation):
    """The ISO day at the start of an observation, or ""."""
    found = _DATED.match(observation)
    return found[1] if found else ""


def _once(values):
    return list(dict.fromkeys(values))


# -- deleting ----------------------------------------------------------------------------------


def delete_entities(file, names):
    """Delete entities, every relation that touches them, and what they have in the archive."""

    def delete(graph):
        done = Done()
        done.unknown = [n for n in _once(names) if n not in graph.by_name and not file.archive.of(n)]
        done.dropped = _once(names)
        done.deleted, done.relations_deleted = graph.remove_entities(names)
        return done

    return file.change(delete)


def delete_observations(file, deletions, everywhere=False):
    """Delete observations by their exact text ([{entityName, observations}]), from the archive too.

    Where a name repeats, of its first entity, as the reference server does it; `everywhere`: of all.
    """

    def delete(graph):
        done = Done()
        for deletion in deletions:
            name, texts = deletion["entityName"], set(deletion["observations"])
            entities, archived = graph.named(name)[: None if everywhere else 1], file.archive.of(name)
            if not entities and not archived:
                done.unknown.append(name)
                continue
            there = set(archived)
            for entity in entities:
                held = entity.observations
                there.update(held)
                graph.set_observations(entity, [text for text in held if text not in texts])
                done.deleted += len(held) - len(entity.observations)
                done.counts[name] = sum(len(one.observations) for one in entities)
            if gone := [text for text in archived if text in texts]:
                done.unarchived.setdefault(name, []).extend(gone)
            done.unmatched += [(name, text) for text in _once(deletion["observations"]) if text not in there]
        return done

    return file.change(delete)


def delete_relations(file, wanted):
    """Delete relations ([{from, to, relationType}])."""

    def delete(graph):
        done = Done()
        keys = _once((relation["from"], relation["to"], relation["relationType"]) for relation in wanted)
        done.unmatched = [key for key in keys if not graph.has_relation(key)]
        done.relations_deleted = graph.remove_relations(set(keys))
        return done

    return file.change(delete)


# -- ours --------------------------------------------------------------------------------------


def rename_entity(file, old, new):
    """Give an entity another name; relations and the archive follow. Raises NotFoundError where no entity has
    the old one, ForewordError where one has the new one."""

    def rename(graph):
        done = Done()
        if old not in graph.by_name:
            raise NotFoundError(f"Entity with name {old} not found", "search_nodes finds names.")
        if new in graph.by_name and new != old:
            raise ForewordError(
                f"an entity {new} exists already, nothing was renamed",
                "move the observations with add_observations, then delete the other one.",
            )
        if new != old:
            graph.rename(old, new)
            done.renamed = (old, new)
            done.relations = list(graph.touching(new))
        return done

    return file.change(rename)


def restore(file, wanted):
    """Move observations from the archive back into the graph: {entity name: [their exact texts], or None for
    all}. Nothing moves the other way, though an entity may be over its limit then."""

    def put_back(graph):
        done = Done()
        for name in wanted:
            if not file.archive.of(name):
                raise NotFoundError(f"nothing of {name} is in the archive", "archived_observations lists it.")
            if name not in graph.by_name:
                raise NotFoundError(f"Entity with name {name} not found", "create_entities makes it.")
        for name, texts in wanted.items():
            archived, entity = file.archive.of(name), graph.by_name[name]
            there, held = set(archived), set(entity.observations)
            texts = archived if texts is None else _once(texts)
            done.unmatched += [(name, text) for text in texts if text not in there]
            back = [text for text in texts if text in there]
            graph.set_observations(entity, entity.observations + [t for t in back if t not in held])
            done.restored += back
            if back:
                done.unarchived[name] = back
            done.counts[name] = len(entity.observations)
        return done

    return file.change(put_back)


def compact(file):
    """Move what every entity holds too much of to the archive."""

    def move(graph):
        done = Done()
        for entity in graph.entities:
            _within_limit(file, graph, entity, done)
            if entity.name in done.archived:
                done.counts[entity.name] = len(entity.observations)
        return done

    return file.change(move)
