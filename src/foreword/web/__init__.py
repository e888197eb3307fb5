"""The view: one local page about what is stored, what was used and what it costs. A face, on loopback alone.

`run` binds and serves, `guard` refuses what is not the user's own browser, `app` has the table of pages,
`pages` one module each, `shown` makes answers of templates, `charts` draws, `pending` holds deletes that
can be taken back. Only `cli/cmd_view` imports it.
"""
