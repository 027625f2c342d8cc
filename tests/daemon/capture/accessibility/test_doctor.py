"""What `kairos doctor` says about understanding controls."""

from pathlib import Path
from typing import Any

import pytest

from daemon.capture.accessibility.choice import AccessibilityReport
from daemon.cli import doctor
from storage.clock import SystemClock
from storage.consent_text import CONTROLS_VERSION
from storage.errors import EnvironmentFault
from storage.files import private_folder, state_file, state_folder
from storage.settings import CaptureSettings, Settings
from storage.state.store import Consent, StateStore
from tests.fakes.desktop.scripted_backend import ScriptedBackend


def checked(
    monkeypatch: pytest.MonkeyPatch, report: AccessibilityReport, status: dict[str, object], **agreed: Any
) -> doctor.Check:
    private_folder(state_folder())
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=1, **agreed))
    monkeypatch.setattr("daemon.capture.backend.open_backend", lambda _: ScriptedBackend(SystemClock()))
    monkeypatch.setattr("daemon.capture.accessibility.choice.inspect_accessibility", lambda _: report)
    monkeypatch.setattr("daemon.runtime.control_client.send", lambda _: status)
    return doctor._Desktop().controls()


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
    check = checked(monkeypatch, report, {"controls": running}, controls=CONTROLS_VERSION)
    assert (check.ok, check.needed) == (ok, False)
    assert says in check.says


def test_doctor_says_that_outputs_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Controls are on by a setting, which says nothing of them."""
    monkeypatch.setattr(doctor, "load_settings", lambda: Settings(capture=CaptureSettings(understand_controls="on")))
    check = checked(monkeypatch, AccessibilityReport(is_on=True), {})
    assert check.ok
    assert "but for what programs write after a command (capture.read_outputs)" in check.says


def test_without_the_choice_doctor_looks_at_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither at the desktop nor at its switch."""

    def refuse(_: object) -> None:
        raise EnvironmentFault(f"looked at {tmp_path}")

    monkeypatch.setattr("daemon.capture.backend.open_backend", refuse)
    check = doctor._Desktop().controls()
    assert check.ok
    assert "not chosen" in check.says
