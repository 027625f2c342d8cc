"""What a program can be told to do, as it says itself. Names are foreign text."""

from collections.abc import Callable, Sequence
from typing import Protocol

from storage.ports import Command, CommandList

__all__ = ["Command", "CommandList", "Meant", "RequestCommands", "no_commands"]

TakeCommands = Callable[[CommandList | None], None]

Meant = Sequence[tuple[tuple[str, ...], float]]
"""What words may ask a program to do, the likeliest first: by all its names, and its share of the likelihood."""


class RequestCommands(Protocol):
    """Gives the commands of a window."""

    def __call__(self, take: TakeCommands, app: str = "") -> None:
        """Ask for those of the window in front, or of the window of a program that was in front last.

        A window of ours may be in front, or a terminal in which somebody asks about the program before it.

        Have `take` called once, from any thread; with None where they are not known, or may not be asked for.
        """
        ...


def no_commands(take: TakeCommands, app: str = "") -> None:  # noqa: ARG001  # whatever the program
    """Know no commands."""
    take(None)
