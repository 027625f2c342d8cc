"""What was sent to models, stored for inspection: `log` writes `sent.db`, `reader` reads it.

Imports only the bottom modules of `storage`. Begin with `log.SentLog`.
"""

__all__ = ["log", "reader"]
