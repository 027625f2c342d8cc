"""What a participant says of their own stretches (`kairos label`), as rows; taken out again where it was deleted.

Labels are made, changed and deleted at any time, so what waits is compared with what is there before it is shown or
sent: a label that is gone, or says something else now, never leaves. One that was sent is taken back by a row of its
own. Words stay here in the clear until they were received, and no longer. A session that is gone takes nothing back,
since it may have been deleted for its age.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from participant.delivery.outbox import PACKED, Outbox, ParcelState, StoredParcel
from participant.delivery.writer import Writer
from participant.documents.plan import Sent
from participant.documents.rows import MAX_SAID, LabelRow, Row, decode_rows, encode_rows
from participant.pack.state import Participation, begin_running, day_and_minute
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import KAIROS, ME, Judgement, SegmentLabel, SessionStart, StudyStart, TaskMark, task_at
from storage.session.labels import LABELS, read_labels
from storage.session.log import SessionReader, list_sessions
from storage.session.transcript import read_transcript

_NOTHING = Judgement(by=KAIROS)


class PackedLabel(msgspec.Struct, kw_only=True):
    """A label that was packed: its session, when it was kept last with how many words, and what takes it back."""

    session: str
    version: str
    taken_back: LabelRow


class CurrentLabel(NamedTuple):
    """A label as it would be sent now."""

    row: LabelRow
    packed: PackedLabel


class CurrentLabels(NamedTuple):
    """Labels as they would be sent now, by id, and the sessions that were looked through."""

    labels: Mapping[str, CurrentLabel] = {}
    sessions: frozenset[str] = frozenset()


def current_labels(
    sessions_dir: Path, who: Participation, sends: Callable[[int], frozenset[Sent]], packed: Mapping[str, PackedLabel]
) -> CurrentLabels:
    """Return the labels that may be sent; `sends` gives the switches for a session that began at a wall-clock time."""
    known = {label.session for label in packed.values()}
    found: dict[str, CurrentLabel] = {}
    sessions = set()
    for folder in list_sessions(sessions_dir):
        if folder.name not in known and not (folder / LABELS).exists():
            continue
        try:
            with SessionReader(folder) as reader:
                start, rows = reader.first(), list(reader.rows((StudyStart.KIND, TaskMark.KIND)))
            study, marks = next(iter(rows), None), [row for row in rows if isinstance(row, TaskMark)]
            switches = sends(start.wall_ns)
            if not (isinstance(study, StudyStart) and who.owns(start, study) and Sent.LABELS in switches):
                continue
            said = _words(folder) if Sent.NARRATION in switches else None
            for label in read_labels(folder):
                if label.rater == ME and label.is_set and not label.proposed and not label.dropped:
                    row = _row_of(label, who, (start, study), marks, said)
                    if row is not None:
                        found[row.label] = CurrentLabel(row, _packed_as(row, folder.name, label.at_wall_ns))
        except BadFile:  # `kairos sessions verify` says so
            continue
        sessions.add(folder.name)
    return CurrentLabels(found, frozenset(sessions))


def _words(folder: Path) -> list[tuple[int, int, str]]:
    found = read_transcript(folder)
    return [] if found is None else [(word.start_ns, word.end_ns, word.text) for word in found.words]


def _row_of(
    label: SegmentLabel,
    who: Participation,
    opening: tuple[SessionStart, StudyStart],
    marks: list[TaskMark],
    said: list[tuple[int, int, str]] | None,
) -> LabelRow | None:
    """Return the row of a label; None outside the days of the study."""
    running = begin_running(*opening)
    day, minute = day_and_minute(running, label.start_ns)
    if not 1 <= day <= running.days:
        return None
    task = task_at(marks, label.start_ns)
    first, shown = label.first or _NOTHING, label.shown or _NOTHING
    spoken = " ".join(text for start, end, text in said or () if start < label.end_ns and end > label.start_ns)
    row = LabelRow(
        label=label.label_id,
        day=day,
        minute=minute,
        phase=running.phase,
        arm=who.arm,
        task=task.code if task is not None else None,
        seconds=(label.end_ns - label.start_ns) // NS_PER_S,
        states=label.states,
        need=label.need,
        blind=label.blind,
        first_states=first.states,
        first_need=first.need,
        shown_states=shown.states,
        shown_need=shown.need,
        wanted=label.wanted if said is not None else "",
        would_help=label.would_help if said is not None else "",
        said=spoken[:MAX_SAID],
    )
    try:
        encode_rows([row])
    except ValueError:  # a label of another version, or changed by hand
        return None
    return row


def _packed_as(row: LabelRow, session: str, at_wall_ns: int) -> PackedLabel:
    gone = LabelRow(label=row.label, day=row.day, minute=row.minute, phase=row.phase, arm=row.arm, taken_back=True)
    words = len(row.wanted) + len(row.would_help) + len(row.said)
    return PackedLabel(session=session, version=f"{at_wall_ns}.{words}", taken_back=gone)


def new_rows(current: CurrentLabels, packed: dict[str, PackedLabel]) -> list[LabelRow]:
    """Return what is new, changed or to be taken back, and note that it was packed."""
    rows: list[LabelRow] = []
    for name, (row, now) in current.labels.items():
        before = packed.get(name)
        if before is None or before.version != now.version:
            rows.append(row)
            packed[name] = now
    gone = packed.keys() - current.labels.keys()
    return [*rows, *(packed.pop(name).taken_back for name in sorted(gone) if packed[name].session in current.sessions)]


def take_out(
    outbox: Outbox, writer: Writer, current: CurrentLabels, packed: dict[str, PackedLabel], fact: Callable[[], bytes]
) -> None:
    """Take labels that are gone or have changed out of what was never sent, and words out of what was received.

    Of a parcel that is under way the words of such labels go, and the others stay to be looked at.

    What was let go before stays let go. `fact` gives that of `PACKED`, stored together with what was taken out.
    """
    parcels = outbox.parcels()
    waiting = [parcel for parcel in parcels if not parcel.tries and parcel.state is not ParcelState.RECEIVED]
    kept = [[row for row in decode_rows(parcel.rows) if _may_go(row, current)] for parcel in waiting]
    gone = {row.label for parcel in waiting for row in _labels_of(parcel) if not _may_go(row, current)}
    if gone:
        sent = {row.label for parcel in parcels if parcel not in waiting for row in _labels_of(parcel)}
        for name in gone & packed.keys():
            packed[name].version = ""  # one that was sent before is sent again, or taken back
            if name not in sent:
                del packed[name]
        ready = [parcel.n for parcel in waiting if parcel.state is ParcelState.READY]
        outbox.hold(sent_too=False)
        outbox.replace_held(writer.rewrite(waiting, kept), first=waiting[0].n, facts={PACKED: fact()})
        outbox.release(max(ready, default=-1))
    for parcel in parcels:
        if parcel in waiting:
            continue
        stays, rows = parcel.state is not ParcelState.RECEIVED, decode_rows(parcel.rows)
        bare = encode_rows([_without_words(row, kept=stays and _may_go(row, current)) for row in rows])
        if bare != parcel.rows:
            outbox.replace_rows(parcel.n, bare)


def _labels_of(parcel: StoredParcel) -> list[LabelRow]:
    return [row for row in decode_rows(parcel.rows) if isinstance(row, LabelRow)]


def _may_go(row: Row, current: CurrentLabels) -> bool:
    if not isinstance(row, LabelRow) or row.taken_back:
        return True
    now = current.labels.get(row.label)
    return now is not None and now.row == row


def _without_words(row: Row, *, kept: bool) -> Row:
    return row if kept or not isinstance(row, LabelRow) else row.without_words()
