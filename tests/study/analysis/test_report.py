"""The page of a study: the fixed outcome first, the rest exploratory, nothing from outside, no name as markup."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from daemon.figures.intervals import Interval
from study.analysis.effect import EffectFit, Trial, excursion_effect
from study.analysis.report import NamedEffect, StudyReport, forest_plot, study_page
from study.analysis.tables import Points, acceptance, answers, balance, endings, need_thresholds, policy_values
from tests.fakes.narrowing import present
from tests.fakes.studies.analysis import simulated_points, simulated_questions

EVIL = "<script>alert('x')</script>"


def fit_of(points: Points, *moderators: str) -> EffectFit:
    return excursion_effect(
        Trial(
            person=points.person,
            outcome=points.outcome,
            treatment=points.offered.astype(np.float64),
            probability=points.propensity,
            available=points.drawn,
            moderators=dict.fromkeys(moderators, points.need),
            controls={},
        ),
    )


def report_of(points: Points) -> StudyReport:
    questions = simulated_questions(people=12)
    return StudyReport(
        title="A study",
        outcome=NamedEffect(outcome="progress", fit=fit_of(points)),
        exploratory=[NamedEffect(outcome="progress by need", fit=fit_of(points, "need"))],
        acceptance=acceptance(points),
        answers=answers(questions),
        endings=endings(questions),
        balance=balance(points),
        policies=policy_values(points, need_thresholds(0.5)),
        simulated=True,
        notes=["One person left."],
    )


@pytest.fixture(scope="module")
def report() -> StudyReport:
    return report_of(simulated_points())


def headings(html: str) -> list[str]:
    return re.findall(r"<h[123]>(.*?)</h[123]>", html)


def test_the_fixed_outcome_comes_first_and_the_rest_is_exploratory(report: StudyReport) -> None:
    html = study_page(report)
    found = headings(html)
    assert found[:4] == ["A study", "Fixed outcome: progress", "Were the assignments fair?", "Exploratory"]
    assert len(found) == 10
    assert found[-1] == "Words on this page"
    assert all(text.endswith("(exploratory)") for text in found[4:-1])
    above, below = html.split("<h2>Exploratory</h2>")
    assert "progress by need" not in above
    assert "progress by need" in below


def test_a_simulated_study_says_so_first(report: StudyReport) -> None:
    sentence = "Simulated: nobody took part"
    html = study_page(report)
    assert html.index(sentence) < html.index("One person left.") < html.index("Fixed outcome")
    assert sentence not in study_page(replace(report, simulated=False))


def test_the_sentence_says_what_the_interval_says(report: StudyReport) -> None:
    (effect,) = present(report.outcome.fit).effects
    assert effect.low > 0.0
    html = study_page(report)
    assert f"on average: {effect.estimate:+.3f} (95% interval {effect.low:+.3f} to {effect.high:+.3f}" in html
    assert "The interval lies above zero." in html
    without = replace(report, outcome=NamedEffect(outcome="progress", fit=fit_of(simulated_points(effect=0.0))))
    assert "includes zero: this study does not show an effect, and does not exclude one" in study_page(without)


def test_unfair_lots_are_said_before_any_figure(report: StudyReport) -> None:
    """With fair ones there is no such sentence (the control)."""
    warning = "The assignments are out of balance"
    assert warning not in study_page(report)
    html = study_page(report_of(simulated_points(lots_lie=True)))
    assert html.index(warning) < html.index("Fixed outcome")
    assert html.count("<td>out of balance</td>") == 2


def test_a_page_may_leave_everything_out_but_the_outcome(report: StudyReport) -> None:
    html = study_page(StudyReport(title="A study", outcome=report.outcome))
    assert headings(html) == ["A study", "Fixed outcome: progress", "Exploratory", "Words on this page"]


def test_names_are_text_and_nothing_comes_from_outside(report: StudyReport) -> None:
    """Arms, questions, outcomes and titles are other people's words."""
    points = replace(simulated_points(), arm=np.full(1800, EVIL), phase=np.full(1800, EVIL))
    evil = replace(report, title=EVIL, outcome=NamedEffect(outcome=EVIL, fit=report.outcome.fit), notes=[EVIL])
    evil = replace(evil, exploratory=[NamedEffect(outcome=EVIL, fit=fit_of(points, EVIL))])
    evil = replace(evil, acceptance=acceptance(points), policies=policy_values(points, {EVIL: lambda _: 1.0}))
    asked = simulated_questions(people=12)
    asked = replace(asked, question=np.full(480, EVIL), arm=np.full(480, EVIL), ended=np.full(480, EVIL))
    html = study_page(replace(evil, answers=answers(asked), endings=endings(asked)))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 9
    assert "http" not in re.sub(r"http-equiv", "", html)


def test_estimates_lie_on_their_side_of_zero() -> None:
    """The line at zero stands between them; what is missing is said, and nothing in the plot is NaN."""
    below, above = Interval(value=-0.2, low=-0.4, high=-0.1), Interval(value=0.1, low=math.nan, high=math.nan)
    nothing = Interval(value=math.nan, low=math.nan, high=math.nan)
    html = forest_plot([("a", below), ("b", above), ("c", nothing)])
    zero = re.search(r"<path d='M ([\d.]+) \d+ V", html)
    dots = [float(x) for x in re.findall(r"<circle cx='([\d.]+)'", html)]
    assert dots[0] < float(present(zero)[1]) < dots[1]
    assert "-0.200 (-0.400 to -0.100)" in html
    assert "not estimated" in html
    assert "nan" not in html
    assert "not estimated" in forest_plot([("c", nothing)])
    assert "<script" not in forest_plot([("<script>", below)], title="<script>")
