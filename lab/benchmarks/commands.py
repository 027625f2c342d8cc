"""The benchmarks as commands: `kairos bench NAME`. One more is one more package and one more entry here.

The parsers of all of them are built whenever `kairos` starts, so each imports what measures when it is run. None of the
data sets that benchmarks are given is part of Kairos.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from daemon.diagnosis.model_diagnosis.findings import JudgeName, Stage
from daemon.history.trajectory.layouts.layout import LAYOUTS
from lab.benchmarks.scenes.command import SCENES
from lab.measure.benchmark import Benchmark, Report
from storage.errors import UsageError
from storage.settings import DetectorSettings


def _capture_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="long rounds, and memory after ten minutes")


def _measure_capture(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.capture.benchmark import measure

    return measure(full=arguments.full)


CAPTURE = Benchmark(
    name="capture",
    help="what watching costs, and whether it misses anything",
    description="Measure CPU time, memory and storage of watching a virtual desktop, in less than nine minutes.",
    example="capture --full --json",
    add_arguments=_capture_arguments,
    measure=_measure_capture,
)


def _measure_models(arguments: argparse.Namespace) -> Report:  # noqa: ARG001  # the shape of any benchmark
    from lab.benchmarks.models.benchmark import measure

    return measure()


MODELS = Benchmark(
    name="models",
    help="what asking a model costs on our side, without any model",
    description=(
        "Measure what it takes to load the model layer, to build a request of 32 pictures in four formats, to cancel "
        "one, and to show the first words of an answer. Nothing leaves this machine. Takes about a minute."
    ),
    example="models --json",
    measure=_measure_models,
)


def _detector_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, nargs="+", metavar="DIR", help="packed sessions (those that come with the source)"
    )
    parser.add_argument("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)")
    parser.add_argument("--before", type=Path, metavar="MODEL", help="an earlier model to compare it with")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the table")


def _measure_detector(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.detector.benchmark import measure

    return measure(arguments.data, arguments.model, arguments.before)


DETECTOR = Benchmark(
    name="detector",
    help="how good the embedded detector is on simulated sessions it knows nothing of",
    description=(
        "Compare a model with its bars on simulated sessions of the test split, beside simple baselines and the "
        "evidence detector. The sessions used without --data come with the source alone, not with an installed "
        "Kairos. The first time takes about five minutes."
    ),
    example="detector --model my/model.onnx --out figures",
    add_arguments=_detector_arguments,
    measure=_measure_detector,
)


def _policy_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions",
        type=Path,
        nargs="*",
        metavar="SESSION",
        help="packed sessions or folders of them (those held out, that come with Kairos); a recorded session only adds "
        "to the off-policy estimates",
    )
    parser.add_argument("--detector", metavar="NAME", help="who estimates, for all policies alike (the default one)")
    parser.add_argument(
        "--people",
        type=int,
        default=12,
        metavar="N",
        help="simulated people of each kind who answer offers, to see what answers are worth (12); 0 leaves them out",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the tables")


def _measure_policy(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.policy.benchmark import measure

    return measure(arguments.sessions, arguments.detector, max(0, arguments.people))


POLICY = Benchmark(
    name="policy",
    help="who offers help when it is needed and at a good moment: our policies beside simple ones",
    description=(
        "Replay labelled simulated sessions through every policy, on the same estimates, and compare ours with its "
        "bars. What offers cost is fixed in a file beside the benchmark. Takes about two minutes for ten hours."
    ),
    example="policy --detector evidence --out figures",
    add_arguments=_policy_arguments,
    measure=_measure_policy,
)


_UNANSWERED = 0.05


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is no share between 0 and 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def _people_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder that holds balabit, essays or miniwob")
    parser.add_argument(
        "--detector", metavar="NAME", default=DetectorSettings().name, help="who estimates (the default one)"
    )
    parser.add_argument(
        "--unanswered",
        type=_share,
        metavar="SHARE",
        default=_UNANSWERED,
        help="share of presses without an answer of the screen, where the recording holds no screen (0.05)",
    )
    parser.add_argument("--limit", type=_count, metavar="N", help="at most so many recordings of each data set")
    parser.add_argument("--workers", type=_count, metavar="N", help="processes (one for each core)")


def _measure_people(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.people.benchmark import measure

    return measure(
        arguments.path,
        detector=arguments.detector,
        unanswered=arguments.unanswered,
        limit=arguments.limit,
        workers=arguments.workers,
    )


PEOPLE = Benchmark(
    name="people",
    help="how often help would be offered to people whom nobody scripted, and whether marked trouble is found",
    description=(
        "Run recordings of people at work (Balabit's mouse data, pupils' essays, web tasks of crowd workers) through "
        "the shipped detector and policy, under a neutral program's name and a browser's. The data is not part of "
        "Kairos; lab/docs/measured.md says where it is. Takes about ten minutes of two cores for 190 hours."
    ),
    example="people people-data --limit 20 --json",
    add_arguments=_people_arguments,
    measure=_measure_people,
)


def _guide_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="DATA",
        help="the released benchmark, or a folder of kairos simulate --video (the sample that comes with the source)",
    )
    parser.add_argument(
        "--model",
        default="scripted:strong",
        metavar="M",
        help="PRESET or PRESET:MODEL (see kairos models list), scripted:strong, scripted:local or always:LABEL,... "
        "(scripted:strong)",
    )
    parser.add_argument("--tasks", metavar="A,B", help="of behavior, intent, need, content (all)")
    parser.add_argument(
        "--conditions",
        metavar="A,B",
        help="what a model knows beside the pictures: of none, previous, behavior, behavior+intent (all)",
    )
    parser.add_argument(
        "--prefixes",
        default="25,50,75,100",
        metavar="A,B",
        help="how much of a clip is seen, in percent (25,50,75,100)",
    )
    parser.add_argument("--both-orders", action="store_true", help="ask each pair of options in both orders")
    parser.add_argument(
        "--free",
        action="store_true",
        help="ask for intent and help in the model's own words too; such answers are listed and not scored",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only N clips, drawn at random")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the answers")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="do it on a Dask cluster: tcp://HOST:PORT")
    parser.add_argument(
        "--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money"
    )


def _measure_guide(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.guide.benchmark import measure

    return measure(arguments)


GUIDE = Benchmark(
    name="guide",
    help="the four tasks of the GUIDE benchmark, asked of a model",
    description=(
        "Ask a model about clips of screen recordings: the behavior state, the intent, whether help is needed and "
        "which. Beside its figures stand answers that need no model, and the published ones. Without arguments a "
        "scripted stand-in answers about a small simulated sample, which shows that the benchmark works."
    ),
    example="guide guide-data --model ollama:qwen3-vl:8b --limit 100 --out figures",
    add_arguments=_guide_arguments,
    measure=_measure_guide,
)


ACTIONS = 200
CONTROL_ACTIONS = 200


def _fence_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--actions", type=int, default=ACTIONS, metavar="N", help=f"acts of the campaign ({ACTIONS})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="repeats the acts of another run (1)")
    parser.add_argument(
        "--control-actions",
        type=int,
        default=CONTROL_ACTIONS,
        metavar="N",
        help=f"acts of the control, under names that no fence knows; 0: none ({CONTROL_ACTIONS})",
    )
    parser.add_argument("--no-browsers", action="store_true", help="without Firefox and Chromium, also if installed")
    parser.add_argument("--no-mousepad", action="store_true", help="without Mousepad")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what the daemons stored")


def _measure_fence(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.fence.benchmark import measure

    return measure(
        actions=arguments.actions,
        control_actions=arguments.control_actions,
        seed=arguments.seed,
        browsers=False if arguments.no_browsers else None,
        mousepad=not arguments.no_mousepad,
        keep=arguments.keep,
    )


FENCE = Benchmark(
    name="fence",
    help="whether anything excluded is ever stored, in a campaign of random acts",
    description="Open, move, embed, fade and type at random on a virtual desktop, and search all that was stored.",
    example="fence --actions 1000 --seed 7 --json",
    add_arguments=_fence_arguments,
    measure=_measure_fence,
)


def _controls_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", default="writer,calc,chromium", metavar="A,B", help="of %(default)s")
    parser.add_argument("--minutes", type=float, default=10.0, help="of work in each program and round, on each side")
    parser.add_argument("--rounds", type=int, default=3, help="pairs for each program")


def _measure_controls(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.controls.benchmark import measure

    return measure(arguments.programs.split(","), minutes=arguments.minutes, rounds=arguments.rounds)


CONTROLS = Benchmark(
    name="controls",
    help="what understanding controls costs us, the program and its keys",
    description="Work in real programs on a virtual desktop, with controls understood and without, in turn.",
    example="controls --programs writer --minutes 2 --json",
    add_arguments=_controls_arguments,
    measure=_measure_controls,
)


SCALES = ("1", "2", "3", "4")


def _grounding_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--subjects", default="form,page,firefox,mousepad,writer,calc", metavar="A,B", help="of %(default)s"
    )
    parser.add_argument(
        "--scales", type=_scales, default="1,2", metavar="N,N", help="scale factors of the programs (%(default)s)"
    )
    parser.add_argument("--walks", type=int, default=60, help="timed walks of each program at each scale (%(default)s)")

    parser.add_argument("--ocr", action="store_true", help="instead find controls by nothing but pictures of windows")
    parser.add_argument(
        "--rings",
        action="store_true",
        help="instead play the demo, and see whether the ring is on the first step's control",
    )
    parser.add_argument(
        "--seeds", type=int, default=10, metavar="N", help="with --rings: seeds of each program (%(default)s)"
    )
    parser.add_argument(
        "--first-seed", type=int, default=1, metavar="N", help="with --rings: the first of them (%(default)s)"
    )
    parser.add_argument(
        "--programs", default="calc,writer,mousepad", metavar="A,B", help="with --rings: of %(default)s"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="with --rings: where screenshots and sessions stay")


def _scales(text: str) -> list[int]:
    parts = text.split(",")
    if not set(parts) <= set(SCALES):
        raise argparse.ArgumentTypeError(f"scales are {', '.join(SCALES)}, or several of them, such as 1,2")
    return [int(part) for part in parts]


def _measure_grounding(arguments: argparse.Namespace) -> Report:
    if arguments.rings:
        from lab.benchmarks.grounding.rings import measure_rings

        seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
        out = arguments.out.absolute() if arguments.out is not None else None
        return measure_rings(arguments.programs.split(","), seeds, out=out)
    if arguments.ocr:
        from lab.benchmarks.grounding.pictures import measure_pictures

        return measure_pictures(arguments.scales)
    from lab.benchmarks.grounding.benchmark import measure

    return measure(arguments.subjects.split(","), scales=arguments.scales, walks=arguments.walks)


GROUNDING = Benchmark(
    name="grounding",
    help="whether words for a control lead to its place on the screen, and how long that takes",
    description="Find named controls of real programs on a virtual desktop, put the pointer there, and see what it "
    "reached.",
    example="grounding --subjects form,calc --scales 1 --json",
    add_arguments=_grounding_arguments,
    measure=_measure_grounding,
)


def _content_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part",
        choices=("scored", "tuning"),
        default="scored",
        help="which moments are judged; each look at the scored ones belongs into data/access_log.md",
    )
    parser.add_argument("--full", action="store_true", help="index five times, and time five times as many searches")
    parser.add_argument(
        "--fit", type=Path, metavar="FILE", help="fit the weights on the tuning moments, and write them"
    )


def _measure_content(arguments: argparse.Namespace) -> Report | None:
    from lab.benchmarks.content.benchmark import MomentPart, measure

    if arguments.fit is not None:
        from lab.benchmarks.content.fit import tune

        tune(arguments.fit)
        return None
    return measure(MomentPart(arguments.part), rounds=5 if arguments.full else 1)


CONTENT = Benchmark(
    name="content",
    help="whether the help library finds the page that helps, and what indexing costs",
    description="Index the help of LibreOffice, GIMP and Meld, and search it in constructed moments of being stuck.",
    example="content --json",
    add_arguments=_content_arguments,
    measure=_measure_content,
)


def _diagnosis_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="DATA",
        help="trajectories whose outcome is known (AgentRewardBench, plain), or a folder of kairos simulate",
    )
    parser.add_argument(
        "--layout",
        choices=[layout.value for layout in LAYOUTS],
        help="how the files are laid out (recognized by what they hold)",
    )
    parser.add_argument("--model", metavar="M", help="who judges DATA: PRESET or PRESET:MODEL, or always:success")
    parser.add_argument(
        "--judge",
        choices=[judge.value for judge in JudgeName],
        default=JudgeName.SEGMENTED,
        help="how it judges (%(default)s)",
    )
    parser.add_argument(
        "--without", choices=[stage.value for stage in Stage], help="leave out one stage of the segmented judge"
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


def _measure_diagnosis(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.diagnosis.benchmark import measure
    from lab.benchmarks.diagnosis.judged_benchmark import measure_judged

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
    add_arguments=_diagnosis_arguments,
    measure=_measure_diagnosis,
)


def _goals_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="PATH",
        help="trajectories with goals: a file, a folder, a recorded session or a folder of them (a constructed set)",
    )
    parser.add_argument(
        "--layout",
        choices=[layout.value for layout in LAYOUTS],
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


def _measure_goals(arguments: argparse.Namespace) -> Report:
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
    add_arguments=_goals_arguments,
    measure=_measure_goals,
)


PARTS = ("timeline", "offers", "thread", "opening")
"""What `bench interface` measures, in the order of a round."""


def _interface_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", default=",".join(PARTS), metavar="A,B", help="of %(default)s")
    parser.add_argument("--estimates", type=int, default=5000, help="estimates of the simulated day (%(default)s)")
    parser.add_argument("--frames", type=int, default=200, help="frames that are scrolled (%(default)s)")
    parser.add_argument("--still", type=float, default=60.0, metavar="S", help="seconds left alone (%(default)g)")
    parser.add_argument("--rounds", type=int, default=3, help="how often it is repeated (%(default)s)")


def _measure_interface(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.interface.benchmark import measure

    parts = arguments.parts.split(",")
    if not set(parts) <= set(PARTS):
        raise UsageError(f"--parts takes {', '.join(PARTS)}, separated by commas")
    return measure(
        parts=[part for part in PARTS if part in parts],
        estimates=arguments.estimates,
        frames=arguments.frames,
        still_s=arguments.still,
        rounds=arguments.rounds,
    )


INTERFACE = Benchmark(
    name="interface",
    help="how soon the card, the tray and the settings are there, how late the interface is, what the timeline costs",
    description="Open the timeline of a simulated day in the real Kairos on a virtual desktop, scroll it, leave it open"
    " over a still screen, and close it, by its CPU time; measure the time from an estimate to the card on the screen,"
    " how late the interface thread is while the core is busy, and the time to the tray and the settings window.",
    example="interface --parts offers,thread --rounds 1",
    add_arguments=_interface_arguments,
    measure=_measure_interface,
)


BENCHMARKS: tuple[Benchmark, ...] = (
    CAPTURE,
    MODELS,
    DETECTOR,
    SCENES,
    POLICY,
    PEOPLE,
    GUIDE,
    FENCE,
    CONTROLS,
    GROUNDING,
    CONTENT,
    DIAGNOSIS,
    GOALS,
    INTERFACE,
)


def add_benchmarks(subparsers: Any, benchmarks: Iterable[Benchmark] = BENCHMARKS) -> None:
    """Add `kairos bench` with these benchmarks."""
    bench = subparsers.add_parser(
        "bench",
        help="measure what Kairos costs and how good it is",
        description="Run a benchmark. Each names its bars; the exit code is 1 if one is not held.",
        epilog="example: kairos bench capture --json",
    )
    parsers = bench.add_subparsers(title="benchmarks", metavar="BENCHMARK", required=True)
    for benchmark in benchmarks:
        benchmark.register(parsers)
