"""The builder of sessions for tests: a real session folder that every reader of sessions takes."""

from pathlib import Path

import pytest

from storage import records
from storage.clock import NS_PER_S
from storage.db.codec import encode
from storage.records import Context, Estimate, FeedbackKind, Frame, InputEvent, Offer, StudyStart
from storage.session.log import SessionReader, list_sessions
from storage.session.verify import verify
from storage.session.video import SessionImages
from storage.testing import WALL_NS, SessionBuilder, plain


def test_a_session_is_written_record_by_record(tmp_path: Path) -> None:
    session = SessionBuilder(app="calc", begin_ns=50 * NS_PER_S, recording=True)
    session.focus("writer", title="Letter")
    session.wait(2).keys(3).click(400, 300)
    shown = [session.wait(1).picture(luma) for luma in (40, 200)]
    session.control("Bold")
    need = session.estimate(0.9, "undo_bursts")
    session.decide("cooldown", "budget")
    offer = session.offer(topic="undo_bursts")
    answer = session.wait(4).answer(FeedbackKind.DISMISSED)
    session.at(30).end()

    folder = session.write(tmp_path)

    assert list_sessions(tmp_path) == [folder]
    assert verify(folder).problems == ()
    with SessionReader(folder) as reader:
        assert list(reader) == session.rows
        assert (reader.first().session_id, reader.first().wall_ns) == (folder.name, WALL_NS)
    kinds = [row.KIND for row in session.rows[1:]]
    assert kinds == [
        "focus", *["input_event"] * 5, "frame", "frame", "control_act", "estimate", "decision", "decision", "offer",
        "feedback", "session_end",
    ]  # fmt: skip
    assert (need.app, need.help_need, need.made_at_ns) == ("writer", 0.9, need.at_ns)
    assert (offer.decision_seq, answer.offer_id, answer.by) == (offer.seq - 1, offer.offer_id, "person")
    assert session.rows[-1].at_ns == 80 * NS_PER_S
    images = SessionImages(folder, session.rows)
    assert all(images.jpeg(frame.seq) for frame in shown)
    images.close()


def test_records_made_elsewhere_are_taken_in_at_their_seconds() -> None:
    session = SessionBuilder().timed([(5, plain(Offer)), (2.5, plain(InputEvent))])
    assert [(row.seq, row.at_ns / NS_PER_S, row.KIND) for row in session.rows[1:]] == [
        (2, 2.5, "input_event"),
        (3, 5.0, "offer"),
    ]
    with pytest.raises(ValueError, match="cannot go back"):
        session.at(4)


def test_a_plain_record_needs_no_field_but_those_a_test_is_about() -> None:
    kinds = (
        records.Focus, records.WindowEvent, records.Frame, records.InputEvent, records.ControlAct, records.DialogSeen,
        records.MessageSeen, records.Elements, records.DocumentLoaded, records.UndoLabel, records.Window,
        records.Prefix, records.Estimate, records.Decision, records.Offer, records.Feedback, records.NeedReport,
        records.SessionStart,
    )  # fmt: skip
    assert all(encode(plain(kind)) for kind in kinds)
    assert plain(Context, app="calc").app == "calc"
    assert plain(Estimate, 7).ready_at_ns == 7
    assert plain(Frame, 7, t_ns=3).t_ns == 3
    for kind in (StudyStart, records.Answer):
        with pytest.raises(TypeError, match="missing"):
            plain(kind)
