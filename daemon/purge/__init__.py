"""Forgets a span of time: finds what each session, the sent log and the saved state hold of it, and has it deleted.

`span` is the time, `plan` what goes and what is put back. `intent` is the file that is written first and removed last;
`carry_out` deletes in an order that can be repeated from any point, so a kill leaves nothing halfway, and `rows` and
`videos` shorten a session. May import `daemon.replay` and what lies below `daemon`. Begin with `purge`.
"""

__all__ = ["purge", "span"]
