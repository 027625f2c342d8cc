"""Local times for people."""

from datetime import UTC, datetime


def local_time(wall_ns: int | None) -> datetime | None:
    """Turn wall-clock nanoseconds into the person's local time."""
    return None if wall_ns is None else datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()
