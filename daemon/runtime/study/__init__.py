"""What a joined study does in the running daemon: its settings (`enrolment`), tasks, work and requests."""

__all__ = ["actions", "enrolment", "tasks", "work"]
