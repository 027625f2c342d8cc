"""Failed attempts and work done, per application: undo bursts, unanswered clicks, abandoned menus and dialogs, entries.

May import what `detectors.features` shares. Begin with `memory`, in which the other modules count failures and work;
`detectors.features.tracker` feeds them.
"""

__all__ = ["entries", "memory", "menus_dialogs"]
