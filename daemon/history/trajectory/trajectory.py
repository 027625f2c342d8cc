"""The shapes of a trajectory: steps, each an act on a target. What is not known is None, never made up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from storage.records import Box, Element

API = "api:"
"""Before the name of a call that an agent made instead of an act on the screen."""


class Verb(StrEnum):
    """What an act was."""

    CLICK = "click"
    DOUBLE_CLICK = "double_click"
    RIGHT_CLICK = "right_click"
    DRAG = "drag"
    SCROLL = "scroll"
    TYPE = "type"
    KEY = "key"
    SELECT = "select"
    SWITCH_APP = "switch_app"
    WAIT = "wait"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAction:
    """One act: a `Verb`, or `API` and a name, with its arguments. `type` of a person has a count, never the text."""

    verb: str
    args: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The control that was acted on; `box` in full-size pixels of the desktop."""

    name: str | None = None
    role: str | None = None
    box: Box | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step, numbered from 1, `at_s` seconds after the trajectory began.

    `before` names the newest picture up to the step's first event, `after` the newest before the next step. `said` is
    what an agent wrote down as its thought.
    """

    number: int
    at_s: float
    app: str
    action: StepAction
    target: Target | None = None
    before: str | None = None
    after: str | None = None
    elements: tuple[Element, ...] | None = None
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Steps toward a goal.

    Attributes:
        key: tells it from others of the same source.
        source: the session's id, or the name of a data set.
        whose: "person" or "agent".
        app: the program of most steps.
        goal: what was wanted, where somebody stated it.
        steps: in order.
        outcome: whether the goal was reached, where somebody judged it.
        last_picture: what was shown at the end.
    """

    key: str
    source: str
    whose: str
    app: str
    goal: str | None = None
    steps: tuple[Step, ...] = ()
    outcome: bool | None = None
    last_picture: str | None = None


SESSION, PLAIN = "session", "plain"
"""The layouts of sets that the product reads."""


class PictureReader(Protocol):
    """Reads the pictures that steps name."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a PNG or JPEG file.

        Raises:
            BadFile: there is no such picture, or it leads out of the set's folder.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectorySet:
    """Trajectories of one source.

    Attributes:
        layout: how their files are laid out, or `SESSION`.
        trajectories: each with a key of its own, in the order of the files.
        pictures: reads what their steps name.
        domains: the domain of a trajectory by its key, where the set has one.
        areas: the rectangle of the desktop that a picture shows, where that is not the picture itself.
        by_rules: whether the goal was reached as the rules of a benchmark say, by key, where the set has that.
        whole_pages: whether pictures show pages to their end, of which only a part was on the screen.
        left_out: rows and files that became no trajectory or step, counted by reason.
    """

    layout: str
    trajectories: tuple[Trajectory, ...]
    pictures: PictureReader
    domains: Mapping[str, str] = field(default_factory=dict)
    areas: Mapping[str, Box] = field(default_factory=dict)
    by_rules: Mapping[str, bool] = field(default_factory=dict)
    whole_pages: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
