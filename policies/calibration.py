"""How a person's need differs from what is estimated: shift and scale of log-odds, overall and for each program.

An answer says whether help was needed. Given the estimated log-odds `x`, need has the log-odds `scale * x + shift`;
both are the sum of an overall part and one of the program's own. Priors are strong normals around "as estimated". Each
answer is one step of online logistic regression with a diagonal Laplace approximation: the new mean solves the
answer's own equation exactly, so an answer of need never lowers need there. The likelihood is conditional on the
estimate, so it does not matter that only high estimates lead to offers: a dismissal that was to be expected teaches
little.

Three things keep wrong answers from doing lasting harm: shift and scale have limits, older answers count less with each
new one, and all of it fades with time. At the limits a moment without any evidence of need is still worth no offer.
What an offer is worth to somebody who needs help is learned beside it (`policies.learning`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from policies.learning import answers_left
from policies.state import Calibration, Coefficient, NeedFit, NeedScaling
from storage.records import FeedbackKind
from storage.settings import PolicySettings


class Prior(NamedTuple):
    """A number's prior standard deviation around 0, and the limits of its mean."""

    sd: float
    least: float
    most: float

    @property
    def precision(self) -> float:
        """Return what the prior counts as beside the information in answers."""
        return 1.0 / (self.sd * self.sd)


_SHIFT = Prior(sd=0.5, least=-1.0, most=1.0)
_SCALE = Prior(sd=0.15, least=-0.2, most=0.4)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationLimits:
    """What shapes the fit, chosen on simulated people (lab/docs/decisions.md)."""

    shift: Prior = _SHIFT  # prior and limits of the shift, overall and of each program
    scale: Prior = _SCALE  # the same of how far the scale is from 1
    most_log_odds: float = 4.0  # an estimate further from even odds counts as this far
    memory: float = 15.0  # in so many answers the older ones lose two thirds of their weight
    programs: int = 64  # so many programs are remembered; the one answered longest ago goes first


LIMITS = CalibrationLimits()

NEEDED: Mapping[FeedbackKind, bool] = {
    FeedbackKind.ACCEPTED: True,
    FeedbackKind.TOO_LATE: True,
    FeedbackKind.TOO_EARLY: False,  # "I would have managed on my own"
    FeedbackKind.WRONG: False,
    FeedbackKind.DISMISSED: False,
    FeedbackKind.MUTED: False,
}
"""Whether an answer says that help was needed; others say nothing about it.

All count alike. If a refusal counted for less than an acceptance, people whose need is just as estimated would seem to
need ever more help.
"""

_STEPS = 60


def scaling_of(calibration: Calibration, settings: PolicySettings, app: str, now_ns: int) -> NeedScaling:
    """Return a person's own scale of need in a program; without any answers need counts as estimated."""
    if not calibration.overall.answers:
        return NeedScaling()
    left = answers_left(calibration.at_ns, settings, now_ns)
    return _scaling(calibration.overall, _program(calibration, app), left)


def learn_need(
    calibration: Calibration,  # what was known before
    settings: PolicySettings,  # how fast answers fade
    app: str,  # the program that the answer is about
    log_odds: float,  # the estimate at that time
    *,
    needed: bool,  # whether help was needed
    weight: float = 1.0,  # how many answers it counts as
    usual: float = 0.0,  # by how much rarer need is in anybody's answers than the estimate says, in log-odds below 0
    now_ns: int,  # when it was given
) -> Calibration:
    """Return what is known after an answer."""
    left = answers_left(calibration.at_ns, settings, now_ns)
    kept = math.exp(-weight / LIMITS.memory)
    overall, own = (_aged(_faded(fit, left), kept) for fit in (calibration.overall, _program(calibration, app)))
    x = min(max(log_odds, -LIMITS.most_log_odds), LIMITS.most_log_odds)
    log_odds_now = _scaling(overall, own, 1.0).apply(x) + usual
    spread = sum(
        1.0 / (LIMITS.shift.precision + fit.shift.information)
        + x * x / (LIMITS.scale.precision + fit.scale.information)
        for fit in (overall, own)
    )
    pull = _solve(log_odds_now, spread, weight, needed=needed)
    chance = _sigmoid(log_odds_now + spread * pull)
    gained = weight * chance * (1.0 - chance)
    overall, own = (
        replace(
            fit,
            shift=_moved(fit.shift, LIMITS.shift, pull, gained),
            scale=_moved(fit.scale, LIMITS.scale, pull * x, gained * x * x),
            answers=fit.answers + weight,
        )
        for fit in (overall, own)
    )
    others = tuple(_faded(fit, left) for fit in calibration.programs if fit.app != app)
    return Calibration(overall=overall, programs=(*others, own)[-LIMITS.programs :], at_ns=now_ns)


def learn_needs(
    calibration: Calibration,
    settings: PolicySettings,
    needs: Mapping[str, float],
    *,
    needed: bool,
    asked: bool,
    usual: float = 0.0,
    now_ns: int,
) -> Calibration:
    """Return what is known after a person's own report on programs, each with its estimated log-odds.

    Who asks for help needs it, but nobody says each time that there is no need. So asking counts as much as the
    estimate let expect it: otherwise a few requests in calm moments would make all calm moments look like need.
    """
    for app, log_odds in needs.items():
        weight = _sigmoid(log_odds + usual) if asked else 1.0
        calibration = learn_need(
            calibration, settings, app, log_odds, needed=needed, weight=weight, usual=usual, now_ns=now_ns
        )
    return calibration


def save_calibration(calibration: Calibration, now_ns: int) -> dict[str, object]:
    """Return what was learned of need as plain values, with its age; nothing if nothing was."""
    if not calibration.overall.answers:
        return {}
    fits = [
        {
            "app": fit.app,
            "shift": [fit.shift.pull, fit.shift.information],
            "scale": [fit.scale.pull, fit.scale.information],
            "answers": fit.answers,
        }
        for fit in (calibration.overall, *calibration.programs)
    ]
    return {"calibration": {"age_ns": now_ns - calibration.at_ns, "fits": fits}}


def start_calibration(saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> Calibration:
    """Return what `save_calibration` gave, `elapsed_ns` later; nothing if that was before need could be learned.

    Raises:
        TypeError, ValueError, KeyError: `saved` has another shape.
    """
    if "calibration" not in saved:
        return Calibration(at_ns=now_ns)
    values = saved["calibration"]
    if not isinstance(values, Mapping) or not isinstance(values["fits"], Iterable):
        raise TypeError
    overall, *programs = [
        NeedFit(
            app=str(row["app"]),
            shift=_coefficient(*row["shift"]),
            scale=_coefficient(*row["scale"]),
            answers=_number(row["answers"], least=0.0),
        )
        for row in values["fits"]
    ]
    return Calibration(
        overall=overall,
        programs=tuple(programs[-LIMITS.programs :]),
        at_ns=now_ns - elapsed_ns - int(values["age_ns"]),
    )


# ---------------------------------------------------------------- one number


def _program(calibration: Calibration, app: str) -> NeedFit:
    return next((fit for fit in calibration.programs if fit.app == app), NeedFit(app=app))


def _scaling(overall: NeedFit, own: NeedFit, left: float) -> NeedScaling:
    shift = _mean(overall.shift, LIMITS.shift, left) + _mean(own.shift, LIMITS.shift, left)
    scale = _mean(overall.scale, LIMITS.scale, left) + _mean(own.scale, LIMITS.scale, left)
    return NeedScaling(shift=_within(shift, LIMITS.shift), scale=1.0 + _within(scale, LIMITS.scale))


def _mean(one: Coefficient, prior: Prior, left: float = 1.0) -> float:
    return left * one.pull / (prior.precision + left * one.information)


def _within(mean: float, prior: Prior) -> float:
    return min(max(mean, prior.least), prior.most)


def _aged(fit: NeedFit, kept: float) -> NeedFit:
    """Return a fit that is as it was, but less sure of it."""

    def aged(one: Coefficient, prior: Prior) -> Coefficient:
        information = kept * one.information
        return Coefficient(pull=_mean(one, prior) * (prior.precision + information), information=information)

    return replace(fit, shift=aged(fit.shift, LIMITS.shift), scale=aged(fit.scale, LIMITS.scale))


def _moved(one: Coefficient, prior: Prior, pull: float, gained: float) -> Coefficient:
    precision = prior.precision + one.information
    mean = _within((one.pull + pull) / precision, prior)
    return Coefficient(pull=mean * (precision + gained), information=one.information + gained)


def _solve(log_odds: float, spread: float, weight: float, *, needed: bool) -> float:
    """Return the pull of an answer: how far need, as it is after the answer, still is from what was answered."""
    target = 1.0 if needed else 0.0
    low, high = (0.0, weight) if needed else (-weight, 0.0)
    for _ in range(_STEPS):  # what is pulled shrinks the further it pulls, so there is one solution between the two
        middle = (low + high) / 2
        if middle < weight * (target - _sigmoid(log_odds + spread * middle)):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _sigmoid(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -30.0), 30.0)))


def _faded(fit: NeedFit, left: float) -> NeedFit:
    return replace(fit, shift=_less(fit.shift, left), scale=_less(fit.scale, left), answers=left * fit.answers)


def _less(one: Coefficient, left: float) -> Coefficient:
    return Coefficient(pull=left * one.pull, information=left * one.information)


def _coefficient(pull: object, information: object) -> Coefficient:
    return Coefficient(pull=_number(pull), information=_number(information, least=0.0))


def _number(value: object, least: float = -math.inf) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value < least:
        raise ValueError
    return float(value)
