"""The bottom room: what flows through Kairos, and everything on disk. Imports no other room.

Begin with `records` (the shared vocabulary) and `settings`; `clock`, `errors`, `messages`, `ports`, `plugins` and
`wayland` are the other modules that any room may use, of the standard library only. `session` is one session on disk,
`state` outlives sessions, `sent` keeps what was sent to models, `testing` writes sessions for tests. `db`, `files` and
`limited_child` are what those are built on. Nothing is re-exported: databases and video libraries load late.
"""

VERSION = "0.1.0"
"""Of all three distributions; reading it from what is installed takes 40 ms of a start."""

__all__ = [
    "VERSION",
    "capabilities",
    "clock",
    "consent_text",
    "db",
    "enrolment",
    "errors",
    "files",
    "limited_child",
    "messages",
    "plain_text",
    "plugins",
    "ports",
    "preferences",
    "records",
    "sent",
    "session",
    "settings",
    "settings_file",
    "state",
    "study_text",
    "testing",
    "timeline",
    "translation",
    "wayland",
]
