"""Labelled sessions by simulated users in real programs, recorded by the real Kairos. Simulated data, never human.

Imports `demo.virtual_desktop`, `demo.judge` and storage; training and the benchmarks read what is recorded here.
Begin with `command` (what is simulated), `session_plan` (which behaviors in which order), `behaviors.behavior`, then
`recording.session`, which plays one session.
"""

__all__ = ["behaviors", "command", "recording", "scenery", "session_plan"]
