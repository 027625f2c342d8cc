"""`kairos replay`: runs recorded sessions again and says whether the decisions are the same."""

import argparse
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import EnvironmentFault
from storage.files import create_file
from storage.plain_text import print_progress, print_result

if TYPE_CHECKING:
    from daemon.replay.replay import ReplayResult


def register(subparsers: Any) -> None:
    """Add `kairos replay` to the command line."""
    parser = add_command(
        subparsers,
        "replay",
        run,
        "run recorded sessions again, with the same or another detector or policy",
        description="Run recorded sessions through detector and policy again, with the same or another of each.",
        example="replay 20261121-0930 --check",
        sessions=True,
    )
    parser.add_argument("sessions", nargs="+", metavar="SESSION", help=f"a session: {SESSION_HELP}")
    parser.add_argument("--detector", help="embedded, evidence, FILE.onnx or package.module:factory")
    parser.add_argument("--policy", help="utility, silent, threshold, always, random or package.module:factory")
    parser.add_argument(
        "--check", action="store_true", help="exit 1 unless every decision equals the recorded one, last digits apart"
    )
    parser.add_argument(
        "--with-recorded-estimates", action="store_true", help="use the recorded estimates, to check the policy alone"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every row as canonical JSON Lines")
    parser.add_argument(
        "--workers",
        type=_positive,
        default=0,
        metavar="N",
        help="sessions replayed at once (default: one per core here, if there are enough; all on a cluster)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask cluster to run on, as tcp://HOST:PORT (default: this machine)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos replay`."""
    from daemon.replay.parallel.pool import map_in_order
    from daemon.replay.replay import ReplayJob, run_job
    from storage.session.log import find_session

    base, _ = sessions_base(arguments)
    folders = [find_session(name, base) for name in arguments.sessions]
    jobs = [
        ReplayJob(
            folder=str(folder.absolute()),
            detector=arguments.detector,
            policy=arguments.policy,
            check=arguments.check,
            with_recorded_estimates=arguments.with_recorded_estimates,
            lines=arguments.out is not None,
        )
        for folder in folders
    ]
    results: list[ReplayResult] = []
    with contextlib.ExitStack() as stack:
        file = None if arguments.out is None else stack.enter_context(_opened(arguments.out))
        done = map_in_order(
            run_job, jobs, scheduler=arguments.scheduler, workers=arguments.workers, report=print_progress
        )
        for folder, replayed in zip(folders, stack.enter_context(contextlib.closing(done)), strict=True):
            results.append(replace(replayed.result, path=str(folder)))
            if file is not None:
                file.write(replayed.lines)
    facts = {"sessions": [result.as_json() for result in results]}
    print_result(facts, _render(results), as_json=arguments.json)
    return 1 if arguments.check and not all(result.identical for result in results) else 0


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Make a file that this user alone can read, as recordings are; an existing one is never overwritten.

    It is removed again where a replay fails, and would stand in the way of the next.
    """
    try:
        file = TextIOWrapper(create_file(path), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}", remedy="choose another file") from error
    try:
        with file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _render(results: Iterable["ReplayResult"]) -> Iterator[str]:
    for result in results:
        verdict = {True: "identical", False: "NOT identical", None: "replayed"}[result.identical]
        extra = f", {result.counterfactual} of them counterfactual" if result.counterfactual else ""
        yield (
            f"{result.path}: {verdict}; {result.duration_s:.0f} s, {result.estimates} estimates, "
            f"{result.decisions} decisions, {result.offers} offers{extra}; {result.speed_x:.0f} times real time"
        )
        if result.reason:
            print_progress(f"  {result.reason}")
