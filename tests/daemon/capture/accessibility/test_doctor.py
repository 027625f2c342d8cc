"""What `kairos doctor` says about understanding controls."""

from pathlib import Path

import pytest

from daemon.capture.accessibility.choice import AccessibilityReport
from daemon.cli import doctor
from storage.consent_text import CONTROLS_VERSION
from storage.errors import EnvironmentFault
from storage.settings import CaptureSettings, Settings
from storage.state.store import Consent, StateStore
from tests.fakes.desktop.scripted_backend import ScriptedBackend


@pytest.mark.parametrize(
    ("report", "running", "ok", "says"),
    [
        (AccessibilityReport(is_on=None), {}, False, "no accessibility service"),
        (AccessibilityReport(is_on=False), {}, False, "switch is off"),
        (AccessibilityReport(is_on=True), {}, True, "understood"),
        (AccessibilityReport(is_on=True), {"works": True}, True, "understood"),
        (AccessibilityReport(is_on=True), {"works": False}, False, "does not answer; Kairos tries again"),
        (AccessibilityReport(is_on=True), {"left_alone": ["soffice.bin"]}, False, "do not answer: soffice.bin"),
        (AccessibilityReport(is_on=True), {"spent": ["soffice.bin"]}, False, "answers take long: soffice.bin"),
        (AccessibilityReport(is_on=True, silent=("Mousepad",)), {}, False, "silent: Mousepad"),
    ],
)
def test_doctor_names_what_is_silent_and_what_is_left_alone(
    report: AccessibilityReport, running: dict[str, object], says: str, monkeypatch: pytest.MonkeyPatch, *, ok: bool
) -> None:
    """Programs that began before the switch was on are said, not guessed at; nothing of it is needed to run."""
    from storage.clock import SystemClock
    from storage.files import private_folder, state_file, state_folder

    private_folder(state_folder())
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=1, controls=CONTROLS_VERSION))
    monkeypatch.setattr("daemon.capture.backend.open_backend", lambda _: ScriptedBackend(SystemClock()))
    monkeypatch.setattr("daemon.capture.accessibility.choice.inspect_accessibility", lambda _: report)
    monkeypatch.setattr("daemon.runtime.control_client.send", lambda _: {"controls": running})
    check = doctor._controls()
    assert (check.ok, check.needed) == (ok, False)
    assert says in check.says


def test_doctor_says_that_outputs_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Controls are on by a setting, which says nothing of them."""
    from storage.clock import SystemClock
    from storage.files import private_folder, state_file, state_folder

    private_folder(state_folder())
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=1))
    monkeypatch.setattr(doctor, "load_settings", lambda: Settings(capture=CaptureSettings(understand_controls="on")))
    monkeypatch.setattr("daemon.capture.backend.open_backend", lambda _: ScriptedBackend(SystemClock()))
    monkeypatch.setattr(
        "daemon.capture.accessibility.choice.inspect_accessibility", lambda _: AccessibilityReport(is_on=True)
    )
    monkeypatch.setattr("daemon.runtime.control_client.send", lambda _: {})
    check = doctor._controls()
    assert check.ok
    assert "but for what programs write after a command (capture.read_outputs)" in check.says


def test_without_the_choice_doctor_looks_at_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither at the desktop nor at its switch."""

    def refuse(_: object) -> None:
        raise EnvironmentFault(f"looked at {tmp_path}")

    monkeypatch.setattr("daemon.capture.backend.open_backend", refuse)
    check = doctor._controls()
    assert check.ok
    assert "not chosen" in check.says
