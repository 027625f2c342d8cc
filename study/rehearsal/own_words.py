"""What simulated people say of their own work: labels, some corrected or deleted later, and words spoken aloud.

Kept beside what was put into the sessions' folders, so that what arrives can be held against what was said.
"""

import datetime as dt
import hashlib
import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from participant.documents.plan import Sent
from storage.clock import NS_PER_S
from storage.records import KAIROS, ME, Judgement, NeedLabel, SegmentLabel, State
from storage.session.labels import change_labels, put_label
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from study.rehearsal.journals import Session
from study.rehearsal.person import Stretch

LABELS_ONE, SHOWN_OTHERWISE, GIVES_WAY = 0.5, 0.3, 0.4
"""Chances that a stretch is labelled, that what is shown then says otherwise, and that the person gives way to it."""

CHANGES, DELETES = 0.5, 0.5
"""Chances that a label is changed on the next day or the one after, and that this deletes it."""


@dataclass(slots=True, kw_only=True)
class SaidLabel:
    """A label as the person left it, None once it is deleted, with what was said aloud in its stretch.

    `never`: it was deleted before it may have left.
    """

    folder: Path
    label: SegmentLabel | None
    aloud: str
    made_on: dt.date
    changes_on: dt.date | None
    never: bool = False


class OwnWords:
    """One person's labels and words; what is sent of them follows the switches of the study."""

    def __init__(self, seed: str, sends: Collection[Sent]) -> None:
        """Say nothing yet; `seed` gives what is labelled and how."""
        self._chance = random.Random(f"{seed} labels")  # noqa: S311  # simulation
        self._labels, self._aloud = Sent.LABELS in sends, Sent.NARRATION in sends
        self.said: dict[str, SaidLabel] = {}

    def speak_of(self, session: Session, folder: Path) -> None:
        """Say something of a session that is over, and keep it in its folder."""
        if not self._labels:
            return
        chosen = [stretch for stretch in session.sitting.stretches if self._chance.random() < LABELS_ONE]
        words: list[SpokenWord] = []
        for number, stretch in enumerate(chosen):
            spoken = self._spoken(stretch) if self._aloud else []
            words += spoken
            label = self._label(session, stretch, number)
            put_label(folder, label)
            changes = self._chance.random() < CHANGES
            self.said[label.label_id] = SaidLabel(
                folder=folder,
                label=label,
                aloud=" ".join(word.text for word in spoken),
                made_on=session.sitting.date,
                changes_on=session.sitting.date + dt.timedelta(days=self._chance.randint(1, 2)) if changes else None,
            )
        if words:
            write_transcript(folder, Transcript(source="simulated", language="en", words=tuple(words)))

    def _spoken(self, stretch: Stretch) -> list[SpokenWord]:
        texts = ["here", "it", "is", stretch.trouble.topic if stretch.trouble is not None else "nothing"]
        starts = [stretch.start_ns + (5 + place) * NS_PER_S for place in range(len(texts))]
        return [
            SpokenWord(start_ns=at, end_ns=at + NS_PER_S, text=text) for at, text in zip(starts, texts, strict=True)
        ]

    def _label(self, session: Session, stretch: Stretch, number: int) -> SegmentLabel:
        in_trouble = stretch.trouble is not None
        own, other = _judged(ME, in_trouble=in_trouble), _judged(KAIROS, in_trouble=in_trouble)
        if self._chance.random() < SHOWN_OTHERWISE:
            other = _judged(KAIROS, in_trouble=not in_trouble)
        left = other if self._chance.random() < GIVES_WAY else own
        key = f"{session.name} {number}".encode()
        return SegmentLabel(
            label_id=hashlib.blake2b(key, digest_size=8).hexdigest(),
            rater=ME,
            start_ns=stretch.start_ns,
            end_ns=stretch.end_ns,
            at_wall_ns=session.end_wall_ns,
            states=left.states,
            need=left.need,
            wanted="to go on",
            first=own,
            shown=other,
            judged_ns=(stretch.start_ns, stretch.end_ns),
        )

    def think_again(self, date: dt.date) -> None:
        """Correct or delete what the person has come to see otherwise by a date."""
        for name, said in self.said.items():
            label = said.label
            if label is None or said.changes_on is None or said.changes_on > date:
                continue
            said.changes_on = None
            if self._chance.random() < DELETES:
                said.label, said.never = None, date == said.made_on + dt.timedelta(days=1)
                change_labels(said.folder, partial(_without, name))
            else:
                said.label = replace(label, need=NeedLabel.UNSURE, at_wall_ns=label.at_wall_ns + NS_PER_S)
                put_label(said.folder, said.label)


def _without(name: str, labels: Iterable[SegmentLabel]) -> list[SegmentLabel]:
    return [each for each in labels if each.label_id != name]


def _judged(by: str, *, in_trouble: bool) -> Judgement:
    state, need = (State.FRUSTRATION, NeedLabel.YES) if in_trouble else (State.PERFORMING_ACTIONS, NeedLabel.NO)
    return Judgement(by=by, states=(state,), need=need)
