"""What the surroundings of the desktop can tell, as plain values, and one Protocol for whoever tells it.

Only yes, no and "cannot tell" (None) leave a source: never which program is in a call, or what is shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """One question that a source may answer."""

    LOCKED = "locked"
    DO_NOT_DISTURB = "do_not_disturb"
    MICROPHONE = "microphone"
    CAMERA = "camera"
    VIDEO = "video"
    """A video stream is being taken from a desktop: its shared screen, or a camera."""


Tell = Callable[[Kind, str, bool | None], None]
"""Takes a kind, the name of who tells it, and what it is now."""

Answers = Mapping[tuple[Kind, str], bool | None]
"""The last word of everyone who has told anything, None included."""


class SourceUnavailable(Exception):  # noqa: N818  # a state of the world, not a fault of ours
    """Nobody answers there, or not any more; it may come back."""


class Source(Protocol):
    """Somebody who can tell: a bus, a sound server, the cameras."""

    @property
    def tells(self) -> Sequence[tuple[Kind, str]]:
        """What it can tell about, each with its own name in words for people."""
        ...

    async def watch(self, tell: Tell) -> None:
        """Tell everything once, then each change. Returning means that it never will tell more.

        Raises:
            Gone: it went away, or does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensed:
    """What was told, summed up for the log; None where nobody here can tell."""

    locked: bool | None = None
    do_not_disturb: bool | None = None
    call: bool | None = None


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Return what several answers to one question say together: one yes is enough, and None if nobody can tell."""
    said = [answer for answer in answers if answer is not None]
    return any(said) if said else None


def sum_up(answers: Answers) -> Sensed:
    """Return what all answers say together.

    That no camera is in use says little about a call; that the microphone is not says it.
    """

    def told(*kinds: Kind) -> bool | None:
        return any_of(value for (kind, _), value in answers.items() if kind in kinds)

    microphone = told(Kind.MICROPHONE)
    return Sensed(
        locked=told(Kind.LOCKED),
        do_not_disturb=told(Kind.DO_NOT_DISTURB),
        call=True if told(Kind.CAMERA, Kind.VIDEO) else microphone,
    )
