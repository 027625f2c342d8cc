"""View models without Qt: what each surface shows, one module a surface.

All are pure functions from values of `storage`, so wording, order and what can be clicked are tested without a screen.
"""

__all__ = [
    "acts",
    "answer",
    "ask",
    "card",
    "day",
    "essentials",
    "forget",
    "labelling",
    "notice",
    "question",
    "settings",
    "shortcuts",
    "spotlight",
    "study",
    "text",
    "timeline",
    "tray",
]
