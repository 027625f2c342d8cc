"""`kairos study power`: how often a study of a given size would find an effect, by simulation."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import UsageError
from storage.plain_text import print_progress

if TYPE_CHECKING:
    from study.analysis.power import Power, Randomised

_SEED = 20261123


def register(actions: Any) -> None:
    """Add `kairos study power`."""
    parser = actions.add_parser(
        "power",
        help="simulate how often a study of a given size would find an effect",
        description=(
            "Simulate micro-randomised studies with a yes-or-no outcome, and count how often the effect is found "
            "(p < 0.05, fitted as in a report). Nobody is involved: people behave as assumed."
        ),
        epilog=(
            "examples: kairos study power my-study --people 30 80\n"
            "          kairos study power --days 20 --points 3 --base 0.40 --effect 0.05 0.10 --people 30 80\n"
            "several numbers of people and effects are combined"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="the folder of a study, which says days, probability and arms",
    )
    parser.add_argument("--days", type=int, metavar="N", help="days with assignments (those of the study)")
    parser.add_argument("--points", type=int, metavar="N", help="decision points a day (3)")
    parser.add_argument(
        "--people", type=int, nargs="+", default=[30, 80], metavar="N", help="who take part to the end (30 80)"
    )
    parser.add_argument(
        "--base", type=float, default=0.40, metavar="SHARE", help="good outcomes without an offer, on average (0.40)"
    )
    parser.add_argument(
        "--effect",
        type=float,
        nargs="+",
        default=[0.05, 0.10],
        metavar="D",
        help="what an offer adds to that, on average (0.05 0.10)",
    )
    parser.add_argument(
        "--base-spread", type=float, default=0.10, metavar="SD", help="of the base between people (0.10)"
    )
    parser.add_argument(
        "--effect-spread", type=float, default=0.04, metavar="SD", help="of the effect between people (0.04)"
    )
    parser.add_argument("--probability", type=float, metavar="P", help="of an offer (that of the study, else 0.5)")
    parser.add_argument(
        "--availability",
        type=float,
        metavar="SHARE",
        help="of points with somebody available and an outcome (1; for an answer the share that is asked)",
    )
    parser.add_argument("--simulations", type=int, default=2000, metavar="N", help="studies for each line (2000)")
    parser.add_argument("--seed", type=int, default=_SEED, metavar="N", help=f"of the simulation ({_SEED})")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study power`."""
    from study.analysis.power import Design, power_of

    known = _of_the_study(arguments)
    designs = [
        Design(
            people=max(1, round(people * known.share)),
            days=known.days,
            points=known.points,
            base=arguments.base,
            effect=effect,
            base_spread=arguments.base_spread,
            effect_spread=arguments.effect_spread,
            probability=known.probability,
            availability=known.availability,
        )
        for people in arguments.people
        for effect in arguments.effect
    ]
    found = []
    for number, design in enumerate(designs):
        print_progress(
            f"simulating {arguments.simulations} studies of {design.people} people ({number + 1}/{len(designs)})"
        )
        found.append(power_of(design, simulations=arguments.simulations, seed=arguments.seed))
    if arguments.json:
        power = [_power_json(item) for item in found]
        plain = {"simulated": True, "seed": arguments.seed, "alpha": 0.05, "assumed": list(known.words), "power": power}
        print(json.dumps(plain))
    else:
        print("\n".join([*_power_lines(found, arguments.seed), *known.words]))
    return 0


def _of_the_study(arguments: argparse.Namespace) -> "Randomised":
    """Return days, points and probabilities: as given, else those of the study, with what that takes for granted."""
    from study.analysis.power import Randomised, randomised_part

    if arguments.folder is None:
        if arguments.days is None or arguments.points is None:
            raise UsageError("--days and --points are missing", remedy="give them, or the folder of a study")
        known = Randomised(days=arguments.days, points=arguments.points)
    else:
        from study.researcher.documents import read_plan

        path = arguments.folder / "study.toml"
        if not path.exists():
            raise UsageError(f"{arguments.folder} holds no study.toml", remedy="make one: kairos study create NAME")
        known = randomised_part(read_plan(path))
    given = {
        name: value
        for name in ("days", "points", "probability", "availability")
        if (value := getattr(arguments, name)) is not None
    }
    return replace(known, **given)


def _power_json(one: "Power") -> dict[str, Any]:
    return {
        **asdict(one.design),
        "power": one.found.value,
        "low": one.found.low,
        "high": one.found.high,
        "estimate": one.estimate,
        "standard_error": one.standard_error,
        "covered": one.covered,
        "simulations": one.simulations,
    }


def _table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with the first column to the left and the others to the right."""
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    return [
        "  ".join(cell.ljust(width) if not at else cell.rjust(width) for at, (cell, width) in enumerate(cells)).rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in (heads, *rows))
    ]


def _power_lines(found: Sequence["Power"], seed: int) -> list[str]:
    one = found[0].design
    return [
        f"SIMULATED: {found[0].simulations:,} studies a line, seed {seed}; nobody was involved",
        f"{one.days} days, {one.points} points a day, {one.availability:.0%} available, lots of {one.probability:g}",
        f"assumed: good outcomes without an offer {one.base:g}, differing between people by sd {one.base_spread:g};",
        f"         an effect that differs between people by sd {one.effect_spread:g}; nobody leaves",
        "",
        *_table_lines(
            ("people", "effect", "power", "95 % (simulation)", "std. error", "covered"),
            [
                (
                    str(each.design.people),
                    f"{each.design.effect:+g}",
                    f"{each.found.value:.3f}",
                    f"{each.found.low:.3f} .. {each.found.high:.3f}",
                    f"{each.standard_error:.4f}",
                    f"{each.covered:.3f}",
                )
                for each in found
            ],
        ),
        "",
        "power: share of studies with p < 0.05; covered: share of which the 95 % interval held the effect",
    ]
