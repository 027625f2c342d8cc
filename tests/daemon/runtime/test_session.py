"""A live session without a desktop: what it records, what its observers see, and that both end in order."""

import asyncio
import datetime as dt
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
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
from storage.errors import BadFile, EnvironmentFault, KairosError
from storage.records import (
    InputEvent,
    ModelTier,
    Record,
    SessionEnd,
    SessionStart,
    Sighting,
    StudyStart,
    Switch,
    SwitchName,
)
from storage.settings import CaptureSettings, HelpSettings, ModelSettings, Settings
from storage.state.store import Consent, Helped, StateStore
from tests.fakes.commands.background import in_loop
from tests.fakes.detectors.fake_detectors import key, of, offer_about
from tests.fakes.detectors.questions import enrolment
from tests.fakes.narrowing import as_a, present
from tests.fakes.sessions.rows import rows_in

SILENT = SimpleNamespace(
    **dict.fromkeys(("show", "close", "changed", "ask", "close_question", "decided"), lambda *_: None)
)
"""A sink that shows nothing."""


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
    monkeypatch.setattr(CaptureThread, "start", lambda _: None)
    monkeypatch.setattr(CaptureThread, "stop", lambda *_: None)


def joined(questions: QuestionPlan | None = None) -> Enrolment:
    return enrolment(dt.date(2026, 11, 1), 366, seed=12345, questions=questions)


class Sessions:
    """Sessions over one database; what fails in them is noted."""

    def __init__(self, folder: Path, state: StateStore) -> None:
        self.folder, self.state = folder, state
        self.failures: list[Exception] = []

    def make(self, enrolment: Enrolment | None = None, **more: Any) -> LiveSession:
        common: dict[str, Any] = {"clock": SystemClock(), "gate": Gate(), "sink": SILENT, "on_cut": lambda _: None}
        common |= {"consent": Consent(journal=True, recording=False, given_at_wall_ns=1), "cut_wall_ns": 10**19}
        common |= {"settings": Settings(), "sessions_dir": self.folder / "sessions", "on_failure": self.failures.append}
        return LiveSession(state=self.state, enrolment=enrolment, **({"restrictions": None} | common | more))

    async def run(self, enrolment: Enrolment | None, switches: Mapping[SwitchName, bool]) -> list[Record]:
        session = self.make(enrolment)
        await session.start(asyncio.get_running_loop(), switches)
        await session.stop("quit")
        assert self.failures == []
        return rows_in(session.folder)


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    with StateStore(tmp_path / "state.db") as state:
        yield Sessions(tmp_path, state)


def test_a_session_has_the_models_that_are_not_turned_off(sessions: Sessions) -> None:
    settings = Settings(local_model=ModelSettings(preset="llama-server"))
    restrictions = Restrictions(settings)
    models = present(sessions.make(settings=settings, restrictions=restrictions)._models)
    assert models._may_leave(ModelTier.LOCAL) is False  # its gate is not open yet
    models._gate.open()
    assert models._may_leave(ModelTier.LOCAL)
    restrictions.tighten(Settings())
    assert not models._may_leave(ModelTier.LOCAL)
    assert sessions.make(settings=settings, restrictions=restrictions)._models is None


@in_loop
async def test_controls_are_not_understood_once_that_is_turned_off(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    off: list[CaptureThread] = []
    monkeypatch.setattr(CaptureThread, "turn_controls_off", lambda capture: off.append(capture))  # noqa: PLW0108  # bound
    settings = Settings(capture=CaptureSettings(understand_controls="on"))
    restrictions = Restrictions(settings)
    session = sessions.make(settings=settings, restrictions=restrictions)
    assert session.controls is not None
    await session.start(asyncio.get_running_loop(), {})
    restrictions.tighten(replace(settings, help=HelpSettings(model="off")))
    assert off == []
    restrictions.tighten(replace(settings, capture=CaptureSettings(understand_controls="off")))
    assert off == [session._capture]
    await session.stop("test")
    assert sessions.make(settings=settings, restrictions=restrictions).controls is None


@in_loop
async def test_outputs_are_not_read_once_that_is_turned_off(sessions: Sessions) -> None:
    settings = Settings(capture=CaptureSettings(understand_controls="on", read_outputs="on"))
    restrictions = Restrictions(settings)
    session = sessions.make(settings=settings, restrictions=restrictions)
    await session.start(asyncio.get_running_loop(), {})
    sense = present(session._capture._sense)
    assert sense.reads_outputs
    restrictions.tighten(replace(settings, capture=CaptureSettings(understand_controls="on", read_outputs="off")))
    assert not sense.reads_outputs
    assert not sense.is_off
    await session.stop("test")


@in_loop
async def test_observers_see_what_is_recorded_and_cannot_harm_it(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    observer = Rows()
    monkeypatch.setattr(session_module, "Observers", lambda *others: Observers(observer, *others))
    session = sessions.make()
    await session.start(asyncio.get_running_loop(), {SwitchName.PAUSED: True, SwitchName.PRIVATE: False})
    session.submit([Switch(name=SwitchName.PAUSED, on=False, by="person"), key(5)])
    session.drain()
    await session.stop("quit")
    recorded = rows_in(session.folder)
    sources = [type(row) for row in recorded if isinstance(row, (SessionStart, Switch, InputEvent, SessionEnd))]
    assert sources == [SessionStart, Switch, Switch, InputEvent, SessionEnd]
    assert [canonical(row) for row in observer.rows] == [canonical(row) for row in recorded]
    assert sessions.failures == []


@in_loop
async def test_lots_of_one_session_tell_nothing_of_another(sessions: Sessions) -> None:
    """Each has a seed of its own and counts from 0, so no number joins the sessions that somebody exports."""
    lots: list[tuple[object, object]] = []
    for _ in range(2):
        first = as_a(SessionStart, (await sessions.run(None, {SwitchName.PAUSED: True}))[0])
        saved: Any = first.policy_state["saved"]
        lots.append((saved["seed"], saved["drawn"]))
        (kept,) = [kept for kept, _ in sessions.state.policy_states().values()]
        assert kept["seed"] == saved["seed"], "the control: the state that crosses holds it"
    assert lots[0][0] != lots[1][0]
    assert [drawn for _, drawn in lots] == [0, 0]


@in_loop
async def test_a_session_of_a_study_says_so_and_keeps_how_far_its_questions_are(sessions: Sessions) -> None:
    study, state = joined(QuestionPlan()), sessions.state
    found: list[StudyStart] = []
    state.save_enrolment(study)
    for _ in range(2):
        rows = await sessions.run(study, {SwitchName.PAUSED: True})
        assert isinstance(rows[0], SessionStart)
        assert isinstance(rows[1], StudyStart)
        assert rows[0].policy_state["saved"]["seed"] == 12345  # type: ignore[index]  # a mapping of plain values
        found.append(rows[1])
    assert state.sampling_state("s1")[0] == found[1].sampling_state
    assert [saved["seed"] for saved, _ in state.policy_states().values()] == [12345]
    state.save_enrolment(None)  # left while a session of it ran, which ends after that
    await sessions.run(study, {SwitchName.PAUSED: True})
    assert state.sampling_state("s1") == ({}, 0)
    assert state.enrolment() is None
    (saved,) = [saved for saved, _ in state.policy_states().values()]
    assert saved
    assert not {"seed", "drawn"} & set(saved)
    assert (found[0].study, found[0].phase, found[0].questions) == ("s1", "one", QuestionPlan())
    assert found[0].sampling_state == {}
    assert found[1].sampling_state["days"]


@in_loop
async def test_what_was_asked_and_cannot_be_read_costs_the_questions_of_one_session(sessions: Sessions) -> None:
    study = joined(QuestionPlan())
    sessions.state.save_enrolment(study)
    sessions.state._put("sampling", {"study": 1})
    for questions in (None, QuestionPlan()):
        (row,) = of(await sessions.run(study, {}), StudyStart)
        assert row.questions == questions


def test_the_limits_of_all_stages_fit_inside_the_watchdogs() -> None:
    needed_s = sum(session_module.STOP_STAGES_S.values()) + core.STATE_BUSY_S + control.CLOSE_S
    assert needed_s < core.STOP_LIMIT_S
    assert session_module.STOP_STAGES_S["policy"] > core.STATE_BUSY_S


@in_loop
async def test_a_stage_that_hangs_leaves_their_time_to_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    limits: list[float] = []

    def hang(_: CaptureThread, limit_s: float) -> None:
        limits.append(limit_s)
        release.wait(30)

    def end_with_an_offer_shown(reason: str) -> None:
        session._save_policy()  # as the withdrawal of an offer does
        end(reason)

    def save(policy: str, saved: Mapping[str, object], wall_ns: int) -> None:
        saves.append(policy)
        StateStore.save_policy_state(state, policy, saved, wall_ns)

    monkeypatch.setattr(CaptureThread, "stop", hang)
    monkeypatch.setitem(session_module.STOP_STAGES_S, "capture", 0.05)
    saves: list[str] = []
    with StateStore(tmp_path / "state.db", busy_s=0.01) as state:
        other = sqlite3.connect(tmp_path / "state.db")
        session = Sessions(tmp_path, state).make()
        await session.start(asyncio.get_running_loop(), {})
        end = session._pipeline.end
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(session._pipeline, "end", end_with_an_offer_shown)
        monkeypatch.setattr(state, "save_policy_state", save)
        await session.stop("quit")
        release.set()
        other.close()
    assert isinstance(rows_in(session.folder)[-1], SessionEnd)
    assert saves == ["default"]
    assert limits == [0.0]


@pytest.mark.parametrize("fault", [BadFile, EnvironmentFault])
def test_a_session_goes_on_where_what_helped_cannot_be_saved(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: type[KairosError]
) -> None:
    def fail(*_: object) -> None:
        raise fault("damaged")

    session = sessions.make()
    monkeypatch.setattr(StateStore, "save_helped", fail)
    session._save_helped(Helped())
    assert caplog.messages == ["what helped is not saved: damaged"]


@in_loop
async def test_names_of_an_offer_come_from_memory_alone(sessions: Sessions) -> None:
    session = sessions.make()
    session._capture.words.remember("d1", "Compile", SystemClock().now_ns())
    seen = Sighting(code="message_after_control", digests={"control": "d1", "message": "d2"})
    assert session.names_for(offer_about(seen)) == {"control": "Compile"}
    assert session.names_for(offer_about()) == {}
    session._capture.words.clear()
    assert session.names_for(offer_about(seen)) == {}
    await session.stop("quit")


@in_loop
async def test_no_break_is_one_for_the_review_in_a_study_or_in_a_silent_arm(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the person pauses: it would mix with the study's questions, or give the arm away."""
    pausing = [True]
    monkeypatch.setattr(Engine, "at_break", lambda *_: pausing[0])
    own, other = (sessions.make(enrolment) for enrolment in (None, joined()))
    assert own.at_break
    pausing[0] = False
    assert not own.at_break
    pausing[0] = True
    settings = own._settings
    own._settings = replace(settings, policy=replace(settings.policy, name="silent"))
    assert not own.at_break
    assert not other.at_break
    for session in (own, other):
        await session.stop("quit")
