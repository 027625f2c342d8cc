"""Builds the report of a study from its tables: the outcome fixed before it first, all else exploratory.

While a study runs, arms are shown as one and no effect is computed, unless somebody asks for it in so many words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from participant.documents.plan import ANSWER_OUTCOME, Plan, StudyOutcome
from participant.documents.rows import OUTCOME_S
from storage.errors import BadFile
from study.analysis.effect import EffectFit, Floats, Trial, excursion_effect
from study.analysis.report import MissingRow, NamedEffect, PeopleRow, ProblemRow, Quality, StudyReport
from study.analysis.tables import acceptance, answers, balance, endings, need_thresholds, policy_values
from study.opening.columns import LEAST_WATCHED_S, MASKED, StudyPoints, read_points, read_questions
from study.opening.parcels import Status

if TYPE_CHECKING:
    import duckdb


OUTCOMES = {
    StudyOutcome.RECOVERED: "recovered (help need was below one half at the end of the 300 s)",
    StudyOutcome.NEED: "mean help need in the 300 s (less is better)",
    StudyOutcome.ACTIVE: "seconds with input in the 300 s",
    StudyOutcome.UNDOS: "undo keys in the 300 s (fewer is better)",
}
_THRESHOLDS = (0.3, 0.5, 0.7)
_REPORTED = 20
"""How many kinds of problems are listed, the most frequent first: a page that people read to the end."""


def outcome_name(plan: Plan, outcome: str) -> str:
    """Return an outcome as people would say it."""
    if not outcome.startswith(ANSWER_OUTCOME):
        return OUTCOMES[StudyOutcome(outcome)]
    code = outcome.removeprefix(ANSWER_OUTCOME)
    text = next((question.text for question in plan.questions if question.code == code), code)
    return f"answer to “{text}” (choices count from 0)"


def build_report(
    tables: "duckdb.DuckDBPyConnection",
    plan: Plan,
    *,
    masked: bool,
    simulated: bool,
    deleted: Mapping[str, int] | None = None,
    misfits: int = 0,
) -> StudyReport:
    """Return everything that the page shows.

    `masked`: whether arms and effects are left out. `deleted`: how many people left and are no longer in the tables, by
    arm. `misfits`: how many things an audit of the tables found.
    """
    main = read_points(tables, plan.outcome, masked=masked)
    asked, whole = read_questions(tables, [question.code for question in plan.questions], masked=masked)
    report = StudyReport(
        title=plan.title,
        outcome=NamedEffect(outcome=outcome_name(plan, plan.outcome), fit=None, why="the study still runs"),
        acceptance=acceptance(main.points),
        answers=answers(asked),
        endings=endings(whole),
        balance=balance(main.points),
        questions=[
            f"{question.code}: {question.text} "
            + ", ".join(f"{number} {choice}" for number, choice in enumerate(question.choices))
            for question in plan.questions
        ],
        tasks=_tasks(tables),
        labels=_labels(tables),
        quality=_quality(tables, main, plan.outcome, masked=masked, deleted=deleted or {}, misfits=misfits),
        simulated=simulated,
        masked=masked,
    )
    if masked:
        return report
    return replace(
        report,
        outcome=_effect(main, outcome_name(plan, plan.outcome)),
        exploratory=list(_other_effects(tables, plan, main)),
        policies=policy_values(
            replace(main.points, outcome=np.where(main.used, main.points.outcome, np.nan)),
            need_thresholds(*_THRESHOLDS),
        ),
    )


def _tasks(tables: "duckdb.DuckDBPyConnection") -> list[Sequence[str]]:
    """Return a line for each task, over all arms."""
    found = tables.execute(
        """SELECT task, count(DISTINCT participant), count(*), count(*) FILTER (WHERE "end" = 'done'),
           count(*) FILTER (WHERE "end" = 'given_up'), median(seconds) FILTER (WHERE "end" = 'done') / 60, avg(skill)
           FROM tasks GROUP BY task ORDER BY task"""
    ).fetchall()
    return [
        (task, *map(str, counts), *("" if value is None else f"{value:.1f}" for value in (minutes, skill)))
        for task, *counts, minutes, skill in found
    ]


def _labels(tables: "duckdb.DuckDBPyConnection") -> list[Sequence[str]]:
    """Return a line for all labels, one for each task and one for each state, over all arms."""
    found = tables.execute(
        """SELECT what, count(DISTINCT participant), count(*), sum(seconds) / 60, count(*) FILTER (WHERE need = 'yes'),
           count(*) FILTER (WHERE need = 'no'), count(*) FILTER (WHERE blind), count(*) FILTER (WHERE said != '')
           FROM (SELECT 0 AS part, 'all' AS what, * FROM labels UNION ALL
                 SELECT 1, 'task ' || task, * FROM labels WHERE task IS NOT NULL UNION ALL
                 SELECT 2, replace(unnest(states), '_', ' '), * FROM labels) GROUP BY part, what ORDER BY part, what"""
    ).fetchall()
    return [tuple(cell if isinstance(cell, str) else f"{cell:,.0f}" for cell in row) for row in found]


# ---------------------------------------------------------------- effects


def fit_points(study: StudyPoints, outcome: Floats | None = None, **moderators: Floats) -> EffectFit:
    """Return the effect of offers at the points with a lot and a known outcome.

    `outcome`: shape (points,); by default that of the points. `moderators`: by name, shape (points,).

    Raises:
        BadFile: it cannot be estimated; says why.
    """
    points = study.points
    known = study.used if outcome is None else study.wanted
    for values in moderators.values():
        known = known & np.isfinite(values)
    values = (points.outcome if outcome is None else outcome)[known]
    if not len(values):
        raise BadFile("no point has an assignment and a known outcome")
    if (values == values[0]).all():
        raise BadFile("the outcome is the same at every point")
    return excursion_effect(
        Trial(
            person=points.person,
            outcome=points.outcome if outcome is None else outcome,
            treatment=points.offered.astype(np.float64),
            probability=points.propensity,
            available=known,
            moderators=moderators,
            controls={},
        )
    )


def _effect(study: StudyPoints, name: str, **moderators: Floats) -> NamedEffect:
    try:
        return NamedEffect(outcome=name, fit=fit_points(study, **moderators), levels=_levels(study))
    except BadFile as error:
        return NamedEffect(outcome=name, fit=None, why=error.what)


def _levels(study: StudyPoints) -> tuple[float, float]:
    """Return the mean outcome without and with an offer, each point weighted by one over its probability."""
    points, used = study.points, study.used
    offered, chance, outcome = points.offered[used], points.propensity[used], points.outcome[used]
    return (
        float(np.average(outcome[~offered], weights=1.0 / (1.0 - chance[~offered]))),
        float(np.average(outcome[offered], weights=1.0 / chance[offered])),
    )


def _centered(study: StudyPoints, values: Floats) -> Floats:
    """Return a moderator less its mean, so that the effect itself is that at the mean."""
    found: Floats = values - np.nanmean(values[study.used]) if np.isfinite(values[study.used]).any() else values
    return found


def _other_effects(tables: "duckdb.DuckDBPyConnection", plan: Plan, main: StudyPoints) -> "Sequence[NamedEffect]":
    name = plan.outcome if plan.outcome.startswith(ANSWER_OUTCOME) else plan.outcome.replace("_", " ")
    found = [
        _effect(main, f"{name}, by help need before", **{"need above its mean": _centered(main, main.points.need)}),
        _effect(main, f"{name}, by day of the study", **{"day after the middle": _centered(main, main.day)}),
    ]
    others = [outcome for outcome in StudyOutcome if outcome.value != plan.outcome]
    return [*found, *(_effect(read_points(tables, outcome.value), OUTCOMES[outcome]) for outcome in others)]


# ---------------------------------------------------------------- what the estimates rest on


def _quality(
    tables: "duckdb.DuckDBPyConnection",
    study: StudyPoints,
    outcome: str,
    *,
    masked: bool,
    deleted: Mapping[str, int],
    misfits: int,
) -> Quality:
    minutes, days, left_out = tables.execute(
        "SELECT coalesce(sum(minutes), 0), count(DISTINCT (participant, day)) FILTER (minutes > 0),"
        " coalesce(sum(left_out), 0) FROM days"
    ).fetchall()[0]
    gaps = tables.execute("SELECT coalesce(sum(missing_parcels), 0) FROM participants").fetchall()[0][0]
    return Quality(
        people=_people(tables, deleted, masked=masked),
        hours=minutes / 60,
        days=days,
        left_out=int(left_out),
        rule=_rule(outcome),
        missing=_missing(study, masked=masked),
        missing_effect=None if masked else _missing_effect(study),
        gaps=int(gaps),
        misfits=misfits,
        problems=[
            ProblemRow(what=what, count=count, people=people)
            for what, count, people in tables.execute(
                "SELECT what, count(*) AS times, count(DISTINCT participant) FROM problems"
                " WHERE what NOT LIKE 'parcel%missing' GROUP BY what ORDER BY times DESC, what LIMIT ?",
                [_REPORTED],
            ).fetchall()
        ],
        trouble=[
            ProblemRow(what=code, count=int(count), people=people)
            for code, count, people in tables.execute(
                "SELECT code, sum(problems[code]) AS times, count(DISTINCT participant)"
                " FROM (SELECT participant, problems, unnest(map_keys(problems)) AS code FROM days)"
                " GROUP BY code ORDER BY times DESC, code LIMIT ?",
                [_REPORTED],
            ).fetchall()
        ],
    )


def _rule(outcome: str) -> str:
    if outcome.startswith(ANSWER_OUTCOME):
        return "An answer counts where the question that was drawn after the point was answered."
    return (
        f"An outcome counts where Kairos watched at least {LEAST_WATCHED_S} of the {OUTCOME_S} s after the point and "
        "could estimate it."
    )


def _people(tables: "duckdb.DuckDBPyConnection", deleted: Mapping[str, int], *, masked: bool) -> list[PeopleRow]:
    def count(*statuses: Status) -> str:
        names = ", ".join(f"'{status.value}'" for status in statuses)
        return f"count(*) FILTER (status IN ({names}))"

    arm = f"'{MASKED}'" if masked else "arm"
    rows = tables.execute(
        f"SELECT {arm} AS arm, count(*), {count(Status.OPENED, Status.LEFT_KEPT)},"  # noqa: S608  # constants
        f" {count(Status.LEFT, Status.LEFT_KEPT)}, {count(Status.NOTHING)}, {count(Status.UNREADABLE)}"
        " FROM participants GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    counted: dict[str, list[int]] = {row[0]: list(row[1:]) for row in rows}
    gone = {MASKED: sum(deleted.values())} if masked else dict(deleted)
    found = []
    for name in sorted(counted.keys() | gone.keys()):
        invited, opened, left, nothing, unreadable = counted.get(name, [0] * 5)
        away = gone.get(name, 0)
        found.append(
            PeopleRow(
                arm=name,
                invited=invited + away,
                in_tables=opened,
                left=left + away,
                nothing_sent=nothing,
                unreadable=unreadable,
            )
        )
    return found


def _missing(study: StudyPoints, *, masked: bool) -> list[MissingRow]:
    """Count missing outcomes by arm and lot; masked, in one row."""
    points, wanted, used = study.points, study.wanted, study.used
    if masked:
        return [
            MissingRow(
                arm=MASKED, lot="made or withheld", points=int(wanted.sum()), missing=int((wanted & ~used).sum())
            )
        ]
    rows = []
    for arm in sorted(set(points.arm[wanted].tolist())):
        for lot, offered in (("offer", True), ("no offer", False)):
            here = wanted & (points.arm == arm) & (points.offered == offered)
            rows.append(MissingRow(arm=arm, lot=lot, points=int(here.sum()), missing=int((here & ~used).sum())))
    return rows


def _missing_effect(study: StudyPoints) -> EffectFit | None:
    """Return the effect of an offer on its outcome being missing; None where that cannot be estimated."""
    missing = (study.wanted & ~study.used).astype(np.float64)
    if not missing.any():
        return None
    try:
        return fit_points(study, missing)
    except BadFile:
        return None
