"""The constructed moments, and the four-way choices made of them by the rule in `data/README.md`."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from daemon.help.context import HelpContext
from storage.records import State

MOMENTS = Path(__file__).with_name("data") / "moments.jsonl"


class Part(StrEnum):
    """What a moment is for."""

    TUNING = "tuning"
    SCORED = "scored"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A constructed moment, and the ids of all pages that would help, best first."""

    moment_id: str
    part: Part
    program: str
    context: HelpContext
    gold: tuple[str, ...]


def read_moments(path: Path = MOMENTS) -> tuple[Moment, ...]:
    """Return all moments, in the order in which they were written."""
    return tuple(_moment(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def _moment(row: dict[str, object]) -> Moment:
    def text(name: str) -> str:
        return str(row.get(name, ""))

    def texts(name: str) -> tuple[str, ...]:
        found = row.get(name, [])
        return tuple(map(str, found)) if isinstance(found, list) else ()

    context = HelpContext(
        app=text("app"),
        title=text("title"),
        dialog=text("dialog"),
        controls=texts("controls"),
        undone=texts("undone"),
        messages=texts("messages"),
        state=State(text("state")),
        evidence=texts("evidence"),
        words=text("words"),
    )
    moment_id = text("id")
    return Moment(
        moment_id=moment_id,
        part=Part(text("part")),
        program=moment_id.rpartition("-")[0],
        context=context,
        gold=texts("gold"),
    )


def choices_of(moment: Moment, moments: Sequence[Moment]) -> tuple[str, ...]:
    """Return the first gold page of a moment and three wrong pages of the same program."""
    others = {other.gold[0] for other in moments if other.program == moment.program} - set(moment.gold)

    def key(page_id: str) -> str:
        return hashlib.sha256(f"{moment.moment_id}/{page_id}".encode()).hexdigest()

    return (moment.gold[0], *sorted(others, key=key)[:3])
