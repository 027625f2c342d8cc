"""Deletes a span of time for good: sessions, pictures, what was sent, what was learned; a kill leaves nothing halfway.

`intent` is the file that is written first and removed last, `rows` and `videos` shorten a session, and `carry_out` does
all of it in an order that can be repeated from any point. What is to go is decided in `daemon.purge`.

Imports the other rooms of `storage`, and nothing above it. Begin with `carry_out`.
"""

__all__ = ["carry_out", "intent", "rows"]
