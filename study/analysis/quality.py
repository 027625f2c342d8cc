"""What the estimates of a study rest on: who took part, which outcomes are missing, what did not arrive or fit.

Counts from plain columns, and the parts of the page that show them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.figures.page import heading, html_table, paragraph
from study.analysis.effect import EffectFit

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
                f"An audit of the rows found {quality.misfits:,} things that do not fit the study or the lots that "
                "were drawn, and the figures below hold these rows too: one made-up probability can decide an "
                "estimate. "
                "First look at them: kairos study audit --study.",
                "loud",
            )
        )
    if not quality.offers_lose_outcomes:
        return found
    return [
        *found,
        paragraph(
            "Outcomes are missing more often after an offer than without one, or less often (see below): leaving those "
            "points out can bias the estimate.",
            "loud",
        ),
    ]


def taking_part(quality: Quality) -> list[str]:
    """Return the part of the page about people."""
    cells = [
        (
            one.arm,
            f"{one.invited:,}",
            f"{one.in_tables:,}",
            f"{one.left:,}",
            f"{one.nothing_sent:,}",
            f"{one.unreadable:,}",
        )
        for one in quality.people
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
        (one.arm, one.lot, f"{one.points:,}", f"{one.missing:,}", f"{one.missing / one.points:.1%}")
        for one in quality.missing
        if one.points
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
        html_table(("arm", "the lot said", "points", "missing", "share"), cells),
        paragraph(f"{quality.rule} Points without an outcome are left out of the effect.", "small"),
    ]


def problems(quality: Quality) -> list[str]:
    """Return the part of the page about what did not arrive or fit."""
    rows = [("in the data", one) for one in quality.problems] + [("reported by Kairos", one) for one in quality.trouble]
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
