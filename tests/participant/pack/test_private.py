"""What a journal holds of programs, titles and words is in no parcel, and in nothing that lies beside the parcels."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from participant.delivery.outbox import Outbox
from participant.documents.rows import AnswerRow, Category, ConsentRow, DayRow, PointRow
from participant.pack import pack
from participant.pack.points import category_of
from storage.enrolment import QuestionItem, QuestionPlan
from storage.records import (
    Answer,
    AnswerKind,
    Box,
    ClosedBy,
    ControlAct,
    ControlRole,
    Decision,
    DialogSeen,
    DocumentLoaded,
    Dropped,
    Element,
    Elements,
    Feedback,
    FeedbackKind,
    Focus,
    HelpAnswer,
    MessageClass,
    MessageSeen,
    ModelTier,
    Problem,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    Switch,
    SwitchName,
    UndoLabel,
    Verdict,
    Window,
    WindowEvent,
)
from storage.testing import plain
from tests.fakes.studies.participants import rows_shown
from tests.fakes.studies.session import (
    BOOT_NS,
    DATE,
    RunningSession,
    S,
    StudySession,
    join,
    local_wall_ns,
    session_name,
)

MARKERS = 24
BOX = Box(0, 0, 10, 10)


class Words:
    """Gives a new marker each time: small letters alone, so that it would pass as a code or a name too."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def __call__(self) -> str:
        high, low = divmod(len(self.used), 26)
        marker = f"marker{chr(97 + high)}{chr(97 + low)}"
        self.used.append(marker)
        return marker


def marked_session(word: Words) -> StudySession:
    app, code = word(), word()
    items = (QuestionItem(code="stuck", text=word(), choices=(word(), "Yes")),)
    settings = {
        "policy": {"name": "utility", "excluded": word()},
        "storage": {"sessions_dir": f"/home/{word()}/sessions"},
        "strong_model": {"url": f"https://{word()}.example/v1", "model": word(), "key_name": word()},
    }
    session = StudySession(
        start={"platform": word(), "session_id": word(), "detector": word(), "settings": settings},
        study={"questions": QuestionPlan(items=items)},
    )
    t_ns = BOOT_NS
    seen: dict[str, Any] = {"t_ns": t_ns, "app": app}
    alert: dict[str, Any] = {**seen, "role": ControlRole.ALERT, "text_digest": "", "about": MessageClass.ERROR}
    window: dict[str, Any] = {"window_id": 1, "start_ns": 0, "end_ns": 1, "planned_ns": 1, "frames": (), "events": 1}
    for record in (
        Focus(**seen, window=1, title_digest=word(), geometry=BOX, title=word()),
        WindowEvent(**seen, popup=True, gone=False, geometry=BOX),
        Elements(**seen, elements=(Element(role=word(), box=BOX, name=word()),)),
        ControlAct(**seen, what="pressed", role=ControlRole.BUTTON, name_digest="", name=word()),
        DialogSeen(**alert, title_digest="", title=word(), text=word()),
        MessageSeen(**alert, text=word()),
        DocumentLoaded(**seen, title_digest="", title=word()),
        UndoLabel(**seen, label_digest="", label=word()),
        Window(**window, closed_by=ClosedBy.FULL, app=app),
        Problem(code=word()),
        Dropped(what=word(), count=1, reason=word()),
        Switch(name=SwitchName.EXCLUDED, on=False, by=word()),
        plain(HelpAnswer, t_ns, model=word(), tier=ModelTier.STRONG, asked_at_ns=t_ns, latency_ns=1),
    ):
        session.add(1.0, record)
    prefix = session.estimate(10.0, 0.9, app=app)
    numbers = {"help_need": 0.9, "sum": 5.0, "upper": 3.0, word(): 1.0}
    about: dict[str, Any] = {"numbers": numbers, "prefix_ids": (prefix,), "topic": code, "propensity": 0.5}
    session.add(10.0, Decision(verdict=Verdict.HOLD, gate="arm", reason="withheld", **about))
    seq = session.offer(20.0, topic=word())
    session.add(25.0, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.MUTED, by=word()))
    session.decide(30.0, word(), word())
    due: dict[str, Any] = {"moment": QuestionMoment.RANDOM, "due_ns": BOOT_NS + 40 * S, "date": DATE}
    session.add(40.0, Question(question_id=word(), **due, probability=1.0, lot=0.1))
    session.add(45.0, Answer(question_id=word.used[-1], kind=AnswerKind.ANSWERED, choices={"stuck": 1, word(): 2}))
    session.add(45.0, QuestionOutcome(question_id=word.used[-2], step=QuestionStep.ANSWERED, delay_ns=S, reason=word()))
    return session


def found_in(raw: bytes, words: Words) -> set[str]:
    return {word for word in words.used if word.encode() in raw}


def test_no_word_of_a_journal_is_in_a_parcel_or_beside_it(tmp_path: Path) -> None:
    words = Words()
    session = marked_session(words)
    assert len(words.used) >= MARKERS
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    running = RunningSession(base, session.rows)
    pack(folder, local_wall_ns(1, 601), base)
    beside = b"".join(file.read_bytes() for file in folder.path.iterdir())
    assert b"undo_bursts" in beside  # what may be there of an open point is
    assert found_in(beside, words) == set()

    running.writer.append([session.rows[session.end(1000.0).rows[-1].seq - 1]])
    running.close()
    pack(folder, local_wall_ns(2, 0), base)
    assert [type(row) for row in rows_shown(folder)] == [ConsentRow, AnswerRow, PointRow, PointRow, DayRow]
    assert found_in(b"".join(file.read_bytes() for file in folder.path.iterdir()), words) == set()
    journal = b"".join(file.read_bytes() for file in (base / session_name(1)).iterdir())
    assert found_in(journal, words) == set(words.used)


def test_control_a_row_with_a_text_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Leaking(msgspec.Struct, tag="point", tag_field="row"):
        point: PointRow
        app: str

    words = Words()
    session = marked_session(words)
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    monkeypatch.setattr("participant.pack.fold.code_in", lambda code, _: code)
    RunningSession(base, [*session.rows, session.end(1000.0).rows[-1]]).close()
    pack(folder, local_wall_ns(2, 0), base)
    with Outbox(folder.outbox) as outbox:
        raw = b"".join(parcel.rows for parcel in outbox.parcels())
    point = next(row for row in rows_shown(folder) if isinstance(row, PointRow))
    assert len(found_in(raw, words)) >= 3  # problem, gate, reason: codes that nobody looked up
    assert found_in(msgspec.msgpack.encode([Leaking(point=point, app=words.used[0])]), words) == {words.used[0]}


def test_no_row_has_a_time_of_the_clock(tmp_path: Path) -> None:
    session = marked_session(Words()).end(1000.0)
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    RunningSession(base, session.rows).close()
    pack(folder, local_wall_ns(2, 0), base)
    with Outbox(folder.outbox) as outbox:
        rows = [msgspec.msgpack.decode(parcel.rows) for parcel in outbox.parcels()[1:]]
    numbers = [float(text) for text in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", str(rows))]
    assert len(numbers) >= 50
    assert max(numbers) < 1440
    assert DATE not in numbers


CATEGORIES = {
    Category.SHEETS: ("libreoffice-calc",),
    Category.WRITING: ("LibreOffice-Writer",),
    Category.SLIDES: ("libreoffice-impress",),
    Category.GRAPHICS: ("Gimp-2.10", "Inkscape"),
    Category.AUDIO_VIDEO: ("Audacity",),
    Category.CODE: ("jetbrains-pycharm-ce", "Code"),
    Category.TERMINAL: ("Gnome-terminal", "XTerm"),
    Category.BROWSER: ("firefox", "firefox-esr", "Navigator", "Google-chrome"),
    Category.MAIL_CHAT: ("thunderbird", "Slack"),
    Category.FILES: ("org.gnome.Nautilus", "Thunar"),
    Category.OTHER: ("Soffice", "AcmePatientRecords", "", "codenames of the project"),  # not in the table
}


@pytest.mark.parametrize("app", [app for apps in CATEGORIES.values() for app in apps])
def test_programs_have_a_category(app: str) -> None:
    """By their window class."""
    assert app in CATEGORIES[category_of(app)]


def test_the_table_names_each_program_once() -> None:
    """And every category but `other` has some."""
    file = Path(__file__).parents[3] / "participant" / "documents" / "data" / "categories.txt"
    lines = file.read_text(encoding="ascii").splitlines()
    entries = [line.split(": ") for line in lines if line and not line.startswith("#")]
    names = [name for _, listed in entries for name in listed.split()]
    assert len(names) == len(set(names)) > 150
    assert {category for category, _ in entries} == set(Category) - {Category.OTHER}
    assert all(name == name.casefold() for name in names)
