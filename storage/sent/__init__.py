"""What was sent to models, stored for inspection: `log` writes `sent.db`, `reader` shows it, `request` is its input.

Imports only the bottom modules of `storage`. Begin with `log.SentLog`.
"""
