"""Gate 6, content: an offer needs something to say, at least the advice of its evidence code."""

from policies.stop import Stop


def check_content(topic: str | None) -> Stop | None:
    """Return a stop if no evidence has words, else None."""
    return Stop(gate="content", reason="nothing_to_say") if topic is None else None
