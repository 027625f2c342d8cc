"""What the estimates of a study rest on: who took part, which outcomes are missing, what did not arrive or fit.

Counts from plain columns, and the parts of the page that show them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.figures.intervals import Interval
from daemon.figures.page import heading, html_table, page, paragraph, plots
from daemon.figures.svg import BLUE, FRAME, GREY, INK, ROW, Axis, Bar, bar_plot, drawing, rounded_up, text_at, title_at
from storage.plain_text import visible_html
from study.analysis.effect import INTERCEPT, Coefficient, EffectFit
from study.analysis.tables import AcceptanceRow, AnswerRow, BalanceRow, EndingRow, PolicyRow

LEAST_P = 0.01
"""Below it offers are said to make outcomes go missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleRow:
    """People of one arm: invited; of these sent something that is in the tables; left; nothing sent; unreadable."""

    arm: str
    invited: int
    in_tables: int
    left: int
    nothing_sent: int
    unreadable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRow:
    """Points of one arm at which the lot said the same: how many, and how many of them have no outcome."""

    arm: str
    lot: str
    points: int
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """Something that does not fit, how often, and with how many people."""

    what: str
    count: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What the estimates rest on.

    Attributes:
        people: by arm.
        hours: that Kairos watched, over all people.
        days: on which it did, over all people.
        left_out: rows that people left out in review.
        rule: which outcomes count, as a sentence.
        missing: by arm and lot.
        missing_effect: the effect of an offer on an outcome being missing; None where it cannot be estimated.
        gaps: parcels that are missing, over all people.
        problems: what does not fit in what was opened.
        trouble: problems that Kairos itself reported, by code.
        misfits: how many things an audit of all rows found that the study, or a person's seed, says otherwise.
    """

    people: Sequence[PeopleRow]
    hours: float
    days: int
    left_out: int
    rule: str
    missing: Sequence[MissingRow]
    missing_effect: EffectFit | None
    gaps: int
    problems: Sequence[ProblemRow]
    trouble: Sequence[ProblemRow]
    misfits: int = 0

    @property
    def offers_lose_outcomes(self) -> bool:
        """Whether an outcome is missing more or less often after an offer than without one."""
        return self.missing_effect is not None and self.missing_effect.effects[0].p < LEAST_P


def warnings(quality: Quality) -> list[str]:
    """Return what has to be said before any figure."""
    found = []
    if quality.misfits:
        found.append(
            paragraph(
                f"An audit of the rows found {quality.misfits:,} things that do not fit the study or the assignments "
                "that were drawn, and the figures below hold these rows too: one made-up probability can decide an "
                "estimate. "
                "First look at them: kairos study audit --study.",
                "loud",
            )
        )
    if quality.offers_lose_outcomes:
        found.append(
            paragraph(
                "Outcomes are missing more often after an offer than without one, or less often (see below): leaving "
                "those points out can bias the estimate.",
                "loud",
            )
        )
    return found


def taking_part(quality: Quality) -> list[str]:
    """Return the part of the page about people."""
    cells = [
        (row.arm, *(f"{n:,}" for n in (row.invited, row.in_tables, row.left, row.nothing_sent, row.unreadable)))
        for row in quality.people
    ]
    heads = ("arm", "invited", "in the tables", "left the study", "sent nothing", "could not be read")
    return [
        heading("Who took part"),
        html_table(heads, cells),
        paragraph(
            f"Kairos watched {quality.hours:,.0f} hours on {quality.days:,} days of all people together. People left "
            f"out {quality.left_out:,} rows in review before sending. Whoever left without permitting to keep what was "
            "sent is in no other figure of this page.",
            "small",
        ),
    ]


def missing_outcomes(quality: Quality, *, masked: bool = False) -> list[str]:
    """Return the part of the page about outcomes that are missing; masked, without the effect of offers on that."""
    if not quality.missing:
        return []
    cells = [
        (row.arm, row.lot, f"{row.points:,}", f"{row.missing:,}", f"{row.missing / row.points:.1%}")
        for row in quality.missing
        if row.points
    ]
    fit = quality.missing_effect
    if fit is None:
        test = "Too few are missing, or too few people took part, to test whether offers have to do with it."
    else:
        one = fit.effects[0]
        verdict = (
            "The interval includes zero: no sign that offers have to do with it, and no proof that they have not."
            if one.low <= 0.0 <= one.high
            else "The interval does not include zero: offers may have to do with it."
        )
        test = (
            f"Share missing after an offer, less that without one: {one.estimate:+.3f} ({fit.confidence:.0%} interval "
            f"{one.low:+.3f} to {one.high:+.3f}). {verdict}"
        )
    return [
        heading("Which outcomes are missing?"),
        *([] if masked else [paragraph(test, "loud" if quality.offers_lose_outcomes else "")]),
        html_table(("arm", "the assignment said", "points", "missing", "share"), cells),
        paragraph(f"{quality.rule} Points without an outcome are left out of the effect.", "small"),
    ]


def problems(quality: Quality) -> list[str]:
    """Return the part of the page about what did not arrive or fit."""
    rows = [("in the data", problem) for problem in quality.problems] + [
        ("reported by Kairos", problem) for problem in quality.trouble
    ]
    cells = [(one.what, where, f"{one.count:,}", f"{one.people:,}") for where, one in rows]
    said = (
        f"Parcels that are missing, though later ones of the same person have arrived: {quality.gaps:,}."
        if quality.gaps
        else "No parcel is missing between those that arrived."
    )
    return [
        heading("Problems and gaps"),
        paragraph(said),
        *([html_table(("what", "", "times", "people"), cells)] if cells else []),
    ]


NONE = "\N{EN DASH}"
_FAIR = 0.01
"""A set of lots is called out of balance below this p-value, divided by how many sets there are."""

_LEAST_P = 0.001

_MASKED = (
    "Masked: the study still runs. Arms are shown as one and effects are not computed, so that nobody who looks at "
    "this page can act on them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEffect:
    """A fitted effect with the name of its outcome, as people would say it.

    Attributes:
        outcome: its name.
        fit: the effect; None where it cannot be estimated.
        why: why it cannot.
        levels: mean outcome without and with an offer, weighted by the lots; None leaves them out.
    """

    outcome: str
    fit: EffectFit | None
    why: str = ""
    levels: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport:
    """What the page shows.

    Attributes:
        title: of the study.
        outcome: the one fixed before the study began.
        exploratory: other effects that somebody looked at.
        acceptance: offers by arm.
        answers: by question and arm.
        endings: how questions ended, by arm.
        questions: what was asked, a sentence each.
        tasks: cells by task: people, times begun, done and given up, minutes until done, skill.
        labels: cells by task and state: people, labels, minutes, need, how many were blind, how many have words.
        balance: lots by arm and phase.
        policies: values of other policies, on the fixed outcome.
        quality: what the estimates rest on.
        simulated: whether nobody took part; the page then says so first.
        masked: whether the study still runs: arms and effects are not shown.
        notes: further sentences, such as what was left out.
    """

    title: str
    outcome: NamedEffect
    exploratory: Sequence[NamedEffect] = ()
    acceptance: Sequence[AcceptanceRow] = ()
    answers: Sequence[AnswerRow] = ()
    endings: Sequence[EndingRow] = ()
    questions: Sequence[str] = ()
    tasks: Sequence[Sequence[str]] = ()
    labels: Sequence[Sequence[str]] = ()
    balance: Sequence[BalanceRow] = ()
    policies: Sequence[PolicyRow] = ()
    quality: Quality | None = None
    simulated: bool = False
    masked: bool = False
    notes: Sequence[str] = ()


def study_page(report: StudyReport) -> str:
    """Return the page as HTML."""
    quality, shown = report.quality, not report.masked
    parts = [paragraph("Simulated: nobody took part in this study.", "loud")] if report.simulated else []
    parts += [paragraph(note, "small") for note in report.notes]
    if report.masked:
        parts.append(paragraph(_MASKED, "loud"))
    if _out_of_balance(report.balance):
        out = "The assignments are out of balance (see below): no estimate here can be trusted as it is."
        parts.append(paragraph(out, "loud"))
    parts += [
        *(warnings(quality) if quality is not None else ()),
        *(_fixed_outcome(report.outcome) if shown else ()),
        *((*taking_part(quality), *missing_outcomes(quality, masked=report.masked)) if quality is not None else ()),
        *_balance(report.balance),
        *(problems(quality) if quality is not None else ()),
        heading("Exploratory"),
        paragraph(
            "Nothing below was fixed before the study. With so many figures some look remarkable by chance alone: they "
            "are ideas for the next study, not findings of this one.",
            "small",
        ),
        *(_other_effects(report.exploratory) if shown else ()),
        *_acceptance(report.acceptance),
        *_answers(report.answers, report.questions),
        *_endings(report.endings),
        *_table("Tasks", _TASK_HEADS, report.tasks),
        *_table("Labels by participants of their own work", _LABEL_HEADS, report.labels),
        *(_policies(report.policies) if shown else ()),
        *_words(),
    ]
    return page(report.title, parts)


# ---------------------------------------------------------------- the fixed outcome, and whether the lots were fair


def _fixed_outcome(effect: NamedEffect) -> list[str]:
    fit = effect.fit
    if fit is None:
        return [
            heading(f"Fixed outcome: {effect.outcome}"),
            paragraph(f"The effect of an offer cannot be estimated: {effect.why}.", "loud"),
        ]
    numerator = "given by point" if fit.numerator is None else f"{fit.numerator:g}"
    return [
        heading(f"Fixed outcome: {effect.outcome}"),
        paragraph(_in_words(fit)),
        *_levels(effect),
        plots([_forest(fit)]),
        html_table(_EFFECT_HEADS, [_effect_cells(effect) for effect in fit.effects]),
        paragraph(
            f"{fit.people} people; {fit.available_points:,} of {fit.points:,} points had an assignment and a known "
            "outcome. Causal excursion effect by weighted and centered least squares (Boruvka and others, 2018), "
            f"numerator probability {numerator}; errors clustered by person"
            f"{', corrected for few people (Mancl and DeRouen, 2001)' if fit.small_sample else ''}; "
            f"t with {fit.effects[0].degrees_of_freedom} degrees of freedom.",
            "small",
        ),
    ]


def _in_words(fit: EffectFit) -> str:
    one = fit.effects[0]
    where = "on average" if len(fit.effects) == 1 else "where all moderators are 0"
    if one.low <= 0.0 <= one.high:
        verdict = "The interval includes zero: this study does not show an effect, and does not exclude one either."
    else:
        verdict = f"The interval lies {'above' if one.low > 0.0 else 'below'} zero."
    return (
        f"Estimated effect of an offer {where}: {one.estimate:+.3f} "
        f"({fit.confidence:.0%} interval {one.low:+.3f} to {one.high:+.3f}, {_p_words(one.p)}). {verdict}"
    )


def _levels(effect: NamedEffect) -> list[str]:
    if effect.levels is None:
        return []
    without, offered = effect.levels
    return [
        paragraph(
            f"Mean outcome where an offer was withheld: {without:.3f}; where one was made: {offered:.3f} (each point "
            "weighted by its assignment)."
        )
    ]


def _balance(rows: Sequence[BalanceRow]) -> list[str]:
    if not rows:
        return []
    out = _out_of_balance(rows)
    verdict = (
        paragraph(
            f"{len(out)} of {len(rows)} sets of assignments did not fall as their logged probabilities say. "
            "Audit the study.",
            "loud",
        )
        if out
        else paragraph("The assignments fell as their logged probabilities say.")
    )
    cells = [
        (
            row.arm,
            row.phase,
            f"{row.lots:,}",
            f"{row.expected:.3f}",
            f"{row.observed:.3f}",
            f"{row.z:+.2f}",
            _p(row.p),
            "out of balance" if row in out else ("too few" if math.isnan(row.p) else "fair"),
        )
        for row in rows
    ]
    return [
        heading("Were the assignments fair?"),
        verdict,
        html_table(("arm", "phase", "assignments", "expected", "observed", "z", "p", ""), cells),
        paragraph(
            "Expected: mean logged probability of an offer; observed: share at which the assignment said offer; z: "
            "their summed difference in standard errors. "
            f"Out of balance: p below {_FAIR:g} divided by the number of sets.",
            "small",
        ),
    ]


def _out_of_balance(rows: Sequence[BalanceRow]) -> list[BalanceRow]:
    return [row for row in rows if row.p < _FAIR / len(rows)]


# ---------------------------------------------------------------- exploratory


def _exploratory(text: str) -> str:
    """Return a heading that carries its label along wherever its table is copied to."""
    return f"<h3>{visible_html(text)} (exploratory)</h3>"


def _other_effects(effects: Sequence[NamedEffect]) -> list[str]:
    if not effects:
        return []
    fitted = [(effect.outcome, effect.fit) for effect in effects if effect.fit is not None]
    rows = [(outcome, *_effect_cells(coefficient)) for outcome, fit in fitted for coefficient in fit.effects]
    return [
        _exploratory("Other outcomes and moderators"),
        plots([_forest(fit, title=outcome, highlighted=False) for outcome, fit in fitted]),
        *([html_table(("outcome", *_EFFECT_HEADS), rows)] if rows else []),
        *(
            paragraph(f"{effect.outcome}: not estimated, {effect.why}.", "small")
            for effect in effects
            if effect.fit is None
        ),
    ]


def _acceptance(rows: Sequence[AcceptanceRow]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            row.arm,
            str(row.people),
            f"{row.points:,}",
            f"{row.available:,}",
            f"{row.offers:,}",
            _share(row.offered_share),
            f"{row.accepted:,}",
            _share(row.accepted_share),
        )
        for row in rows
    ]
    bars = [Bar(name=row.arm, figure=row.accepted_share) for row in rows if math.isfinite(row.accepted_share.value)]
    return [
        _exploratory("Offers"),
        *(
            [plots([bar_plot(bars, title="accepted, of the offers made", end=1.0, text="{:.2f}".format)])]
            if bars
            else []
        ),
        html_table(
            ("arm", "people", "points", "available", "offers", "of available points", "accepted", "of offers"), cells
        ),
        paragraph(f"Intervals ({_PERCENT}) draw whole people; fewer than five people have none.", "small"),
    ]


def _answers(rows: Sequence[AnswerRow], questions: Sequence[str]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            row.question,
            row.arm,
            str(row.people),
            f"{row.due:,}",
            f"{row.answered:,}",
            _share(row.answered_share),
            _number(row.mean),
        )
        for row in rows
    ]
    return [
        _exploratory("Answers"),
        html_table(("question", "arm", "people", "due", "answered", "share", "mean answer"), cells),
        *(paragraph(question, "small") for question in questions),
    ]


def _endings(rows: Sequence[EndingRow]) -> list[str]:
    if not rows:
        return []
    arms = list(dict.fromkeys(row.arm for row in rows))
    ends = list(dict.fromkeys(row.ended for row in rows))
    by_place = {(row.ended, row.arm): row for row in rows}
    cells = [
        [
            end,
            *(
                f"{found.count:,}: {_share(found.share)}" if (found := by_place.get((end, arm))) else NONE
                for arm in arms
            ),
        ]
        for end in ends
    ]
    return [_exploratory("How questions ended"), html_table(("", *arms), cells)]


_TASK_HEADS = ("task", "people", "begun", "done", "given up", "minutes until done, median", "skill, mean of 1 to 5")
_LABEL_HEADS = ("of", "people", "labels", "minutes", "help needed", "not needed", "judged blind", "with words said")


def _table(title: str, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    return [_exploratory(title), html_table(heads, cells)] if cells else []


def _policies(rows: Sequence[PolicyRow]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            row.policy,
            f"{row.effective:,.0f} of {row.points:,}" if row.doubly_robust else "no overlap",
            _number(row.doubly_robust),
            _number(row.inverse_propensity),
        )
        for row in rows
    ]
    return [
        _exploratory("Had another policy decided"),
        html_table(("policy", "points that speak for it", "doubly robust", "inverse propensity"), cells),
        paragraph(
            "Mean of the fixed outcome at the points where an assignment decided, estimated for a policy that "
            "decides otherwise, in two ways; the doubly robust one also uses a model. Where the two are far apart, "
            "trust neither. What such a policy would change later on, such as moods or budgets, is not in it.",
            "small",
        ),
    ]


def _words() -> list[str]:
    """Return what the words on this page mean."""
    return [
        heading("Words on this page"),
        html_table(
            ("word", ""),
            [
                f"<tr><td>{visible_html(word)}</td><td class=text>{visible_html(meaning)}</td></tr>"
                for word, meaning in _GLOSSARY
            ],
        ),
    ]


_GLOSSARY = (
    ("point", "A moment at which Kairos would have offered help, or a gate stopped it from doing so."),
    ("available", "No gate stopped it: nobody typed, presented, was in a call, or had too many offers already."),
    ("assignment", "Chance decided whether the offer was made or withheld, with a probability that is logged."),
    ("arm", "The group that a person was drawn into when they were invited."),
    (
        "effect of an offer",
        "Mean outcome after offers less that after offers withheld, each weighted by the chance of its assignment.",
    ),
    ("interval (95 %)", "Were the study repeated often, 95 in 100 such intervals would hold the true value."),
    ("p", "How often chance alone would give an estimate this far from zero, or farther, if offers did nothing."),
    ("exploratory", "Not fixed before the study; an idea for the next one."),
)

# ---------------------------------------------------------------- cells

_PERCENT = "95 %"
_EFFECT_HEADS = ("", "estimate", "std. error", "t", "df", "p", "interval")


def _effect_cells(one: Coefficient) -> tuple[str, ...]:
    return (
        _effect_name(one),
        f"{one.estimate:+.4f}",
        f"{one.standard_error:.4f}",
        f"{one.t:.2f}",
        str(one.degrees_of_freedom),
        _p(one.p),
        f"{one.low:+.4f} to {one.high:+.4f}",
    )


def _effect_name(one: Coefficient) -> str:
    return "effect of an offer" if one.name == INTERCEPT else f"further effect, per unit of {one.name}"


def _forest(fit: EffectFit, *, title: str = "", highlighted: bool = True) -> str:
    rows = [
        (_effect_name(effect), Interval(value=effect.estimate, low=effect.low, high=effect.high))
        for effect in fit.effects
    ]
    return forest_plot(rows, title=title, highlighted=highlighted)


def _share(one: Interval) -> str:
    if not math.isfinite(one.value):
        return NONE
    return f"{one.value:.1%}{f' ({one.low:.0%} to {one.high:.0%})' if math.isfinite(one.low) else ''}"


def _number(one: Interval | None) -> str:
    if one is None or not math.isfinite(one.value):
        return NONE
    return f"{one.value:.3f}{f' ({one.low:.3f} to {one.high:.3f})' if math.isfinite(one.low) else ''}"


def _p(value: float) -> str:
    if math.isnan(value):
        return NONE
    return f"{value:.3f}" if value >= _LEAST_P else f"< {_LEAST_P:g}"


def _p_words(value: float) -> str:
    return f"p = {value:.3f}" if value >= _LEAST_P else f"p < {_LEAST_P:g}"


def forest_plot(rows: Sequence[tuple[str, Interval]], *, title: str = "", highlighted: bool = True) -> str:
    """Return estimates with their intervals, one a row, about a dashed line at zero; all are in the same unit.

    An end that is not finite is not drawn, an estimate that is not is "not estimated".
    """
    names, width, right = 12 + 7 * max((len(name) for name, _ in rows), default=0), 380, 210
    top = 34 if title else 8
    ends = [end for _, one in rows for end in (one.value, one.low, one.high) if math.isfinite(end)]
    end = rounded_up(max((abs(end_ns) for end_ns in ends), default=1.0))
    axis = Axis(
        low=-end if min(ends, default=0.0) < 0.0 else -end / 5, high=end if max(ends, default=0.0) > 0.0 else end / 5
    )

    def place(value: float) -> float:
        return round(names + axis.position(value) * width, 1)

    bottom, colour = top + len(rows) * ROW, BLUE if highlighted else GREY
    parts = [title_at(names, title)] if title else []
    parts += [
        f"<path d='M {names} {bottom} H {names + width}' stroke='{FRAME}' />",
        f"<path d='M {place(0.0)} {top} V {bottom}' stroke='{INK}' stroke-dasharray='3 3' />",
        *(
            text_at(place(tick), bottom + 15, f"{tick:g}", anchor="middle")
            for tick in (-end, -end / 2, 0.0, end / 2, end)
            if axis.low <= tick <= axis.high
        ),
    ]
    for number, (name, one) in enumerate(rows):
        y = top + number * ROW + 11
        parts.append(text_at(names - 12, y + 4, name, anchor="end"))
        if not math.isfinite(one.value):
            parts.append(text_at(names + width + 12, y + 4, "not estimated"))
            continue
        text = f"{one.value:+.3f}"
        if math.isfinite(one.low) and math.isfinite(one.high):
            parts.append(f"<path d='M {place(one.low)} {y} H {place(one.high)}' stroke='{colour}' stroke-width='2' />")
            text += f" ({one.low:+.3f} to {one.high:+.3f})"
        hint = f"<title>{visible_html(text)}</title>"
        parts += [
            f"<circle cx='{place(one.value)}' cy='{y}' r='5' fill='{colour}'>{hint}</circle>",
            text_at(names + width + 12, y + 4, text),
        ]
    return drawing((names + width + right, bottom + 22), parts)
