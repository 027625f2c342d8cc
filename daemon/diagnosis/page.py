"""The page of a diagnosis: one HTML file without scripts or anything from outside; every text is escaped.

It answers in this order: where, in which programs, what comes back, after what it ended, how much time; then when, and
what all that rests on.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor

from daemon.diagnosis.rendering import rate_text, share_text
from daemon.diagnosis.summary import DatedEpisode, Diagnosis, Spot
from daemon.diagnosis.wording import (
    ENDINGS,
    FILES_TITLE,
    GOALS_TITLE,
    NOT_WHY,
    NOWHERE,
    SHORT_ENDINGS,
    TITLE,
    TOO_FEW,
    evidence_label,
    headline,
    how_often,
    length,
    limits,
    program_name,
    signs_text,
    small_percent,
    spot_endings,
    step_text,
    where,
)
from daemon.figures.intervals import Interval
from daemon.figures.page import heading, html_row, html_table, page, paragraph
from daemon.figures.svg import BLUE, GREY, Axis, Bar, PlotSpan, bar_plot, span_plot
from daemon.help.library.general import general_pages
from daemon.history.goals import SessionGoal, goal_lines
from storage.messages import PHASES
from storage.plain_text import (
    format_clock,
    format_count,
    format_duration,
    format_percent,
    format_time,
    local_day,
    printable,
    visible_html,
)

SHOWN_PROGRAMS = 12
SHOWN_PLACES = 8
SHOWN_RECURRING = 20
SHOWN_EPISODES = 200
SHOWN_DAYS = 28

_STYLE = """
body { max-width: 62rem } svg { max-width: 100%; height: auto } .lead { font-size: 1.12rem; max-width: 46rem }
ol.spots { padding-left: 1.4rem } ol.spots li { margin: .55rem 0 } ol.spots .small { display: block }
details { border-top: 1px solid var(--line); padding: .4rem 0 } details:target { background: var(--ours) }
summary { cursor: pointer } summary b { font-weight: 600 }
details ol { color: var(--muted); font-size: 13px; margin: .4rem 0 }
.side { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; align-items: flex-start }
code { font-size: 13px; overflow-wrap: anywhere } li, summary, p { overflow-wrap: anywhere }
td:first-child { overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { svg rect[fill="#2563eb"], svg rect[fill='#2563eb'] { fill: #6f9bff } }
"""
_NAME = 16
TOO_LITTLE = "too little input"
_DAY_H = 24.0
_HOUR_S = 3600.0


def diagnosis_page(
    found: Diagnosis | None, *, judged: Iterable[str] = (), goals: Sequence[SessionGoal] = (), style: str = ""
) -> str:
    """Return the page as HTML.

    Args:
        found: what the log says; None where no session was looked at.
        judged: parts that say what a model found, as HTML; empty where none was asked.
        goals: what a model took for the goals of the only session.
        style: styles of those parts.
    """
    of_model = list(judged)
    parts = [] if found is None else list(_parts(found, asked=bool(of_model), guessed=bool(goals)))
    return page(FILES_TITLE if found is None else TITLE, (*_goals(goals), *parts, *of_model), style=_STYLE + style)


def _goals(goals: Sequence[SessionGoal]) -> Iterator[str]:
    if goals:
        yield paragraph(GOALS_TITLE, "small")
        yield f"<ul>{''.join(f'<li>{visible_html(line)}</li>' for line in goal_lines(goals))}</ul>"


def _parts(found: Diagnosis, *, asked: bool, guessed: bool) -> Iterator[str]:
    yield f"<p class=lead>{visible_html(headline(found))}</p>"
    spans = f"the sessions since {_minute(found.since)}" if found.since else "all sessions"
    alone = "Only the goals above are a model's." if guessed else "No model was asked."
    whom = "What a model says of them stands at the end." if asked else alone
    yield paragraph(f"Made {_minute(found.until)} from {spans}, by the log alone. {whom}", "small")
    if found.episodes:
        yield from _where(found)
        yield from _programs(found)
        yield from _recurring(found)
        yield from _endings(found)
        yield from _time(found)
        yield from _when(found)
    yield heading("What this rests on, and what it cannot know")
    yield f"<ul>{''.join(f'<li>{visible_html(text)}</li>' for text in limits(found))}</ul>"
    if found.unreadable:
        yield heading("Left out")
        notes = (f"{printable(session.session)}: {printable(session.problem)}" for session in found.unreadable)
        yield f"<ul>{''.join(f'<li>{visible_html(note)}</li>' for note in notes)}</ul>"
    yield paragraph(
        "This page may name controls and dialogs of your screen. It lies outside the sessions: deleting a session does "
        "not change it.",
        "small",
    )


def _where(found: Diagnosis) -> Iterator[str]:
    yield heading("Where do I get stuck?")
    items = (
        _item(
            where(place.app, place.place),
            signs_text(place.signs),
            f"{how_often(place)}, last {_minute(place.last)}; {format_duration(place.stuck_s)} in all",
        )
        for place in found.places[:SHOWN_PLACES]
    )
    yield _list(items)
    more = len(found.places) - SHOWN_PLACES
    if more > 0:
        yield paragraph(f"And at {more} more.", "small")


def _programs(found: Diagnosis) -> Iterator[str]:
    yield heading("In which programs?")
    shown = [program for program in found.programs if program.episodes or program.rate is not None][:SHOWN_PROGRAMS]
    bars = [Bar(name=_short(program.app), figure=program.rate) for program in shown if program.rate is not None]
    yield "<div class=side>"
    if bars:
        yield bar_plot(bars, title="episodes an hour of input", text="{:.1f}".format, size=(118, 170))
    rows = [
        html_row(
            (
                program_name(trouble.app),
                str(trouble.episodes),
                TOO_LITTLE if trouble.rate is None else rate_text(trouble.rate).replace(" an hour", ""),
                format_duration(trouble.input_s),
            )
        )
        for trouble in shown
    ]
    yield html_table(("program", "episodes", "an hour (95 %)", "input"), rows)
    yield "</div>"
    more = len(found.programs) - len(shown)
    if more > 0:
        yield paragraph(f"And {more} more, without an episode or hardly used.", "small")


def _recurring(found: Diagnosis) -> Iterator[str]:
    yield heading("What comes back?")
    if not found.recurring:
        yield paragraph(NOWHERE)
        return
    yield _list(
        _item(
            where(spot.app, spot.place),
            evidence_label(spot.evidence).lower(),
            f"{how_often(spot)}, last {_minute(spot.last)}; {spot_endings(spot)}",
            _advice(spot),
        )
        for spot in found.recurring[:SHOWN_RECURRING]
    )
    more = len(found.recurring) - SHOWN_RECURRING
    if more > 0:
        yield paragraph(f"And at {more} more.", "small")


def _endings(found: Diagnosis) -> Iterator[str]:
    yield heading("After what did it end?")
    yield "<div class=side>"
    bars = [
        Bar(name=SHORT_ENDINGS[ending.ending], figure=_percent(ending.share))
        for ending in found.endings
        if ending.share is not None
    ]
    if bars:
        yield bar_plot(bars, title="% of the episodes", end=100.0, size=(110, 170))
    yield html_table(
        ("", "episodes", "share (95 %)"),
        [
            (ENDINGS[row.ending], str(row.count), TOO_FEW if row.share is None else share_text(row.share))
            for row in found.endings
        ],
    )
    yield "</div>"
    yield paragraph(NOT_WHY, "small")


def _time(found: Diagnosis) -> Iterator[str]:
    yield heading("How much time?")
    share = small_percent(found.stuck_s / found.input_s) if found.input_s else "an unknown share"
    yield paragraph(
        f"{format_duration(found.stuck_s)} in episodes, beside {format_duration(found.input_s)} of input ({share})."
    )
    yield html_table(
        ("program", "in episodes", "longest", "of input"),
        [
            (
                program_name(program.app),
                format_duration(program.stuck_s),
                length(max(each.episode.length_s for each in found.episodes if each.episode.app == program.app)),
                small_percent(program.stuck_s / program.input_s) if program.input_s else "",
            )
            for program in found.programs[:SHOWN_PROGRAMS]
            if program.episodes
        ],
    )
    if found.phases_s:
        times = [(PHASES.get(phase, phase), format_duration(seconds)) for phase, seconds in found.phases_s.items()]
        yield html_table(("phase of work, as estimated", "time"), times)


def _when(found: Diagnosis) -> Iterator[str]:
    yield heading("When?")
    yield paragraph("Grey: watched. Blue: an episode, and a link to it.", "small")
    shown = found.episodes[-SHOWN_EPISODES:]
    yield _timeline(found, {id(one): f"e{number}" for number, one in enumerate(shown)})
    if len(found.episodes) > len(shown):
        yield paragraph(f"The newest {len(shown)} of {len(found.episodes)} episodes:", "small")
    for number in range(len(shown) - 1, -1, -1):
        yield _episode(shown[number], f"e{number}")


def _timeline(found: Diagnosis, links: dict[int, str]) -> str:
    days: dict[str, list[PlotSpan]] = {}
    for began, ended in found.watched:
        day, start_s = local_day(began)
        end_s = min(start_s + max(0.0, ended - began), _DAY_H * _HOUR_S)
        hint = f"watched {format_clock(began)} to {format_clock(ended)}"
        days.setdefault(day, []).append(PlotSpan(start=start_s / _HOUR_S, end=end_s / _HOUR_S, colour=GREY, hint=hint))
    for episode in found.episodes:
        if id(episode) in links:
            day, start_s = local_day(episode.episode.onset)
            end = (start_s + episode.episode.length_s) / _HOUR_S
            span = PlotSpan(
                start=start_s / _HOUR_S, end=end, hint=_summary(episode), link=links[id(episode)], colour=BLUE
            )
            days.setdefault(day, []).append(span)
    rows = sorted(days.items())[-SHOWN_DAYS:]
    low = min((floor(span.start) for _, spans in rows for span in spans), default=0)
    high = max((ceil(span.end) for _, spans in rows for span in spans), default=24)
    high = max(high, low + 1)
    step = max(1, ceil((high - low) / 5))
    ticks = [(float(hour), f"{hour}:00") for hour in range(low, high + 1, step)]
    return span_plot(rows, Axis(low=float(low), high=float(high), ticks=ticks), size=(84, 250))


def _episode(one: DatedEpisode, name: str) -> str:
    episode = one.episode
    steps = "".join(f"<li>{visible_html(f'{step.at_s:+.0f} s: {step_text(step)}')}</li>" for step in episode.steps)
    inside = f"<ol>{steps}</ol>" if steps else paragraph("No steps are kept of it.", "small")
    estimates = (
        f"{format_count(episode.estimates, 'estimate')} counted, with need up to {format_percent(episode.need)}."
    )
    intro = "What was done, in seconds from the first estimate on:" if steps else ""
    at, command = visible_html(_minute(episode.onset)), visible_html(f"kairos why --session {printable(one.session)}")
    return (
        f"<details id={name}><summary><b>{at}</b> {visible_html(_summary(one))}</summary>"
        f"{paragraph(intro, 'small') if steps else ''}{inside}{paragraph(estimates, 'small')}"
        f"<p class=small><code>{command}</code></p></details>"
    )


def _summary(one: DatedEpisode) -> str:
    episode = one.episode
    sign, then = evidence_label(episode.evidence).lower(), SHORT_ENDINGS[episode.ending]
    return f"{where(episode.app, episode.place)}: {sign}, {length(episode.length_s)}; then: {then}"


def _list(items: Iterable[str]) -> str:
    return f"<ol class=spots>{''.join(items)}</ol>"


def _item(name: str, sign: str, note: str, more: str = "") -> str:
    said = f"<b>{visible_html(name)}</b>: {visible_html(sign)}<span class=small>{visible_html(note)}</span>"
    return f"<li>{said}{more}</li>"


def _advice(spot: Spot) -> str:
    """Return the general page that fits the sign, folded away, and the command that looks the place up, if named."""
    page = next((known.page for known in general_pages() if spot.evidence in known.evidence), None)
    found = ""
    if spot.place is not None and spot.place.name:
        words = shlex.join(("kairos", "library", "search", printable(spot.place.name), "--app", spot.app))
        found = f"<span class=small>To look it up: <code>{visible_html(words)}</code></span>"
    if page is None:
        return found
    steps = "".join(f"<li>{visible_html(step.text)}</li>" for step in page.steps)
    return f"{found}<details class=small><summary>{visible_html(page.title)}</summary><ol>{steps}</ol></details>"


def _minute(at_s: float) -> str:
    return format_time(at_s)[:16]


def _short(app: str) -> str:
    name = program_name(app)
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _percent(share: Interval) -> Interval:
    return Interval(value=100 * share.value, low=100 * share.low, high=100 * share.high)
