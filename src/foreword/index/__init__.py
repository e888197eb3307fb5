"""Derived from the store's files and free to be deleted: SQLite with FTS5.

`schema` opens it, `build` fills it, `search` ranks. An index of another version or a corrupt one is
built anew; it is never migrated.
"""
