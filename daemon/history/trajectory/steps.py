"""Makes steps of a session's rows, in the order of `at_ns`, while they are read: nothing is held but the newest step.

Input in windows of ours is left out, and what was excluded is in no row. Characters are counted, never named. A pause,
private time, exclusion, wake, taken-back consent or two minutes without input ends a trajectory. Names of controls are
there only where the recording was consented to; without it, and without controls being understood, a step has no more
than its place and time.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from daemon.history.trajectory.trajectory import Step, StepAction, Target, Trajectory, Verb
from detectors.acts import TOLD_DOUBLE_NS, holds, stops_observation
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    Element,
    Elements,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Record,
    SessionEnd,
    SessionStart,
    Switch,
    Wake,
)

KINDS = tuple(kind.KIND for kind in (ControlAct, Elements, Focus, Frame, InputEvent, SessionEnd, Switch, Wake))
"""Rows that steps are made of."""

CLICK_PX = 8
"""A button that comes up farther from where it went down has dragged."""

TYPE_GAP_NS = 2 * NS_PER_S
KEY_GAP_NS = 2 * NS_PER_S
SCROLL_GAP_NS = NS_PER_S
WAIT_NS = 10 * NS_PER_S
ABSENT_NS = 120 * NS_PER_S
ACT_NS = 2 * NS_PER_S
"""What the accessibility sense saw of a step comes no later than this."""

PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundStep:
    """A step with its times in session time; `last` is true for the last one of its trajectory."""

    step: Step
    first_ns: int
    last_ns: int
    last: bool


@dataclass(slots=True)
class _Open:
    """The newest step, which later rows may lengthen."""

    app: str
    verb: Verb
    first_ns: int
    last_ns: int
    before: str | None
    elements: tuple[Element, ...] | None
    args: dict[str, str | int | float]
    target: Target | None = None
    seen: bool = False  # whether the target is what the accessibility sense saw


@dataclass(frozen=True, slots=True)
class _Press:
    """A button that is down."""

    button: str
    x: int
    y: int
    at_ns: int
    before: str | None


class StepFolder:
    """Folds rows into steps; a step is returned once the next one begins or its trajectory ends."""

    def __init__(self) -> None:
        """Start before the first row."""
        self._open: _Open | None = None
        self._press: _Press | None = None
        self._app = ""
        self._picture: str | None = None
        self._elements: Elements | None = None
        self._began_ns: int | None = None
        self._input_ns: int | None = None
        self._number = 0

    @property
    def picture(self) -> str | None:
        """The newest picture."""
        return self._picture

    def add(self, row: Record) -> list[FoundStep]:
        """Take a row; return the steps that are now known whole, in order."""
        found: list[FoundStep] = []
        match row:
            case Frame() if row.image_ref is not None:
                self._picture = row.image_ref
            case InputEvent() if not row.own:
                found = self._absence(row.at_ns)
                found += self._input(row)
                self._input_ns = row.at_ns
            case Focus():
                found = self._focus(row)
            case Elements():
                self._elements = row
            case ControlAct():
                self._act(row)
            case _ if stops_observation(row) or isinstance(row, SessionEnd):
                found = self.cut()
            case _:
                pass
        return found

    def cut(self) -> list[FoundStep]:
        """End the trajectory; return its last step, if there is one."""
        found = self._finish(last=True)
        self._press = self._began_ns = self._input_ns = None
        self._number = 0
        return found

    # ------------------------------------------------------------ rows

    def _absence(self, at_ns: int) -> list[FoundStep]:
        """Return what the time since the last input means: nothing, a step of waiting, or the end of a trajectory."""
        if self._input_ns is None or at_ns - self._input_ns < WAIT_NS:
            return []
        if at_ns - self._input_ns >= ABSENT_NS:
            return self.cut()
        found = self._begin(Verb.WAIT, self._input_ns, before=self._picture)
        if self._open is not None:
            self._open.last_ns = at_ns
            self._open.args["seconds"] = round((at_ns - self._input_ns) / NS_PER_S, 1)
        return found

    def _input(self, event: InputEvent) -> list[FoundStep]:
        at_ns = event.at_ns
        match event.kind:
            case EventKind.BUTTON_DOWN if event.x is not None and event.y is not None:
                self._press = _Press(event.button or "left", event.x, event.y, at_ns, self._picture)
            case EventKind.BUTTON_UP if self._press is not None:
                press, self._press = self._press, None
                return self._released(press, event)
            case EventKind.SCROLL:
                return self._scrolled(event)
            case EventKind.KEY if event.key_class is KeyClass.CHARACTER:
                return self._counted(Verb.TYPE, {}, event, TYPE_GAP_NS)
            case EventKind.KEY if event.key_class not in (None, KeyClass.MODIFIER):
                return self._counted(Verb.KEY, {"key": str(event.key_class)}, event, KEY_GAP_NS)
            case EventKind.PROTECTED:
                return self._begin(Verb.TYPE, at_ns, before=self._picture)
            case _:
                pass
        return []

    def _released(self, press: _Press, event: InputEvent) -> list[FoundStep]:
        x, y = (press.x, press.y) if event.x is None or event.y is None else (event.x, event.y)
        args: dict[str, str | int | float] = {"x": press.x, "y": press.y}
        if math.hypot(x - press.x, y - press.y) > CLICK_PX:
            found = self._begin(Verb.DRAG, press.at_ns, before=press.before)
            args |= {"to_x": x, "to_y": y}
        else:
            newest = self._open
            if newest is not None and newest.verb is Verb.CLICK and self._is_second(newest, press):
                newest.verb, newest.last_ns = Verb.DOUBLE_CLICK, event.at_ns
                return []
            found = self._begin(
                Verb.RIGHT_CLICK if press.button == "right" else Verb.CLICK, press.at_ns, before=press.before
            )
        if press.button not in ("left", "right"):
            args["button"] = press.button
        if self._open is not None:
            self._open.args, self._open.last_ns = args, event.at_ns
            self._open.target = self._element_at(press.x, press.y)
        return found

    @staticmethod
    def _is_second(newest: _Open, press: _Press) -> bool:
        x, y = newest.args["x"], newest.args["y"]
        near = math.hypot(press.x - float(x), press.y - float(y)) <= CLICK_PX
        same = newest.args.get("button", "left") == press.button
        return near and same and press.at_ns - newest.first_ns <= TOLD_DOUBLE_NS

    def _scrolled(self, event: InputEvent) -> list[FoundStep]:
        up, right = event.dy, event.dx
        way = ("up" if up > 0 else "down") if up else ("right" if right > 0 else "left")
        steps = abs(up) or abs(right)
        newest = self._open
        if (
            newest is not None
            and newest.verb is Verb.SCROLL
            and newest.args["way"] == way
            and event.at_ns - newest.last_ns <= SCROLL_GAP_NS
        ):
            newest.last_ns = event.at_ns
            newest.args["steps"] = int(newest.args["steps"]) + steps
            return []
        found = self._begin(Verb.SCROLL, event.at_ns, before=self._picture)
        if self._open is not None:
            self._open.args |= {"way": way, "steps": steps}
            if event.x is not None and event.y is not None:
                self._open.target = self._element_at(event.x, event.y)
        return found

    def _counted(
        self, verb: Verb, args: dict[str, str | int | float], event: InputEvent, gap_ns: int
    ) -> list[FoundStep]:
        """Lengthen the newest step by an equal key, or begin one."""
        newest = self._open
        if (
            newest is not None
            and newest.verb is verb
            and "count" in newest.args
            and newest.args.get("key") == args.get("key")
            and event.at_ns - newest.last_ns <= gap_ns
        ):
            newest.last_ns = event.at_ns
            newest.args["count"] = int(newest.args["count"]) + event.count
            return []
        found = self._begin(verb, event.at_ns, before=self._picture)
        if self._open is not None:
            self._open.args |= {**args, "count": event.count}
        return found

    def _focus(self, focus: Focus) -> list[FoundStep]:
        if focus.own:
            return []
        self._elements = None  # of another window
        before, self._app = self._app, focus.app
        if not before or not focus.app or focus.app == before or self._began_ns is None:
            return []
        found = self._begin(Verb.SWITCH_APP, focus.at_ns, before=self._picture)
        if self._open is not None:
            self._open.args["app"] = focus.app
        return found

    def _act(self, act: ControlAct) -> None:
        step = self._open
        if step is None or step.app != act.app or not 0 <= act.at_ns - step.first_ns <= ACT_NS + self._length(step):
            return
        if step.verb in (Verb.WAIT, Verb.SWITCH_APP, Verb.SCROLL) or step.seen:
            return
        if act.box is not None and "x" in step.args and not holds(act.box, int(step.args["x"]), int(step.args["y"])):
            return
        step.target, step.seen = Target(name=act.name, role=act.role.value, box=act.box), True

    @staticmethod
    def _length(step: _Open) -> int:
        return step.last_ns - step.first_ns

    # ------------------------------------------------------------ steps

    def _begin(self, verb: Verb, at_ns: int, *, before: str | None) -> list[FoundStep]:
        found = self._finish(last=False)
        if self._began_ns is None:
            self._began_ns = at_ns
        elements = None if self._elements is None else self._elements.elements
        self._open = _Open(
            app=self._app, verb=verb, first_ns=at_ns, last_ns=at_ns, before=before, elements=elements, args={}
        )
        return found

    def _finish(self, *, last: bool) -> list[FoundStep]:
        one, self._open = self._open, None
        if one is None or self._began_ns is None:
            return []
        self._number += 1
        step = Step(
            number=self._number,
            at_s=max(0, one.first_ns - self._began_ns) / NS_PER_S,
            app=one.app,
            action=StepAction(verb=one.verb.value, args=one.args),
            target=one.target,
            before=one.before,
            after=self._picture,
            elements=one.elements,
        )
        return [FoundStep(step=step, first_ns=one.first_ns, last_ns=one.last_ns, last=last)]

    def _element_at(self, x: int, y: int) -> Target | None:
        if self._elements is None or self._elements.app != self._app:
            return None
        around = [element for element in self._elements.elements if holds(element.box, x, y)]
        if not around:
            return None
        found = min(around, key=lambda element: element.box.w * element.box.h)
        return Target(name=found.name, role=found.role, box=found.box)


def trajectories(rows: Iterable[Record]) -> Iterator[Trajectory]:
    """Yield the trajectories of a session, given its rows from the first on."""
    folder = StepFolder()
    source, count = "", 0
    steps: list[Step] = []

    def whole() -> Trajectory:
        app = Counter(step.app for step in steps).most_common(1)[0][0]
        return Trajectory(
            key=f"{source}/{count}",
            source=source,
            whose=PERSON,
            app=app,
            steps=tuple(steps),
            last_picture=folder.picture,
        )

    def taken(found: Iterable[FoundStep]) -> Iterator[Trajectory]:
        nonlocal count
        for step in found:
            steps.append(step.step)
            if step.last:
                count += 1
                yield replace(whole(), last_picture=step.step.after)
                steps.clear()

    for row in rows:
        if isinstance(row, SessionStart):
            source = row.session_id
        yield from taken(folder.add(row))
    yield from taken(folder.cut())
