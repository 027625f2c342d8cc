"""The running program: capture, engine, models, replay and the command line.

May import every room but `lab`. Begin with `engine`, the pure path from a record to a decision, then `runtime`,
which runs it live; `app` puts capture, core, log and interface together. `capture.gate` is the one switch that every
grab, key and request passes; `text` formats what commands print.
"""

__all__ = [
    "capture",
    "cli",
    "config",
    "control_client",
    "diagnosis",
    "engine",
    "figures",
    "help",
    "history",
    "models",
    "pages",
    "replay",
    "runtime",
]
