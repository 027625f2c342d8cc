"""Forgets a span of time: finds what each session, the sent log and the saved state hold of it, and has it deleted.

`span` is the time, `plan` what goes and what is put back; `storage.purge` deletes. May import `daemon.replay`,
`daemon.runtime.study.enrolment` and what lies below `daemon`. Begin with `purge`.
"""

__all__ = ["purge", "span"]
