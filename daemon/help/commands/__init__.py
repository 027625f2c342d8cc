"""The commands of the program in front: its menus, tool buttons and keys, in its own language. In memory only.

Imports `storage`. Begin with `command`: what a command is; `matching` finds one by people's words,
`intents` knows what they say who do not know its name.
"""

from daemon.help.commands.command import Command, CommandList

__all__ = ["Command", "CommandList", "command", "intents", "matching", "prefetch", "words"]
