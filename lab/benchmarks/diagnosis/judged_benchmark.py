"""Whether a model judges work, and divides it into subtasks, as people do; without one stand-ins judge made work.

The published figures stand in a block of their own: they are of other data.
"""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec

from daemon.diagnosis.model_diagnosis.run import (
    JudgedRun,
    JudgedTrajectory,
    diagnose_with_model,
    judge_with,
    volume_of_run,
)
from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
from daemon.diagnosis.model_queries.answers import FILE
from daemon.diagnosis.model_queries.models import named_model, permitted
from daemon.figures.intervals import Interval
from daemon.history.trajectory.trajectory import Step, TrajectorySet
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Model
from lab.benchmarks.diagnosis.judged_figures import (
    NONE,
    TO_FILL_IN,
    USABLE,
    BoundaryRates,
    Rates,
    Rating,
    Spread,
    agreements,
    application_switches,
    boundary_rates,
    by_benchmark,
    by_length,
    equal_cuts,
    judged_pairs,
    rates,
    read_ratings,
    spreads,
    starts,
    to_fill_in,
)
from lab.benchmarks.diagnosis.judged_work import (
    ALWAYS_FAILURE,
    ALWAYS_SUCCESS,
    ORACLE,
    STAND_INS,
    MadeWork,
    is_simulated,
    labelled_work,
    make_work,
    stand_in,
)
from lab.benchmarks.diagnosis.judges.judges import BenchPlan, RatedSegment, volume_by
from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgePlan, JudgeStage
from lab.measure.agreement import Agreement
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.published import Published, load_published, published_parts
from lab.measure.report import Heading, Paragraph, Part, Table, page_of, text_of
from lab.trajectories.layouts import load_in
from storage.errors import BadFile, UsageError
from storage.files import cache_folder
from storage.plain_text import print_progress
from storage.settings_file import load_settings

TITLE = "Verdicts and subtasks"
NO_FIGURE = "-"
_HEADS = ("", "trajectories", "accuracy (95 %)", "precision", "recall", "F1", "no answer")
_CUT_HEADS = ("", "true", "found", "precision", "recall", "F1")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedResult:
    """The figures of a run.

    Attributes:
        scripted: whether stand-ins answered, and no model.
        judged_by: the model, or the stand-in.
        judge: and what is left out of it.
        repeats: how often each trajectory was judged.
        rows: rates by the name of judge or stand-in.
        by_length: and `by_benchmark`, those of the first row in groups.
        spreads: over the repetitions.
        boundaries: rates of boundaries, by who cut.
        boundary_data: what they are of.
        quality: how many subtasks got which rating.
        usable: the share rated 4 or 5.
        agreements: how far each pair of the model and people agrees on ratings.
        usable_agreements: the same on whether a rating is 4 or more.
        ratings_elsewhere: ratings of people about subtasks that this model did not make.
        to_fill_in: a file of subtasks for people to rate.
        asked: how many questions of each kind; `unanswered` by reason; `pictures_most` in one of them.
        left_out: trajectories, by reason.
    """

    scripted: bool
    judged_by: str
    judge: str
    repeats: int = 1
    rows: Mapping[str, Rates] = field(default_factory=dict)
    by_length: Mapping[str, Rates] = field(default_factory=dict)
    by_benchmark: Mapping[str, Rates] = field(default_factory=dict)
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    boundaries: Mapping[str, BoundaryRates] = field(default_factory=dict)
    boundary_data: str = ""
    quality: Mapping[str, int] = field(default_factory=dict)
    usable: float | None = None
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    usable_agreements: Mapping[str, Agreement] = field(default_factory=dict)
    ratings_elsewhere: int = 0
    to_fill_in: str = ""
    asked: Mapping[str, int] = field(default_factory=dict)
    unanswered: Mapping[str, int] = field(default_factory=dict)
    pictures_most: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def parts_of(result: JudgedResult, published: Published) -> Iterator[Part]:
    """Yield what was judged by whom, and the figures."""
    yield f"Judged by {result.judged_by}, {result.judge}."
    for title, rows in (
        ("Verdicts", result.rows),
        ("By length", result.by_length),
        ("By benchmark", result.by_benchmark),
    ):
        if rows:
            yield Heading(title)
            yield Table(_HEADS, [_rate_cells(name, one) for name, one in rows.items()])
    if result.boundaries:
        yield Heading("Boundaries of subtasks")
        yield f"Matched one to one within 3 s; of {result.boundary_data}."
        yield Table(_CUT_HEADS, [_cut_cells(name, one) for name, one in result.boundaries.items()])
    yield Heading("What was asked")
    yield from _facts(result)
    yield from published_parts(published)


def _facts(result: JudgedResult) -> Iterator[str]:
    asked = ", ".join(f"{count} {kind}" for kind, count in result.asked.items())
    yield f"Asked: {asked or 'nothing'}; at most {result.pictures_most} pictures in one request."
    if result.unanswered:
        why = ", ".join(f"{count} {reason}" for reason, count in result.unanswered.items())
        yield f"Without an answer, which counts as the wrong class: {why}."
    for name, one in result.spreads.items():
        deviation = "" if one.deviation is None else f" ± {100 * one.deviation:.1f}"
        yield f"{name} over {result.repeats} repetitions: {100 * one.mean:.1f}{deviation} %"
    if result.quality:
        counts = ", ".join(f"{score}: {count}" for score, count in result.quality.items())
        yield f"Subtasks by rating, {counts}; {_percent(result.usable)} rated 4 or 5."
    for pair, found in result.agreements.items():
        kappas = f"{_kappa('kappa', found.kappa)}, {_kappa('weighted by squared distance', found.weighted)}"
        equal = f"{found.items} subtasks, equal {_percent(found.observed)} %"
        yield f"Ratings of {pair}: {equal}; {kappas}; {found.left_out} not rated by both."
        if pair in result.usable_agreements:
            of_usable = _kappa("kappa", result.usable_agreements[pair].kappa)
            yield f"Whether they are 4 or more, as the paper compares them: {of_usable}."
    if result.ratings_elsewhere:
        yield f"Ratings about subtasks that this model did not make, and not counted: {result.ratings_elsewhere}."
    for reason, count in result.left_out.items():
        yield f"Left out: {count}, {reason}."


def _rate_cells(name: str, one: Rates) -> tuple[str, ...]:
    accuracy = one.accuracy
    shown = (
        NO_FIGURE
        if accuracy is None
        else f"{100 * accuracy.value:.1f} ({100 * accuracy.low:.0f} to {100 * accuracy.high:.0f})"
    )
    figures = (_percent(one.precision), _percent(one.recall), _percent(one.f1))
    return (name, str(one.count), shown, *figures, str(one.unanswered))


def _cut_cells(name: str, one: BoundaryRates) -> tuple[str, ...]:
    return (name, str(one.true), str(one.found), _percent(one.precision), _percent(one.recall), _percent(one.f1))


def _kappa(name: str, one: Interval | None) -> str:
    """Return a kappa with its interval, as far as there are any."""
    if one is None or math.isnan(one.value):
        return f"{name} not defined"
    interval = "" if math.isnan(one.low) else f" ({one.low:.2f} to {one.high:.2f})"
    return f"{name} {one.value:.2f}{interval}"


def _percent(share: float | None) -> str:
    return NO_FIGURE if share is None or math.isnan(share) else f"{100 * share:.1f}"


PAGE = "judged.html"
MADE = 70
SEED = 1
NEAR_S, FAR_S = 2.0, 4.0
"""Boundaries off by the first still count, those off by the second do not."""

SCRIPTED = "Scripted: stand-ins answered, and no model was asked."

RULES = "rules of the benchmark"
ONE_SEGMENT, EQUAL, SWITCHES = "one segment", "equal cuts", "at application switches"


def measure_judged(arguments: argparse.Namespace) -> Report:
    """Measure what the command line names: data with a model, or made work with stand-ins."""
    plan = plan_from(arguments)
    if arguments.data is None:
        if arguments.model is not None:
            raise UsageError("--model needs DATA to judge", remedy="name a file or folder of trajectories")
        return measure_made(plan)
    if arguments.model is None:
        raise UsageError(
            "no judge of DATA is named", remedy=f"add --model M, or --model with {ALWAYS_SUCCESS}, {ALWAYS_FAILURE}"
        )
    if is_simulated(arguments.data):
        return _report(*_measure_boundaries(arguments, plan))
    return _report(*_measure_verdicts(arguments, plan))


def plan_from(arguments: argparse.Namespace) -> BenchPlan:
    """Return how to judge.

    Raises:
        UsageError: options do not go together.
    """
    if arguments.repeats < 1 or arguments.retries < 0 or (arguments.limit is not None and arguments.limit < 1):
        raise UsageError("--repeats and --limit must be 1 or more, --retries 0 or more")
    if arguments.ratings is not None and not (arguments.quality and arguments.model):
        raise UsageError("--ratings are compared with those of a model", remedy="add DATA, --model M and --quality")
    return BenchPlan(
        judge=JudgePlan(
            judge=JudgeName(arguments.judge),
            without=None if arguments.without is None else JudgeStage(arguments.without),
            quality=arguments.quality,
        ),
        preamble="" if arguments.preamble is None else read_preamble(arguments.preamble),
        repeats=arguments.repeats,
        retries=arguments.retries,
    )


PREAMBLE_LIMIT = 8000


def read_preamble(path: Path) -> str:
    """Return domain knowledge from a text file, without signs that are not shown.

    Raises:
        BadFile: it cannot be read, holds no text, or too much.
    """
    try:
        with path.open(encoding="utf-8") as file:
            raw = file.read(PREAMBLE_LIMIT + 1)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadFile(f"{path} cannot be read as text: {why}", remedy="name a text file") from error
    text = "\n".join(one_line(line, len(raw)) for line in raw.splitlines()).strip()
    if not text or len(raw) > PREAMBLE_LIMIT:
        raise BadFile(f"{path} must hold from 1 to {PREAMBLE_LIMIT} characters", remedy="shorten it")
    return text


# ---------------------------------------------------------------- made work


def measure_made(plan: BenchPlan, *, count: int = MADE, seed: int = SEED) -> Report:
    """Have stand-ins judge made work; they must reach what is known of them."""
    made = make_work(count, seed)
    by_name = {work.source.name: work for work in made}
    runs: dict[str, JudgedRun] = {}
    for name in STAND_INS:
        runs[name] = _scripted(name, by_name, replace(plan, judge=JudgePlan(quality=True)))
    for stage in JudgeStage:
        runs[f"{ORACLE}, without {stage}"] = _scripted(ORACLE, by_name, replace(plan, judge=JudgePlan(without=stage)))
    for judge in JudgeName:
        if judge is not JudgeName.SEGMENTED:
            runs[f"{ORACLE}, {judge}"] = _scripted(ORACLE, by_name, replace(plan, judge=JudgePlan(judge=judge)))
    rows = {name: rates(judged_pairs(run.judged)) for name, run in runs.items()}
    oracle = runs[ORACLE]
    found = {judged.key: judged for judged in oracle.judged}
    pieces = [
        (
            work.trajectory.steps,
            starts(work.trajectory.steps, [part.first for part in work.parts]),
            _cuts(found[name], work.trajectory.steps),
        )
        for name, work in by_name.items()
    ]
    boundaries = boundary_rows(ORACLE, pieces)
    shifted = {by_s: sum((_shifted(true_s, by_s) for _, true_s, _ in pieces), NONE) for by_s in (NEAR_S, FAR_S)}
    result = replace(
        _result(oracle, replace(plan, judge=JudgePlan(quality=True)), rows, scripted=True),
        boundaries=boundaries,
        boundary_data=f"{len(made)} made trajectories: nobody worked there",
    )
    return _report(result, made_criteria(rows, boundaries, shifted))


def made_criteria(
    rows: Mapping[str, Rates], boundaries: Mapping[str, BoundaryRates], shifted: Mapping[float, BoundaryRates]
) -> list[AcceptanceCriterion]:
    """Return the bars of stand-ins: what they must reach, and what must not be reached."""
    base_rate = rows[ALWAYS_SUCCESS].base_rate or 0.0
    always = {True: _accuracy(rows[ALWAYS_SUCCESS]), False: _accuracy(rows[ALWAYS_FAILURE])}
    full = [_accuracy(one) for name, one in rows.items() if name.startswith(ORACLE) and JudgeStage.SUMMARY not in name]
    no_summary = _accuracy(rows[f"{ORACLE}, without {JudgeStage.SUMMARY}"])
    return [
        at_least("oracle", min(full), 1.0, "accuracy of the least of its judges"),
        at_most("oracle_without_summary", no_summary, 0.999, "accuracy, since verdicts alone do not add up"),
        at_most("always_success", abs(always[True] - base_rate), 0.0, "from the base rate"),
        at_most("always_failure", abs(always[False] - (1.0 - base_rate)), 1e-12, "from 1 less the base rate"),
        at_least("boundaries", boundaries[ORACLE].f1 or 0.0, 1.0, "F1 of the true cuts"),
        at_least("boundaries_off_by_2_s", shifted[NEAR_S].f1 or 0.0, 1.0, "F1"),
        at_most("boundaries_off_by_4_s", shifted[FAR_S].f1 or 0.0, 0.0, "F1"),
        at_most("one_segment", boundaries[ONE_SEGMENT].f1 or 0.0, 0.0, "F1"),
    ]


def _scripted(name: str, made: Mapping[str, MadeWork], plan: BenchPlan) -> JudgedRun:
    def opened(source: TrajectorySource) -> Model:
        return stand_in(name, made[source.name])

    sources = [work.source for work in made.values()]
    return judge_with(opened, sources, plan.run, identity=name, name=name, answers=None)


def _shifted(true_s: Sequence[float], by_s: float) -> BoundaryRates:
    return boundary_rates(true_s, [moment + by_s for moment in true_s])


# ---------------------------------------------------------------- data that somebody names

_Measured = tuple[JudgedResult, list[AcceptanceCriterion]]


def _measure_verdicts(arguments: argparse.Namespace, plan: BenchPlan) -> _Measured:
    whole = load_in(arguments.data, arguments.layout)
    known = [trajectory for trajectory in whole.trajectories if trajectory.outcome is not None and trajectory.steps]
    left_out = Counter(whole.left_out)
    left_out["no outcome, or no steps"] += len(whole.trajectories) - len(known)
    if not known:
        raise BadFile(f"{arguments.data} holds no trajectory whose outcome is known")
    chosen = tuple(known[: arguments.limit])
    source = TrajectorySource(name=arguments.data.name, whole=replace(whole, trajectories=chosen), left_out=+left_out)
    run = _judge_all(arguments, [source], plan)
    name = f"{run.model}, {plan}"
    rows = {name: rates(judged_pairs(run.judged)), **_by_rules(run.judged, whole), **dict(_always(run.judged))}
    result = replace(
        _result(run, plan, rows, scripted=arguments.model in STAND_INS, ratings=_ratings(arguments)),
        by_length=by_length(run.judged),
        by_benchmark=by_benchmark(run.judged, whole.domains),
        spreads=spreads(run.judged, plan.repeats) if plan.repeats > 1 else {},
    )
    answered = 1.0 - rows[name].unanswered / rows[name].count
    return result, [at_least("answered", answered, 0.95, f"of {rows[name].count} trajectories")]


def _measure_boundaries(arguments: argparse.Namespace, plan: BenchPlan) -> _Measured:
    work = list(labelled_work(arguments.data))[: arguments.limit]
    if not work:
        raise BadFile(f"{arguments.data} holds no session with enough steps")
    if plan.judge.judge is not JudgeName.SEGMENTED or plan.judge.without is not None:
        raise UsageError("simulated sessions are only divided", remedy="leave --judge and --without out")
    plan = replace(plan, judge=replace(plan.judge, divides_only=True))
    run = _judge_all(arguments, [piece.source for piece in work], plan)
    found = {judged.key: judged for judged in run.judged}
    pieces = [
        (piece.trajectory.steps, piece.boundaries_s, _cuts(found[piece.trajectory.key], piece.trajectory.steps))
        for piece in work
    ]
    result = replace(
        _result(run, plan, {}, scripted=arguments.model in STAND_INS, ratings=_ratings(arguments)),
        boundaries=boundary_rows(run.model, pieces),
        boundary_data=f"{len(work)} pieces of work in simulated sessions: nobody worked there",
    )
    divided = sum(not judged.verdicts[0].fallback for judged in run.judged) / len(run.judged)
    return result, [at_least("divided", divided, 0.95, f"of {len(run.judged)} pieces of work")]


def _judge_all(arguments: argparse.Namespace, sources: Sequence[TrajectorySource], plan: BenchPlan) -> JudgedRun:
    if arguments.model in (ALWAYS_SUCCESS, ALWAYS_FAILURE):
        name: str = arguments.model
        plan = replace(plan, goal=plan.goal or name)  # it says the same of any task, so nobody is asked for one
        return judge_with(lambda _: stand_in(name), sources, plan.run, identity=name, name=name, answers=None)
    chosen = named_model(arguments.model, load_settings())
    volume = volume_of_run(sources, plan.run, partial(volume_by, plan.judge))
    work = sum(len(source.whole.trajectories) for source in sources)
    chosen = permitted(
        chosen,
        volume,
        what=f"some {volume.requests} requests about {work} trajectories, {volume.pictures} pictures in all",
        of_person=False,
        yes=arguments.yes,
        fewer="--limit N for fewer",
        report=print_progress,
    )
    answers = (arguments.out or cache_folder() / "bench-diagnosis") / FILE
    return diagnose_with_model(
        sources,
        chosen,
        plan.run,
        volume=volume,
        answers=answers,
    )


# ---------------------------------------------------------------- figures


def boundary_rows(
    who: str, pieces: Sequence[tuple[Sequence[Step], Sequence[float], Sequence[float]]]
) -> dict[str, BoundaryRates]:
    """Return rates of boundaries by who cut; `pieces` are steps, true boundaries and those found, in seconds.

    Equal cuts make as many parts as there truly are, which no judge is told.
    """

    def total(cut: Callable[[Sequence[Step], Sequence[float]], Sequence[float]]) -> BoundaryRates:
        return sum((boundary_rates(true_s, cut(steps, true_s)) for steps, true_s, _ in pieces), NONE)

    return {
        who: sum((boundary_rates(true_s, found_s) for _, true_s, found_s in pieces), NONE),
        ONE_SEGMENT: total(lambda _, __: ()),
        EQUAL: total(lambda steps, true_s: equal_cuts(steps, len(true_s) + 1)),
        SWITCHES: total(lambda steps, _: application_switches(steps)),
        "true cuts at the nearest step": total(_nearest_steps),
    }


def _nearest_steps(steps: Sequence[Step], true_s: Sequence[float]) -> list[float]:
    """Return the best boundaries that steps allow."""
    return sorted({min((step.at_s for step in steps), key=lambda at_s: abs(at_s - moment)) for moment in true_s})


def _cuts(one: JudgedTrajectory, steps: Sequence[Step]) -> list[float]:
    return starts(steps, [judged.segment.first for judged in one.verdicts[0].segments])


def _by_rules(judged: Sequence[JudgedTrajectory], whole: TrajectorySet) -> dict[str, Rates]:
    """Return the rates of the benchmark's own rules, where the data has their verdicts."""
    pairs = [
        (judged_trajectory.outcome, whole.by_rules.get(judged_trajectory.key))
        for judged_trajectory in judged
        if judged_trajectory.outcome is not None
    ]
    return {RULES: rates(pairs)} if any(verdict is not None for _, verdict in pairs) else {}


def _ratings(arguments: argparse.Namespace) -> tuple[Rating, ...]:
    return () if arguments.ratings is None else read_ratings(arguments.ratings)


def _result(
    run: JudgedRun, plan: BenchPlan, rows: Mapping[str, Rates], *, scripted: bool, ratings: Sequence[Rating] = ()
) -> JudgedResult:
    counts = Counter(
        judged.quality
        for judged_trajectory in run.judged
        for judged in judged_trajectory.verdicts[0].segments
        if isinstance(judged, RatedSegment) and judged.quality is not None
    )
    rated = sum(counts.values())
    agreed, others = agreements(run.judged, ratings, run.model)
    return JudgedResult(
        scripted=scripted,
        judged_by=run.model,
        judge=str(plan),
        repeats=plan.repeats,
        rows=rows,
        quality={str(score): counts[score] for score in sorted(counts, reverse=True)},
        usable=sum(count for score, count in counts.items() if score >= USABLE) / rated if rated else None,
        agreements=agreed,
        usable_agreements=agreements(run.judged, ratings, run.model, usable=True)[0],
        ratings_elsewhere=others,
        to_fill_in=to_fill_in(run.judged) if plan.judge.quality and not scripted else "",
        asked=dict(sorted(run.counts.asked.items())),
        unanswered=dict(sorted(run.counts.unanswered.items())),
        pictures_most=run.counts.pictures_most,
        left_out=dict(sorted(run.left_out.items())),
    )


def _always(judged: Sequence[JudgedTrajectory]) -> Iterator[tuple[str, Rates]]:
    truths = [truth for truth, _ in judged_pairs(judged)]
    yield ALWAYS_SUCCESS, rates((truth, True) for truth in truths)
    yield ALWAYS_FAILURE, rates((truth, False) for truth in truths)


def _accuracy(one: Rates) -> float:
    return 0.0 if one.accuracy is None else one.accuracy.value


def _report(result: JudgedResult, criteria: Sequence[AcceptanceCriterion]) -> Report:
    published = load_published(__file__)
    parts = [*([Paragraph(SCRIPTED, "loud")] if result.scripted else []), *parts_of(result, published)]
    pages = {PAGE: page_of(TITLE, parts, criteria)}
    if result.to_fill_in:
        pages[TO_FILL_IN] = result.to_fill_in
    return Report(
        criteria=criteria,
        fields={"judged": asdict(replace(result, to_fill_in="")), "published": msgspec.to_builtins(published)},
        text=list(text_of(parts)),
        pages=pages,
    )
