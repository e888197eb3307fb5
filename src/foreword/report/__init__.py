"""Whether memory pays: client sessions with it on against off, from the clients' own logs. Cold.

`made` puts the report together, of what `count` took from the clients' logs, what `heard` finds in ours, and
what `compare` says of the two arms; `prices` and `fixed` say what it costs. Faces call `made`.
"""
