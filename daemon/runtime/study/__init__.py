"""What a joined study does in the running daemon: its settings (`enrolment`), its work and its requests."""

__all__ = ["actions", "enrolment", "work"]
