"""Plays the demo with its real Kairos, and sees whether *Show me* rings the control of the page's first step.

The person in it works fluently for a few seconds only, so that ten seeds of a program take some ten minutes, and asks
for help where none is offered: when help is offered is not judged here. Truth and its limits: `ring_truth`.
"""

import shutil
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from demo.command import DemoSpec, assess, play
from lab.benchmarks.grounding.ring_truth import RingSeen, judge_ring, page_of, see_ring
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress

PROGRAMS = ("calc", "writer", "mousepad")
FLUENT_S = (8.0, 12.0)
SHOWN_MS = 300.0
"""The card has its steps so soon after *Show me*, without a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """What one demo came to: the page on the card, the ring, the true box of its control; boxes are x, y, w, h."""

    app: str
    seed: int
    stuck_kind: str
    page: str
    title: str
    step: int | None
    way_out: bool = False
    name: str
    ring: Sequence[int] | None
    control: Sequence[int] | None
    on_control: bool
    shown_ms: float | None = None
    """From the click on *Show me* until the card showed the steps; None where the person had to ask."""

    why: str = ""


def measure_rings(programs: Sequence[str], seeds: Sequence[int], *, out: Path | None = None) -> Report:
    """Play the demo of each program with each seed; with `out` screenshots and sessions stay there.

    Raises:
        UsageError: a program has no demo.
        EnvironmentFault: the desktop or the program did not come up.
    """
    unknown = set(programs) - set(PROGRAMS)
    if unknown:
        raise UsageError(f"no demo of {', '.join(sorted(unknown))}: choose from {', '.join(PROGRAMS)}")
    found: list[Ring] = []
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        for app in programs:
            for seed in seeds:
                folder = (out or Path(name)) / f"{app}-{seed}"
                found.append(_one(app, seed, folder))
                print_progress(_line(found[-1]))
                if out is None:
                    shutil.rmtree(folder, ignore_errors=True)
    return Report(
        criteria=criteria_of(found),
        rounds=[asdict(ring) for ring in found],
        fields={"simulated": True},
        text=[_line(ring) for ring in found],
        notes=["Scripted people in real programs; truth from a walk of this process's own."],
    )


def criteria_of(found: Sequence[Ring]) -> list[AcceptanceCriterion]:
    """Return the criteria: in each program the ring lies on the control of step one with every seed.

    And the steps are on the card soon after the click, as the person sees it.
    """
    programs = dict.fromkeys(ring.app for ring in found)
    shown = [ring.shown_ms for ring in found if ring.shown_ms is not None]
    soon = [at_most("steps_shown_after_the_click", statistics.median(shown), SHOWN_MS, "ms, median")] if shown else []
    return soon + [
        at_least(
            f"ring_on_the_control_in_{app}",
            statistics.mean(ring.on_control for ring in found if ring.app == app),
            1,
            "share",
        )
        for app in programs
    ]


def _one(app: str, seed: int, folder: Path) -> Ring:
    folder.mkdir(parents=True, exist_ok=True)
    spec = DemoSpec(app=app, seed=seed, fluent_only=False, out=folder, fluent_s=FLUENT_S, asks=True)
    try:
        seen: list[RingSeen] = []
        finished = play(spec, lambda desktop, windows: seen.append(see_ring(desktop, windows)))
        result: dict[str, Any] = assess(spec, finished)
    except EnvironmentFault as fault:
        return _missed(app, seed, why=fault.what)
    offers = result["offers"]
    ring = _judged(folder, offers[-1]["page"] or "", seen[0]) if seen and offers else None
    if ring is None:
        return _missed(app, seed, kind=result["stuck_kind"] or "", why=_why_not(offers))
    why = ""
    if not ring["on_control"]:
        why = (
            "no step names a control in sight"
            if ring["step"] is None
            else "no ring"
            if not ring["ring"]
            else "elsewhere"
        )
    return Ring(
        app=app,
        seed=seed,
        stuck_kind=result["stuck_kind"],
        page=offers[-1]["page"] or "",
        title=offers[-1]["title"],
        **ring,
        shown_ms=result["steps_shown_ms"],
        why=why,
    )


def _judged(folder: Path, page_id: str, seen: RingSeen) -> dict[str, Any]:
    """Return whether the ring was on the control of the first step of a page, as a mapping."""
    return judge_ring(page_of(folder / "state" / "kairos", page_id), seen).facts


def _missed(app: str, seed: int, *, kind: str = "", why: str) -> Ring:
    return Ring(
        app=app,
        seed=seed,
        stuck_kind=kind,
        page="",
        title="",
        step=None,
        name="",
        ring=None,
        control=None,
        on_control=False,
        why=why,
    )


def _why_not(offers: Sequence[dict[str, Any]]) -> str:
    return "nothing was offered" if not offers else "the card was not accepted"


def _line(one: Ring) -> str:
    """Return one demo as a line: the ring's box and the control's, or why there is none."""
    boxes = f"ring {_box(one.ring)}, control {_box(one.control)}"
    first = ", which closes the dialog in front," if one.way_out else ","
    came = f'on "{one.name}"{first} {boxes}' if one.on_control else f"MISSED ({one.why}), {boxes}"
    came += "" if one.shown_ms is None else f", steps after {one.shown_ms:.0f} ms"
    return f"{one.app} seed {one.seed} ({one.stuck_kind}), {one.page or 'no page'}: {came}"


def _box(box: Sequence[int] | None) -> str:
    return "none" if box is None else f"{box[2]}x{box[3]}+{box[0]}+{box[1]}"
