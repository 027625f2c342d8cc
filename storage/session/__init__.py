"""One session on disk, a folder: `log` (its rows), `video` (its pictures), `recorder` (the thread that writes both).

`heartbeat` survives a kill and marks a running recording, `verify` checks a session, `retention` deletes old ones.
Imports the bottom modules of `storage` and `storage.sent`. Begin with
`log.SessionReader`; nothing is re-exported, because video and database libraries load late.
"""

__all__ = ["derived", "heartbeat", "log", "recorder", "retention", "verify", "video", "video_sandbox"]
