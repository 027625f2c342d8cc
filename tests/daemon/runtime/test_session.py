"""A live session without a desktop: what it records, what its observers see, and that both end in order."""

import asyncio
import datetime as dt
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.gate import Gate
from daemon.capture.thread import CaptureThread
from daemon.engine.engine import Engine
from daemon.models.restrictions import Restrictions
from daemon.runtime import control, core
from daemon.runtime import session as session_module
from daemon.runtime.observers import Observers
from daemon.runtime.session import LiveSession
from storage.clock import SystemClock
from storage.db.codec import canonical
from storage.enrolment import Enrolment, QuestionPlan
from storage.records import (
    Decision,
    InputEvent,
    ModelTier,
    Offer,
    Problem,
    Record,
    SessionEnd,
    SessionStart,
    Sighting,
    StudyStart,
    Switch,
    SwitchName,
)
from storage.session.log import SessionReader
from storage.settings import CaptureSettings, HelpSettings, ModelSettings, Settings
from storage.state.store import Consent, StateStore
from tests.fakes.detectors.fake_detectors import key, offer_about
from tests.fakes.detectors.questions import enrolment
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import rows_in


class Silent:
    """A sink that shows nothing."""

    def show(self, offer: Offer) -> None: ...

    def close(self, offer_id: str) -> None: ...

    def changed(self, record: Switch | Problem) -> None: ...

    def ask(self, question_id: str) -> None: ...

    def close_question(self, question_id: str) -> None: ...

    def decided(self, decision: Decision) -> None: ...


class Rows:
    """An observer that keeps the rows it has seen, and fails at the last."""

    def __init__(self) -> None:
        self.rows: list[Record] = []

    def observe(self, rows: Sequence[Record]) -> None:
        self.rows.extend(rows)
        if isinstance(rows[0], SessionEnd):
            raise ZeroDivisionError


@pytest.fixture(autouse=True)
def nothing_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test has a desktop."""
    monkeypatch.setattr(CaptureThread, "start", lambda _: None)
    monkeypatch.setattr(CaptureThread, "stop", lambda *_: None)


def joined(questions: QuestionPlan | None = None) -> Enrolment:
    return enrolment(dt.date(2026, 11, 1), 366, seed=12345, questions=questions)


def make_session(
    folder: Path,
    state: StateStore,
    on_failure: Callable[[Exception], None],
    enrolment: Enrolment | None = None,
    *,
    settings: Settings | None = None,
    restrictions: Restrictions | None = None,
) -> LiveSession:
    return LiveSession(
        settings=settings or Settings(),
        restrictions=restrictions,
        consent=Consent(journal=True, recording=False, given_at_wall_ns=1),
        sessions_dir=folder / "sessions",
        state=state,
        clock=SystemClock(),
        gate=Gate(),
        sink=Silent(),
        on_cut=lambda _: None,
        on_failure=on_failure,
        cut_wall_ns=10**19,
        enrolment=enrolment,
    )


def test_a_session_has_the_models_that_are_not_turned_off(tmp_path: Path) -> None:
    settings = Settings(local_model=ModelSettings(preset="llama-server"))
    restrictions = Restrictions(settings)
    with StateStore(tmp_path / "state.db") as state:
        models = present(make_session(tmp_path, state, print, settings=settings, restrictions=restrictions)._models)
        assert models._may_leave(ModelTier.LOCAL) is False  # its gate is not open yet
        models._gate.open()
        assert models._may_leave(ModelTier.LOCAL)
        restrictions.tighten(Settings())
        assert not models._may_leave(ModelTier.LOCAL)
        assert make_session(tmp_path, state, print, settings=settings, restrictions=restrictions)._models is None


def test_controls_are_not_understood_once_that_is_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    off: list[CaptureThread] = []
    monkeypatch.setattr(CaptureThread, "turn_controls_off", lambda capture: off.append(capture))  # noqa: PLW0108  # bound
    settings = Settings(capture=CaptureSettings(understand_controls="on"))
    restrictions = Restrictions(settings)

    async def run(session: LiveSession) -> None:
        await session.start(asyncio.get_running_loop(), {})
        restrictions.tighten(replace(settings, help=HelpSettings(model="off")))
        assert off == []
        restrictions.tighten(replace(settings, capture=CaptureSettings(understand_controls="off")))
        assert off == [session._capture]
        await session.stop("test")

    with StateStore(tmp_path / "state.db") as state:
        session = make_session(tmp_path, state, print, settings=settings, restrictions=restrictions)
        assert session.controls is not None
        asyncio.run(run(session))
        assert make_session(tmp_path, state, print, settings=settings, restrictions=restrictions).controls is None


def test_outputs_are_not_read_once_that_is_turned_off(tmp_path: Path) -> None:
    settings = Settings(capture=CaptureSettings(understand_controls="on", read_outputs="on"))
    restrictions = Restrictions(settings)

    async def run(session: LiveSession) -> None:
        await session.start(asyncio.get_running_loop(), {})
        sense = present(session._capture._sense)
        assert sense.reads_outputs
        restrictions.tighten(replace(settings, capture=CaptureSettings(understand_controls="on", read_outputs="off")))
        assert not sense.reads_outputs
        assert not sense.is_off
        await session.stop("test")

    with StateStore(tmp_path / "state.db") as state:
        asyncio.run(run(make_session(tmp_path, state, print, settings=settings, restrictions=restrictions)))


def test_observers_see_what_is_recorded_and_cannot_harm_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observer = Rows()
    monkeypatch.setattr(session_module, "Observers", lambda *others: Observers(observer, *others))
    failures: list[Exception] = []

    async def run(state: StateStore) -> Path:
        session = make_session(tmp_path, state, failures.append)
        await session.start(asyncio.get_running_loop(), {SwitchName.PAUSED: True, SwitchName.PRIVATE: False})
        session.submit([Switch(name=SwitchName.PAUSED, on=False, by="person"), key(5)])
        session.drain()
        await session.stop("quit")
        return session.folder

    with StateStore(tmp_path / "state.db") as state:
        folder = asyncio.run(run(state))
    recorded = rows_in(folder)
    sources = [type(row) for row in recorded if isinstance(row, (SessionStart, Switch, InputEvent, SessionEnd))]
    assert sources == [SessionStart, Switch, Switch, InputEvent, SessionEnd]
    assert [canonical(row) for row in observer.rows] == [canonical(row) for row in recorded]
    assert failures == []


def test_lots_of_one_session_tell_nothing_of_another(tmp_path: Path) -> None:
    """Each has a seed of its own and counts from 0, so no number joins the sessions that somebody exports."""
    failures: list[Exception] = []

    async def run(state: StateStore) -> Path:
        session = make_session(tmp_path, state, failures.append)
        await session.start(asyncio.get_running_loop(), {SwitchName.PAUSED: True})
        await session.stop("quit")
        return session.folder

    lots: list[tuple[object, object]] = []
    with StateStore(tmp_path / "state.db") as state:
        for _ in range(2):
            with SessionReader(asyncio.run(run(state))) as reader:
                saved: Any = reader.first().policy_state["saved"]
            lots.append((saved["seed"], saved["drawn"]))
            (kept,) = [kept for kept, _ in state.policy_states().values()]
            assert kept["seed"] == saved["seed"], "the control: the state that crosses holds it"
    assert lots[0][0] != lots[1][0]
    assert [drawn for _, drawn in lots] == [0, 0]
    assert failures == []


def test_a_session_of_a_study_says_so_and_keeps_how_far_its_questions_are(tmp_path: Path) -> None:
    study = joined(QuestionPlan())
    failures: list[Exception] = []

    async def run(state: StateStore) -> Path:
        session = make_session(tmp_path, state, failures.append, study)
        await session.start(asyncio.get_running_loop(), {SwitchName.PAUSED: True})
        await session.stop("quit")
        return session.folder

    found: list[StudyStart] = []
    with StateStore(tmp_path / "state.db") as state:
        state.save_enrolment(study)
        for _ in range(2):
            rows = rows_in(asyncio.run(run(state)))
            assert isinstance(rows[0], SessionStart)
            assert isinstance(rows[1], StudyStart)
            assert rows[0].policy_state["saved"]["seed"] == 12345  # type: ignore[index]  # a mapping of plain values
            found.append(rows[1])
        assert state.sampling_state("s1")[0] == found[1].sampling_state
        assert [saved["seed"] for saved, _ in state.policy_states().values()] == [12345]
        state.save_enrolment(None)  # left while a session of it ran, which ends after that
        asyncio.run(run(state))
        assert state.sampling_state("s1") == ({}, 0)
        assert state.enrolment() is None
        (saved,) = [saved for saved, _ in state.policy_states().values()]
        assert saved
        assert not {"seed", "drawn"} & set(saved)
    assert (found[0].study, found[0].phase, found[0].questions) == ("s1", "one", QuestionPlan())
    assert found[0].sampling_state == {}
    assert found[1].sampling_state["days"]
    assert failures == []


def test_what_was_asked_and_cannot_be_read_costs_the_questions_of_one_session(tmp_path: Path) -> None:
    study = joined(QuestionPlan())
    failures: list[Exception] = []

    async def run(state: StateStore) -> StudyStart:
        session = make_session(tmp_path, state, failures.append, study)
        await session.start(asyncio.get_running_loop(), {})
        await session.stop("quit")
        with SessionReader(session.folder) as reader:
            return next(row for row in reader if isinstance(row, StudyStart))

    with StateStore(tmp_path / "state.db") as state:
        state.save_enrolment(study)
        state._put("sampling", {"study": 1})
        assert asyncio.run(run(state)).questions is None
        assert asyncio.run(run(state)).questions == QuestionPlan()
    assert failures == []


def test_the_limits_of_all_stages_fit_inside_the_watchdogs() -> None:
    needed_s = sum(session_module.STOP_STAGES_S.values()) + core.STATE_BUSY_S + control.CLOSE_S
    assert needed_s < core.STOP_LIMIT_S
    assert session_module.STOP_STAGES_S["policy"] > core.STATE_BUSY_S


def test_a_stage_that_hangs_leaves_their_time_to_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    limits: list[float] = []

    def hang(_: CaptureThread, limit_s: float) -> None:
        limits.append(limit_s)
        release.wait(30)

    monkeypatch.setattr(CaptureThread, "stop", hang)
    monkeypatch.setitem(session_module.STOP_STAGES_S, "capture", 0.05)
    saves: list[str] = []

    async def run(state: StateStore) -> Path:
        session = make_session(tmp_path, state, lambda _: None)
        await session.start(asyncio.get_running_loop(), {})
        end = session._pipeline.end

        def end_with_an_offer_shown(reason: str) -> None:
            session._save_policy()  # as the withdrawal of an offer does
            end(reason)

        def save(policy: str, saved: Mapping[str, object], wall_ns: int) -> None:
            saves.append(policy)
            StateStore.save_policy_state(state, policy, saved, wall_ns)

        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(session._pipeline, "end", end_with_an_offer_shown)
        monkeypatch.setattr(state, "save_policy_state", save)
        await session.stop("quit")
        release.set()
        return session.folder

    with StateStore(tmp_path / "state.db", busy_s=0.01) as state:
        other = sqlite3.connect(tmp_path / "state.db")
        folder = asyncio.run(run(state))
        other.close()
    with SessionReader(folder) as reader:
        assert isinstance(list(reader)[-1], SessionEnd)
    assert saves == ["default"]
    assert limits == [0.0]


def test_names_of_an_offer_come_from_memory_alone(tmp_path: Path) -> None:
    with StateStore(tmp_path / "state.db") as state:
        session = make_session(tmp_path, state, lambda _: None)
        session._capture.words.remember("d1", "Compile", SystemClock().now_ns())
        seen = Sighting(code="message_after_control", digests={"control": "d1", "message": "d2"})
        assert session.names_for(offer_about(seen)) == {"control": "Compile"}
        assert session.names_for(offer_about()) == {}
        session._capture.words.clear()
        assert session.names_for(offer_about(seen)) == {}
        asyncio.run(session.stop("quit"))


def test_no_break_is_one_for_the_review_in_a_study_or_in_a_silent_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the person pauses: it would mix with the study's questions, or give the arm away."""
    pausing = [True]
    study = joined()
    monkeypatch.setattr(Engine, "at_break", lambda *_: pausing[0])
    with StateStore(tmp_path / "state.db") as state:
        own, other = (make_session(tmp_path, state, lambda _: None, enrolment) for enrolment in (None, study))
        assert own.at_break
        pausing[0] = False
        assert not own.at_break
        pausing[0] = True
        settings = own._settings
        own._settings = replace(settings, policy=replace(settings.policy, name="silent"))
        assert not own.at_break
        assert not other.at_break
        for session in (own, other):
            asyncio.run(session.stop("quit"))
