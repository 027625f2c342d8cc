"""The command `kairos bench interface`."""

import argparse

from lab.benchmarks.interface.parts import PARTS
from lab.measure.benchmark import Benchmark, Report
from storage.errors import UsageError


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", default=",".join(PARTS), metavar="A,B", help="of %(default)s")
    parser.add_argument("--estimates", type=int, default=5000, help="estimates of the simulated day (%(default)s)")
    parser.add_argument("--frames", type=int, default=200, help="frames that are scrolled (%(default)s)")
    parser.add_argument("--still", type=float, default=60.0, metavar="S", help="seconds left alone (%(default)g)")
    parser.add_argument("--rounds", type=int, default=3, help="how often it is repeated (%(default)s)")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.interface.benchmark import measure

    parts = arguments.parts.split(",")
    if not set(parts) <= set(PARTS):
        raise UsageError(f"--parts takes {', '.join(PARTS)}, separated by commas")
    return measure(
        parts=parts,
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
    add_arguments=_add_arguments,
    measure=_measure,
)
