"""`kairos diagnose`: where somebody gets stuck, what comes back, and after what it ended.

By the log alone, of recorded sessions, also while one is being written: no model is asked, and nothing leaves this
machine. With `--model` that model judges the work in sessions, or in files of trajectories, part by part.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, page_path, sessions_base, write_page
from storage.errors import BadFile, UsageError
from storage.files import cache_folder
from storage.plain_text import print_progress, print_result

if TYPE_CHECKING:
    from daemon.diagnosis.model_diagnosis.run import JudgedRun
    from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
    from daemon.diagnosis.model_queries.models import Volume
    from daemon.diagnosis.summary import Diagnosis
    from daemon.history.goals import SessionGoal
    from storage.settings import ModelSettings, Settings

PAGE_NAME = "diagnosis.html"
_PROGRESS_EVERY = 50
_REQUESTS_EVERY = 5


def register(subparsers: Any) -> None:
    """Add `kairos diagnose` to the command line."""
    parser = add_command(
        subparsers,
        "diagnose",
        run,
        "say where you get stuck, in which programs, and what comes back",
        description=(
            "Say where you get stuck, in which programs, what comes back, and after what it ended: by the recorded "
            "sessions alone, without a model. With --out also as a page. With --model that model judges the work "
            "itself, part by part; WHAT may then also be files of trajectories of agents."
        ),
        example="diagnose --last 7d --out report.html",
        sessions=True,
    )
    parser.add_argument(
        "session",
        nargs="*",
        metavar="WHAT",
        help=f"sessions, each by {SESSION_HELP}; by default all of this machine; with --model also trajectory files",
    )
    parser.add_argument("--last", metavar="7d", help="only sessions that went on in this time: 12h, 7d, 30d")
    parser.add_argument(
        "--out", type=Path, metavar="DIR|FILE", help=f"write a page: this .html file, or {PAGE_NAME} in this folder"
    )
    _add_model_arguments(parser.add_argument_group("with a model"))


def _add_model_arguments(group: Any) -> None:
    group.add_argument("--model", metavar="M", help="who judges: PRESET or PRESET:MODEL (see kairos models list)")
    group.add_argument("--goal-only", action="store_true", help="only say what the goal of each stretch of work was")
    group.add_argument("--goal", metavar="TEXT", help="what was to be done, where no file says so")
    group.add_argument("--yes", action="store_true", help="go ahead although it leaves this machine and may cost money")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos diagnose`."""
    from daemon.cli.control import parse_duration
    from daemon.diagnosis.wording import FILES_TITLE, TITLE
    from storage.clock import NS_PER_S, SystemClock

    base, settings = sessions_base(arguments)
    _check_model_options(arguments)
    until = SystemClock().wall_ns() / NS_PER_S
    since = until - parse_duration(arguments.last) if arguments.last else 0.0
    target = None if arguments.out is None else page_path(arguments.out, PAGE_NAME, TITLE, FILES_TITLE)
    if arguments.goal_only:
        return _run_goals(arguments, base, settings, since)
    judged = None if arguments.model is None else _judge(arguments, base, settings, since, target)
    files = [name for name in arguments.session if is_file_of_trajectories(name)]
    if files and judged is None:
        raise UsageError(f"{files[0]} is no session", remedy="files of trajectories are judged by a model: --model M")
    sessions = [name for name in arguments.session if name not in files]
    found = None if files and not sessions else _diagnose(sessions, base, since=since, until=until)
    goals = _goals_of(sessions, base)
    facts, lines = _rendered(found, judged, goals)
    if target is not None:
        write_page(target, _page(found, judged, goals))
        facts["page"] = str(target.absolute())
        lines = chain(lines, ("", f"The page is {target.absolute()}"))
    print_result(facts, lines, as_json=arguments.json)
    return 0


def _check_model_options(arguments: argparse.Namespace) -> None:
    """Refuse options that only a model would follow where none is named, and a page of goals.

    Raises:
        UsageError: options do not go together.
    """
    ignored = "goal-only" if arguments.goal_only else "goal" if arguments.goal is not None else ""
    if ignored and arguments.model is None:
        raise UsageError(
            f"--{ignored} is for a model, and none is named", remedy="add --model M; see: kairos models list"
        )
    if arguments.goal_only and arguments.out is not None:
        raise UsageError("--goal-only writes no page", remedy="leave --out out")


def is_file_of_trajectories(name: str) -> bool:
    """Tell whether a name on the command line is a file or folder that is no session."""
    from storage.session.log import DATABASE

    return Path(name).exists() and not (Path(name) / DATABASE).exists()


def _goals_of(names: list[str], base: Path) -> "tuple[SessionGoal, ...]":
    """Return the goals that head the report of a single session, where a model has read them off it before."""
    from daemon.history.goals import read_session_goals
    from storage.session.log import find_session

    return read_session_goals(find_session(names[0], base)) if len(names) == 1 else ()


def _rendered(
    found: "Diagnosis | None", judged: "JudgedRun | None", goals: "tuple[SessionGoal, ...]"
) -> tuple[dict[str, Any], Iterator[str]]:
    from daemon.diagnosis.rendering import as_json, render_diagnosis

    facts: dict[str, Any] = {} if found is None else as_json(found, goals)
    lines: Iterator[str] = iter(()) if found is None else render_diagnosis(found, goals)
    if judged is not None:
        from daemon.diagnosis.model_diagnosis.rendering import judged_json, render_judged

        facts["judged"] = judged_json(judged)
        lines = chain(lines, () if found is None else ("",), render_judged(judged))
    return facts, lines


def _page(found: "Diagnosis | None", judged: "JudgedRun | None", goals: "tuple[SessionGoal, ...]") -> str:
    from daemon.diagnosis.page import diagnosis_page

    if judged is None:
        return diagnosis_page(found, goals=goals)
    from daemon.diagnosis.model_diagnosis.rendering import STYLE, judged_parts

    return diagnosis_page(found, judged=judged_parts(judged), goals=goals, style=STYLE)


def _judge(
    arguments: argparse.Namespace, base: Path, settings: "Settings", since: float, target: Path | None
) -> "JudgedRun":
    """Have everything judged that is named."""
    from daemon.diagnosis.model_diagnosis.run import RunPlan, diagnose_with_model, volume_of_run
    from daemon.diagnosis.model_diagnosis.sources import sources_of

    plan = RunPlan(goal=arguments.goal or "")
    sources = list(sources_of(arguments.session, base, since=since))
    volume = volume_of_run(sources, plan)
    work = sum(len(source.whole.trajectories) for source in sources)
    if not work:
        raise UsageError("there is nothing to judge here", remedy="name sessions or files with more steps")
    what = f"some {volume.requests} requests about {work} pieces of work, {volume.pictures} pictures in all"
    return diagnose_with_model(
        sources,
        _permitted_model(arguments, settings, sources, volume, what=what),
        plan,
        volume=volume,
        answers=_answers_beside(target),
        step=_request_steps(volume.requests),
    )


def _diagnose(names: list[str], base: Path, *, since: float, until: float) -> "Diagnosis":
    """Return what the log says of sessions.

    Raises:
        BadFile: none of them can be read.
    """
    from daemon.diagnosis.sessions import diagnose_sessions
    from daemon.diagnosis.summary import Summary
    from storage.session.log import find_session, list_sessions

    named = {find_session(name, base).absolute() for name in names}
    folders = sorted(named, key=lambda folder: folder.name) if named else list_sessions(base)
    summary = Summary()
    sessions = diagnose_sessions(folders, base, since=since, imported=bool(named), report=print_progress)
    for number, found in enumerate(sessions, start=1):
        summary.add(found)
        if number % _PROGRESS_EVERY == 0:
            print_progress(f"{number} of {len(folders)} sessions read")
    diagnosis = summary.diagnosis(since=since, until=until)
    if diagnosis.unreadable and not diagnosis.sessions:
        bad = diagnosis.unreadable[0]
        raise BadFile(
            f"none of {len(diagnosis.unreadable)} sessions can be read; {bad.session}: {bad.problem}",
            remedy="see: kairos sessions list",
        )
    return diagnosis


def _answers_beside(page: Path | None = None) -> Path:
    """Return the file of answers about what is no session: beside the page, or in the cache."""
    from daemon.diagnosis.model_queries.answers import FILE

    return (cache_folder() / "diagnose" if page is None else page.parent) / FILE


def _permitted_model(
    arguments: argparse.Namespace,
    settings: "Settings",
    sources: "Sequence[TrajectorySource]",
    volume: "Volume",
    *,
    what: str,
) -> "ModelSettings":
    """Say what asking costs, and return the settings of the model that is named, if it may be asked.

    Raises:
        UsageError: it would leave this machine, or cost money, and that was not allowed.
    """
    from daemon.diagnosis.model_queries.models import named_model, permitted

    return permitted(
        named_model(arguments.model, settings),
        volume,
        what=what,
        of_person=any(source.of_person for source in sources),
        yes=arguments.yes,
        fewer="name less",
        report=print_progress,
    )


def _request_steps(requests: int) -> Callable[[str], None]:
    done = 0

    def step(what: str) -> None:
        nonlocal done
        done += 1
        if done % _REQUESTS_EVERY == 0:
            print_progress(f"{done} of some {requests} requests; {what}")

    return step


def _run_goals(arguments: argparse.Namespace, base: Path, settings: "Settings", since: float) -> int:
    """Ask for the goals of what is named, print them, and keep those of sessions."""
    from daemon.diagnosis.goals.finding import find_goals, goals_json, render_goals, volume_of
    from daemon.diagnosis.model_diagnosis.sources import sources_of

    sources = list(sources_of(arguments.session, base, since=since))
    volume = volume_of(sources)
    if not volume.requests:
        raise UsageError("there is no work here with a goal to find", remedy="name sessions or files with more steps")
    what = f"{volume.requests} questions with {volume.pictures} pictures together"
    found = find_goals(
        sources,
        _permitted_model(arguments, settings, sources, volume, what=what),
        answers=_answers_beside(),
        step=_request_steps(volume.requests),
    )
    print_result(goals_json(found), render_goals(found), as_json=arguments.json)
    return 0
