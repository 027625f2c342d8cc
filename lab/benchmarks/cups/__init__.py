"""States of programmers, and which suggestions to hold back, on the CUPS study of people.

Begin with `study`, which reads the published telemetry, then `features` and `protocol` (one programmer left out,
everything chosen among the others). Its classifiers are for this benchmark alone.
"""

__all__ = ["command"]
