"""What a study does on a participant's machine: join, pack, review, send, leave.

`folder` is where a joined study lies, `outbox` its parcels. Nothing here needs the researcher's packages, and only
`send` opens a socket. Begin with `folder`.
"""
