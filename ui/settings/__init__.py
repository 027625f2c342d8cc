"""The settings window: `window`, its pages and rows, a field for each kind of value, and pointing at a window.

All words are in `ui.views.settings`; what is checked and written is the daemon's business (`storage.preferences`).
"""

__all__ = ["window"]
