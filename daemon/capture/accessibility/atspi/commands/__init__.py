"""Which commands a program has: its menus, tool bars and keys, asked for without opening anything on the screen.

`exported` asks for menus that a program offers on the session bus, `menus` walks those in the accessibility tree, and
`reading` makes one list of both, without what is personal (`personal`). All is foreign text, in memory alone. Imports
`daemon.capture` and `storage`. Begin with `reading`.
"""

from daemon.capture.accessibility.atspi.commands.reading import CommandReader

__all__ = ["CommandReader"]
