"""Sessions made of random numbers, with known episodes: as many rows of each kind as ten minutes of real work have.

Nothing in them is of a person or of a program; they serve to count, to time and to compare with what was planted.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.diagnosis.episodes import SIMULATED, Ending
from detectors.features.table import TABLE
from storage.clock import NS_PER_S
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
    Offer,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Verdict,
    Window,
)
from storage.session.log import SessionWriter, create_session

WINDOW_S = 24.0
STEP_S = WINDOW_S / 4
INPUTS_A_S, FRAMES_A_S = 3.6, 1.6
"""As in recorded demos."""

CALM, STUCK = 0.03, 0.9
PROGRAMS = ("writer", "calc", "mail", "editor")
SIGNS = ("undo_bursts", "dead_clicks", "dialog_loop", "menu_wandering")
CONTROLS = ("Bold", "Insert table", "Send", "Find", "Page setup", "Styles")
ENDINGS = (Ending.OFFER_ACCEPTED, Ending.HELP_SOUGHT, Ending.WORK_WENT_ON, Ending.WORK_WENT_ON)
HELP = "firefox"
_STATES = {state.value: 1 / len(State) for state in State}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """An episode that was planted, in seconds from the beginning of its session."""

    start_s: float
    end_s: float
    app: str
    sign: str
    control: str
    ending: Ending


def plan_episodes(rng: random.Random, minutes: float, count: int) -> list[Planted]:
    """Return episodes apart by more than two windows, each in whole steps, on the grid on which estimates lie."""
    room = int(minutes * 60 / STEP_S) // max(1, count)
    found = []
    for number in range(count):
        first = number * room + rng.randint(2, max(2, room // 3))
        last = min(first + rng.randint(1, 6), (number + 1) * room - 11)
        found.append(
            Planted(
                start_s=first * STEP_S,
                end_s=max(first, last) * STEP_S,
                app=rng.choice(PROGRAMS),
                sign=rng.choice(SIGNS),
                control=rng.choice(CONTROLS),
                ending=rng.choice(ENDINGS),
            )
        )
    return found


def write_session(
    base: Path,
    wall_s: float,
    rng: random.Random,
    *,
    minutes: float,
    episodes: Sequence[Planted],
) -> Path:
    """Write a session that began at `wall_s`; return its folder."""
    wall_ns = round(wall_s * NS_PER_S)
    folder = create_session(base, wall_ns)
    start = SessionStart(
        session_id=folder.name,
        kairos_version="simulated",
        wall_ns=wall_ns,
        settings={"detector": {"base_rate": 0.05}, "window": {"planned_s": WINDOW_S}},
        settings_hash="",
        detector="evidence",
        detector_version="2",
        detector_hash="",
        policy="utility",
        policy_version="1",
        policy_hash="",
        policy_state={},
        journal=True,
        recording=True,
        platform=SIMULATED,
    )
    timed = [(0.0, start), *sorted(_rows(rng, minutes * 60, episodes), key=lambda one: one[0])]
    timed.append((minutes * 60, SessionEnd(reason="stop")))
    writer = SessionWriter(folder)
    writer.append(
        [replace(row, seq=seq, at_ns=round(at_s * NS_PER_S)) for seq, (at_s, row) in enumerate(timed, start=1)]
    )
    writer.close()
    return folder


def _rows(rng: random.Random, length_s: float, episodes: Sequence[Planted]) -> Iterator[tuple[float, Record]]:
    for at_s, app in _focused(length_s, episodes):
        yield at_s, Focus(t_ns=_ns(at_s), app=app, window=1, title_digest=f"d{app}", geometry=Box(0, 0, 1920, 1080))
    yield from _input(rng, length_s)
    for number in range(int(length_s * FRAMES_A_S)):
        at_s = number / FRAMES_A_S
        boxes = tuple(Box(rng.randrange(1800), rng.randrange(1000), 64, 32) for _ in range(6))
        yield at_s, Frame(t_ns=_ns(at_s), monitor="m", size=(1920, 1080), digest=f"{number:016x}", changed=boxes)
    for number in range(1, int(length_s / STEP_S) + 1):
        yield from _estimated(rng, number, episodes)
    for number, one in enumerate(episodes):
        yield from _ended(number, one)
        for part in range(3):
            at_s = one.start_s - 2.0 + part * 0.5
            yield (
                at_s,
                ControlAct(
                    t_ns=_ns(at_s),
                    app=one.app,
                    what="pressed",
                    role=ControlRole.BUTTON,
                    name_digest=f"d{CONTROLS.index(one.control)}",
                    name=one.control,
                ),
            )


def _ended(number: int, one: Planted) -> Iterator[tuple[float, Record]]:
    """Yield what came last before the end of an episode."""
    if one.ending is Ending.HELP_SOUGHT:
        for at_s, app in ((one.end_s + 1.0, HELP), (one.end_s + 9.0, one.app)):
            yield (
                at_s,
                Focus(t_ns=_ns(at_s), app=app, window=2, title_digest=f"d{app}", geometry=Box(0, 0, 1920, 1080)),
            )
    if one.ending is Ending.OFFER_ACCEPTED:
        yield (
            one.end_s,
            Offer(
                offer_id=f"o{number}",
                decision_seq=1,
                prefix_id="w1/25",
                app=one.app,
                topic=one.sign,
                state=State.FRUSTRATION,
                help_need=STUCK,
                evidence=(Evidence(one.sign, {"count": 3.0, "span_s": 9.0}),),
                help=None,
                shown_at_ns=_ns(one.end_s),
                expires_at_ns=_ns(one.end_s + 45.0),
            ),
        )
        yield one.end_s + 6.0, Feedback(offer_id=f"o{number}", kind=FeedbackKind.ACCEPTED)


def _focused(length_s: float, episodes: Sequence[Planted]) -> Iterator[tuple[float, str]]:
    """Yield when which program got the focus: that of each episode a window before it."""
    yield 0.0, PROGRAMS[0]
    for episode in episodes:
        if episode.start_s - WINDOW_S < length_s:
            yield max(0.1, episode.start_s - WINDOW_S), episode.app


def _input(rng: random.Random, length_s: float) -> Iterator[tuple[float, Record]]:
    for number in range(int(length_s * INPUTS_A_S)):
        at_s = number / INPUTS_A_S
        kind = rng.choice((EventKind.KEY, EventKind.KEY, EventKind.MOTION, EventKind.BUTTON_DOWN))
        if kind is EventKind.KEY:
            yield at_s, InputEvent(t_ns=_ns(at_s), kind=kind, key_class=rng.choice((KeyClass.CHARACTER, KeyClass.UNDO)))
            continue
        x, y = rng.randrange(1920), rng.randrange(1080)
        if kind is EventKind.MOTION:
            yield at_s, InputEvent(t_ns=_ns(at_s), kind=kind, x=x, y=y, path=90, count=8)
            continue
        yield at_s, InputEvent(t_ns=_ns(at_s), kind=kind, button="left", x=x, y=y)
        yield at_s + 0.08, InputEvent(t_ns=_ns(at_s + 0.08), kind=EventKind.BUTTON_UP, button="left", x=x, y=y)


def _estimated(rng: random.Random, number: int, episodes: Sequence[Planted]) -> Iterator[tuple[float, Record]]:
    """Yield prefix, estimate and decision at the end of a quarter of a window, and the window where it closes."""
    at_s = number * STEP_S
    window, part = (number - 1) // 4 + 1, (number - 1) % 4 + 1
    inside = next((episode for episode in episodes if episode.start_s <= at_s <= episode.end_s), None)
    app = inside.app if inside is not None else _app_at(at_s, episodes)
    begin_s = (window - 1) * WINDOW_S
    prefix_id = f"w{window}/{25 * part}"
    yield (
        at_s,
        Prefix(
            prefix_id=prefix_id,
            window_id=window,
            fraction=part / 4,
            start_ns=_ns(begin_s),
            end_ns=_ns(at_s),
            slots=tuple(range(32)),
            features={name: round(rng.random(), 4) for name in TABLE},
            truncated=False,
            app=app,
        ),
    )
    evidence = () if inside is None else (Evidence(inside.sign, {"count": 3.0, "span_s": 9.0}),)
    yield (
        at_s,
        Estimate(
            prefix_id=prefix_id,
            window_id=window,
            fraction=part / 4,
            detector="evidence",
            detector_version="2",
            state_probs=_STATES,
            help_need=CALM if inside is None else STUCK,
            evidence=evidence,
            made_at_ns=_ns(at_s),
            ready_at_ns=_ns(at_s),
            confidence_source="evidence",
            app=app,
        ),
    )
    yield at_s, Decision(verdict=Verdict.HOLD, gate="budget", reason="cooldown", prefix_ids=(prefix_id,))
    if part == 4:  # noqa: PLR2004  # quarters
        yield (
            at_s,
            Window(
                window_id=window,
                start_ns=_ns(begin_s),
                end_ns=_ns(at_s),
                planned_ns=_ns(WINDOW_S),
                frames=tuple(range(38)),
                events=80,
                closed_by=ClosedBy.FULL,
                app=app,
            ),
        )


def _app_at(at_s: float, episodes: Sequence[Planted]) -> str:
    before = [episode.app for episode in episodes if episode.start_s - WINDOW_S <= at_s]
    return before[-1] if before else PROGRAMS[0]


def _ns(at_s: float) -> int:
    return round(at_s * NS_PER_S)
