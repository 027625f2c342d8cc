"""What of the desktop may be recorded: rules for windows, built-in lists, and the filter for input. Start with `rules`.

Pure: imports plain values of `daemon.capture.scene` and `storage`, no backend.
"""

__all__ = ["exclusions", "input_filter", "key_grid", "rules", "traits"]
