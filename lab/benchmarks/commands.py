"""The benchmarks as commands: `kairos bench NAME`. One more is one more package and one more entry here.

The parsers of all of them are built whenever `kairos` starts, so each imports what measures when it is run. None of the
data sets that benchmarks are given is part of Kairos.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgeStage
from lab.measure.benchmark import Benchmark, Report, option
from lab.trajectories import LAYOUTS
from storage.errors import UsageError
from storage.settings import DetectorSettings


def _benchmark(name: str) -> Any:
    """Return the module of a benchmark; it is loaded when it runs."""
    return import_module(f"lab.benchmarks.{name}.benchmark")


_LAYOUT = option(
    "--layout",
    choices=LAYOUTS,
    help="how the files are laid out (recognized by what they hold)",
)
_YES = option("--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money")

_INTERFACE_PARTS = ("timeline", "offers", "thread", "opening")
"""What `bench interface` measures, in the order of a round."""

CAPTURE = Benchmark(
    name="capture",
    help="what watching costs, and whether it misses anything",
    description="Measure CPU time, memory and storage of watching a virtual desktop, in less than nine minutes.",
    example="capture --full --json",
    options=(option("--full", action="store_true", help="long rounds, and memory after ten minutes"),),
    measure=lambda arguments: _benchmark("capture").measure(full=arguments.full),
)

DETECTOR = Benchmark(
    name="detector",
    help="how good the embedded detector is on simulated sessions it knows nothing of",
    description=(
        "Compare a model with its bars on simulated sessions of the test split, beside simple baselines and the "
        "evidence detector. The sessions used without --data come with the source alone, not with an installed "
        "Kairos. The first time takes about five minutes."
    ),
    example="detector --model my/model.onnx --out figures",
    options=(
        option("--data", type=Path, nargs="+", metavar="DIR", help="packed sessions (those that come with the source)"),
        option("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)"),
        option("--before", type=Path, metavar="MODEL", help="an earlier model to compare it with"),
        option("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the table"),
    ),
    measure=lambda arguments: _benchmark("detector").measure(arguments.data, arguments.model, arguments.before),
)


def _measure_scenes(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.scenes.benchmark import measure
    from lab.benchmarks.scenes.record import record_all

    if arguments.record:
        record_all(arguments.folder, arguments.seed, arguments.half)
    return measure(arguments.folder, arguments.detector, arguments.half)


SCENES = Benchmark(
    name="scenes",
    help="who is found stuck, and who is disturbed, in short live scenes in real programs",
    description=(
        "Judge a detector, with the policy that ships, on recorded scenes: somebody stuck in an editor, an office "
        "program, a web page, a calculator, a painting program, a file manager, a viewer or a terminal, or calm work "
        "that looks alike. What is chosen on one half of the programs is judged on the other. --record plays them on "
        "virtual desktops, some 80 s each."
    ),
    example="scenes scenes --record",
    options=(
        option("folder", type=Path, metavar="DIR", help="where recorded scenes are, a folder each"),
        option("--half", choices=("choose", "judge"), help="of one half of the programs (of both)"),
        option("--detector", metavar="NAME", help="by another detector, as in the setting detector.name"),
        option("--record", action="store_true", help="first record those that are missing, in real time"),
        option("--seed", type=int, default=1, metavar="N", help="varies the recorded scenes (1)"),
    ),
    measure=_measure_scenes,
)

POLICY = Benchmark(
    name="policy",
    help="who offers help when it is needed and at a good moment: our policies beside simple ones",
    description=(
        "Replay labelled simulated sessions through every policy, on the same estimates, and compare ours with its "
        "bars. What offers cost is fixed in a file beside the benchmark. Takes about two minutes for ten hours."
    ),
    example="policy --detector evidence --out figures",
    options=(
        option(
            "sessions",
            type=Path,
            nargs="*",
            metavar="SESSION",
            help="packed sessions or folders of them (those held out, that come with Kairos); a recorded session only "
            "adds to the off-policy estimates",
        ),
        option("--detector", metavar="NAME", help="who estimates, for all policies alike (the default one)"),
        option("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the tables"),
    ),
    measure=lambda arguments: _benchmark("policy").measure(arguments.sessions, arguments.detector),
)


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


PEOPLE = Benchmark(
    name="people",
    help="how often help would be offered to people whom nobody scripted, and whether marked trouble is found",
    description=(
        "Run recordings of people at work (Balabit's mouse data, pupils' essays, web tasks of crowd workers) through "
        "the shipped detector and policy, under a neutral program's name and a browser's. The data is not part of "
        "Kairos; lab/docs/measured.md says where it is. Takes about ten minutes of two cores for 190 hours."
    ),
    example="people people-data --limit 20 --json",
    options=(
        option("path", type=Path, metavar="PATH", help="the folder that holds balabit, essays or miniwob"),
        option("--detector", metavar="NAME", default=DetectorSettings().name, help="who estimates (the default one)"),
        option(
            "--unanswered",
            type=_share,
            metavar="SHARE",
            default=0.05,
            help="share of presses without an answer of the screen, where the recording holds no screen (0.05)",
        ),
        option("--limit", type=_count, metavar="N", help="at most so many recordings of each data set"),
        option("--workers", type=_count, metavar="N", help="processes (one for each core)"),
    ),
    measure=lambda arguments: _benchmark("people").measure(
        arguments.path,
        detector=arguments.detector,
        unanswered=arguments.unanswered,
        limit=arguments.limit,
        workers=arguments.workers,
    ),
)

GUIDE = Benchmark(
    name="guide",
    help="the four tasks of the GUIDE benchmark, asked of a model",
    description=(
        "Ask a model about clips of screen recordings: the behavior state, the intent, whether help is needed and "
        "which. Beside its figures stand answers that need no model, and the published ones. Without arguments a "
        "scripted stand-in answers about a small simulated sample, which shows that the benchmark works."
    ),
    example="guide guide-data --model ollama:qwen3-vl:8b --limit 100 --out figures",
    options=(
        option(
            "data",
            type=Path,
            nargs="?",
            metavar="DATA",
            help="the released benchmark, or a folder of kairos simulate --video (the sample that comes with the "
            "source)",
        ),
        option(
            "--model",
            default="scripted:strong",
            metavar="M",
            help="PRESET or PRESET:MODEL (see kairos models list), scripted:strong, scripted:local or always:LABEL,... "
            "(scripted:strong)",
        ),
        option("--tasks", metavar="A,B", help="of behavior, intent, need, content (all)"),
        option(
            "--conditions",
            metavar="A,B",
            help="what a model knows beside the pictures: of none, previous, behavior, behavior+intent (all)",
        ),
        option(
            "--prefixes",
            default="25,50,75,100",
            metavar="A,B",
            help="how much of a clip is seen, in percent (25,50,75,100)",
        ),
        option("--both-orders", action="store_true", help="ask each pair of options in both orders"),
        option(
            "--free",
            action="store_true",
            help="ask for intent and help in the model's own words too; such answers are listed and not scored",
        ),
        option("--limit", type=int, metavar="N", help="only N clips, drawn at random"),
        option("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the answers"),
        option("--scheduler", metavar="ADDRESS", help="do it on a Dask cluster: tcp://HOST:PORT"),
        _YES,
    ),
    measure=lambda arguments: _benchmark("guide").measure(arguments),
)

FENCE = Benchmark(
    name="fence",
    help="whether anything excluded is ever stored, in a campaign of random acts",
    description="Open, move, embed, fade and type at random on a virtual desktop, and search all that was stored.",
    example="fence --actions 1000 --seed 7 --json",
    options=(
        option("--actions", type=int, default=200, metavar="N", help="acts of the campaign (200)"),
        option("--seed", type=int, default=1, metavar="N", help="repeats the acts of another run (1)"),
        option(
            "--control-actions",
            type=int,
            default=200,
            metavar="N",
            help="acts of the control, under names that no fence knows; 0: none (200)",
        ),
        option("--no-browsers", action="store_true", help="without Firefox and Chromium, also if installed"),
        option("--no-mousepad", action="store_true", help="without Mousepad"),
        option("--keep", type=Path, metavar="DIR", help="keep what the daemons stored"),
    ),
    measure=lambda arguments: _benchmark("fence").measure(
        actions=arguments.actions,
        control_actions=arguments.control_actions,
        seed=arguments.seed,
        browsers=False if arguments.no_browsers else None,
        mousepad=not arguments.no_mousepad,
        keep=arguments.keep,
    ),
)


SCALES = ("1", "2", "3", "4")


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
    options=(
        option("--subjects", default="form,page,firefox,mousepad,writer,calc", metavar="A,B", help="of %(default)s"),
        option(
            "--scales", type=_scales, default="1,2", metavar="N,N", help="scale factors of the programs (%(default)s)"
        ),
        option("--walks", type=int, default=60, help="timed walks of each program at each scale (%(default)s)"),
        option("--ocr", action="store_true", help="instead find controls by nothing but pictures of windows"),
        option(
            "--rings",
            action="store_true",
            help="instead play the demo, and see whether the ring is on the first step's control",
        ),
        option("--seeds", type=int, default=10, metavar="N", help="with --rings: seeds of each program (%(default)s)"),
        option("--first-seed", type=int, default=1, metavar="N", help="with --rings: the first of them (%(default)s)"),
        option("--programs", default="calc,writer,mousepad", metavar="A,B", help="with --rings: of %(default)s"),
        option("--out", type=Path, metavar="DIR", help="with --rings: where screenshots and sessions stay"),
    ),
    measure=_measure_grounding,
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
    options=(
        option(
            "--part",
            choices=("scored", "tuning"),
            default="scored",
            help="which moments are judged; each look at the scored ones belongs into data/access_log.md",
        ),
        option("--full", action="store_true", help="index five times, and time five times as many searches"),
        option("--fit", type=Path, metavar="FILE", help="fit the weights on the tuning moments, and write them"),
    ),
    measure=_measure_content,
)


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
    options=(
        option(
            "data",
            type=Path,
            nargs="?",
            metavar="DATA",
            help="trajectories whose outcome is known (AgentRewardBench, plain), or a folder of kairos simulate",
        ),
        _LAYOUT,
        option("--model", metavar="M", help="who judges DATA: PRESET or PRESET:MODEL, or always:success"),
        option(
            "--judge",
            choices=[judge.value for judge in JudgeName],
            default=JudgeName.SEGMENTED,
            help="how it judges (%(default)s)",
        ),
        option(
            "--without",
            choices=[stage.value for stage in JudgeStage],
            help="leave out one stage of the segmented judge",
        ),
        option("--preamble", type=Path, metavar="FILE", help="what is to be known about this field of work"),
        option("--quality", action="store_true", help="have the subtasks rated, too"),
        option("--ratings", type=Path, metavar="FILE", help="how people rated the subtasks, JSON lines"),
        option("--repeats", type=int, default=1, metavar="N", help="judge so many times (%(default)s)"),
        option("--retries", type=int, default=2, metavar="N", help="ask again so often (%(default)s)"),
        option("--limit", type=int, metavar="N", help="only the first N trajectories"),
        option("--out", type=Path, metavar="DIR", help="where to leave a page, and the answers"),
        _YES,
        option("--sessions", type=int, default=200, metavar="N", help="how many sessions (%(default)s)"),
        option("--minutes", type=float, default=10.0, metavar="N", help="how long each is (%(default)s)"),
        option("--seed", type=int, default=1, metavar="N", help="varies what is in them (%(default)s)"),
    ),
    measure=_measure_diagnosis,
)

GOALS = Benchmark(
    name="goals",
    help="whether a model understands what somebody wanted",
    description=(
        "Ask a model for the goal of trajectories, and compare it with the true one: does the trajectory fulfil it, "
        "and does either satisfy the other? Beside the figures stand controls of the judge, people's verdicts where "
        "there are some, and the published figures. Without arguments a stand-in answers about a constructed set."
    ),
    example="goals mind2web-test --model ollama:qwen3-vl:8b --limit 50",
    options=(
        option(
            "data",
            type=Path,
            nargs="?",
            metavar="PATH",
            help="trajectories with goals: a file, a folder, a recorded session or a folder of them (a constructed "
            "set)",
        ),
        _LAYOUT,
        option("--model", metavar="M", help="who is asked for the goals: PRESET or PRESET:MODEL (kairos models list)"),
        option("--judge", metavar="J", help="who compares them: PRESET or PRESET:MODEL, or always:yes (--model)"),
        option("--goals", type=Path, metavar="FILE", help="goals that people or models wrote, JSON lines"),
        option("--verdicts", type=Path, metavar="FILE", help="how people compared them, JSON lines"),
        option("--validate", action="store_true", help="leave out what the judge says does not fulfil its own goal"),
        option("--no-pictures", action="store_true", help="show models the steps alone"),
        option("--limit", type=int, metavar="N", help="only N trajectories, drawn by lot"),
        option(
            "--controls",
            type=int,
            default=20,
            metavar="N",
            help="trajectories for the controls of the judge (%(default)s)",
        ),
        option(
            "--retries",
            type=int,
            default=2,
            metavar="N",
            help="how often an unusable answer is asked again (%(default)s)",
        ),
        option("--out", type=Path, metavar="DIR", help="where to leave a page, and the answers"),
        _YES,
    ),
    measure=lambda arguments: _benchmark("goals").measure(arguments),
)


def _measure_interface(arguments: argparse.Namespace) -> Report:
    unknown = set(arguments.parts) - set(_INTERFACE_PARTS)
    if unknown:
        raise UsageError(f"--parts takes {', '.join(_INTERFACE_PARTS)}, separated by commas")
    report: Report = _benchmark("interface").measure(
        parts=[part for part in _INTERFACE_PARTS if part in arguments.parts],
        estimates=arguments.estimates,
        frames=arguments.frames,
        still_s=arguments.still,
        rounds=arguments.rounds,
    )
    return report


INTERFACE = Benchmark(
    name="interface",
    help="how soon the card, the tray and the settings are there, how late the interface is, what the timeline costs",
    description=(
        "Open the timeline of a simulated day in the real Kairos on a virtual desktop, scroll it, leave it open over a "
        "still screen, and close it, by its CPU time; measure the time from an estimate to the card on the screen, how "
        "late the interface thread is while the core is busy, and the time to the tray and the settings window."
    ),
    example="interface --parts offers,thread --rounds 1",
    options=(
        option(
            "--parts",
            type=lambda text: text.split(","),
            default=",".join(_INTERFACE_PARTS),
            metavar="A,B",
            help="of %(default)s",
        ),
        option("--estimates", type=int, default=5000, help="estimates of the simulated day (%(default)s)"),
        option("--frames", type=int, default=200, help="frames that are scrolled (%(default)s)"),
        option("--still", type=float, default=60.0, metavar="S", help="seconds left alone (%(default)g)"),
        option("--rounds", type=int, default=3, help="how often it is repeated (%(default)s)"),
    ),
    measure=_measure_interface,
)

BENCHMARKS: tuple[Benchmark, ...] = (
    CAPTURE,
    DETECTOR,
    SCENES,
    POLICY,
    PEOPLE,
    GUIDE,
    FENCE,
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
