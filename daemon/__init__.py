"""The running program: capture, engine, models, replay and the command line.

Begin with `engine`, the pure path from a record to a decision, then `runtime`, which runs it live; `runtime.run` puts
capture, core, log and interface together. `capture.gate` is the one switch that every grab, key and request passes.
"""

__all__ = [
    "capture",
    "cli",
    "diagnosis",
    "engine",
    "figures",
    "help",
    "history",
    "models",
    "narration",
    "replay",
    "runtime",
]
