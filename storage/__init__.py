"""The bottom room: what flows through Kairos, and everything on disk. Imports no other room.

Begin with `records` (the shared vocabulary) and `settings`; `clock`, `errors`, `messages`, `ports` and `plugins` are
the other modules that any room may use, of the standard library only. `session` is one session on disk, `state`
outlives sessions, `sent` keeps what was sent to models, `transfer` exports and imports, `testing` writes sessions
for tests. `db`, `migrations`, `codec`, `paths`, `files` and `limited_child` are what those are built on. Nothing is
re-exported: databases and video libraries load late.
"""

__all__ = [
    "clock",
    "codec",
    "consent_text",
    "db",
    "enrolment",
    "errors",
    "files",
    "limited_child",
    "messages",
    "migrations",
    "offer_text",
    "paths",
    "plain_text",
    "plugins",
    "ports",
    "preferences",
    "purge",
    "records",
    "sent",
    "session",
    "settings",
    "settings_file",
    "state",
    "study_text",
    "tiles",
    "timeline",
    "transfer",
    "translation",
]
