"""The frame of a benchmark command: its parser, its report as JSON, text or files, and its exit status.

Loads nothing heavy: the parsers of all benchmarks are built whenever `kairos` starts.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from daemon.text import print_progress, without_nan
from lab.measure.criteria import AcceptanceCriterion, criterion_lines
from lab.measure.output import check_folder


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
        from lab.measure.machine import machine

        criteria = [asdict(one) for one in self.criteria]
        plain: dict[str, Any] = without_nan(
            {**self.fields, "bars": criteria, "rounds": self.rounds, "machine": machine()}
        )
        return plain


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments but those that every benchmark has."""


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
    add_arguments: Callable[[argparse.ArgumentParser], None] = no_arguments

    def register(self, benchmarks: Any) -> None:
        """Add the command `kairos bench NAME`."""
        parser = benchmarks.add_parser(
            self.name, help=self.help, description=self.description, epilog=f"example: kairos bench {self.example}"
        )
        self.add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=self.run)

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
        return 0 if all(one.ok for one in report.criteria) else 1
