"""Windows that somebody asked for: about their study, before minutes are forgotten, and instead of a tray.

`window` is what they have in common, and small ones.
"""

__all__ = ["ask", "command", "control", "forget", "study", "window"]
