"""Asks a model for goals of trajectories and compares them with the true ones.

Every answer is stored as it comes, so a run that was interrupted goes on where it was; answers about a recorded session
lie in its folder. The cost of a paid model is printed before anything is sent.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import msgspec

from daemon.diagnosis.model_queries.answers import FILE
from daemon.diagnosis.model_queries.models import Volume, name_of, named_model, permitted
from daemon.history.trajectory.layouts.layout import Layout
from daemon.history.trajectory.layouts.loading import load_trajectories
from daemon.history.trajectory.layouts.session import load_session
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.trajectory import Trajectory
from daemon.text import print_progress
from lab.benchmarks.goals.constructed import (
    EXPECTED,
    ORACLE,
    SIMULATED_PEOPLE,
    WHOSE,
    Constructed,
    construct,
)
from lab.benchmarks.goals.figures import control_figures, figures_of, label
from lab.benchmarks.goals.judging import GOLD, Findings, Plan, usable, volumes_of
from lab.benchmarks.goals.people import People, WrittenGoal, read_goals, read_verdicts
from lab.benchmarks.goals.references import load_published
from lab.benchmarks.goals.report import GoalResult, render, render_page
from lab.benchmarks.goals.running import ALWAYS_YES, AskedCounts, GoalRun, Part, Participant, ask_all
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from storage.errors import BadFile, UsageError
from storage.paths import cache_folder
from storage.session.log import DATABASE
from storage.settings_file import load_settings

PAGE = "goals.html"
MOST_SESSIONS = 1000


def measure(arguments: argparse.Namespace) -> Report:
    """Ask everything that the command line asks for."""
    if arguments.controls < 0 or arguments.retries < 0:
        raise UsageError("--controls and --retries must be 0 or more")
    if arguments.scheduler is not None and arguments.data is None:
        raise UsageError("--scheduler is for PATH, and the constructed set is in no file", remedy="name PATH")
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
    parts, left_out = parts_of(arguments, made, people)
    counts = AskedCounts()
    if judge is None:
        findings = Findings(used=[one.key for part in parts for one in part.trajectories])
    else:
        run = GoalRun(
            parts=tuple(parts),
            plan=plan,
            written=_written(people),
            model=model,
            judge=judge,
            answers=(arguments.out or cache_folder() / "bench-goals") / FILE,
            retries=arguments.retries,
        )
        findings = ask_all(with_permission(run, yes=arguments.yes), counts, arguments.scheduler)
    findings.leave_out(left_out)
    if not findings.used:
        reasons = ", ".join(f"{count} because {why}" for why, count in findings.left_out.items())
        raise BadFile(f"no trajectory can be asked about: {reasons or 'there are none with a goal'}")
    domains = {key: domain for part in parts for key, domain in part.whole.domains.items()}
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
        whose=_whose(arguments, parts),
        simulated=made is not None,
        model="" if model is None else model.name,
        people="people" if made is None else SIMULATED_PEOPLE,
        writers=tuple(sorted({one.by for one in people.goals} - {GOLD})),
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
    published = load_published()
    return Report(
        criteria=criteria,
        fields={**asdict(result), "published": msgspec.to_builtins(published)},
        text=render(result, published),
        pages={PAGE: render_page(result, published)},
    )


def parts_of(
    arguments: argparse.Namespace, made: Constructed | None, people: People
) -> tuple[list[Part], Counter[str]]:
    """Return the sets with the trajectories to ask about, and why others are left out.

    Raises:
        BadFile: the files cannot be read.
    """
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError(f"--limit {arguments.limit} leaves no trajectory", remedy="give 1 or more")
    gold = {one.key: one.goal for one in people.goals if one.by == GOLD}
    found = [Part(whole=made.whole, trajectories=made.whole.trajectories)] if made is not None else []
    if made is None:
        layout = None if arguments.layout is None else Layout(arguments.layout)
        found = [
            Part(whole=whole, trajectories=whole.trajectories, session=folder, path=folder or arguments.data)
            for folder, whole in _sets(arguments.data, layout)
        ]
    found = [replace(part, trajectories=tuple(_with_gold(one, gold) for one in part.trajectories)) for part in found]
    chosen, left_out = usable([one for part in found for one in part.trajectories], people.rejected, arguments.limit)
    for part in found:
        left_out.update(part.whole.left_out)
    keys = {one.key for one in chosen}
    return [
        replace(part, trajectories=tuple(one for one in part.trajectories if one.key in keys)) for part in found
    ], left_out


def criteria_of(findings: Findings, counts: AskedCounts, made: Constructed | None) -> list[AcceptanceCriterion]:
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


def _planted(findings: Findings, made: Constructed) -> Iterator[AcceptanceCriterion]:
    rows = [one for one in findings.judged if one.against == GOLD and one.by == made.goals[0].by]
    for place, name in enumerate(("labels", "labels_with_fulfilment")):
        right = sum(label(one, fulfilment=bool(place)) is EXPECTED[made.kinds[one.key]][place] for one in rows)
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


def _written(people: People) -> dict[str, list[WrittenGoal]]:
    found: dict[str, list[WrittenGoal]] = {}
    for one in people.goals:
        if one.by != GOLD:
            found.setdefault(one.key, []).append(one)
    return found


def _with_gold(one: Trajectory, gold: Mapping[str, str]) -> Trajectory:
    return replace(one, goal=gold[one.key]) if one.key in gold else one


def _sets(path: Path, layout: Layout | None) -> Iterator[tuple[Path | None, TrajectorySet]]:
    """Yield the set of files that a path names, or each recorded session of it with its folder."""
    sessions = [path] if (path / DATABASE).is_file() else []
    if not sessions and layout is None and path.is_dir():
        sessions = sorted(place.parent for place in path.glob(f"*/{DATABASE}"))[:MOST_SESSIONS]
    if not sessions:
        yield None, load_trajectories(path, layout)
    for folder in sessions:
        yield folder, load_session(folder)


def _whose(arguments: argparse.Namespace, parts: Sequence[Part]) -> str:
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
    said, compared = volumes_of([one for part in run.parts for one in part.trajectories], run.plan, run.written)
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
