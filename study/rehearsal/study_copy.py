"""A copy of a study for its rehearsal: the same plan with keys, invitations and lots of its own, in a temporary folder.

Nothing of the real study is opened but its plan. The list of arms is drawn from the seed of the rehearsal, so that the
same seed gives the same arms; ids, keys and passwords are new each time, and decide nothing.
"""

import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from participant.documents.invitation import Invited, read_invitation
from participant.documents.keys import READING_KIND, SIGNING_KIND, format_public
from participant.documents.plan import Broker, Plan, PlannedPhase, PublicKeys, parse_plan
from participant.documents.private_files import write_private
from storage.errors import BadFile, UsageError
from study.researcher.allocation import SEED_BYTES, Allocation, seal_allocation
from study.researcher.documents import phase_on, read_plan
from study.researcher.folder import PLAN_FILE, UNFILLED, StudyFolder

EXAMPLE = "example"
EXAMPLE_DAYS = (4, 10)
"""How long the two phases of the built-in example last."""

_CONTACT = "Nobody <nobody@example.org>"
CONSENT = "Simulated: nobody reads this, and nobody takes part in this study.\n"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """The study that is rehearsed; `source` is its file, None for the built-in example."""

    plan: Plan
    source: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCopy:
    """A copy with invitations, in the order of their numbers."""

    folder: StudyFolder
    plan: Plan
    invited: tuple[Invited, ...]


def find_study(folder: Path | None) -> Rehearsed:
    """Return the study of a folder; the built-in example without a folder, or where it holds no study file.

    Raises:
        UsageError: there is no such folder.
        BadFile: its study file is not valid; names the setting.
    """
    if folder is not None and not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", remedy="without a folder the built-in example is rehearsed")
    if folder is not None and (folder / PLAN_FILE).exists():
        return Rehearsed(plan=read_plan(folder / PLAN_FILE), source=folder / PLAN_FILE)
    return Rehearsed(plan=example_plan(), source=None)


def example_plan() -> Plan:
    """Return the built-in example: what `kairos study create` writes, in two weeks, with other keys each time."""
    with tempfile.TemporaryDirectory() as where:
        plan = parse_plan(StudyFolder.create(Path(where) / EXAMPLE).plan_text(), where="the built-in example")
    phases = tuple(
        msgspec.structs.replace(phase, days=days) for phase, days in zip(plan.phases, EXAMPLE_DAYS, strict=True)
    )
    return msgspec.structs.replace(plan, phases=phases, days=sum(EXAMPLE_DAYS))


def lots_by(plan: Plan, days: int) -> int:
    """Return on how many of the first days an offer of the policy `utility` is left to chance, over all arms."""
    return sum(
        policy.name == "utility" and 0.0 < (policy.exploration or 0.0) < 1.0
        for phase in _phases(plan, days)
        for policy in (phase.policy_in(arm) for arm in plan.arms)
    )


def lots_anywhere(plan: Plan, days: int) -> str | None:
    """Return the first phase of these days in which some arm draws lots at any moment; None if there is none."""
    phases = (phase for phase in _phases(plan, days) for arm in plan.arms if phase.policy_in(arm).name == "random")
    return next((phase.name for phase in phases), None)


def _phases(plan: Plan, days: int) -> Iterator[PlannedPhase]:
    """Yield the phase of each of the first days."""
    for day in range(1, days + 1):
        phase = phase_on(plan, day)
        if phase is not None:
            yield phase


def copy_study(
    plan: Plan, where: Path, *, people: int, chance: random.Random, broker: Broker | None = None
) -> StudyCopy:
    """Make the copy, sign it and invite so many people.

    `broker`: where parcels go, in place of the study's own broker; None for an address that nothing listens at.
    """
    folder = StudyFolder.create(where / plan.name)
    keys = PublicKeys(
        signing=format_public(SIGNING_KIND, folder.signing_key().public),
        receipts=parse_plan(folder.plan_text()).keys.receipts,
        readers=(format_public(READING_KIND, folder.reader_key().public),),
    )
    copied = msgspec.structs.replace(
        plan,
        keys=keys,
        broker=broker or Broker(host=LOOPBACK),
        title=f"Rehearsal of {plan.name}",
        contact=_CONTACT,
        ethics="none: everybody in it is simulated",
        questions=tuple(
            msgspec.structs.replace(
                question, text=_filled(question.text), choices=tuple(map(_filled, question.choices))
            )
            for question in plan.questions
        ),
    )
    (folder.path / PLAN_FILE).write_text(plan_text(copied), encoding="utf-8")
    (folder.path / "consent.en.md").write_text(CONSENT, encoding="utf-8")
    folder.sign()
    arms = Allocation(study=plan.name, seed=chance.randbytes(SEED_BYTES), arms=plan.arms)
    write_private(folder.path / "allocation.sealed", seal_allocation(arms, copied.reader_keys))
    invitations = folder.invite(people)
    return StudyCopy(
        folder=folder, plan=copied, invited=tuple(read_invitation(path.read_bytes()) for path in invitations)
    )


def _filled(text: str) -> str:
    """Return a text of a draft without its marks, so that the copy can be signed."""
    for mark in UNFILLED:
        text = text.replace(mark, "to be written")
    return text


def plan_text(plan: Plan) -> str:
    """Return a study file that is read as this plan.

    Raises:
        BadFile: it is longer than a study file may be.
    """
    tables: dict[str, object] = msgspec.to_builtins(plan)
    text = "".join(f"{name} = {_toml(value)}\n" for name, value in tables.items() if value is not None)
    if parse_plan(text, where="the copy of the study") != plan:
        raise BadFile("the study cannot be copied", remedy="take unusual characters out of its texts")
    return text


def _toml(value: object) -> str:
    """Return a value as TOML; strings as JSON writes them, which TOML reads, and tables on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items() if one is not None)
        return f"{{{inner}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps(value)
