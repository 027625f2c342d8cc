"""Renders a diagnosis for the terminal and for scripts."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from daemon.diagnosis.summary import Diagnosis, Spot
from daemon.diagnosis.wording import (
    ENDINGS,
    GOALS_TITLE,
    NOT_WHY,
    NOWHERE,
    TOO_FEW,
    evidence_label,
    headline,
    how_often,
    limits,
    place_name,
    program_name,
    signs_text,
    spot_endings,
    where,
)
from daemon.figures.intervals import Interval
from daemon.history.goals import SessionGoal, goal_lines
from storage.messages import PHASES
from storage.plain_text import format_count, format_duration, format_percent, format_time, printable

WIDTH = 100
SHOWN_PROGRAMS = 10
SHOWN_SPOTS = 8
_NAME = 24


def render_diagnosis(found: Diagnosis, goals: Sequence[SessionGoal] = ()) -> Iterator[str]:
    """Yield lines for a person, the most useful first; `goals` are those of the only session."""
    yield from _goals(goals)
    yield from textwrap.wrap(headline(found), WIDTH)
    if found.episodes:
        yield ""
        yield "Where"
        for place in found.places[:SHOWN_SPOTS]:
            yield f"  {where(place.app, place.place)}: {how_often(place)}; {signs_text(place.signs)}"
        if len(found.places) > SHOWN_SPOTS:
            yield f"  and {len(found.places) - SHOWN_SPOTS} more places"
        yield ""
        yield "In which programs: episodes an hour of input, with 95 % intervals"
        shown = [program for program in found.programs if program.episodes or program.rate is not None]
        for program in shown[:SHOWN_PROGRAMS]:
            count = format_count(program.episodes, "episode")
            yield f"  {program_name(program.app)[:_NAME]:<{_NAME}}  {count:>12}  {rate_text(program.rate)}"
        if len(found.programs) > len(shown[:SHOWN_PROGRAMS]):
            yield f"  and {len(found.programs) - len(shown[:SHOWN_PROGRAMS])} more, without an episode or hardly used"
        yield ""
        yield "What comes back"
        yield from _spots(found)
        yield ""
        yield "After what it ended"
        for ending in found.endings:
            share = TOO_FEW if ending.share is None else share_text(ending.share)
            yield f"  {ENDINGS[ending.ending]:<32}  {ending.count:>5}  {share}"
        yield f"  {NOT_WHY}"
        yield ""
        yield "Time spent"
        for trouble in [program for program in found.programs if program.episodes][:SHOWN_PROGRAMS]:
            yield (
                f"  {program_name(trouble.app)[:_NAME]:<{_NAME}}  {format_duration(trouble.stuck_s):>12}  of "
                f"{format_duration(trouble.input_s)} of input"
            )
    yield from _phases(found)
    if found.unreadable:
        yield ""
        for bad in found.unreadable:
            yield f"Session {printable(bad.session)} was left out: {printable(bad.problem)}"
    if found.sessions:
        yield ""
        yield "What this rests on, and what it cannot know"
        for text in limits(found):
            yield from textwrap.wrap(text, WIDTH, initial_indent="  - ", subsequent_indent="    ")


def _phases(found: Diagnosis) -> Iterator[str]:
    if found.phases_s:
        yield ""
        yield "What the work was, as estimated"
    for phase, seconds in found.phases_s.items():
        yield f"  {PHASES.get(phase, phase):<{_NAME}}  {format_duration(seconds):>12}"


def _goals(goals: Sequence[SessionGoal]) -> Iterator[str]:
    if goals:
        yield GOALS_TITLE
        for line in goal_lines(goals):
            yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
        yield ""


def _spots(found: Diagnosis) -> Iterator[str]:
    if not found.recurring:
        yield f"  {NOWHERE}"
    for spot in found.recurring[:SHOWN_SPOTS]:
        yield f"  {where(spot.app, spot.place)}: {evidence_label(spot.evidence).lower()}"
        yield f"      {how_often(spot)}, last {format_time(spot.last)[:16]}; {spot_endings(spot)}"
    if len(found.recurring) > SHOWN_SPOTS:
        yield f"  and {len(found.recurring) - SHOWN_SPOTS} more"


def rate_text(rate: Interval | None) -> str:
    """Return episodes an hour with their interval."""
    return (
        "too little input to tell" if rate is None else f"{rate.value:.1f} an hour ({rate.low:.1f} to {rate.high:.1f})"
    )


def share_text(share: Interval) -> str:
    """Return a share with its interval."""
    return f"{format_percent(share.value)} ({100 * share.low:.0f} to {format_percent(share.high)})"


def as_json(found: Diagnosis, goals: Sequence[SessionGoal] = ()) -> dict[str, Any]:
    """Return the object of `kairos diagnose --json`."""
    values = {**asdict(found), "goals": [asdict(goal) for goal in goals]}
    values["places"] = [asdict(place) | {"place_name": place_name(place.place)} for place in found.places]
    values["spots"] = [_spot_json(spot) for spot in found.spots]
    values["episodes"] = [
        {"session": episode.session, **asdict(episode.episode), "place_name": place_name(episode.episode.place)}
        for episode in found.episodes
    ]
    return {**values, "stuck_s": found.stuck_s, "headline": headline(found), "limits": list(limits(found))}


def _spot_json(spot: Spot) -> dict[str, Any]:
    return asdict(spot) | {
        "recurs": spot.recurs,
        "place_name": place_name(spot.place),
        "evidence_label": evidence_label(spot.evidence),
    }
