"""What people say of their own work, and the tasks they were given, on their way into parcels; and back out of them."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from daemon.purge.intent import ALL
from daemon.purge.purge import begin, finish
from daemon.purge.span import PurgeSpan
from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import leave_out
from participant.documents.plan import Sent
from participant.documents.rows import LabelRow, TaskRow, decode_rows
from participant.membership.consent import agreement, encode_consent, open_writer, read_consent_file
from participant.membership.folder import ParticipantFolder
from participant.pack import pack, take_out_deleted
from storage.files import sessions_folder, state_file, write_whole
from storage.records import Judgement, NeedLabel, SegmentLabel, State, TaskMark, TaskStep
from storage.session.labels import change_labels, put_label
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from tests.fakes.studies import documents as studies
from tests.fakes.studies.participants import join_study, opened, receive_all, rows_shown, try_all
from tests.fakes.studies.session import BOOT_NS, S, StudySession, join, local_wall_ns, session_name, write_session

MARKER = "zanzibar"
TASK = TaskMark(code="sort", step=TaskStep.BEGUN, title="Sort a table", program="Calc", skill=2)
NOW_NS = local_wall_ns(2, 60)
HOUR_NS = 3600 * S
LABEL = SegmentLabel(
    label_id="00000000000000aa",
    rater="me",
    start_ns=BOOT_NS + 200 * S,
    end_ns=BOOT_NS + 260 * S,
    at_wall_ns=5,
    states=(State.FRUSTRATION, State.DEBUGGING),
    need=NeedLabel.YES,
    wanted="sort it",
    would_help="the menu",
    blind=False,
    first=Judgement(by="me", states=(State.WAITING,), need=NeedLabel.NO),
    shown=Judgement(by="", states=(State.FRUSTRATION,), need=NeedLabel.YES),
)
ROW = LabelRow(
    label="00000000000000aa",
    day=1,
    minute=603,
    phase="trial",
    arm="help",
    task="sort",
    seconds=60,
    states=(State.FRUSTRATION, State.DEBUGGING),
    need=NeedLabel.YES,
    blind=False,
    first_states=(State.WAITING,),
    first_need=NeedLabel.NO,
    shown_states=(State.FRUSTRATION,),
    shown_need=NeedLabel.YES,
    wanted="sort it",
    would_help="the menu",
    said=f"{MARKER} again",
)


def work_a_day(base: Path) -> Path:
    session = StudySession(minute=600.0)
    session.add(100, TASK)
    session.add(400, replace(TASK, step=TaskStep.DONE))
    session.add(500, replace(TASK, code="chart", title="A chart", program="", skill=0))
    folder = write_session(base / session_name(1), session.end(560).rows)
    put_label(folder, LABEL)
    at_ns = BOOT_NS + 210 * S
    words = [SpokenWord(start_ns=at_ns + n * S, end_ns=at_ns + n * S + S, text=text) for n, text in enumerate(SAID)]
    write_transcript(folder, Transcript(source="test", words=tuple(words)))
    return folder


SAID = (MARKER, "again")


def labels_in(folder: ParticipantFolder) -> list[LabelRow]:
    return [row for rows in opened(folder) for row in rows if isinstance(row, LabelRow)]


def shown(folder: ParticipantFolder) -> list[LabelRow]:
    return [row for row in rows_shown(folder) if isinstance(row, LabelRow)]


def packed(tmp_path: Path, sends: tuple[Sent, ...] = tuple(Sent)) -> tuple[ParticipantFolder, Path, Path]:
    folder, base = join(tmp_path / "sheets", sends=sends), tmp_path / "sessions"
    session = work_a_day(base)
    pack(folder, NOW_NS, base)
    return folder, base, session


def delete(folder: Path) -> None:
    change_labels(folder, lambda _: ())


def test_a_label_travels_with_its_task_and_once(tmp_path: Path) -> None:
    folder, base, _ = packed(tmp_path)
    assert labels_in(folder) == [ROW]
    assert pack(folder, NOW_NS + HOUR_NS, base, at_once=True) == 0
    done, cut = (row for row in rows_shown(folder) if isinstance(row, TaskRow))
    assert (done.task, done.day, done.minute, done.seconds, done.end, done.skill) == ("sort", 1, 601, 300, "done", 2)
    assert (cut.task, cut.seconds, cut.end, cut.skill) == ("chart", 60, "cut_off", None)


@pytest.mark.parametrize(
    ("sends", "rows"),
    [
        ((Sent.AGGREGATES,), []),
        ((Sent.AGGREGATES, Sent.LABELS), [ROW.without_words()]),
        ((Sent.AGGREGATES, Sent.NARRATION), []),
    ],
)
def test_words_and_labels_go_by_their_own_switch_alone(
    tmp_path: Path, sends: tuple[Sent, ...], rows: list[LabelRow]
) -> None:
    folder, _, _ = packed(tmp_path, sends)
    assert labels_in(folder) == rows
    assert MARKER.encode() not in folder.outbox.read_bytes()
    assert not [row for row in rows_shown(folder) if isinstance(row, TaskRow)]


@pytest.mark.parametrize(("remove", "let_go"), [(delete, False), (delete, True), (shutil.rmtree, False)])
def test_what_was_deleted_before_it_was_sent_never_goes(
    tmp_path: Path, remove: Callable[[Path], None], let_go: bool
) -> None:
    """A label or its session; also of a parcel that was let go, which stays so. The control is the test before."""
    folder, base, session = packed(tmp_path)
    with Outbox(folder.outbox) as outbox:
        assert outbox.release(1 if let_go else -1) == let_go
    remove(session)
    take_out_deleted(folder, base)
    assert labels_in(folder) == []
    assert MARKER.encode() not in folder.outbox.read_bytes()
    with Outbox(folder.outbox) as outbox:
        waiting = ParcelState.READY if let_go else ParcelState.HELD
        assert [parcel.state for parcel in outbox.parcels()] == [ParcelState.READY, waiting]
    pack(folder, NOW_NS + HOUR_NS, base, at_once=True)
    assert labels_in(folder) == []  # it was never sent, so nothing is taken back


def test_words_that_were_deleted_never_go(tmp_path: Path) -> None:
    folder, base, session = packed(tmp_path)
    (session / "words.json").unlink()
    pack(folder, NOW_NS + HOUR_NS, base, at_once=True)
    assert labels_in(folder) == [msgspec.structs.replace(ROW, said="")]
    assert MARKER.encode() not in folder.outbox.read_bytes()


def under_way(tmp_path: Path) -> tuple[ParticipantFolder, Path, Path]:
    folder, base, session = packed(tmp_path)
    with Outbox(folder.outbox) as outbox:
        outbox.release(9)
    try_all(folder)
    return folder, base, session


def test_words_of_a_parcel_under_way_can_be_looked_at_until_they_are_deleted(tmp_path: Path) -> None:
    folder, base, session = under_way(tmp_path)
    take_out_deleted(folder, base)
    assert shown(folder) == [ROW]
    delete(session)
    take_out_deleted(folder, base)
    assert shown(folder) == [ROW.without_words()]


def test_what_was_sent_is_corrected_or_taken_back(tmp_path: Path) -> None:
    """Its words are no longer in the clear once it has arrived."""
    folder, base, session = under_way(tmp_path)
    receive_all(folder)
    put_label(session, replace(LABEL, need=NeedLabel.NO, at_wall_ns=6))
    pack(folder, NOW_NS + HOUR_NS, base, at_once=True)
    corrected = msgspec.structs.replace(ROW, need=NeedLabel.NO)
    assert labels_in(folder) == [ROW, corrected]
    assert shown(folder) == [ROW.without_words(), corrected]
    delete(session)
    pack(folder, NOW_NS + 2 * HOUR_NS, base, at_once=True)
    first, back = labels_in(folder)  # the correction had not been sent
    assert (first, back.label, back.taken_back, back.states, back.said) == (ROW, ROW.label, True, (), "")
    assert pack(folder, NOW_NS + 3 * HOUR_NS, base, at_once=True) == 0


def test_a_purge_takes_words_out_of_what_waits_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the command of the study, in a process of its own; the control is that the marker was there."""
    folder, base = join_study()[0], sessions_folder("")
    consent = read_consent_file(folder.consent)
    answer = agreement(studies.bundle(), (Sent.AGGREGATES, Sent.LABELS, Sent.NARRATION), "en", local_wall_ns(0, 600))
    write_whole(folder.consent, encode_consent(msgspec.structs.replace(consent, answers=(answer,))))
    work_a_day(base)
    pack(folder, NOW_NS, base)
    assert MARKER.encode() in folder.outbox.read_bytes()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    begin(PurgeSpan(scope=ALL, begin_wall_ns=0, end_wall_ns=None), base, state_file())
    report = finish(state_file())
    assert report is not None
    assert report.problems == ()
    assert MARKER.encode() not in folder.outbox.read_bytes()


def test_a_label_that_was_left_out_in_review_stays_out(tmp_path: Path) -> None:
    folder, base, _ = packed(tmp_path)
    with Outbox(folder.outbox) as outbox:
        rows = decode_rows(outbox.parcels()[1].rows)
        place = next(place for place, row in enumerate(rows, 1) if isinstance(row, LabelRow))
        leave_out(outbox, open_writer(folder), [(1, place)])
    pack(folder, NOW_NS + HOUR_NS, base, at_once=True)
    assert labels_in(folder) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"rater": "Ada"},
        {"proposed": True},
        {"dropped": True},
        {"need": None},
    ],
)
def test_only_what_the_person_said_in_full_travels(tmp_path: Path, changes: dict[str, object]) -> None:
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    session = work_a_day(base)
    put_label(session, replace(LABEL, **changes))  # type: ignore[arg-type]  # a few fields
    pack(folder, NOW_NS, base)
    assert labels_in(folder) == []


def test_a_yes_to_other_words_is_none(tmp_path: Path) -> None:
    """The words of a switch were changed since; and an answer from before its words were kept agreed to no label."""
    for name, words in (("sheets", {Sent.LABELS: "0" * 64}), ("older", {})):
        folder, base = join(tmp_path / name), tmp_path / f"{name} sessions"
        consent = read_consent_file(folder.consent)
        assert consent.current.in_force == frozenset(Sent)
        answer = msgspec.structs.replace(consent.current, words={**consent.current.words, **words} if words else {})
        kept = {Sent.AGGREGATES, Sent.CATEGORIES, Sent.QUESTIONS}
        assert answer.in_force == (set(Sent) - {Sent.LABELS} if words else kept)
        write_whole(folder.consent, encode_consent(msgspec.structs.replace(consent, answers=(answer,))))
        work_a_day(base)
        pack(folder, NOW_NS, base)
        assert labels_in(folder) == []
