"""`kairos study rehearse`: does a planted effect come back, before anybody is asked?"""

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.plain_text import format_short_duration, print_progress, print_result

if TYPE_CHECKING:
    from study.rehearsal.rehearse import Rehearsal
    from study.rehearsal.route import Route
    from study.rehearsal.study_copy import Rehearsed


PEOPLE = 24
EFFECT = 0.1
SEED = 20261123
MIN_PEOPLE, MAX_PEOPLE = 3, 1_000
SHOWN = 20
"""Problems that are printed; all are in the JSON object."""


def register(actions: Any) -> None:
    """Add `kairos study rehearse`."""
    parser = add_command(
        actions,
        "rehearse",
        run,
        "let simulated people live through a study, and see whether a planted effect comes back",
        example="study rehearse my-study --participants 24 --days 14 --effect 0.1",
        description=(
            "Let simulated people take part in a copy of a study: the real engine watches them, their rows are packed, "
            "sealed, collected, opened and analysed as in a real study. What offers do to them is known, since it was "
            "planted, so the estimate can be compared with it, and every row with the journals. Nobody is involved; "
            "keys, invitations and lots of the study are not touched."
        ),
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="the folder of the study; without it, or where it holds no study yet, a built-in example",
    )
    parser.add_argument(
        "--participants", type=_people, default=PEOPLE, metavar="N", help=f"how many simulated people ({PEOPLE})"
    )
    parser.add_argument("--days", type=int, metavar="N", help="the first days of the study (all of them)")
    parser.add_argument(
        "--effect",
        type=float,
        metavar="D",
        help=f"what a shown offer adds to the chance to be out of trouble 300 s later ({EFFECT:g}; 0 where no offer "
        "is left to chance: then no effect is looked for)",
    )
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"of everything that is drawn ({SEED})")
    parser.add_argument(
        "--whole-path",
        action="store_true",
        help="with a real broker (mosquitto), senders and a collector, each a process of its own",
    )


def _people(text: str) -> int:
    if text.isascii() and text.isdigit() and MIN_PEOPLE <= int(text[:9]) <= MAX_PEOPLE:
        return int(text[:9])
    raise argparse.ArgumentTypeError(f"a whole number from {MIN_PEOPLE} to {MAX_PEOPLE}")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study rehearse`; 1 where something does not fit."""
    from study.rehearsal.rehearse import Options, Progress, rehearse
    from study.rehearsal.route import DirectRoute
    from study.rehearsal.study_copy import find_study, lots_by

    study = find_study(arguments.folder)
    days = arguments.days if arguments.days is not None else study.plan.days
    effect = arguments.effect
    if effect is None:
        effect = EFFECT if lots_by(study.plan, days) else 0.0
    options = Options(
        people=arguments.participants, days=days, effect=effect, seed=arguments.seed, whole_path=arguments.whole_path
    )
    options.check(study)
    route: Route = DirectRoute()
    if options.whole_path:
        from study.rehearsal.route import WholePath

        route = WholePath()
    print_progress(f"simulated: {options.people} people, {options.days} days of {_name(study)}; nobody is involved")
    with tempfile.TemporaryDirectory(prefix="kairos-rehearsal-") as where:
        found = rehearse(study, options, Path(where), progress=Progress(), route=route)
    took = (f"{stage} {format_short_duration(seconds)}" for stage, seconds in found.seconds.items())
    print_progress(f"simulated: {', '.join(took)}")
    print_result(_facts(found, study), _lines(found, study), as_json=arguments.json)
    return 1 if found.problems else 0


def _name(study: "Rehearsed") -> str:
    return f"{study.plan.name} ({study.source})" if study.source is not None else "the built-in example"


def _facts(found: "Rehearsal", study: "Rehearsed") -> dict[str, object]:
    effect = None if found.fit is None else found.fit.effects[0]
    return {
        "simulated": True,
        "study": study.plan.name,
        "example": study.source is None,
        "participants": found.options.people,
        "days": found.options.days,
        "seed": found.options.seed,
        "whole_path": found.options.whole_path,
        "outcome": "recovered",
        "planted": found.options.effect,
        "estimate": None if effect is None else effect.estimate,
        "low": None if effect is None else effect.low,
        "high": None if effect is None else effect.high,
        "p": None if effect is None else effect.p,
        "covered": None if effect is None else found.covered,
        "found": None if effect is None else found.found,
        "lots": found.lots,
        "rows": found.rows,
        "parcels": found.parcels,
        "tasks": found.tasks,
        "labels": found.labels,
        "labels_changed": found.changed,
        "problems": list(found.problems),
        "seconds": {stage: round(seconds, 2) for stage, seconds in found.seconds.items()},
    }


def _lines(found: "Rehearsal", study: "Rehearsed") -> list[str]:
    options = found.options
    lines = [
        f"SIMULATED: {options.people} people, {options.days} days of {_name(study)}, seed {options.seed}",
        *_estimate(found, study),
    ]
    lines.append(f"{found.lots:,} assignments, {found.rows:,} rows in {found.parcels:,} parcels")
    if found.tasks or found.labels:
        later = f"{found.changed:,} of these corrected or taken back after they had gone"
        lines.append(f"{found.tasks:,} tasks begun, {found.labels:,} labels, {later}")
    if not found.problems:
        lines.append("Every row that arrived is the one that the journals give, and none is missing.")
    lines += [f"problem: {problem}" for problem in found.problems[:SHOWN]]
    if len(found.problems) > SHOWN:
        lines.append(f"and {len(found.problems) - SHOWN} more problems, see --json")
    return lines


def _estimate(found: "Rehearsal", study: "Rehearsed") -> list[str]:
    """Return what became of the planted effect."""
    from participant.documents.plan import StudyOutcome

    if found.fit is None:
        return [
            "No offer of these days is left to chance (utility with exploration), so no effect was planted, and none",
            "can be estimated within people: rehearsed was the way of the rows alone.",
        ]
    effect, options = found.fit.effects[0], found.options
    covered = (
        "the interval holds it" if found.covered else "the interval does not hold it (1 of 20 does not, by chance)"
    )
    lines = [
        f"planted:   {options.effect:+.3f}, the chance to be out of trouble 300 s after an offer",
        f"estimated: {effect.estimate:+.3f}, 95 % interval {effect.low:+.3f} to {effect.high:+.3f}: {covered}",
    ]
    if options.effect and not found.found:
        lines.append(
            "The interval holds zero too: so few people and days often miss an effect of this size; see: "
            "kairos study power --help"
        )
    if study.plan.outcome != StudyOutcome.RECOVERED:
        lines.append(
            f"This study compares {study.plan.outcome}; the effect was planted in recovered, and looked for there."
        )
    return lines
