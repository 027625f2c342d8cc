"""Documentation that is on this machine: read, indexed, and searched for the page that would help.

Imports `storage` and `daemon.help.context`. Begin with `search`: `HelpLibrary` is what the daemon uses. `documentation`
says where documentation lies, `readers` read it, `index` writes what `ranking` searches; `general` are our own pages.
"""

from daemon.help.library.search import HelpLibrary, checked_wall_ns

__all__ = [
    "HelpLibrary",
    "asked",
    "checked_wall_ns",
    "documentation",
    "general",
    "index",
    "pages",
    "ranking",
]
