"""Sessions with episodes of trouble at known seconds, as `kairos diagnose` reads them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    InputEvent,
    KeyClass,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    State,
)
from storage.session.log import SessionWriter, create_session
from tests.fakes.sessions.rows import start

NOON_S = 1_795_003_200.0
"""A moment in November 2026; days are counted from it."""

DAY_S = 86_400.0
STUCK, CALM = 0.9, 0.1
Timed = tuple[float, Record]


def estimate(at_s: float, need: float = STUCK, app: str = "writer", code: str = "undo_bursts", **fields: Any) -> Timed:
    """Return an estimate of help need."""
    values: dict[str, Any] = {
        "prefix_id": f"w{at_s:g}/100",
        "window_id": 1,
        "fraction": 1.0,
        "detector": "evidence",
        "detector_version": "2",
        "state_probs": {},
        "help_need": need,
        "evidence": (Evidence(code, {"count": 3.0}),) if code else (),
        "made_at_ns": 0,
        "ready_at_ns": 0,
        "confidence_source": "evidence",
        "app": app,
    }
    return at_s, Estimate(**(values | fields))


def offer(at_s: float, app: str = "writer", offer_id: str = "o1", code: str = "dead_clicks") -> Timed:
    """Return an offer."""
    return at_s, Offer(
        offer_id=offer_id,
        decision_seq=1,
        prefix_id="w1/100",
        app=app,
        topic=code,
        state=State.FRUSTRATION,
        help_need=STUCK,
        evidence=(Evidence(code, {"count": 3.0}),),
        help=None,
        shown_at_ns=0,
        expires_at_ns=0,
    )


def answer(at_s: float, kind: FeedbackKind = FeedbackKind.ACCEPTED, offer_id: str = "o1") -> Timed:
    """Return the answer to an offer."""
    by = "expiry" if kind is FeedbackKind.IGNORED else "person"
    return at_s, Feedback(offer_id=offer_id, kind=kind, by=by)


def key(at_s: float, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False) -> Timed:
    """Return a key."""
    return at_s, InputEvent(t_ns=round(at_s * NS_PER_S), kind=EventKind.KEY, key_class=key_class, own=own)


def typing(start_s: float, end_s: float, every_s: float = 2.0) -> Iterator[Timed]:
    """Yield keys at a steady pace, both ends included."""
    at_s = start_s
    while at_s <= end_s:
        yield key(at_s)
        at_s += every_s


def focus(at_s: float, app: str, digest: str = "d") -> Timed:
    """Return a change of focus."""
    return at_s, Focus(
        t_ns=round(at_s * NS_PER_S), app=app, window=1, title_digest=digest, geometry=Box(0, 0, 100, 100)
    )


def act(at_s: float, name: str | None = "Bold", app: str = "writer", role: ControlRole = ControlRole.BUTTON) -> Timed:
    """Return a touched control."""
    return at_s, ControlAct(
        t_ns=round(at_s * NS_PER_S), app=app, what="pressed", role=role, name_digest=f"digest of {name}", name=name
    )


def numbered(timed: Iterable[Timed], **first: Any) -> tuple[SessionStart, list[Record]]:
    """Return a first row, and the rows behind it in the order of their times."""
    begin = start(seq=1, at_ns=0, **{"wall_ns": round(NOON_S * NS_PER_S), "detector": "evidence", **first})
    ordered = sorted(timed, key=lambda one: one[0])
    rows = [replace(row, seq=seq, at_ns=round(at_s * NS_PER_S)) for seq, (at_s, row) in enumerate(ordered, start=2)]
    return begin, rows


def write(base: Path, *timed: Timed, day: float = 0.0, **first: Any) -> Path:
    """Write a session that began so many days after noon and ended in order, 10 minutes later or with its last row."""
    wall_ns = round((NOON_S + day * DAY_S) * NS_PER_S)
    folder = create_session(base, wall_ns)
    end_s = max([600.0, *(at_s for at_s, _ in timed)])
    begin, rows = numbered(
        [focus(0.0, "writer"), *timed, (end_s, SessionEnd(reason="stop"))],
        session_id=folder.name,
        wall_ns=wall_ns,
        **first,
    )
    writer = SessionWriter(folder)
    writer.append([begin, *rows])
    writer.close()
    return folder


def episode(at_s: float, *, app: str = "writer", name: str | None = "Bold", code: str = "undo_bursts") -> list[Timed]:
    """Return an episode of 12 s at a control, with work before and long after it."""
    return [
        *typing(at_s - 30.0, at_s + 90.0),
        act(at_s - 3.0, name, app),
        *(estimate(at_s + 6.0 * number, app=app, code=code) for number in range(3)),
    ]
