"""The frame of a benchmark command: parser, acceptance criteria, progress, report and exit status.

Loads nothing heavy: the parsers of all benchmarks are built whenever `kairos` starts. A figure is compared with its
limit before it is rounded.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from storage.clock import SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress, without_nan


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceCriterion:
    """One figure with its limit; `ok` is whether it is met."""

    name: str
    value: float
    limit: float
    unit: str
    ok: bool


def at_least(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a criterion that is met from its limit on."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at least", ok=value >= limit
    )


def at_most(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a criterion that is met up to its limit."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at most", ok=value <= limit
    )


def criterion_lines(criteria: Sequence[AcceptanceCriterion]) -> list[str]:
    """Return one line of text for each criterion."""
    width = max((len(criterion.name) for criterion in criteria), default=0)
    return [
        f"{'held  ' if criterion.ok else 'missed'} {criterion.name:<{width}} {criterion.value:>7.3f} "
        f"({criterion.unit} {criterion.limit:g})"
        for criterion in criteria
    ]


CARD = "MODEL.md"
"""The card's name, beside the model."""


def check_folder(folder: Path) -> None:
    """Make a folder, unless it is there, and make sure that it takes files.

    Raises:
        UsageError: it is a file.
        EnvironmentFault: it cannot be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder", remedy="name a folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EnvironmentFault(
            f"{folder} cannot be written to: {error.strerror}", remedy="name another place with --out"
        ) from error


def check_model_file(out: Path) -> None:
    """Make sure that a model and its card can be written, and that no other model's card is lost by it.

    Raises:
        UsageError: the name is that of a folder or of the card, or the card there belongs to another model.
        EnvironmentFault: the folder cannot be made or written to.
    """
    if out.is_dir():
        raise UsageError(f"{out} is a folder", remedy=f"name a file: --out {out / 'model.onnx'}")
    beside = out.with_name(CARD)
    if out == beside:
        raise UsageError(f"{out} is where the card goes", remedy=f"name a file: --out {out.with_name('model.onnx')}")
    if beside.exists() and not out.exists():
        raise UsageError(f"{beside} is the card of another model", remedy="name another folder with --out")
    check_folder(out.parent)


class ProgressBar:
    """Counts what is done: one line written over on a terminal, a line at each tenth elsewhere."""

    _WIDTH = 30

    def __init__(self, total: int, *, of: str = "questions") -> None:
        """Begin with none of `total` done; `of` is what is counted."""
        self._total = total
        self._of = of
        self._done = 0
        self._on_terminal = sys.stderr.isatty()

    def add(self, count: int, about: str) -> None:
        """Count further ones; `about` is shown beside the bar."""
        before, self._done = self._done, self._done + count
        if self._on_terminal:
            filled = self._WIDTH * self._done // self._total
            bar = f"[{'#' * filled}{'.' * (self._WIDTH - filled)}]"
            line = f"{bar} {self._done} of {self._total} {self._of}, {about}"
            print(f"\r{line:<110}", end="\n" if self._done == self._total else "", file=sys.stderr, flush=True)
        elif before * 10 // self._total < self._done * 10 // self._total:
            print_progress(f"{self._done} of {self._total} {self._of}")

    def stop(self) -> None:
        """Print that the run ends early and can be resumed."""
        if self._on_terminal:
            print(file=sys.stderr)
        print_progress(f"stopped after {self._done} of {self._total} {self._of}; the same command goes on from here")


_SIZE = (1920, 1080)


def machine() -> dict[str, object]:
    """Return what the figures depend on; `copy_ms` is one copy of a full HD frame in memory."""
    import numpy as np

    frame = np.zeros((_SIZE[1], _SIZE[0], 4), np.uint8)
    target = frame.copy()
    clock = SystemClock()
    before_ns = clock.cpu_ns()
    for _ in range(20):
        np.copyto(target, frame)
    copy_ms = (clock.cpu_ns() - before_ns) / 20 / 1e6
    cpu = next((line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")), "")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
        "copy_ms": round(copy_ms, 3),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _cpu_lines() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a benchmark found.

    Attributes:
        criteria: what decides the exit status; printed as "bars".
        rounds: figures of each repetition, as plain values.
        fields: further fields of the JSON object.
        text: what is printed without --json, above the criteria; `notes` are printed below them.
        pages: files for --out, by name.
    """

    criteria: Sequence[AcceptanceCriterion]
    rounds: Sequence[Any] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    text: Sequence[str] = ()
    notes: Sequence[str] = ()
    pages: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of --json; a figure that is not finite is null."""
        criteria = [asdict(criterion) for criterion in self.criteria]
        plain: dict[str, Any] = without_nan(
            {**self.fields, "bars": criteria, "rounds": self.rounds, "machine": machine()}
        )
        return plain


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a benchmark: what `ArgumentParser.add_argument` takes."""

    names: tuple[str, ...]
    words: Mapping[str, Any]


def option(*names: str, **words: Any) -> Option:
    """Return an option; takes what `add_argument` takes."""
    return Option(names, words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark: how it is called, and how it is run.

    `measure` imports what it needs when it is called. It returns None where it only wrote files: nothing was judged.
    Every benchmark has --json; one with an argument `out` gets a writable folder there.
    """

    name: str
    help: str
    description: str
    example: str
    measure: Callable[[argparse.Namespace], Report | None]
    options: Sequence[Option] = ()

    def register(self, benchmarks: Any) -> None:
        """Add the command `kairos bench NAME`."""
        parser = benchmarks.add_parser(
            self.name, help=self.help, description=self.description, epilog=f"example: kairos bench {self.example}"
        )
        self.add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=self.run)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that it has beside --json."""
        for each in self.options:
            parser.add_argument(*each.names, **each.words)

    def run(self, arguments: argparse.Namespace) -> int:
        """Measure, write and print; return 1 if an acceptance criterion is missed, else 0."""
        out: Path | None = getattr(arguments, "out", None)
        if out is not None:
            check_folder(out)
        report = self.measure(arguments)
        if report is None:
            return 0
        if out is not None:
            for name, content in report.pages.items():
                (out / name).write_text(content, encoding="utf-8")
            print_progress(f"written to {', '.join(str(out / name) for name in report.pages)}")
        if arguments.json:
            print(json.dumps(report.as_json()))
        else:
            above = [*report.text, ""] if report.text else []
            below = ["", *report.notes] if report.notes else []
            print("\n".join((*above, *criterion_lines(report.criteria), *below)))
        return 0 if all(criterion.ok for criterion in report.criteria) else 1
