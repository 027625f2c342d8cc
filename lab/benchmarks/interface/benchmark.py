"""Runs the parts of the benchmark in rounds, one after the other in each, and compares the medians with the limits.

Each part is a module: `timeline`, `offers`, `lateness` and `opening`.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from daemon.text import print_progress
from lab.benchmarks.interface import lateness, offers, opening, timeline
from lab.benchmarks.interface.lateness import LatenessRun
from lab.benchmarks.interface.offers import OffersRun
from lab.benchmarks.interface.opening import OpeningRun
from lab.benchmarks.interface.parts import PARTS
from lab.benchmarks.interface.timeline import WindowRun
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most

OFFERS = 30
"""The fewest offers of all rounds on which a 95th percentile is reported."""

OFFERS_S = 30.0
BUSY_S = 20.0
BUSY_ROWS_PER_S = 500.0
LATE_MS = 16.0

Run = WindowRun | OffersRun | LatenessRun | OpeningRun
PART_OF = {WindowRun: "timeline", OffersRun: "offers", LatenessRun: "thread", OpeningRun: "opening"}


def measure(*, parts: Sequence[str], estimates: int, frames: int, still_s: float, rounds: int) -> Report:
    """Run the rounds, and compare the medians with the limits."""
    runs: list[Run] = []
    with TemporaryDirectory(prefix="kairos-bench-") as folder:
        for number in range(1, rounds + 1):
            for part in (one for one in PARTS if one in parts):
                print_progress(f"round {number} of {rounds}: {part}")
                place = Path(folder) / f"{part}-{number}"
                place.mkdir()
                match part:
                    case "offers":
                        runs.append(offers.one_run(place, number, seconds=OFFERS_S))
                    case "thread":
                        runs.append(lateness.one_run(place, number, seconds=BUSY_S))
                    case "opening":
                        runs.append(opening.one_run(place, number))
                    case _:
                        runs.append(
                            timeline.one_run(place, number, estimates=estimates, frames=frames, still_s=still_s)
                        )
    return Report(
        criteria=criteria_of(runs),
        rounds=[{"part": PART_OF[type(run)], **asdict(run)} for run in runs],
        fields={"estimates": estimates, "frames": frames, "still_s": still_s, "simulated": True},
        notes=[
            "The day of the timeline is simulated, and so is the need of help that leads to cards.",
            "Not measured: what the X server and a compositor spend, small pictures.",
        ],
    )


def criteria_of(runs: Sequence[Run]) -> list[AcceptanceCriterion]:
    """Return the figures of the parts that ran, with their limits."""
    criteria: list[AcceptanceCriterion] = []
    if windows := [run for run in runs if isinstance(run, WindowRun)]:
        criteria += timeline.criteria_of(windows)
    if offered := [run for run in runs if isinstance(run, OffersRun)]:
        found = sum(len(run.delays_ms) for run in offered)
        criteria += [
            at_most("estimate_to_card_p95", median(run.p95_ms for run in offered), 100.0, "ms"),
            at_least("cards_measured", found, OFFERS, "offers that waited for no break"),
            at_most("cards_never_seen", sum(run.lost for run in offered), 0, "offers"),
        ]
    if late := [run for run in runs if isinstance(run, LatenessRun)]:
        criteria += [
            at_most("interface_late_p95", median(run.p95_ms for run in late), LATE_MS, "ms"),
            at_least("interface_late_control", min(run.control_p95_ms for run in late), LATE_MS, "ms when held up"),
            at_least("core_busy_with", min(run.rows_per_s for run in late), BUSY_ROWS_PER_S, "rows a second"),
        ]
    if opened := [run for run in runs if isinstance(run, OpeningRun)]:
        trays = [one for run in opened for one in run.tray_ms]
        criteria += [
            at_most("start_to_tray", median(trays) / 1000, 1.0, "s"),
            at_most("open_settings", median(run.settings_ms for run in opened), 500.0, "ms"),
        ]
    return criteria
