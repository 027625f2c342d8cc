"""The page of a study: the outcome fixed before it began comes first, everything else is labelled exploratory.

One HTML file without scripts or anything from outside. People, programs and words of theirs are not on it: counts and
estimates alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from daemon.figures.intervals import Interval
from daemon.figures.page import heading, html_table, page, paragraph, plots
from daemon.figures.svg import Bar, bar_plot, forest_plot
from study.analysis.effect import INTERCEPT, Coefficient, EffectFit
from study.analysis.quality import Quality, missing_outcomes, problems, taking_part, warnings
from study.analysis.tables import AcceptanceRow, AnswerRow, BalanceRow, EndingRow, PolicyRow

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
    balance: Sequence[BalanceRow] = ()
    policies: Sequence[PolicyRow] = ()
    quality: Quality | None = None
    simulated: bool = False
    masked: bool = False
    notes: Sequence[str] = ()


def study_page(report: StudyReport) -> str:
    """Return the page as HTML."""
    parts = [paragraph("Simulated: nobody took part in this study.", "loud")] if report.simulated else []
    parts += [paragraph(note, "small") for note in report.notes]
    if report.masked:
        parts.append(paragraph(_MASKED, "loud"))
    if _out_of_balance(report.balance):
        parts.append(
            paragraph("The lots are out of balance (see below): no estimate here can be trusted as it is.", "loud")
        )
    quality = report.quality
    if quality is not None:
        parts += warnings(quality)
    if not report.masked:
        parts += _fixed_outcome(report.outcome)
    if quality is not None:
        parts += [*taking_part(quality), *missing_outcomes(quality, masked=report.masked)]
    parts += _lots(report.balance)
    if quality is not None:
        parts += problems(quality)
    parts.append(heading("Exploratory"))
    parts.append(
        paragraph(
            "Nothing below was fixed before the study. With so many figures some look remarkable by chance alone: they "
            "are ideas for the next study, not findings of this one.",
            "small",
        )
    )
    if not report.masked:
        parts += _other_effects(report.exploratory)
    parts += _acceptance(report.acceptance)
    parts += _answers(report.answers, report.questions)
    parts += _endings(report.endings)
    if not report.masked:
        parts += _policies(report.policies)
    parts += _words()
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
        html_table(_EFFECT_HEADS, [_effect_cells(one) for one in fit.effects]),
        paragraph(
            f"{fit.people} people; {fit.available_points:,} of {fit.points:,} points had a lot and a known outcome. "
            "Causal excursion effect by weighted and centered least squares (Boruvka and others, 2018), numerator "
            f"probability {numerator}; errors clustered by person"
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
            "weighted by its lot)."
        )
    ]


def _lots(rows: Sequence[BalanceRow]) -> list[str]:
    if not rows:
        return []
    out = _out_of_balance(rows)
    verdict = (
        paragraph(
            f"{len(out)} of {len(rows)} sets of lots did not fall as their logged probabilities say. Audit the study.",
            "loud",
        )
        if out
        else paragraph("The lots fell as their logged probabilities say.")
    )
    cells = [
        (
            one.arm,
            one.phase,
            f"{one.lots:,}",
            f"{one.expected:.3f}",
            f"{one.observed:.3f}",
            f"{one.z:+.2f}",
            _p(one.p),
            "out of balance" if one in out else ("too few" if math.isnan(one.p) else "fair"),
        )
        for one in rows
    ]
    return [
        heading("Were the lots fair?"),
        verdict,
        html_table(("arm", "phase", "lots", "expected", "observed", "z", "p", ""), cells),
        paragraph(
            "Expected: mean logged probability of an offer; observed: share at which the lot said offer; z: their "
            f"summed difference in standard errors. Out of balance: p below {_FAIR:g} divided by the number of sets.",
            "small",
        ),
    ]


def _out_of_balance(rows: Sequence[BalanceRow]) -> list[BalanceRow]:
    return [one for one in rows if one.p < _FAIR / len(rows)]


# ---------------------------------------------------------------- exploratory


def _exploratory(text: str) -> str:
    """Return a heading that carries its label along wherever its table is copied to."""
    return f"<h3>{escape(text)} (exploratory)</h3>"


def _other_effects(effects: Sequence[NamedEffect]) -> list[str]:
    if not effects:
        return []
    fitted = [(one.outcome, one.fit) for one in effects if one.fit is not None]
    rows = [(outcome, *_effect_cells(coefficient)) for outcome, fit in fitted for coefficient in fit.effects]
    return [
        _exploratory("Other outcomes and moderators"),
        plots([_forest(fit, title=outcome, highlighted=False) for outcome, fit in fitted]),
        *([html_table(("outcome", *_EFFECT_HEADS), rows)] if rows else []),
        *(paragraph(f"{one.outcome}: not estimated, {one.why}.", "small") for one in effects if one.fit is None),
    ]


def _acceptance(rows: Sequence[AcceptanceRow]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            one.arm,
            str(one.people),
            f"{one.points:,}",
            f"{one.available:,}",
            f"{one.offers:,}",
            _share(one.offered_share),
            f"{one.accepted:,}",
            _share(one.accepted_share),
        )
        for one in rows
    ]
    bars = [Bar(name=one.arm, figure=one.accepted_share) for one in rows if math.isfinite(one.accepted_share.value)]
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
            one.question,
            one.arm,
            str(one.people),
            f"{one.due:,}",
            f"{one.answered:,}",
            _share(one.answered_share),
            _number(one.mean),
        )
        for one in rows
    ]
    return [
        _exploratory("Answers"),
        html_table(("question", "arm", "people", "due", "answered", "share", "mean answer"), cells),
        *(paragraph(one, "small") for one in questions),
    ]


def _endings(rows: Sequence[EndingRow]) -> list[str]:
    if not rows:
        return []
    arms = list(dict.fromkeys(one.arm for one in rows))
    ends = list(dict.fromkeys(one.ended for one in rows))
    by_place = {(one.ended, one.arm): one for one in rows}
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


def _policies(rows: Sequence[PolicyRow]) -> list[str]:
    if not rows:
        return []
    cells = [
        (
            one.policy,
            f"{one.effective:,.0f} of {one.points:,}" if one.doubly_robust else "no overlap",
            _number(one.doubly_robust),
            _number(one.inverse_propensity),
        )
        for one in rows
    ]
    return [
        _exploratory("Had another policy decided"),
        html_table(("policy", "points that speak for it", "doubly robust", "inverse propensity"), cells),
        paragraph(
            "Mean of the fixed outcome at the points where a lot decided, estimated from the lots for a policy that "
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
            [f"<tr><td>{escape(word)}</td><td class=text>{escape(meaning)}</td></tr>" for word, meaning in _GLOSSARY],
        ),
    ]


_GLOSSARY = (
    ("point", "A moment at which Kairos would have offered help, or a gate stopped it from doing so."),
    ("available", "No gate stopped it: nobody typed, presented, was in a call, or had too many offers already."),
    ("lot", "Chance decided whether the offer was made or withheld, with a probability that is logged."),
    ("arm", "The group that a person was drawn into when they were invited."),
    (
        "effect of an offer",
        "Mean outcome after offers less that after offers withheld, each point weighted by the chance of its lot.",
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
    rows = [(_effect_name(one), Interval(value=one.estimate, low=one.low, high=one.high)) for one in fit.effects]
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
