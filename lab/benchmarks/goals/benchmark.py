"""Whether a model understands what somebody wanted: goals of trajectories, asked for and compared with the true ones.

Without arguments a stand-in answers about a constructed set, which shows that the counting is right. Our figures and
the published ones stand in blocks of their own: they are of different data.
"""

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from daemon.diagnosis.model_queries.answers import FILE
from daemon.diagnosis.model_queries.models import Volume, name_of, named_model, permitted
from daemon.figures.intervals import Interval
from daemon.history.trajectory.loading import load_session
from daemon.history.trajectory.trajectory import Trajectory, TrajectorySet
from detectors.mllm.questions import Usage
from lab.benchmarks.goals.figures import (
    GoalFigures,
    LabelShares,
    WithPeople,
    control_figures,
    figures_of,
    label,
)
from lab.benchmarks.goals.judging import (
    GOLD,
    GoalFindings,
    People,
    Plan,
    WrittenGoal,
    read_goals,
    read_verdicts,
    usable,
    volumes_of,
)
from lab.benchmarks.goals.running import (
    ALWAYS_YES,
    EXPECTED,
    ORACLE,
    SIMULATED_PEOPLE,
    WHOSE,
    AskedCounts,
    Constructed,
    GoalRun,
    Participant,
    TrajectoryPart,
    ask_all,
    construct,
)
from lab.measure.agreement import Agreement, PairwiseAgreement
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.published import Published, load_published, published_parts
from lab.measure.report import Heading, Paragraph, Part, Table, page_of, text_of
from lab.trajectories.layouts import load_in
from storage.errors import BadFile, UsageError
from storage.files import cache_folder
from storage.plain_text import print_progress
from storage.session.log import DATABASE
from storage.settings_file import load_settings

COLUMNS = ("non-match", "partial", "match")
AS_PUBLISHED = "By satisfaction alone, as the published tables"
WITH_FULFILMENT = "With fulfilment: what the trajectory does not fulfil is no match"
NOTHING_ASKED = "No model was asked: the figures are people's verdicts alone, or show that the counting is right."
NOT_COMPARED = "Published figures are of other data and other words: they say how hard the task is, not who is better."
CONTROL_YES = "always yes (control)"
NO_VERDICTS = "kappa, judge and people: nobody compared the same goals (--verdicts FILE)"

_LEVELS: Mapping[str, str] = {
    "directions": "satisfaction, each direction",
    "fulfilment": "fulfilment",
    "labels": "labels by satisfaction alone",
    "labels_with_fulfilment": "labels with fulfilment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalResult:
    """All figures of a run, as in the JSON object.

    `model` is empty where none says goals, `writers` are those whose goals came from a file. `sent` counts this run
    alone; `usage` is that of all answers, whenever they were given.
    """

    whose: str
    simulated: bool
    stand_in: bool
    model: str
    writers: tuple[str, ...]
    judge: str
    people: str
    pictures: bool
    trajectories: int
    questions: int
    unanswered: int
    sent: int
    usage: Usage
    left_out: Mapping[str, int]
    figures: GoalFigures
    bars: tuple[AcceptanceCriterion, ...]


def names_of(result: GoalResult) -> str:
    """Return whose goals are compared."""
    return ", ".join([*([result.model] if result.model else []), *result.writers]) or "nobody"


def facts(result: GoalResult) -> list[str]:
    """Return what the figures are of."""
    shown = "with pictures" if result.pictures else "without pictures"
    tokens = result.usage.tokens_in + result.usage.tokens_out
    cost = "" if result.stand_in else f" All answers together: {tokens} tokens, {result.usage.dollars:.2f} US dollars."
    left = ", ".join(f"{count} ({why})" for why, count in result.left_out.items()) or "none"
    return [
        f"Data: {result.whose}. {result.trajectories} trajectories, {shown}.",
        f"Goals by {names_of(result)}; compared by {result.judge}.",
        f"{result.questions} questions, {result.unanswered} without an answer (a no); {result.sent} sent now.{cost}",
        f"Left out: {left}.",
        *([NOTHING_ASKED] if result.stand_in else []),
    ]


def parts_of(result: GoalResult, published: Published) -> Iterator[Part]:
    """Yield what the figures are of, and the figures."""
    figures = result.figures
    first, *more = facts(result)
    yield Paragraph(first, "loud") if result.simulated else first
    yield from more
    yield Heading("What predicted goals are beside the true ones")
    for title, rows in ((AS_PUBLISHED, figures.as_published), (WITH_FULFILMENT, figures.with_fulfilment)):
        yield title
        yield _shares_table(rows)
    yield Paragraph("Ranges: the middle 95 % of 1000 draws of whole trajectories. No answer is a no.", "small")
    yield Heading("Can the judge be believed")
    yield Table(("control", ""), list(controls_of(figures, result.people)))
    kappas = list(agreements_of(figures, result.people))
    if kappas:
        yield Table(("kappa", "over", "with its interval", "items"), [row[:4] for row in kappas])
    if figures.judge_and_people == WithPeople():
        yield NO_VERDICTS
    for who, over, _, _, shares in kappas:
        if shares:
            yield Paragraph(f"Shares of labels, {over} ({who}): {shares}.", "small")
    yield Heading("Where, and in which style")
    yield Table(("", ""), list(others_of(figures)))
    yield from published_parts(published, f" {NOT_COMPARED}")


def controls_of(figures: GoalFigures, people: str) -> Iterator[tuple[str, str]]:
    """Yield how the judge behaves where the answer is known, beside somebody who always says yes."""
    found = figures.controls
    if found.reflexive_asked:
        yield "reflexive: a goal satisfies itself", f"{share(found.reflexive)} of {found.reflexive_asked}; should be 1"
    if found.swapped_asked:
        yield (
            "swapped: the goal of another trajectory matches",
            f"{share(found.swapped_match)} of {found.swapped_asked}; should be about 0",
        )
    kappa = figures.always_yes_and_people.value
    beside = "there are no verdicts of people" if math.isnan(kappa) else f"{kappa:.2f}"
    yield CONTROL_YES, f"match 1.00, reflexive 1.00, swapped 1.00; kappa with {people}: {beside}"


def agreements_of(figures: GoalFigures, people: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield kappa between judge and people, and among people: of whom, over what, of how many items, and labels."""
    for who, found in ((f"judge and {people}", figures.judge_and_people), (f"among {people}", figures.people)):
        for name, level in _LEVELS.items():
            one: Agreement | PairwiseAgreement | None = getattr(found, name)
            if one is not None:
                yield who, level, kappa_text(one.kappa), *_items_and_shares(one)


def _items_and_shares(one: Agreement | PairwiseAgreement) -> tuple[str, str]:
    """Return of how many items a kappa is, and for two raters the share of each label."""
    if isinstance(one, PairwiseAgreement):
        pairs = list(one.pairs.values())
        return f"{min(pair.items for pair in pairs)}" + (f" or more, {len(pairs)} pairs" if len(pairs) > 1 else ""), ""
    first, second = one.shares
    return (
        f"{one.items}" + (f", {one.left_out} left out" if one.left_out else ""),
        "; ".join(f"{label} {share(first[label])} and {share(second[label])}" for label in one.labels),
    )


def kappa_text(kappa: Interval) -> str:
    """Return a kappa, or that there is none."""
    if math.isnan(kappa.value):
        return "not defined"
    return f"{kappa.value:.2f}" if math.isnan(kappa.low) else f"{kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"


def others_of(figures: GoalFigures) -> Iterator[tuple[str, str]]:
    """Yield matches by domain, ambiguity, and style."""
    for domain, of_domain in figures.domains.items():
        matches = ", ".join(f"{name} {interval(one)}" for name, one in of_domain.items())
        yield f"match in {domain} ({figures.in_domain.get(domain, 0)} trajectories)", matches
    if figures.ambiguity is not None:
        one = figures.ambiguity
        yield (
            f"ambiguity of {one.trajectories} trajectories with three goals",
            f"all match {share(one.all_match)}, some {share(one.some_match)}, none {share(one.none_match)}",
        )
    for by, begins in figures.navigate.items():
        yield f'goals of {by} that begin with "navigate"', share(begins)


def share(value: float) -> str:
    """Return a share; of nothing there is none."""
    return "no figure" if math.isnan(value) else f"{value:.2f}"


def interval(one: Interval) -> str:
    """Return a share with its interval."""
    return share(one.value) if math.isnan(one.low) else f"{share(one.value)} ({one.low:.2f}..{one.high:.2f})"


def _shares_table(rows: Sequence[LabelShares]) -> Table:
    return Table(
        ("goals by", "compared by", "items", *COLUMNS, "more specific", "more general", "fulfilled", "no answer"),
        [
            (
                row.by,
                row.compared_by,
                str(row.items),
                *(interval(value) for value in (row.non_match, row.partial, row.match)),
                share(row.more_specific),
                share(row.more_general),
                "" if row.fulfilment is None else interval(row.fulfilment),
                str(row.unanswered),
            )
            for row in rows
        ],
    )


PAGE = "goals.html"
MOST_SESSIONS = 1000


def measure(arguments: argparse.Namespace) -> Report:
    """Ask everything that the command line asks for."""
    if arguments.controls < 0 or arguments.retries < 0:
        raise UsageError("--controls and --retries must be 0 or more")
    made = construct() if arguments.data is None else None
    model, judge = _participants(arguments, constructed=made is not None)
    people = _people(arguments, made)
    if judge is None and not people.verdicts:
        raise UsageError("no judge of goals is named", remedy="add --model, --judge, or --verdicts of people")
    if judge is not None and model is None and not people.goals:
        raise UsageError(
            "there are no goals to compare", remedy="add --model, which is asked for goals, or --goals FILE"
        )
    plan = Plan(
        pictures=made is None and not arguments.no_pictures,
        validate=arguments.validate,
        predicts=None if model is None else model.name,
        controls=arguments.controls,
    )
    portions, left_out = portions_of(arguments, made, people)
    _check_keys([trajectory.key for part in portions for trajectory in part.trajectories], people)
    counts = AskedCounts()
    if judge is None:
        findings = GoalFindings(used=[trajectory.key for part in portions for trajectory in part.trajectories])
    else:
        run = GoalRun(
            parts=tuple(portions),
            plan=plan,
            written=_written(people),
            model=model,
            judge=judge,
            answers=(arguments.out or cache_folder() / "bench-goals") / FILE,
            retries=arguments.retries,
        )
        findings = ask_all(with_permission(run, yes=arguments.yes), counts)
    findings.leave_out(left_out)
    if not findings.used:
        reasons = ", ".join(f"{count} because {why}" for why, count in findings.left_out.items())
        raise BadFile(f"no trajectory can be asked about: {reasons or 'there are none with a goal'}")
    domains = {key: domain for part in portions for key, domain in part.whole.domains.items()}
    figures = figures_of(
        findings.judged,
        people.verdicts,
        findings.controls,
        domains,
        judge="people alone" if judge is None else judge.name,
        people="people" if made is None else SIMULATED_PEOPLE,
        used=findings.used,
    )
    criteria = criteria_of(findings, counts, made)
    result = GoalResult(
        whose=_whose(arguments, portions),
        simulated=made is not None,
        model="" if model is None else model.name,
        people="people" if made is None else SIMULATED_PEOPLE,
        writers=tuple(sorted({goal.by for goal in people.goals} - {GOLD})),
        judge="people alone" if judge is None else judge.name,
        stand_in=judge is None or judge.chosen is None,
        pictures=plan.pictures,
        trajectories=len(findings.used),
        questions=findings.questions,
        unanswered=findings.unanswered,
        sent=counts.sent,
        usage=counts.usage,
        left_out=dict(sorted(findings.left_out.items())),
        figures=figures,
        bars=tuple(criteria),
    )
    published = load_published(__file__)
    parts = list(parts_of(result, published))
    title = f"Goals of trajectories by {names_of(result)}, compared by {result.judge}"
    return Report(
        criteria=criteria,
        fields={**asdict(result), "published": msgspec.to_builtins(published)},
        text=list(text_of(parts)),
        pages={PAGE: page_of(title, parts, result.bars)},
    )


def portions_of(
    arguments: argparse.Namespace, made: Constructed | None, people: People
) -> tuple[list[TrajectoryPart], Counter[str]]:
    """Return the sets with the trajectories to ask about, and why others are left out.

    Raises:
        BadFile: the files cannot be read.
    """
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError(f"--limit {arguments.limit} leaves no trajectory", remedy="give 1 or more")
    gold = {goal.key: goal.goal for goal in people.goals if goal.by == GOLD}
    found = [TrajectoryPart(whole=made.whole, trajectories=made.whole.trajectories)] if made is not None else []
    if made is None:
        found = [
            TrajectoryPart(whole=whole, trajectories=whole.trajectories, session=folder)
            for folder, whole in _sets(arguments.data, arguments.layout)
        ]
    found = [
        replace(part, trajectories=tuple(_with_gold(trajectory, gold) for trajectory in part.trajectories))
        for part in found
    ]
    chosen, left_out = usable(
        [trajectory for part in found for trajectory in part.trajectories], people.rejected, arguments.limit
    )
    for part in found:
        left_out.update(part.whole.left_out)
    keys = {trajectory.key for trajectory in chosen}
    return [
        replace(part, trajectories=tuple(trajectory for trajectory in part.trajectories if trajectory.key in keys))
        for part in found
    ], left_out


def criteria_of(findings: GoalFindings, counts: AskedCounts, made: Constructed | None) -> list[AcceptanceCriterion]:
    """Compare the run with its limits: it is answered, nothing is asked twice, and the judge passes its controls."""
    criteria = []
    if findings.questions:
        answered = 1 - findings.unanswered / findings.questions
        criteria = [
            at_least("answered", answered, 0.95, f"of {findings.questions} questions"),
            at_most("sent_twice", counts.sent_again, 0, "of the first trajectory, asked again"),
        ]
    found = control_figures(findings.controls)
    if found.reflexive_asked:
        criteria.append(
            at_least("reflexive", found.reflexive, 0.9, f"of {found.reflexive_asked} goals satisfy themselves")
        )
    if found.swapped_asked:
        criteria.append(
            at_most("swapped", found.swapped_match, 0.1, f"of {found.swapped_asked} goals match another trajectory's")
        )
    if made is not None:
        criteria += _planted(findings, made)
    return criteria


def _planted(findings: GoalFindings, made: Constructed) -> Iterator[AcceptanceCriterion]:
    rows = [goal for goal in findings.judged if goal.against == GOLD and goal.by == made.goals[0].by]
    for place, name in enumerate(("labels", "labels_with_fulfilment")):
        right = sum(label(row, fulfilment=bool(place)) is EXPECTED[made.kinds[row.key]][place] for row in rows)
        yield at_least(name, right / max(1, len(rows)), 1.0, f"of {len(rows)} planted labels found")


# ---------------------------------------------------------------- who and what


def _participants(arguments: argparse.Namespace, *, constructed: bool) -> tuple[Participant | None, Participant | None]:
    settings = load_settings()

    def named(name: str) -> Participant:
        if name == ALWAYS_YES or (name == ORACLE and constructed):
            return Participant(name=name)
        chosen = named_model(name, settings)
        return Participant(name=name_of(chosen), chosen=chosen)

    if arguments.model in (ALWAYS_YES, ORACLE):
        raise UsageError(f"{arguments.model} says no goals", remedy="name it with --judge")
    model = None if arguments.model is None else named(arguments.model)
    name = arguments.judge or (ORACLE if constructed and arguments.model is None else arguments.model)
    return model, None if name is None else named(name)


def _people(arguments: argparse.Namespace, made: Constructed | None) -> People:
    goals = () if arguments.goals is None else read_goals(arguments.goals)
    verdicts = () if arguments.verdicts is None else read_verdicts(arguments.verdicts)
    if made is not None:
        goals, verdicts = goals or made.goals, verdicts or made.verdicts
    return People(goals=goals, verdicts=verdicts)


def _check_keys(known: Sequence[str], people: People) -> None:
    """Refuse goals none of which is of a trajectory here.

    Raises:
        UsageError: they have other keys; says which are wanted.
    """
    named = {goal.key for goal in people.goals}
    if known and named and named.isdisjoint(known):
        raise UsageError(
            f"no goal is of a trajectory that is asked about: their keys are such as {min(named)!r}",
            remedy=f"the key of a trajectory here is such as {min(known)!r}",
        )


def _written(people: People) -> dict[str, list[WrittenGoal]]:
    found: dict[str, list[WrittenGoal]] = {}
    for goal in people.goals:
        if goal.by != GOLD:
            found.setdefault(goal.key, []).append(goal)
    return found


def _with_gold(one: Trajectory, gold: Mapping[str, str]) -> Trajectory:
    return replace(one, goal=gold[one.key]) if one.key in gold else one


def _sets(path: Path, layout: str | None) -> Iterator[tuple[Path | None, TrajectorySet]]:
    """Yield the set of files that a path names, or each recorded session of it with its folder."""
    sessions = [path] if (path / DATABASE).is_file() else []
    if not sessions and layout is None and path.is_dir():
        sessions = sorted(place.parent for place in path.glob(f"*/{DATABASE}"))[:MOST_SESSIONS]
    if not sessions:
        yield None, load_in(path, layout)
    for folder in sessions:
        yield folder, load_session(folder)


def _whose(arguments: argparse.Namespace, parts: Sequence[TrajectoryPart]) -> str:
    if arguments.data is None:
        return WHOSE
    if parts and parts[0].session is not None:
        return f"{len(parts)} recorded sessions, with goals from {arguments.goals}"
    layout = parts[0].whole.layout if parts else ""
    return f"{arguments.data} (layout: {layout})"


# ---------------------------------------------------------------- asking


def with_permission(run: GoalRun, *, yes: bool) -> GoalRun:
    """Print what asking costs; return the run with permission to show models what they are asked about.

    Raises:
        UsageError: it would leave this machine, or cost money, and that was not allowed.
    """
    model, judge = run.model, run.judge
    said, compared = volumes_of(
        [trajectory for part in run.parts for trajectory in part.trajectories], run.plan, run.written
    )
    of_person = any(part.session is not None for part in run.parts)
    together = model is not None and model.chosen == judge.chosen

    def allowed(one: Participant, volume: Volume) -> Participant:
        if one.chosen is None:
            return one
        chosen = permitted(
            one.chosen,
            volume,
            what=f"at most {volume.requests} questions with {volume.pictures} pictures together",
            of_person=of_person,
            yes=yes,
            fewer="--limit N for fewer trajectories",
            report=print_progress,
        )
        return replace(one, chosen=chosen)

    judge = allowed(judge, said + compared if together else compared)
    if model is not None:
        model = replace(model, chosen=judge.chosen) if together else allowed(model, said)
    return replace(run, model=model, judge=judge)
