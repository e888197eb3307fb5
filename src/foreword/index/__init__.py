"""Derived from the store's files and free to be deleted: SQLite.

`schema` opens it, `build` puts memories in, `impacts` says what their words weigh, `postings` keeps
that, `search` ranks. An index of another version or a corrupt one is built anew; it is never migrated.
"""
