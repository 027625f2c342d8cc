"""The benchmarks as commands: `kairos bench NAME`. One more is a package, a table in the file, and an entry here.

The parsers of all of them are built whenever `kairos` starts, so each imports what measures when it is run. None of the
data sets that benchmarks are given is part of Kairos.
"""

import argparse
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from lab.measure.benchmark import Benchmark, Option, Report, option
from storage.errors import UsageError
from storage.settings import DetectorSettings

FILE = Path(__file__).parent / "data" / "commands.toml"
"""What each benchmark is called with."""


def _benchmark(name: str) -> Any:
    """Return the module of a benchmark; it is loaded when it runs."""
    return import_module(f"lab.benchmarks.{name}.benchmark")


def _measure_scenes(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.scenes.benchmark import measure
    from lab.benchmarks.scenes.record import record_all

    if arguments.record:
        record_all(arguments.folder, arguments.seed, arguments.half)
    return measure(arguments.folder, arguments.detector, arguments.half)


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


SCALES = ("1", "2", "3", "4")


def _scales(text: str) -> list[int]:
    parts = text.split(",")
    if not set(parts) <= set(SCALES):
        raise argparse.ArgumentTypeError(f"scales are {', '.join(SCALES)}, or several of them, such as 1,2")
    return [int(part) for part in parts]


def _measure_grounding(arguments: argparse.Namespace) -> Report:
    if arguments.ocr:
        from lab.benchmarks.grounding.pictures import measure_pictures

        return measure_pictures(arguments.scales)
    from lab.benchmarks.grounding.benchmark import measure

    return measure(arguments.subjects.split(","), scales=arguments.scales, walks=arguments.walks)


def _measure_content(arguments: argparse.Namespace) -> Report | None:
    from lab.benchmarks.content.benchmark import MomentPart, measure

    if arguments.fit is not None:
        from lab.benchmarks.content.fit import tune

        tune(arguments.fit, arguments.documentation)
        return None
    return measure(MomentPart(arguments.part), rounds=5 if arguments.full else 1, data=arguments.documentation)


def _measure_guide(arguments: argparse.Namespace) -> Report | None:
    if arguments.export is not None:
        from lab.benchmarks.guide.export import export, export_agentnet, read_wrong

        if arguments.data is None:
            raise UsageError("--export needs a folder of sessions", remedy="name it before --export")
        if arguments.layout == "agentnet":
            export_agentnet(arguments.data, arguments.export)
        else:
            export(arguments.data, arguments.export, read_wrong(arguments.sample) if arguments.sample else {})
        return None
    if arguments.describe:
        from lab.benchmarks.guide.clips import is_released, load_released, load_sessions
        from lab.benchmarks.guide.statistics import describe

        if arguments.data is None:
            raise UsageError("--describe needs a labelled set", remedy="name its folder")
        load = load_released if is_released(arguments.data) else load_sessions
        return describe(arguments.data, load(arguments.data))
    report: Report = _benchmark("guide").measure(arguments)
    return report


def _measure_questions(arguments: argparse.Namespace) -> Report | None:
    from lab.benchmarks.questions.benchmark import Wording, measure

    wordings = [Wording(arguments.words)] if arguments.words else list(Wording)
    if arguments.fit:
        from lab.benchmarks.questions.fit import print_fit

        print_fit(arguments.path, wordings, arguments.documentation)
        return None
    return measure(arguments.path, wordings, arguments.documentation)


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


_MEASURES: Mapping[str, Callable[[argparse.Namespace], Report | None]] = {
    "capture": lambda arguments: _benchmark("capture").measure(full=arguments.full, with_ledger=arguments.ledger),
    "peers": lambda arguments: import_module("lab.benchmarks.capture.peers").measure(full=arguments.full),
    "detector": lambda arguments: _benchmark("detector").measure(arguments.data, arguments.model),
    "scenes": _measure_scenes,
    "policy": lambda arguments: _benchmark("policy").measure(arguments.sessions, arguments.detector),
    "days": lambda arguments: _benchmark("days").measure(
        arguments.folders,
        arguments.detector,
        senses=arguments.senses.split(","),
        rates=arguments.rates,
        folds=arguments.folds,
        months=arguments.months,
    ),
    "people": lambda arguments: _benchmark("people").measure(
        arguments.path,
        detector=arguments.detector or DetectorSettings().name,
        unanswered=arguments.unanswered,
        limit=arguments.limit,
        workers=arguments.workers,
    ),
    "guide": _measure_guide,
    "fence": lambda arguments: _benchmark("fence").measure(
        actions=arguments.actions,
        control_actions=arguments.control_actions,
        seed=arguments.seed,
        browsers=False if arguments.no_browsers else None,
        mousepad=not arguments.no_mousepad,
        desk=arguments.desk,
        keep=arguments.keep,
    ),
    "grounding": _measure_grounding,
    "reading": lambda arguments: _benchmark("reading").measure(arguments.programs.split(","), typing=arguments.typing),
    "content": _measure_content,
    "questions": _measure_questions,
    "diagnosis": _measure_diagnosis,
    "agreement": lambda arguments: _benchmark("agreement").measure(arguments),
    "annotation": lambda arguments: _benchmark("annotation").measure(arguments),
    "label": lambda arguments: _benchmark("label").measure(
        minutes=arguments.minutes, steps=arguments.steps, seed=arguments.seed
    ),
    "mine": lambda arguments: _benchmark("mine").measure(arguments),
    "goals": lambda arguments: _benchmark("goals").measure(arguments),
    "starts": lambda arguments: _benchmark("starts").measure(rounds=arguments.rounds, beside=arguments.beside),
    "commands": lambda arguments: _benchmark("matching").measure(arguments),
    "loop": lambda arguments: _benchmark("loop").measure(
        arguments.programs.split(","), limit=arguments.limit, broken=arguments.broken, out=arguments.out
    ),
}
_TYPES: Mapping[str, Callable[[str], object]] = {
    "int": int,
    "float": float,
    "path": Path,
    "share": _share,
    "count": _count,
    "scales": _scales,
}


def option_of(facts: Mapping[str, Any]) -> Option:
    """Return an option as the file has it: `flag` takes no value, `type` names one of those above."""
    words = {name: value for name, value in facts.items() if name not in ("name", "flag")}
    if facts.get("flag"):
        words["action"] = "store_true"
    if "type" in words:
        words["type"] = _TYPES[words["type"]]
    return option(facts["name"], **words)


BENCHMARKS: Mapping[str, Benchmark] = {
    name: Benchmark(
        name=name,
        help=facts["help"],
        description=facts["description"],
        example=facts["example"],
        options=tuple(map(option_of, facts["options"])),
        measure=_MEASURES[name],
    )
    for name, facts in tomllib.loads(FILE.read_text(encoding="utf-8")).items()
}


def add_benchmarks(subparsers: Any, benchmarks: Iterable[Benchmark] = tuple(BENCHMARKS.values())) -> None:
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
