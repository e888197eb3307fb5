"""The lines of `memory.jsonl`: bytes to a Graph and back, losing nothing.

A line that nobody changed goes back byte for byte: its spacing, escapes, unknown keys, CRLF. Records of
unknown types, blank lines, a byte order mark and a missing last newline stay too. Lines that are no
record are no part of the graph; they are listed in `unreadable`, for whoever writes the file to set aside.
"""

import json
import os

BOM = b"\xef\xbb\xbf"
ENTITY_KEYS = ("type", "name", "entityType", "observations")
RELATION_KEYS = ("type", "from", "to", "relationType")


class Entity:
    """name, type, observations (list of str; changed through the Graph alone); folded: search's own cache,
    None whenever the entity changed."""

    __slots__ = ("_raw", "_record", "folded", "name", "observations", "type")

    def __init__(self, name, type, observations, raw=None, record=None):  # noqa: A002
        self.name, self.type, self.observations = name, type, observations
        self.folded = None
        self._raw, self._record = raw, record

    def __repr__(self):
        return f"Entity({self.name!r}, {self.type!r}, {len(self.observations)} observations)"

    def _encoded(self):
        values = ("entity", self.name, self.type, self.observations)
        return _encode(self._record, dict(zip(ENTITY_KEYS, values, strict=True)))


class Relation:
    """from_, to: names of entities, which need not exist; type: the verb between them."""

    __slots__ = ("_raw", "_record", "from_", "to", "type")

    def __init__(self, from_, to, type, raw=None, record=None):  # noqa: A002
        self.from_, self.to, self.type = from_, to, type
        self._raw, self._record = raw, record

    def __repr__(self):
        return f"Relation({self.from_!r}, {self.to!r}, {self.type!r})"

    @property
    def key(self):
        """(from, to, type)"""
        return self.from_, self.to, self.type

    def _encoded(self):
        values = ("relation", self.from_, self.to, self.type)
        return _encode(self._record, dict(zip(RELATION_KEYS, values, strict=True)))


class _Other:
    """A record of a type that this version does not know, or a blank line."""

    __slots__ = ("_raw",)

    def __init__(self, raw):
        self._raw = raw


class _End:
    """In place of the bytes of a record that is to be written anew: how its line ended."""

    __slots__ = ("end",)

    def __init__(self, end):
        self.end = end


class Graph:
    """What a file holds, in the file's order.

    entities, relations; unreadable: [(line number from 1, bytes without the newline, why)]; others: how many
    records are of unknown types; changed: whether a method of this Graph changed anything.
    """

    def __init__(self):
        self._items, self.unreadable = [], []
        self._bom, self._return, self._newline = b"", b"", b"\n"
        self._unended: object = None  # the last line of a CRLF file that lacks its end
        self.others, self.changed = 0, False
        self._forget()

    # -- reading -------------------------------------------------------------------------------

    @property
    def entities(self):
        """Every Entity. Names may repeat: versions of the reference server stored what one call repeated."""
        if self._entities is None:
            self._entities = [item for item in self._items if isinstance(item, Entity)]
        return self._entities

    @property
    def relations(self):
        """Every Relation, repeated ones too."""
        if self._relations is None:
            self._relations = [item for item in self._items if isinstance(item, Relation)]
        return self._relations

    @property
    def by_name(self):
        """{name: the first Entity of that name}"""
        if self._by_name is None:
            self._by_name = {entity.name: entity for entity in reversed(self.entities)}
        return self._by_name

    def named(self, name):
        """Every Entity of a name, in the file's order."""
        if len(self.by_name) == len(self.entities):
            return [self.by_name[name]] if name in self.by_name else []
        return [entity for entity in self.entities if entity.name == name]

    def touching(self, name):
        """Relations with at least one end of that name, in the file's order; not to be changed."""
        if self._touching is None:
            found = self._touching = {}
            for relation in self.relations:
                _touch(found, relation)
        return self._touching.get(name, ())

    def degree(self, name):
        """How many relations touch a name."""
        return len(self.touching(name))

    def has_relation(self, key):
        """Whether there is a relation (from, to, type)."""
        if self._keys is None:
            self._keys = {relation.key for relation in self.relations}
        return key in self._keys

    # -- changing ------------------------------------------------------------------------------

    def add_entity(self, name, type, observations):  # noqa: A002
        """A new Entity behind the last one, before the relations, as the reference server has it."""
        entity = Entity(name, type, list(observations))
        if self._behind is None:
            places = range(len(self._items), 0, -1)
            self._behind = next((n for n in places if isinstance(self._items[n - 1], Entity)), 0)
        self._items.insert(self._behind, entity)
        self._behind += 1
        if self._entities is not None:
            self._entities.append(entity)
        if self._by_name is not None:
            self._by_name.setdefault(name, entity)
        self.changed = True
        return entity

    def add_relation(self, from_, to, type):  # noqa: A002
        """A new Relation at the end."""
        relation = Relation(from_, to, type)
        self._items.append(relation)
        if self._relations is not None:
            self._relations.append(relation)
        if self._touching is not None:
            _touch(self._touching, relation)
        if self._keys is not None:
            self._keys.add(relation.key)
        self.changed = True
        return relation

    def set_observations(self, entity, observations):
        """Give an entity other observations."""
        if observations != entity.observations:
            entity.observations = list(observations)
            _written_anew(entity)
            entity.folded = None
            self.changed = True

    def remove_entities(self, names):
        """Take out every entity with one of these names and every relation that touches one of them, whether
        an entity of that name is there or not; (entities removed, relations removed)."""
        names = frozenset(names)
        return (
            self._remove(lambda item: isinstance(item, Entity) and item.name in names),
            self._remove(lambda item: isinstance(item, Relation) and not names.isdisjoint(item.key[:2])),
        )

    def remove_relations(self, keys):
        """Take out every relation (from, to, type) of a set; how many there were."""
        return self._remove(lambda item: isinstance(item, Relation) and item.key in keys)

    def _remove(self, is_one):
        kept = [item for item in self._items if not is_one(item)]
        removed = len(self._items) - len(kept)
        if removed:
            self._items = kept
            self._forget()
            self.changed = True
        return removed

    def rename(self, old, new):
        """Give every entity of a name another one, and follow in every relation."""
        for item in self._items:
            if isinstance(item, Entity) and item.name == old:
                item.name, item.folded = new, None
            elif isinstance(item, Relation) and old in (item.from_, item.to):
                item.from_ = new if item.from_ == old else item.from_
                item.to = new if item.to == old else item.to
            else:
                continue
            _written_anew(item)
            self.changed = True
        self._forget()

    def _forget(self):
        self._entities = self._relations = self._by_name = self._touching = self._keys = None
        self._behind: int | None = None  # the place in _items behind the last entity

    # -- bytes ---------------------------------------------------------------------------------

    def dump(self):
        """The file's bytes, without its unreadable lines; what was parsed, byte for byte, where nothing was
        changed and nothing was unreadable."""
        for item in self._items:
            if not isinstance(item._raw, bytes):
                item._raw = item._encoded() + (self._return if item._raw is None else item._raw.end)
        written = [item._raw for item in self._items]
        if self._unended and written and self._items[-1] is not self._unended:
            # Its end comes now, and the line that is the last one instead has none.
            written = [
                raw + self._return if item is self._unended else raw
                for item, raw in zip(self._items, written, strict=True)
            ]
            written[-1] = written[-1].removesuffix(self._return)
        return self._bom + b"\n".join(written) + (self._newline if written else b"")


def _touch(found, relation):
    for name in {relation.from_, relation.to}:
        found.setdefault(name, []).append(relation)


def _written_anew(item):
    """Forget a record's bytes, but for how its line ended."""
    if isinstance(item._raw, bytes):
        item._raw = _End(b"\r" if item._raw.endswith(b"\r") else b"")


def parse(data):
    """The Graph of a file's bytes. Never raises: what is no record is in `unreadable`."""
    graph = Graph()
    if data.startswith(BOM):
        graph._bom, data = BOM, data[len(BOM) :]
    if not data:
        return graph
    lines = data.split(b"\n")
    if lines[-1]:
        graph._newline = b""
    else:
        lines.pop()
    graph._return = b"\r" if lines[0].endswith(b"\r") else b""
    for number, raw in enumerate(lines, 1):
        item, why = _parsed(raw)
        if item is None:
            graph.unreadable.append((number, raw, why))
        else:
            graph._items.append(item)
            if number == len(lines) and graph._return and not graph._newline and not raw.endswith(b"\r"):
                graph._unended = item
            graph.others += isinstance(item, _Other) and bool(raw.strip())
    return graph


def _parsed(raw):
    """(Entity, Relation or _Other, "") of a line; (None, why) for one that is no record."""
    if not raw.strip():
        return _Other(raw), ""
    try:
        text = raw.decode()
        try:
            record = _DECODER.decode(text)
        except ValueError:
            record = _exact(text, {})  # a number may be too large for Python
    except UnicodeDecodeError:
        return None, "no UTF-8"
    except (ValueError, RecursionError):
        return None, "no JSON"
    kind = record.get("type") if isinstance(record, dict) else None
    if kind == "entity":
        name, type_, observations = (record.get(key) for key in ENTITY_KEYS[1:])
        if isinstance(name, str) and isinstance(type_, str) and _are_texts(observations):
            kept = None if tuple(record) == ENTITY_KEYS else raw
            return Entity(name, type_, observations, raw, kept), ""
        return None, "an entity without a name, an entityType or a list of texts as observations"
    if kind == "relation":
        from_, to, type_ = (record.get(key) for key in RELATION_KEYS[1:])
        if isinstance(from_, str) and isinstance(to, str) and isinstance(type_, str):
            kept = None if tuple(record) == RELATION_KEYS else raw
            return Relation(from_, to, type_, raw, kept), ""
        return None, "a relation without from, to or relationType"
    if isinstance(kind, str):
        return _Other(raw), ""
    return None, "no record of a graph"


def _are_texts(values):
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _finite(text):
    value = float(text)
    if value - value:  # infinite
        raise ValueError("too large a number")
    return value


def _no_number(name):
    raise ValueError(name + " is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


def _exact(text, numbers):
    """A line's record in which a unique text stands for each number; `numbers` gets {that text: the digits as
    they are in the line}. Python would round some, and refuse others."""
    mark = os.urandom(8).hex()

    def kept(digits):
        token = f"{mark}-{len(numbers)}"
        numbers[token] = digits
        return token

    decoder = json.JSONDecoder(parse_constant=_no_number, parse_float=kept, parse_int=kept)
    return decoder.decode(text)


def _encode(raw, values):
    """One line as JSON.stringify would write it: what was in the line `raw` (None for nothing), with these
    values. A lone surrogate, which has no UTF-8, stands as its escape."""
    numbers = {}
    record = {**(_exact(raw.decode(), numbers) if raw else {}), **values}
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = json.dumps(record, separators=(",", ":")).encode()
    for token, digits in numbers.items():
        data = data.replace(f'"{token}"'.encode(), digits.encode())
    return data
