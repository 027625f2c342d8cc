"""Labelled sessions by simulated users in real programs, recorded by the real Kairos. Simulated data, never human.

Imports `demo.virtual_desktop`, `demo.judge` and storage; training and the benchmarks read what is recorded here.
Begin with `command` (what is simulated) and `tasks` (what people want, and how they fail), then `recording.session`,
which plays one session. The programs are in `programs` and `apps`, what else is on the desktop in `scenery`.
"""

__all__ = ["behaviors", "command", "persona", "programs", "recording", "scenery", "tasks"]
