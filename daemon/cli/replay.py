"""`kairos replay`: runs recorded sessions again and says whether they came out the same."""

import argparse
import contextlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from storage.errors import EnvironmentFault

if TYPE_CHECKING:
    from daemon.replay.replay import ReplayResult


def register(subparsers: Any) -> None:
    """Add `kairos replay` to the command line."""
    parser = subparsers.add_parser(
        "replay",
        help="run recorded sessions through the same path again",
        description="Run recorded sessions through the same path again, with the same or another detector or policy.",
        epilog="example: kairos replay 20261121-0930 --check",
    )
    parser.add_argument("sessions", nargs="+", metavar="SESSION", help="a session's folder, name or beginning of it")
    parser.add_argument("--sessions", dest="sessions_dir", metavar="DIR", help="where sessions are kept")
    parser.add_argument("--detector", help="embedded, evidence, FILE.onnx or package.module:factory")
    parser.add_argument("--policy", help="utility, silent, threshold, always, random or package.module:factory")
    parser.add_argument("--check", action="store_true", help="exit 1 unless every decision equals the recorded one")
    parser.add_argument(
        "--with-recorded-estimates", action="store_true", help="take estimates from the log: checks the policy alone"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every row as canonical JSON Lines")
    parser.add_argument(
        "--workers",
        type=_positive,
        default=0,
        metavar="N",
        help="so many sessions at once (default: one here for each core, if there are enough; all on a cluster)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask cluster to run on, as tcp://HOST:PORT (default: this machine)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos replay`."""
    from daemon.parallel.pool import map_in_order
    from daemon.replay.replay import ReplayJob, run_job
    from storage.session.log import find_session

    base = Path(arguments.sessions_dir) if arguments.sessions_dir else None
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
        done = map_in_order(run_job, jobs, scheduler=arguments.scheduler, workers=arguments.workers, report=_say)
        for folder, one in zip(folders, stack.enter_context(contextlib.closing(done)), strict=True):
            results.append(replace(one.result, path=str(folder)))
            if file is not None:
                file.write(one.lines)
    if arguments.json:
        print(json.dumps({"sessions": [result.as_json() for result in results]}))
    else:
        for result in results:
            _tell(result)
    return 1 if arguments.check and not all(result.identical for result in results) else 0


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}", remedy="choose another file") from error


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _tell(result: "ReplayResult") -> None:
    verdict = {True: "identical", False: "NOT identical", None: "replayed"}[result.identical]
    extra = f", {result.counterfactual} of them counterfactual" if result.counterfactual else ""
    print(
        f"{result.path}: {verdict}; {result.duration_s:.0f} s, {result.estimates} estimates, "
        f"{result.decisions} decisions, {result.offers} offers{extra}; {result.speed_x:.0f} times real time"
    )
    if result.reason:
        print(f"  {result.reason}", file=sys.stderr)
