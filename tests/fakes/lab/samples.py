"""Samples with chosen labels where all was told and nothing happened, for tests of what is said about detectors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectors.features.table import BLANKS
from lab.training.dataset import NAMES, STATES, Samples, SessionFacts
from lab.training.detector_metrics import PERCENTS
from storage.clock import NS_PER_S
from storage.records import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One prefix: `part` is its share of the window or clip in percent."""

    window: int
    part: int
    need: bool = False
    clip: bool = False
    truncated: bool = False
    state: State = State.PERFORMING_ACTIONS


def window(number: int, needs: Sequence[bool], *, truncated: bool = False) -> list[Row]:
    return [
        Row(window=number, part=part, need=need, truncated=truncated)
        for part, need in zip(PERCENTS, needs, strict=False)
    ]


def clip(number: int, state: State, *, need: bool = False) -> list[Row]:
    return [Row(window=number, part=part, need=need, clip=True, state=state) for part in PERCENTS]


def samples_from(sessions: Sequence[Sequence[Row]]) -> Samples:
    rows = [(number, row) for number, session in enumerate(sessions) for row in session]
    many = len(rows)
    facts = [
        SessionFacts(name=f"made-up-{number}", program="desk", person=number, split="test", hours=0.5, unlabelled=0)
        for number in range(len(sessions))
    ]
    return Samples(
        features=np.tile(np.array([name in BLANKS for name in NAMES], np.float32), (many, 1)),
        state=np.array([STATES.index(row.state) for _, row in rows], np.int64),
        need=np.array([row.need for _, row in rows], np.bool_),
        clip=np.array([row.clip for _, row in rows], np.bool_),
        fraction=np.array([row.part / 100 for _, row in rows], np.float64),
        truncated=np.array([row.truncated for _, row in rows], np.bool_),
        start_ns=np.array([row.window * 24 * NS_PER_S for _, row in rows], np.int64),
        end_ns=np.array([(row.window * 24 + row.part * 24 // 100) * NS_PER_S for _, row in rows], np.int64),
        label_ns=np.array([row.window * 24 * NS_PER_S for _, row in rows], np.int64),
        hard_negative=np.zeros(many, np.bool_),
        held_out=np.zeros(many, np.bool_),
        group=np.array([1000 * number + 2 * row.window + row.clip for number, row in rows], np.int64),
        session=np.array([number for number, _ in rows], np.int64),
        plain=np.ones(many, np.bool_),
        behavior=np.array(["made_up"] * many, np.str_),
        sessions=tuple(facts),
    )
