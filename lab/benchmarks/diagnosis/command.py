"""The command `kairos bench diagnosis`. No data set is part of Kairos."""

import argparse
from dataclasses import replace
from pathlib import Path

from daemon.diagnosis.model_diagnosis.findings import JudgeName, Stage
from daemon.history.trajectory.layouts.layout import LAYOUTS
from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="DATA",
        help="trajectories whose outcome is known (AgentRewardBench, plain), or a folder of kairos simulate",
    )
    parser.add_argument(
        "--layout",
        choices=[one.value for one in LAYOUTS],
        help="how the files are laid out (recognized by what they hold)",
    )
    parser.add_argument("--model", metavar="M", help="who judges DATA: PRESET or PRESET:MODEL, or always:success")
    parser.add_argument(
        "--judge",
        choices=[one.value for one in JudgeName],
        default=JudgeName.SEGMENTED,
        help="how it judges (%(default)s)",
    )
    parser.add_argument(
        "--without", choices=[one.value for one in Stage], help="leave out one stage of the segmented judge"
    )
    parser.add_argument("--preamble", type=Path, metavar="FILE", help="what is to be known about this field of work")
    parser.add_argument("--quality", action="store_true", help="have the subtasks rated, too")
    parser.add_argument("--ratings", type=Path, metavar="FILE", help="how people rated the subtasks, JSON lines")
    parser.add_argument("--repeats", type=int, default=1, metavar="N", help="judge so many times (%(default)s)")
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="ask again so often (%(default)s)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N trajectories")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page, and the answers")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="ask about DATA on a Dask cluster: tcp://HOST:PORT")
    parser.add_argument(
        "--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money"
    )
    parser.add_argument("--sessions", type=int, default=200, metavar="N", help="how many sessions (%(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N", help="how long each is (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="varies what is in them (%(default)s)")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.diagnosis.benchmark import measure
    from lab.benchmarks.diagnosis.judged.benchmark import measure_judged

    judged = measure_judged(arguments)
    if arguments.data is not None:
        return judged
    by_log = measure(sessions=arguments.sessions, minutes=arguments.minutes, seed=arguments.seed)
    return replace(
        by_log,
        criteria=(*by_log.criteria, *judged.criteria),
        fields={**by_log.fields, **judged.fields},
        text=(*by_log.text, "", *judged.text),
        pages=judged.pages,
    )


DIAGNOSIS = Benchmark(
    name="diagnosis",
    help="whether kairos diagnose finds known episodes, and whether a model judges work as people do",
    description=(
        "Make sessions with known episodes out of random numbers (simulated: nobody worked in them), and run kairos "
        "diagnose on them: the first time, and again. Then have stand-ins judge made work. With DATA and --model have "
        "that model judge trajectories whose outcome is known, or divide simulated sessions whose parts are known. The "
        "published figures stand beside."
    ),
    example="diagnosis --sessions 20 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
