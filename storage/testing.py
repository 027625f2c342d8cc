"""Sessions for tests of your own detectors, policies and tools, written record by record with a clock that you move.

    session = SessionBuilder(app="writer")
    session.wait(2).keys(12)
    session.wait(1).offer(topic="undo_bursts")
    session.wait(4).answer(FeedbackKind.ACCEPTED)
    folder = session.wait(600).end().write(tmp_path)

`plain` makes one record. Nothing that runs at a person's desk uses this module.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from storage.clock import NS_PER_S, ManualClock
from storage.records import (
    Box,
    ClosedBy,
    ControlAct,
    ControlRole,
    Decision,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    MessageClass,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Verdict,
)
from storage.session.log import SessionWriter, create_session
from storage.session.video import Picture, VideoPlan, VideoWriter

WALL_NS = 1_795_003_200 * NS_PER_S
"""When a session begins unless its clock says otherwise: a noon in November 2026, UTC."""

CARD_NS = 45 * NS_PER_S
"""How long an offer stands."""

CLICK_S = 0.08
_TIMES = frozenset({"t_ns", "start_ns", "end_ns", "made_at_ns", "ready_at_ns", "asked_at_ns", "shown_at_ns", "due_ns"})
_BATCH = 2_000
_PLAIN: Mapping[str, Any] = {
    # what was seen
    "app": "writer", "window": 1, "title_digest": "d", "geometry": Box(0, 0, 1920, 1080), "popup": True, "gone": False,
    "monitor": "screen", "size": (1920, 1080), "digest": "0" * 16, "changed": (Box(0, 0, 64, 32),),
    "what": "pressed", "role": ControlRole.BUTTON, "about": MessageClass.OTHER, "elements": (),
    "name_digest": "d", "text_digest": "d", "label_digest": "d", "on": True, "by": "person",
    # what was made of it
    "window_id": 1, "prefix_id": "w1/100", "fraction": 1.0, "slots": (), "features": {}, "truncated": False,
    "planned_ns": 24 * NS_PER_S, "frames": (), "events": 0, "closed_by": ClosedBy.FULL,
    "state_probs": {}, "help_need": 0.05, "evidence": (), "confidence_source": "evidence",
    "verdict": Verdict.HOLD, "gate": "evidence", "reason": "not_enough", "needed": True,
    "offer_id": "o1", "decision_seq": 1, "topic": "undo_bursts", "state": State.FRUSTRATION, "help": None,
    # the first row
    "session_id": "20261118-120000-abcd", "kairos_version": "0", "wall_ns": WALL_NS, "platform": "test",
    "settings": {}, "settings_hash": "", "detector": "evidence", "detector_version": "1", "detector_hash": "",
    "policy": "utility", "policy_version": "1", "policy_hash": "", "policy_state": {}, "journal": True,
    "recording": False,
    # what a policy is told
    "consent": True, "paused": False, "excluded": False, "focus_since_ns": 0, "session_start_ns": 0, "last_input_ns": 0,
    "buttons_down": False, "in_word": False, "dragging": False, "full_screen": False, "locked": False,
    "do_not_disturb": False, "call": False, "showing": None,
}  # fmt: skip
_KINDS: Mapping[type, object] = {InputEvent: EventKind.KEY, Feedback: FeedbackKind.ACCEPTED}
T = TypeVar("T")
R = TypeVar("R", bound=Record)


def plain(kind: type[T], now_ns: int = 0, /, **given: Any) -> T:
    """Return a record (or a `Context`) with plain values for what is not given; its times are `now_ns`.

    Raises:
        TypeError: a field that is not given has no plain value.
    """
    values = {**_PLAIN, **dict.fromkeys(_TIMES, now_ns), "expires_at_ns": now_ns + CARD_NS}
    if kind in _KINDS:
        values["kind"] = _KINDS[kind]
    return kind(**({name: values[name] for name in _needed(kind) if name in values} | given))


def _needed(kind: type) -> tuple[str, ...]:
    """Return the fields of a record that have no default of their own."""
    return tuple(field.name for field in fields(kind) if field.default is field.default_factory is MISSING)


class SessionBuilder:
    """A session in the making: `rows` are its records, numbered, each taken in when the clock stood there.

    Every method for a kind of record takes its other fields by name. Seconds count from the beginning of the session.
    """

    def __init__(self, *, app: str = _PLAIN["app"], wall_ns: int = WALL_NS, begin_ns: int = 0, **start: Any) -> None:
        """Begin at a wall-clock time and a session time; `start` are fields of the first row."""
        self.clock = ManualClock(begin_ns, wall_ns)
        self.app = app
        self.begin_ns = begin_ns
        self.rows: list[Record] = []
        self._plan = VideoPlan(300.0)
        self._pictures: list[Picture] = []
        self.add(plain(SessionStart, **({"wall_ns": wall_ns} | start)))

    def at(self, seconds: float) -> Self:
        """Move the clock to so many seconds; never back."""
        self.clock.advance_to(self.begin_ns + round(seconds * NS_PER_S))
        return self

    def wait(self, seconds: float) -> Self:
        """Move the clock on."""
        self.clock.advance(round(seconds * NS_PER_S))
        return self

    def add(self, record: R) -> R:
        """Take a record in as it is; return it with its number and time."""
        taken = replace(record, seq=len(self.rows) + 1, at_ns=self.clock.now_ns())
        self.rows.append(taken)
        return taken

    def timed(self, records: Iterable[tuple[float, Record]]) -> Self:
        """Take records in at their seconds, in that order."""
        for seconds, record in sorted(records, key=lambda timed: timed[0]):
            self.at(seconds).add(record)
        return self

    def put(self, kind: type[R], /, **given: Any) -> R:
        """Take in a plain record of a kind that happened now, in the program that is in front."""
        if "app" in _needed(kind):
            given = {"app": self.app} | given
        return self.add(plain(kind, self.clock.now_ns(), **given))

    def keys(self, count: int = 1, key_class: KeyClass = KeyClass.CHARACTER, *, gap_s: float = 0.2) -> Self:
        """Press keys, a moment after each other."""
        for _ in range(count):
            self.put(InputEvent, key_class=key_class)
            self.wait(gap_s)
        return self

    def click(self, x: int, y: int, *, button: str = "left") -> Self:
        """Press a button of the pointer and let it go."""
        self.put(InputEvent, kind=EventKind.BUTTON_DOWN, button=button, x=x, y=y)
        self.wait(CLICK_S).put(InputEvent, kind=EventKind.BUTTON_UP, button=button, x=x, y=y)
        return self

    def focus(self, app: str, **given: Any) -> Focus:
        """Bring a window to the front; what comes after it happens in its program."""
        self.app = app
        return self.put(Focus, **given)

    def picture(self, luma: int, size: tuple[int, int] = (320, 180), **given: Any) -> Frame:
        """Let the screen change, with a plain grey picture (0 to 255) of an even size in the video."""
        import numpy as np

        width, height = size
        planes = np.full((height * 3 // 2, width), 128, np.uint8)
        planes[:height] = luma
        now_ns = self.clock.now_ns()
        ref = self._plan.ref(now_ns, size)
        self._pictures.append(Picture(t_ns=now_ns, ref=ref, planes=planes, width=width, height=height))
        return self.put(Frame, **({"size": size, "image_ref": ref} | given))

    def control(self, name: str, **given: Any) -> ControlAct:
        """Press a control."""
        return self.put(ControlAct, **({"name": name, "name_digest": f"digest of {name}"} | given))

    def estimate(self, help_need: float, *codes: str, **given: Any) -> Estimate:
        """Let a detector see this much need, for the evidence of these codes."""
        evidence = tuple(Evidence(code, {"count": 3.0}) for code in codes)
        prefix_id = f"w{len(self.rows)}/100"
        return self.put(Estimate, **({"prefix_id": prefix_id, "help_need": help_need, "evidence": evidence} | given))

    def decide(self, reason: str, gate: str = "evidence", **given: Any) -> Decision:
        """Let the policy hold, or offer where no gate stopped it ("all")."""
        verdict = Verdict.OFFER if gate == "all" else Verdict.HOLD
        return self.put(Decision, **({"verdict": verdict, "gate": gate, "reason": reason} | given))

    def offer(self, **given: Any) -> Offer:
        """Let the policy decide to offer help, and show the offer."""
        seq = self.decide("at_break", "all").seq
        return self.put(Offer, **({"offer_id": f"o{seq}", "decision_seq": seq, "help_need": 0.9} | given))

    def answer(self, kind: FeedbackKind, offer: Offer | None = None) -> Feedback:
        """Answer an offer, by default the last one."""
        asked = offer or [row for row in self.rows if isinstance(row, Offer)][-1]
        by = "expiry" if kind is FeedbackKind.IGNORED else "person"
        return self.put(Feedback, offer_id=asked.offer_id, kind=kind, by=by)

    def end(self, reason: str = "stop") -> Self:
        """End the session in order; without this it is one that was cut off."""
        self.add(SessionEnd(reason=reason))
        return self

    def write(self, base: Path) -> Path:
        """Write rows and pictures as a new session among those in `base`; return its folder.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        first = self.rows[0]
        assert isinstance(first, SessionStart)  # noqa: S101  # put there by the constructor
        folder = create_session(base, first.wall_ns)
        self.rows[0] = replace(first, session_id=folder.name)
        return write_session(folder, self.rows, self._pictures)


def write_session(folder: Path, rows: Sequence[Record], pictures: Iterable[Picture] = ()) -> Path:
    """Write numbered rows, and pictures, into a folder that is made where it is missing; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = SessionWriter(folder)
    for begin in range(0, len(rows), _BATCH):
        writer.append(rows[begin : begin + _BATCH])
    writer.close()
    video = VideoWriter(folder)
    for picture in pictures:
        video.write(picture)
    video.close()
    return folder
