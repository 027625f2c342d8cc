"""The command `kairos bench goals`. No data set is part of Kairos."""

import argparse
from pathlib import Path

from daemon.history.trajectory.layouts.layout import LAYOUTS
from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="PATH",
        help="trajectories with goals: a file, a folder, a recorded session or a folder of them (a constructed set)",
    )
    parser.add_argument(
        "--layout",
        choices=[one.value for one in LAYOUTS],
        help="how the files are laid out (recognized by what they hold)",
    )
    parser.add_argument(
        "--model", metavar="M", help="who is asked for the goals: PRESET or PRESET:MODEL (kairos models list)"
    )
    parser.add_argument(
        "--judge", metavar="J", help="who compares them: PRESET or PRESET:MODEL, or always:yes (--model)"
    )
    parser.add_argument("--goals", type=Path, metavar="FILE", help="goals that people or models wrote, JSON lines")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="how people compared them, JSON lines")
    parser.add_argument(
        "--validate", action="store_true", help="leave out what the judge says does not fulfil its own goal"
    )
    parser.add_argument("--no-pictures", action="store_true", help="show models the steps alone")
    parser.add_argument("--limit", type=int, metavar="N", help="only N trajectories, drawn by lot")
    parser.add_argument(
        "--controls", type=int, default=20, metavar="N", help="trajectories for the controls of the judge (%(default)s)"
    )
    parser.add_argument(
        "--retries", type=int, default=2, metavar="N", help="how often an unusable answer is asked again (%(default)s)"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page, and the answers")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="ask on a Dask cluster: tcp://HOST:PORT")
    parser.add_argument(
        "--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money"
    )


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.goals.benchmark import measure

    return measure(arguments)


GOALS = Benchmark(
    name="goals",
    help="whether a model understands what somebody wanted",
    description=(
        "Ask a model for the goal of trajectories, and compare it with the true one: does the trajectory fulfil it, "
        "and does either satisfy the other? Beside the figures stand controls of the judge, people's verdicts where "
        "there are some, and the published figures. Without arguments a stand-in answers about a constructed set."
    ),
    example="goals mind2web-test --model ollama:qwen3-vl:8b --limit 50",
    add_arguments=_add_arguments,
    measure=_measure,
)
