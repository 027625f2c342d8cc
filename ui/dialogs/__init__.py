"""Windows that somebody asked for: about their study, before minutes are forgotten, and instead of a tray.

Each module is one of them; `window` is what they have in common.
"""

__all__ = ["control", "forget", "limits", "study", "window"]
