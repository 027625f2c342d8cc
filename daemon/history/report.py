"""The page of recorded sessions: when what was done, how need was estimated, what was offered and why not.

One HTML file without scripts or anything from outside; every text is escaped. Figures are of the log alone. States and
need are what a detector estimated, and no more than that.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.figures.page import heading, html_table, page, paragraph
from daemon.figures.svg import BLUE, FRAME, GREY, PALETTE, Axis, Line, PlotSpan, line_plot, span_plot
from daemon.history.program_names import program_name
from daemon.history.timeline.moments import MomentFold
from storage.clock import NS_PER_S
from storage.messages import ANSWERS, PHASES, STATES
from storage.plain_text import (
    format_clock,
    format_count,
    format_duration,
    format_percent,
    format_time,
    format_times,
    local_day,
    printable,
    visible_html,
)
from storage.records import SessionEnd, SessionStart, phase_of
from storage.session.log import SessionReader
from storage.timeline import Moment, MomentKind

TITLE = "Kairos report"
ESTIMATED = (
    "States and help need are estimates of a detector, not observations. A share is of the time in which work was seen."
)
OUTSIDE = (
    "This page lies outside the sessions: deleting or forgetting a session does not change it. It names programs, and"
    " quotes controls and messages where the recording held their words."
)
NOTHING_OFFERED = "No help was offered."

_PLOT = (760, 150)
_NAMES = 260
_TICKS = 8
_STEPS_S = (10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200)
_STYLE = """
body { max-width: 66rem } svg { max-width: 100%; height: auto } .lead { font-size: 1.12rem }
td, th { padding: .3rem .6rem } td:nth-child(n+2), th:nth-child(n+2) { text-align: left }
tr:target td { background: var(--ours) }
"""
_LANES = (("Help offered", "offers"), ("You said: stuck", "stuck"), ("You said: fine", "fine"), ("Not watched", "off"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedSession:
    """What a page says of one session; `moments` are in the order of time."""

    name: str
    start: SessionStart
    began_s: float
    ended_s: float
    ended: str | None
    moments: tuple[Moment, ...]

    @property
    def work(self) -> list[Moment]:
        """Its windows of work."""
        return [moment for moment in self.moments if moment.kind is MomentKind.WORK]

    @property
    def offers(self) -> list[Moment]:
        """Offers that were shown."""
        return [moment for moment in self.moments if moment.kind is MomentKind.OFFER]

    @property
    def work_s(self) -> float:
        """How long work was seen, in seconds."""
        return sum(map(_seconds, self.work))

    @property
    def highest(self) -> float | None:
        """The highest estimate of help need."""
        return max((moment.help_need for moment in self.work if moment.help_need is not None), default=None)


def read_session(folder: Path, *, studies: Collection[str] = (), now_s: float = 0.0) -> ReportedSession:
    """Read a session for a page; lots of these studies are not shown at `now_s`.

    Raises:
        BadFile: it cannot be read.
    """
    with SessionReader(folder) as reader:
        start = reader.first()
        fold = MomentFold(start, studies=studies, now_s=now_s, name_of=program_name)
        ended, last_ns = None, start.at_ns
        for row in reader.rows(fold.kinds):
            fold.add(row)
            ended = row.reason if isinstance(row, SessionEnd) else ended
        last_ns = reader.last_at_ns() or last_ns
        reader.check_rows()
    moments = tuple(sorted(fold.moments, key=lambda one: (one.begin_wall_ns, one.moment_id)))
    return ReportedSession(
        name=folder.name,
        start=start,
        began_s=fold.wall_ns(start.at_ns) / NS_PER_S,
        ended_s=fold.wall_ns(last_ns) / NS_PER_S,
        ended=ended,
        moments=moments,
    )


def report_page(sessions: Sequence[ReportedSession], *, note: str = "") -> str:
    """Return the page as HTML; `note` stands at its top, such as that a scripted person was at work."""
    return page(TITLE, _parts(sessions, note), style=_STYLE)


def report_facts(sessions: Sequence[ReportedSession]) -> list[dict[str, object]]:
    """Return the figures of the page as plain values."""
    return [
        {
            "session": session.name,
            "began": round(session.began_s, 3),
            "duration_s": round(session.ended_s - session.began_s, 3),
            "work_s": round(session.work_s, 3),
            "estimates": sum(moment.estimates for moment in session.work),
            "help_need_most": session.highest,
            "offers": len(session.offers),
            "answers": dict(Counter(moment.answer or "open" for moment in session.offers)),
            "state_shares": {state: round(share, 4) for state, share in state_shares([session])},
            "phase_shares": {name: round(share, 4) for name, share in phase_shares(state_shares([session])).items()},
        }
        for session in sessions
    ]


def state_shares(sessions: Sequence[ReportedSession]) -> list[tuple[str, float]]:
    """Return the share of the work that each state took, the largest first; windows without an estimate count."""
    lengths: Counter[str] = Counter()
    for session in sessions:
        for moment in session.work:
            lengths[moment.state] += round(_seconds(moment) * 1000)
    total = lengths.total()
    return [(state, length / total) for state, length in lengths.most_common() if length] if total else []


def _parts(sessions: Sequence[ReportedSession], note: str) -> Iterator[str]:
    if note:
        yield paragraph(note, "loud")
    yield f"<p class=lead>{visible_html(_lead(sessions))}</p>"
    yield paragraph(ESTIMATED, "small")
    if len(sessions) > 1:
        yield heading("The sessions")
        yield _figures(sessions)
        yield from _states(sessions)
    for number, one in enumerate(sessions):
        yield from _session(one, number, alone=len(sessions) == 1)
    yield heading("What this rests on")
    yield paragraph(OUTSIDE, "small")


def _lead(sessions: Sequence[ReportedSession]) -> str:
    offers = [moment for session in sessions for moment in session.offers]
    accepted = sum(moment.answer == "accepted" for moment in offers)
    work = format_duration(sum(session.work_s for session in sessions))
    offered = f"Help was offered {format_times(len(offers))}" if offers else "No help was offered"
    taken = f" and accepted {format_times(accepted)}" if accepted else ""
    return f"{format_count(len(sessions), 'session')} with {work} of work seen. {offered}{taken}."


def _figures(sessions: Sequence[ReportedSession]) -> str:
    heads = (
        "session",
        "began",
        "work seen",
        "estimates",
        "highest need",
        "offers",
        "accepted",
        "offers an hour of work",
    )
    rows = [
        (
            session.name,
            format_time(session.began_s)[:16],
            format_duration(session.work_s),
            str(sum(moment.estimates for moment in session.work)),
            "" if session.highest is None else format_percent(session.highest),
            str(len(session.offers)),
            str(sum(moment.answer == "accepted" for moment in session.offers)),
            f"{len(session.offers) / session.work_s * 3600:.2f}" if session.work_s else "",
        )
        for session in sessions
    ]
    return html_table(heads, rows)


def _session(one: ReportedSession, number: int, *, alone: bool) -> Iterator[str]:
    yield heading(f"Session {one.name}")
    start = one.start
    rows = [
        ("began", format_time(one.began_s)),
        ("lasted", f"{format_duration(one.ended_s - one.began_s)}, {_ending(one)}"),
        ("work seen", format_duration(one.work_s)),
        ("judged by", printable(f"detector {start.detector} {start.detector_version}, policy {start.policy}")),
        ("pictures", "recorded" if start.recording else "none"),
    ]
    if start.imported_from is not None:
        rows.append(("imported from", printable(start.imported_from)))
    yield html_table(("", ""), rows)
    if not one.moments:
        yield paragraph("Nothing was seen in it.")
        return
    yield from _timeline(one, number)
    if alone:
        yield from _states([one])
        yield f"<h3>Figures</h3>{_figures([one])}"
    yield from _offers(one, number)
    yield from _reasons(one)


def _timeline(one: ReportedSession, number: int) -> Iterator[str]:
    """Draw need over time, and below it, on the same line of time, states, offers and what was said."""
    begin_s, end_s = one.began_s, max(one.ended_s, one.began_s + 1.0)
    axis = Axis(low=0.0, high=end_s - begin_s, ticks=_ticks(begin_s, end_s))
    yield "<h3>Help need, as estimated</h3>"
    points = [
        (at_ns / NS_PER_S - begin_s, 100 * moment.help_need)
        for moment in one.work
        if moment.help_need is not None
        for at_ns in (moment.begin_wall_ns, moment.end_wall_ns)
    ]
    if points:
        lines = [Line(name="need", points=points, dots=False)]
        need_ticks = [(float(value), f"{value} %") for value in (0, 25, 50, 75, 100)]
        yield line_plot("", lines, axis, Axis(low=0.0, high=100.0, ticks=need_ticks), size=_PLOT)
    else:
        yield paragraph("Nothing was estimated in this session.")
    yield "<h3>What was going on</h3>"
    lanes: dict[str, list[PlotSpan]] = {}
    for state, _ in by_phase(state_shares([one])):
        spans = [_span(moment, begin_s, BLUE) for moment in one.work if moment.state == state]
        lanes[_state_name(state)] = spans
    for name, kind in _LANES:
        found = [moment for moment in one.moments if _lane_of(moment) == kind]
        if found:
            colour = {"offers": PALETTE[1], "stuck": PALETTE[2], "fine": PALETTE[0], "off": GREY}[kind]
            link = f"s{number}" if kind == "offers" else ""
            lanes[name] = [_span(moment, begin_s, colour, link) for moment in found]
    yield span_plot(list(lanes.items()), axis, size=(_NAMES, _PLOT[0] - _NAMES + 60))
    yield paragraph("An offer leads to its row below. Rest the pointer on a stretch for its times.", "small")


def _ticks(begin_s: float, end_s: float) -> list[tuple[float, str]]:
    length_s = end_s - begin_s
    step = next((step_s for step_s in _STEPS_S if length_s / step_s <= _TICKS), _STEPS_S[-1])
    _, into_day_s = local_day(begin_s)
    first_s = -into_day_s % step
    places = (first_s + step * number for number in range(int(max(0.0, length_s - first_s) / step) + 1))
    digits = 5 if step >= 60 else 8  # noqa: PLR2004  # with seconds below a minute
    return [(place, format_clock(begin_s + place)[:digits]) for place in places if place <= length_s]


def _span(moment: Moment, begin_s: float, colour: str, link: str = "") -> PlotSpan:
    start, end = moment.begin_wall_ns / NS_PER_S, moment.end_wall_ns / NS_PER_S
    need = "" if moment.help_need is None else f", need {format_percent(moment.help_need)}"
    where = f"{printable(moment.named)}, " if moment.app else ""
    hint = f"{where}{format_clock(start)} to {format_clock(end)}{need}"
    target = f"{link}-{_anchor(moment)}" if link else ""
    return PlotSpan(start=start - begin_s, end=end - begin_s, colour=colour, hint=hint, link=target)


def by_phase(shares: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return shares of states with those of one phase together, the largest phase first."""
    phases = phase_shares(shares)
    return sorted(shares, key=lambda one: (-phases.get(_phase_name(one[0]), 0.0), -one[1]))


def phase_shares(shares: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the share of each phase in those of states, by its name."""
    found: dict[str, float] = {}
    for state, share in shares:
        name = _phase_name(state)
        found[name] = found.get(name, 0.0) + share
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _phase_name(state: str) -> str:
    phase = phase_of(state)
    return PHASES[phase] if phase is not None else "No estimate"


def _state_name(state: str) -> str:
    return f"{_phase_name(state)}: {STATES[state]}" if state in STATES else "No estimate"


def _states(sessions: Sequence[ReportedSession]) -> Iterator[str]:
    """Show the share of each state as a bar in a table, with what was estimated in it."""
    shares = by_phase(state_shares(sessions))
    if not shares:
        return
    yield "<h3>What the time went into</h3>"
    work = [moment for session in sessions for moment in session.work]
    rows = []
    for state, share in shares:
        length_s = sum(_seconds(moment) for moment in work if moment.state == state)
        needs = [moment.help_need for moment in work if moment.state == state and moment.help_need is not None]
        bar = (
            f"<svg viewBox='0 0 220 12' width='220' height='12'><rect width='220' height='12' fill='{FRAME}' "
            f"fill-opacity='0.4' /><rect width='{220 * share:.1f}' height='12' fill='{BLUE}' /></svg>"
        )
        cells = (
            visible_html(_state_name(state)),
            bar,
            format_percent(share),
            format_duration(length_s),
            format_percent(sum(needs) / len(needs)) if needs else "",
        )
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    yield html_table(("state", "", "share", "time", "mean need"), rows)


def _offers(one: ReportedSession, number: int) -> Iterator[str]:
    yield "<h3>Offers and answers</h3>"
    if not one.offers:
        yield paragraph(NOTHING_OFFERED)
        return
    rows = []
    for moment in one.offers:
        after = (moment.end_wall_ns - moment.begin_wall_ns) / NS_PER_S
        answer = ANSWERS.get(moment.answer or "open", printable(moment.answer))
        cells = (
            format_clock(moment.begin_wall_ns / NS_PER_S),
            moment.named,
            f"{moment.title}. {moment.detail}".replace("?.", "?"),
            moment.why,
            f"{answer} after {format_duration(after)}" if moment.answer else answer,
        )
        inside = "".join(f"<td>{visible_html(cell)}</td>" for cell in cells)
        rows.append(f"<tr id='s{number}-{visible_html(_anchor(moment))}'>{inside}</tr>")
    yield html_table(("at", "in", "what it said", "why then", "answer"), rows)


def _reasons(one: ReportedSession) -> Iterator[str]:
    """Count why no help was offered, by windows of work."""
    counts = Counter(moment.why for moment in one.work if moment.why.startswith(("No offer", "Not yet", "The offer")))
    if counts:
        yield "<h3>Why help was not offered</h3>"
        rows = [
            (reason.removeprefix("No offer: "), format_count(count, "window")) for reason, count in counts.most_common()
        ]
        yield html_table(("reason", "so often"), rows)


def _lane_of(moment: Moment) -> str:
    match moment.kind:
        case MomentKind.OFFER:
            return "offers"
        case MomentKind.REPORT:
            return "stuck" if moment.needed else "fine"
        case MomentKind.OFF:
            return "off"
        case _:
            return ""


def _anchor(moment: Moment) -> str:
    return moment.moment_id.rpartition("/")[2]


def _ending(one: ReportedSession) -> str:
    return "not ended in order" if one.ended is None else f"ended normally ({printable(one.ended)})"


def _seconds(moment: Moment) -> float:
    return max(0.0, (moment.end_wall_ns - moment.begin_wall_ns) / NS_PER_S)
