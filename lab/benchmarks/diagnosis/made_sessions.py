"""Sessions made of random numbers, with known episodes: as many rows of each kind as ten minutes of real work have.

Nothing in them is of a person or of a program; they serve to count, to time and to compare with what was planted.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.diagnosis.episodes import SIMULATED, Ending
from detectors.features.table import TABLE
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    ControlAct,
    Decision,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Offer,
    Prefix,
    Record,
    State,
    Window,
)
from storage.testing import SessionBuilder, plain

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
    session = SessionBuilder(
        wall_ns=round(wall_s * NS_PER_S),
        kairos_version="simulated",
        settings={"detector": {"base_rate": 0.05}, "window": {"planned_s": WINDOW_S}},
        detector_version="2",
        recording=True,
        platform=SIMULATED,
    )
    return session.timed(_rows(rng, minutes * 60, episodes)).at(minutes * 60).end().write(base)


def _rows(rng: random.Random, length_s: float, episodes: Sequence[Planted]) -> Iterator[tuple[float, Record]]:
    for at_s, app in _focused(length_s, episodes):
        yield at_s, plain(Focus, _ns(at_s), app=app, title_digest=f"d{app}")
    yield from _input(rng, length_s)
    for number in range(int(length_s * FRAMES_A_S)):
        at_s = number / FRAMES_A_S
        boxes = tuple(Box(rng.randrange(1800), rng.randrange(1000), 64, 32) for _ in range(6))
        yield at_s, plain(Frame, _ns(at_s), digest=f"{number:016x}", changed=boxes)
    for number in range(1, int(length_s / STEP_S) + 1):
        yield from _estimated(rng, number, episodes)
    for number, episode in enumerate(episodes):
        yield from _ended(number, episode)
        for part in range(3):
            at_s = episode.start_s - 2.0 + part * 0.5
            digest = f"d{CONTROLS.index(episode.control)}"
            yield at_s, plain(ControlAct, _ns(at_s), app=episode.app, name_digest=digest, name=episode.control)


def _ended(number: int, episode: Planted) -> Iterator[tuple[float, Record]]:
    """Yield what came last before the end of an episode."""
    if episode.ending is Ending.HELP_SOUGHT:
        for at_s, app in ((episode.end_s + 1.0, HELP), (episode.end_s + 9.0, episode.app)):
            yield at_s, plain(Focus, _ns(at_s), app=app, window=2, title_digest=f"d{app}")
    if episode.ending is Ending.OFFER_ACCEPTED:
        offer = plain(
            Offer,
            _ns(episode.end_s),
            offer_id=f"o{number}",
            prefix_id="w1/25",
            app=episode.app,
            topic=episode.sign,
            help_need=STUCK,
            evidence=_evidence(episode),
        )
        yield episode.end_s, offer
        yield episode.end_s + 6.0, plain(Feedback, offer_id=offer.offer_id)


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
    end_ns, begin_ns = _ns(at_s), _ns((window - 1) * WINDOW_S)
    which = {"prefix_id": f"w{window}/{25 * part}", "window_id": window, "fraction": part / 4, "app": app}
    features = {name: round(rng.random(), 4) for name in TABLE}
    yield at_s, plain(Prefix, end_ns, start_ns=begin_ns, slots=tuple(range(32)), features=features, **which)
    need, evidence = (CALM, ()) if inside is None else (STUCK, _evidence(inside))
    yield (
        at_s,
        plain(Estimate, end_ns, detector_version="2", state_probs=_STATES, help_need=need, evidence=evidence, **which),
    )
    yield at_s, plain(Decision, gate="budget", reason="cooldown", prefix_ids=(which["prefix_id"],))
    if part == 4:  # noqa: PLR2004  # quarters
        seen = {"frames": tuple(range(38)), "events": 80}
        yield (
            at_s,
            plain(Window, end_ns, window_id=window, start_ns=begin_ns, planned_ns=_ns(WINDOW_S), app=app, **seen),
        )


def _evidence(episode: Planted) -> tuple[Evidence, ...]:
    return (Evidence(episode.sign, {"count": 3.0, "span_s": 9.0}),)


def _app_at(at_s: float, episodes: Sequence[Planted]) -> str:
    before = [episode.app for episode in episodes if episode.start_s - WINDOW_S <= at_s]
    return before[-1] if before else PROGRAMS[0]


def _ns(at_s: float) -> int:
    return round(at_s * NS_PER_S)
