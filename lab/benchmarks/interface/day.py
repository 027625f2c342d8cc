"""A simulated day of work as a session: every row that a real one has, so that reading it costs as much.

Simulated: nobody worked. Probabilities are drawn, features have the names and the number of real ones.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from detectors.features.table import BY_NAME
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    Frame,
    InputEvent,
    KeyClass,
    NeedReport,
    Offer,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Switch,
    SwitchName,
    Verdict,
    Window,
)
from storage.session.log import SessionWriter, create_session
from storage.testing import plain

PLANNED_S = 24
FRACTIONS = (0.25, 0.5, 0.75, 1.0)
FRAMES = 8
INPUTS = 12
"""Of each quarter of a window: some 160,000 rows of frames and input in a day."""

OFFER_EVERY = 120
APPS = ("soffice.bin", "mousepad", "gimp", "inkscape", "code")
HOLDS = ("not_enough", "not_worth_it", "cooldown", "no_page_fits")
BATCH = 2000


def write_day(base: Path, begin_wall_ns: int, *, estimates: int, seed: int = 7, app: str = "") -> Path:
    """Write a session with so many estimates that begins at a time; return its folder."""
    folder = create_session(base, begin_wall_ns)
    writer = SessionWriter(folder)
    rows: list[Record] = []
    for seq, row in enumerate(_rows(folder.name, begin_wall_ns, estimates, random.Random(seed), app), start=1):  # noqa: S311  # no secret
        rows.append(replace(row, seq=seq))
        if len(rows) == BATCH:
            writer.append(rows)
            rows = []
    writer.append(rows)
    writer.close()
    return folder


def _rows(name: str, wall_ns: int, estimates: int, draw: random.Random, app: str) -> Iterator[Record]:
    yield plain(
        SessionStart,
        session_id=name,
        kairos_version="simulated",
        wall_ns=wall_ns,
        settings={"window": {"planned_s": PLANNED_S}},
        detector="embedded",
        platform="simulated",
    )
    made = window = 0
    while made < estimates:
        start_ns = window * PLANNED_S * NS_PER_S
        program = app or APPS[(window // 25) % len(APPS)]
        mood = draw.random()
        for fraction in FRACTIONS:
            at_ns = start_ns + round(fraction * PLANNED_S * NS_PER_S)
            yield from _seen(at_ns, draw)
            yield from _judged(window, fraction, start_ns, at_ns, program, mood, draw)
            made += 1
        at_ns = start_ns + PLANNED_S * NS_PER_S
        seen = {"window_id": window, "start_ns": start_ns, "frames": tuple(range(32)), "events": 4 * INPUTS}
        yield plain(Window, at_ns, at_ns=at_ns, planned_ns=PLANNED_S * NS_PER_S, app=program, **seen)
        window += 1
        yield from _between(window, at_ns, program, draw)
    yield SessionEnd(at_ns=window * PLANNED_S * NS_PER_S, reason="cut")


def _seen(at_ns: int, draw: random.Random) -> Iterator[Record]:
    for step in range(FRAMES):
        box = Box(draw.randrange(1800), draw.randrange(1000), 64, 32)
        t_ns = at_ns - (FRAMES - step) * NS_PER_S // 2
        yield plain(Frame, t_ns, at_ns=at_ns, changed=(box, box, box))
    for step in range(INPUTS):
        t_ns = at_ns - (INPUTS - step) * NS_PER_S // 4
        yield plain(InputEvent, t_ns, at_ns=at_ns, key_class=KeyClass.CHARACTER)


def _judged(  # noqa: PLR0917  # what an estimate is about
    window: int, fraction: float, start_ns: int, at_ns: int, app: str, mood: float, draw: random.Random
) -> Iterator[Record]:
    which = {"prefix_id": f"w{window}/{round(fraction * 100)}", "window_id": window, "fraction": fraction, "app": app}
    features = {name: draw.random() for name in BY_NAME}
    yield plain(Prefix, at_ns, at_ns=at_ns, start_ns=start_ns, features=features, **which)
    weights = [draw.random() ** 3 for _ in State]
    weights[list(State).index(State.PERFORMING_ACTIONS)] += 2 * (1 - mood)
    weights[list(State).index(State.FRUSTRATION)] += 2 * mood**6
    need = min(0.95, mood**6 + 0.05 * draw.random())
    states = {str(state): weight / sum(weights) for state, weight in zip(State, weights, strict=True)}
    source = {"detector": "embedded", "detector_version": "0", "confidence_source": "calibrated"}
    yield plain(Estimate, at_ns, at_ns=at_ns, state_probs=states, help_need=need, **source, **which)
    numbers = {"sum": need, "upper": 1.4, "p": need}
    yield plain(Decision, at_ns=at_ns, reason=draw.choice(HOLDS), numbers=numbers, prefix_ids=(which["prefix_id"],))


def _between(window: int, at_ns: int, app: str, draw: random.Random) -> Iterator[Record]:
    """Yield offers with answers, a pause, and what somebody said."""
    if window % OFFER_EVERY == 0:
        offered = {"verdict": Verdict.OFFER, "gate": "all", "reason": "at_break", "numbers": {"sum": 2.0}}
        yield plain(Decision, at_ns=at_ns, **offered)
        about = {"offer_id": f"o{window}", "decision_seq": 0, "prefix_id": "", "topic": "trouble_pattern"}
        yield plain(Offer, at_ns, at_ns=at_ns, app=app, help_need=0.7, **about)
        kind = draw.choice([FeedbackKind.ACCEPTED, FeedbackKind.DISMISSED, FeedbackKind.IGNORED])
        yield Feedback(at_ns=at_ns, offer_id=f"o{window}", kind=kind)
    if window % (3 * OFFER_EVERY) == OFFER_EVERY:
        start_ns = at_ns - 3 * PLANNED_S * NS_PER_S
        yield NeedReport(at_ns=at_ns, start_ns=start_ns, end_ns=at_ns, needed=draw.random() < 0.5)  # noqa: PLR2004  # even odds
        yield Switch(at_ns=at_ns, name=SwitchName.PAUSED, on=True, by="person")
        yield Switch(at_ns=at_ns, name=SwitchName.PAUSED, on=False, by="timer")


def today_at(hour: int, now_wall_ns: int) -> int:
    """Return an hour of the local day of a time."""
    now = datetime.fromtimestamp(now_wall_ns / NS_PER_S).astimezone()
    return round(now.replace(hour=hour, minute=0, second=0, microsecond=0).timestamp()) * NS_PER_S
