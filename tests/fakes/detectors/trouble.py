"""Sessions with episodes of trouble at known seconds, as `kairos diagnose` reads them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from daemon.diagnosis.episodes import Ending, Episode, Place, PlaceKind, SessionDiagnosis, ShortStep
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
    SessionStart,
)
from storage.testing import SessionBuilder, plain

NOON_S = 1_795_003_200.0
"""A moment in November 2026; days are counted from it."""

DAY_S = 86_400.0
STUCK, CALM = 0.9, 0.1
Timed = tuple[float, Record]


def estimate(at_s: float, need: float = STUCK, app: str = "writer", code: str = "undo_bursts", **fields: Any) -> Timed:
    evidence = (Evidence(code, {"count": 3.0}),) if code else ()
    of_work = {"prefix_id": f"w{at_s:g}/100", "app": app, "evidence": evidence}
    return at_s, plain(Estimate, help_need=need, **(of_work | fields))


def offer(at_s: float, app: str = "writer") -> Timed:
    evidence = (Evidence("dead_clicks", {"count": 3.0}),)
    return at_s, plain(Offer, app=app, topic="dead_clicks", help_need=STUCK, evidence=evidence)


def answer(at_s: float, kind: FeedbackKind = FeedbackKind.ACCEPTED, offer_id: str = "o1") -> Timed:
    by = "expiry" if kind is FeedbackKind.IGNORED else "person"
    return at_s, Feedback(offer_id=offer_id, kind=kind, by=by)


def key(at_s: float, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False) -> Timed:
    return at_s, InputEvent(t_ns=round(at_s * NS_PER_S), kind=EventKind.KEY, key_class=key_class, own=own)


def typing(start_s: float, end_s: float) -> Iterator[Timed]:
    at_s = start_s
    while at_s <= end_s:
        yield key(at_s)
        at_s += 2.0


def focus(at_s: float, app: str, digest: str = "d") -> Timed:
    return at_s, Focus(
        t_ns=round(at_s * NS_PER_S), app=app, window=1, title_digest=digest, geometry=Box(0, 0, 100, 100)
    )


def act(at_s: float, name: str | None = "Bold", app: str = "writer", role: ControlRole = ControlRole.BUTTON) -> Timed:
    return at_s, ControlAct(
        t_ns=round(at_s * NS_PER_S), app=app, what="pressed", role=role, name_digest=f"digest of {name}", name=name
    )


def found_episode(onset: float = NOON_S, **changes: Any) -> Episode:
    place = Place(kind=PlaceKind.CONTROL, role="button", name="Bold")
    values: dict[str, Any] = {
        "length_s": 12.0,
        "app": "writer",
        "evidence": "undo_bursts",
        "place": place,
        "offers": 0,
        "need": STUCK,
    }
    values |= {"ending": Ending.WORK_WENT_ON, "estimates": 3, "steps": (ShortStep(at_s=0.0, verb="click"),)}
    return Episode(onset=onset, **(values | changes))


def found_session(*episodes: Episode, day: int = 0, **changes: Any) -> SessionDiagnosis:
    began = NOON_S + day * DAY_S
    values: dict[str, Any] = {
        "session": f"s{day}",
        "began": began,
        "ended": began + 3600.0,
        "recording": True,
        "controls": True,
    }
    values |= {"imported": False, "simulated": False, "shipped": True, "windows": 100, "input_s": {"writer": 7200.0}}
    return SessionDiagnosis(episodes=episodes, **(values | changes))


def made(timed: Iterable[Timed], **first: Any) -> SessionBuilder:
    return SessionBuilder(**({"wall_ns": round(NOON_S * NS_PER_S), "recording": True} | first)).timed(timed)


def numbered(timed: Iterable[Timed], **first: Any) -> tuple[SessionStart, list[Record]]:
    begin, *rows = made(timed, **first).rows
    assert isinstance(begin, SessionStart)
    return begin, rows


def write(base: Path, *timed: Timed, day: float = 0.0, **first: Any) -> Path:
    """Write a session that began so many days after noon and ended in order, 10 minutes later or with its last row."""
    end_s = max([600.0, *(at_s for at_s, _ in timed)])
    wall_ns = round((NOON_S + day * DAY_S) * NS_PER_S)
    return made([focus(0.0, "writer"), *timed], wall_ns=wall_ns, **first).at(end_s).end().write(base)


def episode(at_s: float, *, app: str = "writer", name: str | None = "Bold") -> list[Timed]:
    """Return an episode of 12 s at a control, with work before and long after it."""
    return [
        *typing(at_s - 30.0, at_s + 90.0),
        act(at_s - 3.0, name, app),
        *(estimate(at_s + 6.0 * number, app=app) for number in range(3)),
    ]
