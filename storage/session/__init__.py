"""One session on disk, a folder: `log` (its rows), `video` and `sound`, `recorder` (the thread that writes them).

`heartbeat` survives a kill and marks a running recording, `labels` are what people said of a session, `transcript` is
what they said in it, `voice` when they spoke, `verify` checks it, `retention` deletes old ones, `transfer` exports and
imports. Imports other rooms of `storage`. Begin with `log.SessionReader`; nothing is re-exported: video and database
libraries load late.
"""

__all__ = [
    "derived",
    "heartbeat",
    "labels",
    "log",
    "recorder",
    "retention",
    "sound",
    "transcript",
    "transfer",
    "verify",
    "video",
    "video_sandbox",
    "voice",
]
