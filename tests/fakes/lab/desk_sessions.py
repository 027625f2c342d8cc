"""Labelled sessions at the small simulated desk: quick to make, and with all nine states, for tests of training."""

import lzma
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lab.simulation.persona import Split
from lab.simulation.recording import pack
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Head, Manifest, Packed, summarize_lateness, write_manifest, write_packed
from lab.training.dataset import Samples, join, samples_of
from lab.training.extract import Variant
from storage.records import EventKind, Record, SessionStart, State, Switch, SwitchName
from storage.settings import Settings
from tests.fakes.detectors.fake_detectors import first_row
from tests.fakes.lab.packs import head, label
from tests.fakes.sessions import people
from tests.fakes.sessions.desk import Desk, S


def ponder(desk: Desk) -> None:
    for _ in range(3):
        desk.type(4)
        desk.about(5.0)


def read_brief(desk: Desk) -> None:
    desk.focus("viewer")
    for _ in range(5):
        desk.about(2.5)
        desk.event(EventKind.SCROLL, x=600, y=500, dy=-1)
        desk.paint(people.MENU)
    desk.focus("editor")


def search_help(desk: Desk) -> None:
    people.stuck_pause(desk)
    desk.focus("chromium")
    desk.type(12)
    people.read_on(desk)
    people.read_on(desk)


def explore(desk: Desk) -> None:
    for turn in range(12):
        desk.move(300 + 100 * turn, 120)
        desk.about(0.7)


def check(desk: Desk) -> None:
    for turn in range(12):
        desk.event(EventKind.SCROLL, x=600, y=500, dy=1 if turn % 3 else -1)
        desk.paint(people.OTHER_MENU)
        desk.about(0.9)


PLOT: tuple[tuple[State | None, Callable[[Desk], object], bool], ...] = (
    (State.TASK_UNDERSTANDING, read_brief, False), (State.PERFORMING_ACTIONS, people.write_prose, False),
    (State.FRUSTRATION, people.dead_clicks, False), (State.PERFORMING_ACTIONS, people.fill_cells, False),
    (State.ASSESSMENT, check, False), (State.DEBUGGING, people.dialog_loop, False),
    (State.PERFORMING_ACTIONS, people.compare, True), (State.IDEATION, ponder, False),
    (State.SEEKING_EXTERNAL_HELP, search_help, False), (State.PERFORMING_ACTIONS, people.expert, True),
    (State.WAITING, people.watch, False), (State.EXPLORATION, explore, False), (None, people.leave, True),
    (State.FRUSTRATION, people.undo_loop, False), (State.PERFORMING_ACTIONS, people.step_up, True),
)  # fmt: skip
"""Who does what, and whether it is a hard negative."""


def desk_session(seed: int, program: str = "desk") -> tuple[list[Record], list[Label]]:
    desk = Desk(seed)
    labels = []
    for state, act, hard in PLOT:
        start_s = desk.now
        act(desk)
        troubled = state in {State.FRUSTRATION, State.DEBUGGING, State.SEEKING_EXTERNAL_HELP}
        labels.append(
            label(
                start_s,
                desk.now,
                need_s=start_s + (desk.now - start_s) * 0.4 if troubled else None,
                behavior=act.__name__,
                state=state,
                hard_negative=hard,
                held_out=act is people.undo_loop,
                program=program,
                intent="",
            )
        )
        desk.wait(1.5)
    rows = [first_row(Settings()), Switch(name=SwitchName.CONSENT, on=True, by="command"), *desk.records]
    return [_numbered(row, number + 1) for number, row in enumerate(rows)], labels


def _numbered(row: Record, seq: int) -> Record:
    at_ns = S if isinstance(row, SessionStart | Switch) else getattr(row, "t_ns", S) + S // 50
    return replace(row, seq=seq, at_ns=at_ns)


def pack_desks(folder: Path, split: Split = Split.TRAIN, *, programs: tuple[str, ...], people: int = 2) -> Path:
    """Write packed sessions of some people in some programs, with a manifest; return the folder."""
    folder.mkdir(exist_ok=True)
    for name, content in _packed_desks(split, programs, people).items():
        (folder / name).write_bytes(content)
    return folder


@cache
def _packed_desks(split: Split, programs: tuple[str, ...], people: int) -> Mapping[str, bytes]:
    """Return the files by name, compressed a little: to compress them as for others takes five times as long."""
    quick = [{"id": lzma.FILTER_LZMA2, "preset": 0}]
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "_FILTERS", quick)
        folder = _pack_desks(Path(name), split, programs, people)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def _pack_desks(folder: Path, split: Split, programs: tuple[str, ...], people: int) -> Path:
    manifest = Manifest()
    for number, program in enumerate(programs):
        for person in range(people):
            name = f"{split}-{program}-{person}"
            rows, labels = desk_session(100 * number + person, program)
            facts = head_of(name, labels, program, 10 * number + person)
            facts = replace(facts, seed=str(number), split=split, planned_s=300.0)
            manifest = manifest.with_entry(write_packed(folder, facts, rows))
    write_manifest(folder, manifest)
    return folder


@cache
def desk_samples(programs: tuple[str, ...] = ("a", "b", "c"), *, same_person: bool = False) -> Samples:
    """Return samples of two people in each program, all strangers or always the same."""
    return join(
        _samples_in(program, (0 if same_person else 10 * number) + person, variant)
        for number, program in enumerate(programs)
        for person in range(2)
        for variant in (Variant(), Variant(tempo=1.2))
    )


def _samples_in(program: str, person: int, variant: Variant) -> Samples:
    """Return the samples of a person, who does the same in every program, as those of one program."""
    samples = _samples_of_person(person, variant)
    (facts,) = samples.sessions
    return replace(samples, sessions=(replace(facts, name=f"{program}{person}", program=program),))


@cache
def _samples_of_person(person: int, variant: Variant) -> Samples:
    return samples_of(packed_desk("", person), variant)


def packed_desk(program: str, person: int) -> Packed:
    rows, labels = desk_session(person, program)
    return Packed(head_of(f"{program}{person}", labels, program, person), tuple(rows))


def head_of(name: str, labels: list[Label], program: str, person: int) -> Head:
    return head(
        name, *labels, seed="", person=person, program=program, planned_s=1.0, settings={}, versions={},
        lateness=summarize_lateness(()),
    )  # fmt: skip
