"""What the graph's tools tell a model: compact text, bounded, whatever the graph holds. Pure.

What stands in the graph is data. A name is one line, an observation's further lines are indented, and tags of
frames and clients are taken apart, so that nothing stored can pass for a heading, another entity or an
instruction. What was left out, and what a change did not do, is always said.
"""

from itertools import chain

from foreword.graph import search as finding
from foreword.graph import spell
from foreword.graph.spell import LONGEST_NAME, LONGEST_QUERY, LONGEST_TYPE, TOLD, count, flat, listed
from foreword.text.budget import cut

# Characters of an answer. Claude Code 2.1.197 puts what is longer than 50,000 into a file.
READ_MOST, SEARCH_MOST, OPEN_MOST, ARCHIVE_MOST, CHANGE_MOST = 8_000, 6_000, 40_000, 20_000, 16_000
RELATIONS_MOST = 10_000  # of OPEN_MOST, where the observations need the rest
HARDLY = 1_000  # characters of room that are not worth cutting an entity for
ITEM_MOST = 4_000  # characters of one observation in the list of the archive
TITLE_MOST = 400  # of the heading of an entity that does not fit
NOTE = 100  # of a line that says what was left out, at most
SHORTEST = 100  # characters of an observation that are worth showing of a long one
NO_TYPE = "(no type)"
ADDED_TOLD = 50  # entities of which one call tells what was added
TYPES_MOST = 60  # types that read_graph lists
MEANT = 3  # names that are offered instead of one that is unknown


def _unreadable(graph):
    """One line about what could not be read; none where all could."""
    number = len(graph.unreadable)
    if not number:
        return []
    return [
        f"{count(number, 'line')} of the graph's file cannot be read and {'is' if number == 1 else 'are'}"
        " left out: `foreword graph lint` shows why."
    ]


# -- search ------------------------------------------------------------------------------------


def search(found):
    """The rows of search.find, at most SEARCH_MOST characters."""
    asked, number, graph = flat(found.query, LONGEST_QUERY), len(found.rows), found.graph
    told = [*_long(found.query), *_unreadable(graph)]
    if not graph.entities:
        return "\n".join(["The graph is empty: create_entities makes the first entity.", *told])
    if not number:
        return "\n".join([f'Nothing matches "{asked}". Try other words; read_graph lists the names.', *told])
    more = " (narrow the query or raise limit)" if found.total > number else ""
    if found.nearest:
        head = f'No entity holds all of "{asked}"; nearest:'
    elif not found.query.strip():
        head = f"{count(found.total, 'entity', 'entities')}"
        head += f", the {number} most connected shown (search for words, or raise limit)." if more else "."
        head += " open_nodes for full entities."
    else:
        head = f'{found.total:,} match "{asked}"' + (f", top {number} shown{more}." if more else ".")
        head += " open_nodes for full entities."
    # As they are needed: passages take the longest.
    rows = chain(map(_row, found.rows), ["Nearest besides:"] * bool(found.others), map(_row, found.others))
    lines, room = [head], SEARCH_MOST - len(head) - sum(len(line) + 1 for line in told) - NOTE
    for place, row in enumerate(rows):
        room -= len(row) + 1
        if room < 0:
            left = number + len(found.others) - place + (place > number)
            lines.append(f"… {left:,} more did not fit: narrow the query.")
            break
        lines.append(row)
    return "\n".join(lines + told)


def _row(row):
    head = f"- {spell.title(row.entity, LONGEST_NAME)} {row.observations:,} obs, {row.relations:,} rel"
    return "\n    › ".join([head, *map(flat, row.snippets)])


def _long(query):
    """One line about a query of which only a part was looked for."""
    if not finding.is_long(query):
        return []
    return [
        f"Only the first {finding.MOST_SOUGHT} words of the query were looked for, of at most"
        f" {finding.LONGEST_QUERY:,} characters."
    ]


# -- read_graph --------------------------------------------------------------------------------


def read_graph(graph, type=""):  # noqa: A002
    """An index of names by type, each with how many observations it has; of one type where one is given. At
    most READ_MOST characters: what does not fit is counted, the most connected names stay."""
    told = _unreadable(graph)
    if not graph.entities:
        return "\n".join(["The graph is empty: create_entities makes the first entity.", *told])
    head = f"{count(len(graph.entities), 'entity', 'entities')}, {count(len(graph.relations), 'relation')}."
    groups = {}
    for entity in graph.entities:
        groups.setdefault(spell.kind(entity.type, LONGEST_TYPE) or NO_TYPE, []).append(entity)
    if type:
        asked = flat(type, LONGEST_TYPE)
        wanted = {asked.lower(), spell.kind(type, LONGEST_TYPE).lower()}
        groups = {kind: some for kind, some in groups.items() if kind.lower() in wanted}
        if not groups:
            return "\n".join([f'{head} None is of the type "{asked}"; read_graph lists the types.', *told])
    ranked = sorted(groups, key=lambda kind: (-len(groups[kind]), kind))
    kinds, others = sorted(ranked[:TYPES_MOST], key=lambda kind: (kind.lower(), kind)), ranked[TYPES_MOST:]
    if others:
        number = sum(len(groups[kind]) for kind in others)
        told.insert(0, f"… {count(len(others), 'more type')} with {count(number, 'entity', 'entities')}.")
    hint = "Cut: read_graph with entityType lists one type, search_nodes finds the rest."
    room = READ_MOST - len(head) - len(hint) - sum(len(line) + 1 for line in told) - 2
    lines, is_cut = _index(graph, [(kind, groups[kind]) for kind in kinds], room)
    return "\n".join([head, *lines, *told, *([hint] if is_cut or others else [])])


def _index(graph, groups, room):
    """([a line a type], whether one was cut) within `room` characters."""
    groups = [(kind, _entries(graph, some)) for kind, some in groups]
    whole = [f"{kind}: {_sorted(entry for _, entry in entries)}" for kind, entries in groups]
    if sum(len(line) + 1 for line in whole) <= room:
        return whole, False
    # The short lines stay whole, the long ones share what is left.
    shares, left = [0] * len(whole), room
    for rank, n in enumerate(sorted(range(len(whole)), key=lambda n: len(whole[n]))):
        shares[n] = min(len(whole[n]) + 1, left // (len(whole) - rank))
        left -= shares[n]
    return [
        line if len(line) < share else _most_connected(kind, entries, share)
        for line, share, (kind, entries) in zip(whole, shares, groups, strict=True)
    ], True


def _most_connected(kind, entries, room):
    kept, size = [], len(kind) + len(": … 1,000,000 more") + 1
    for _, entry in sorted(entries, reverse=True):
        size += len(entry) + 2
        if size > room:
            break
        kept.append(entry)
    more = f"… {len(entries) - len(kept):,} more"
    return f"{kind}: {_sorted(kept)}; {more}" if kept else f"{kind}: {more}"


def _entries(graph, entities):
    """[(how many relations touch a name, `name (observations)`)]; a name that repeats stands once."""
    held = {}
    for entity in entities:
        held.setdefault(entity.name, []).append(f"{len(entity.observations)}")
    return [
        (graph.degree(name), f"{spell.name(name, LONGEST_NAME)} ({listed(numbers, str, '+')})")
        for name, numbers in held.items()
    ]


def _sorted(entries):
    return "; ".join(sorted(entries, key=lambda entry: (entry.lower(), entry)))


# -- open_nodes --------------------------------------------------------------------------------


def open_nodes(graph, names, archived=None):
    """Entities whole, with every relation that touches them, at most OPEN_MOST characters.

    archived: {name: how many of its observations are in the archive}. A name as an answer spells it (on one
    line, cut) opens its entity too; for one that nobody has, those that may be meant are named.
    """
    if not names:
        return "No names were given: search_nodes finds some."
    meant = spell.resolved(graph, names)
    found = dict.fromkeys(meant[name] for name in names if name in meant)
    missing = _not_found(graph, [name for name in dict.fromkeys(names) if name not in meant])
    told = _unreadable(graph)
    touching = [r.key for r in graph.relations if r.from_ in found or r.to in found]
    relations = [spell.relation(key) for key in dict.fromkeys(touching)]
    size = sum(len(line) + 1 for line in relations)
    apart = 2 * NOTE + min(TOLD, len(found)) * (LONGEST_NAME + 2)  # for what did not fit
    room = OPEN_MOST - sum(len(line) + 1 for line in missing + told) - apart
    blocks, left = [], room - min(size, RELATIONS_MOST)
    entities = graph.by_name.values()
    if len(graph.by_name) < len(graph.entities):
        entities = graph.entities  # names repeat
    same = {}
    for entity in entities:
        if entity.name in found:
            same.setdefault(entity.name, []).append(entity)
    skipped, wanted = [], [(name, entity) for name in found for entity in same[name]]
    for number, (name, entity) in enumerate(wanted, 1):
        # One that is huge by itself leaves half of the room to those behind it.
        block = _block(
            entity, (archived or {}).get(name, 0), left, left if number == len(wanted) else left // 2
        )
        if block:
            blocks.append(block)
            left -= len(block) + 2
        else:
            skipped.append(name)
        archived = {**(archived or {}), name: 0}  # said once
    if skipped:
        number = count(len(skipped), "entity", "entities")
        blocks.append(f"{number} did not fit, open them apart: {spell.names(skipped)}")
    if relations:
        blocks.append("\n".join(["## relations", *_fitting(relations, left + min(size, RELATIONS_MOST))]))
    return "\n\n".join([*blocks, "\n".join(missing + told)] if missing or told else blocks)


def _block(entity, archived, room, half):
    """One entity whole, or as much as fits into `half` of one that is huge; "" where it does not fit."""
    head, items = "## " + spell.title(entity), list(map(spell.item, entity.observations))
    tail = [f"({archived:,} more archived: archived_observations)"] if archived else []
    block = "\n".join([head, *(items or ["(no observations)"]), *tail])
    if len(block) <= room:
        return block
    if half < HARDLY or len(block) < OPEN_MOST // 2:
        return ""
    head = cut(head, TITLE_MOST)
    kept, left = [], half - len(head) - 2 * NOTE
    for item in items:
        if len(item) > left:
            # One that is long by itself is shown as far as it goes.
            kept += [cut(item, left)] if len(item) > HARDLY and left > SHORTEST else []
            break
        kept.append(item)
        left -= len(item) + 1
    more = len(items) - len(kept)
    tail.insert(0, f"… {more:,} more did not fit: search_nodes shows those with a word." if more else "")
    return "\n".join(filter(None, [head, *kept, *tail]))


def _fitting(lines, room):
    kept, size = [], 0
    for line in lines:
        size += len(line) + 1
        if size > room:
            return [*kept, f"… {len(lines) - len(kept):,} more did not fit: search_nodes finds them."]
        kept.append(line)
    return kept


def unknown(graph, names):
    """That no entity has these names, and which ones may be meant."""
    return "\n".join(_not_found(graph, names))


def _not_found(graph, unknown):
    lines = []
    for name in unknown[:TOLD]:
        near = finding.near(graph, name, MEANT)
        meant = f"; did you mean: {spell.names(near)}" if near else ""
        lines.append(f'Not found: "{flat(name, LONGEST_NAME)}"{meant}')
    if len(unknown) > TOLD:
        lines.append(f"Not found: {len(unknown) - TOLD:,} more")
    return lines


# -- changes -----------------------------------------------------------------------------------


def created(done):
    """What create_entities did."""
    told = ["Nothing created."]
    if done.created:
        number = count(len(done.created), "entity", "entities")
        told = [f"Created {number}: {spell.names(entity.name for entity in done.created)}."]
    if done.existing:
        names = spell.names(dict.fromkeys(done.existing))
        one = len(set(done.existing)) == 1
        told.append(
            f"{names} {'exists' if one else 'exist'} already, left as {'it is' if one else 'they are'}:"
            f" add_observations adds to {'it' if one else 'them'}."
        )
    return _told(told, done)


def related(done):
    """What create_relations did."""
    told = [
        f"Created {count(len(done.relations), 'relation')}." if done.relations else "No relation created."
    ]
    if done.known:
        told.append(f"Already there: {listed(done.known, spell.relation, '; ')}.")
    if done.dangling:
        told.append(f"No entity is named {spell.in_quotes(done.dangling)} yet: create_entities makes one.")
    return _told(told, done)


def added(done):
    """What add_observations did."""
    told = []
    for name, texts in done.added[:ADDED_TOLD]:
        now = f", {done.counts[name]:,} now" if name in done.counts else ""
        new = f"{len(texts):,} added" if texts else "nothing new, all there"
        told.append(f"{spell.name(name, LONGEST_NAME)}: {new}{now}.")
    if len(done.added) > ADDED_TOLD:
        told.append(f"… {len(done.added) - ADDED_TOLD:,} more entities.")
    if done.present and any(texts for _, texts in done.added):
        told.append("There already: " + listed(done.present, _text_of) + ".")
    return _told(told or ["Nothing added."], done)


def entities_deleted(done):
    """What delete_entities did."""
    told = [f"Deleted {count(done.deleted, 'entity', 'entities')}{_with(done)}."]
    if done.unknown:
        told.append(f"Not found: {spell.in_quotes(done.unknown)} (search_nodes finds names).")
    return _told(told, done)


def _with(done):
    also = [count(done.relations_deleted, "relation")] if done.relations_deleted else []
    also += [count(done.archive_deleted, "archived observation")] if done.archive_deleted else []
    return " with " + " and ".join(also) if also else ""


def observations_deleted(done):
    """What delete_observations did."""
    told = [f"Deleted {count(done.deleted, 'observation')}{_with(done)}."]
    if done.unknown:
        told.append(f"No entity is named {spell.in_quotes(done.unknown)} (search_nodes finds names).")
    if done.unmatched:
        told.append("Not there: " + listed(done.unmatched, _text_of) + ".")
        told.append("An observation is named by its exact text, as open_nodes shows it.")
    return _told(told, done)


def _text_of(pair):
    name, text = pair
    return f'"{flat(text, LONGEST_QUERY)}" in {spell.name(name, LONGEST_NAME)}'


def relations_deleted(done):
    """What delete_relations did."""
    told = [f"Deleted {count(done.relations_deleted, 'relation')}."]
    if done.unmatched:
        told.append(f"Not there: {listed(done.unmatched, spell.relation, '; ')}.")
    return _told(told, done)


def renamed(done):
    """What rename_entity did."""
    if not done.renamed:
        return _told(["Nothing renamed: the names are the same."], done)
    old, new = (spell.name(name, LONGEST_NAME) for name in done.renamed)
    also = f" {count(len(done.relations), 'relation')} followed." if done.relations else ""
    return _told([f"Renamed {old} to {new}.{also}"], done)


def restored(done):
    """What archived_observations with `restore` did."""
    told = [f"Restored {count(len(done.restored), 'observation')}."]
    told += [f"{spell.name(name, LONGEST_NAME)} has {number:,} now." for name, number in done.counts.items()]
    if done.unmatched:
        told.append("Not in the archive: " + listed(done.unmatched, _text_of) + ".")
    return _told(told, done)


def _told(told, done):
    """Lines of a change, with what else it brought about."""
    for name, texts in list(done.archived.items())[:TOLD]:
        moved = f"{len(texts):,} oldest moved to the archive (archived_observations)."
        told.append(f"{spell.name(name, LONGEST_NAME)}: {moved}")
    if len(done.archived) > TOLD:
        told.append(f"… so did some of {len(done.archived) - TOLD:,} more entities.")
    if done.set_aside:
        number = count(done.set_aside, "unreadable line")
        verb = "was" if done.set_aside == 1 else "were"
        told.append(f"{number} of the graph's file {verb} set aside: `foreword graph lint`.")
    return "\n".join(told)


# -- the archive -------------------------------------------------------------------------------


def archived(entries, query="", limit=20):
    """What is archived ({name: [observations]}), of each entity the latest first.

    Where a query is given, what holds all its words, itself or the name. At most `limit` observations and
    ARCHIVE_MOST characters; one that is longer than ITEM_MOST is cut.
    """
    wanted, matching = finding.words_of(query), {}
    for name, texts in entries.items():
        named = finding.folded(name)
        left = [text for text in reversed(texts) if _has_all(named, finding.folded(text), wanted)]
        if left:
            matching[name] = left
    total = sum(map(len, matching.values()))
    asked = f' match "{flat(query, LONGEST_QUERY)}"' if wanted else ""
    if not total:
        return f"Nothing archived{' has all of' + asked.removeprefix(' match') if wanted else ''}."
    lines, shown, room = [], 0, ARCHIVE_MOST - 4 * NOTE - LONGEST_QUERY
    for name, texts in matching.items():
        head = f"## {spell.name(name, LONGEST_NAME)} ({len(texts)})"
        for text in texts[: max(0, limit - shown)]:
            item = cut(spell.item(text), ITEM_MOST)
            room -= len(item) + 1 + (len(head) + 1 if head else 0)
            if room < 0:
                break
            lines += [head, item] if head else [item]
            head, shown = "", shown + 1
        if shown >= limit or room < 0:
            break
    of = f" of {count(len(matching), 'entity', 'entities')}"
    top = f", {shown:,} shown (entityName, query or limit for others)" if shown < total else ""
    first = f"{count(total, 'archived observation')}{of}{asked}{top}."
    last = "To bring some back: entityName, and restore with their exact texts."
    return "\n".join([first, *lines, last, *_long(query)])


def _has_all(name, text, wanted):
    return all(any(word in name or word in text for word in spellings) for spellings in wanted)
