"""What is known about the user's surroundings beside the desktop, as plain values, and the Protocol of its sources.

Only yes, no and unknown (None) leave a source: never which program is in a call, or what is shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Condition(StrEnum):
    """A yes-or-no condition that a source may report."""

    LOCKED = "locked"
    DO_NOT_DISTURB = "do_not_disturb"
    MICROPHONE = "microphone"
    CAMERA = "camera"
    VIDEO = "video"
    """A video stream is being taken from a desktop: its shared screen, or a camera."""


Report = Callable[[Condition, str, bool | None], None]
"""Takes a condition, the name of who reports it, and its present value."""

Answers = Mapping[tuple[Condition, str], bool | None]
"""The newest value of everyone who has reported anything, None included."""


class ConditionSource(Protocol):
    """A bus, a sound server or a device that reports conditions."""

    @property
    def provides(self) -> Sequence[tuple[Condition, str]]:
        """The conditions it can report, each with its own name in words for people."""

    async def watch(self, report: Report) -> None:
        """Report every condition once, then each change; raises `SourceGone` where it went away, or does not answer."""

    async def look(self, report: Report) -> None:
        """Ask anew and report, while it is watched: news may come late. A source without news on its way does not."""
        del report


@dataclass(frozen=True, slots=True, kw_only=True)
class SurroundingsState:
    """All answers summed up for the log; None where the value is unknown."""

    locked: bool | None = None
    do_not_disturb: bool | None = None
    call: bool | None = None


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Combine several answers to one question: one yes is enough, and None if all are unknown."""
    known = [answer for answer in answers if answer is not None]
    return any(known) if known else None


def summarize(answers: Answers) -> SurroundingsState:
    """Combine all answers. A camera that is not in use says little about a call; an unused microphone rules it out."""

    def is_any(*conditions: Condition) -> bool | None:
        return any_of(value for (condition, _), value in answers.items() if condition in conditions)

    return SurroundingsState(
        locked=is_any(Condition.LOCKED),
        do_not_disturb=is_any(Condition.DO_NOT_DISTURB),
        call=True if is_any(Condition.CAMERA, Condition.VIDEO) else is_any(Condition.MICROPHONE),
    )
