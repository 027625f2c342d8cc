"""What a program can be told to do, as it says itself. Names are foreign text."""

from collections.abc import Callable
from typing import Protocol

from storage.ports import Command, CommandList

__all__ = ["Command", "CommandList", "RequestCommands", "no_commands"]

TakeCommands = Callable[[CommandList | None], None]


class RequestCommands(Protocol):
    """Gives the commands of the window in front."""

    def __call__(self, take: TakeCommands) -> None:
        """Have `take` called once, from any thread; with None where they are not known, or may not be asked for."""
        ...


def no_commands(take: TakeCommands) -> None:
    """Know no commands."""
    take(None)
