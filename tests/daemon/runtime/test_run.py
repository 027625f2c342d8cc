"""`kairos run` without a desktop: with which consent it starts, and what it does before anything is captured."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import ui.app
from daemon.capture import backend
from daemon.capture.accessibility.choice import with_recording
from daemon.cli.main import main
from daemon.runtime import run as app
from daemon.runtime.core import Core
from daemon.runtime.instance import only_instance
from demo.virtual_desktop.process_cleanup import TOKEN_NAME
from storage.capabilities import Capabilities
from storage.clock import SystemClock
from storage.files import config_file, state_file
from storage.ports import ConsentAnswer
from storage.settings import Settings
from storage.settings_file import read_file
from storage.state.store import Consent, StateStore, revoke_consent, write_consent


class FakeBackend:
    """A desktop that is there."""

    capabilities = Capabilities(desktop="fake")

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Consent]:
    consents: list[Consent] = []
    monkeypatch.setattr(backend, "open_backend", lambda _: FakeBackend())
    monkeypatch.setattr(app, "_configure_logging", lambda *_, **__: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(Core, "start", lambda _, consent, *__: consents.append(consent))
    monkeypatch.setattr(Core, "join", lambda _: None)
    return consents


def test_a_consent_file_counts_only_until_consent_is_taken_back(
    tmp_path: Path, started: list[Consent], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "consent.json"
    run = ["run", "--headless", "--consent", str(file)]

    def agree() -> Consent:
        given = Consent(journal=True, recording=True, given_at_wall_ns=SystemClock().wall_ns())
        write_consent(given, file)
        return given

    first = agree()
    assert main(run) == 0
    revoke_consent(state_file(), SystemClock().wall_ns())
    assert main(run) == 3
    assert "kairos consent" in capsys.readouterr().err
    second = agree()
    assert main(run) == 0
    assert started == [first, second]


def test_a_file_that_is_no_consent_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "consent.json"
    file.write_text("precious")
    assert main(["consent", "--journal", "--out", str(file)]) == 3
    assert file.read_text() == "precious"
    file.unlink()
    assert [main(["consent", "--journal", "--out", str(file)]) for _ in range(2)] == [0, 0]


def test_a_consent_file_with_more_than_the_last_answer_starts_with_less(tmp_path: Path, started: list[Consent]) -> None:
    """Who refused the recording in the window is not recorded because of an older file."""
    file = tmp_path / "consent.json"
    write_consent(Consent(journal=True, recording=True, given_at_wall_ns=1), file)
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=2))
    assert main(["run", "--headless", "--consent", str(file)]) == 0
    assert [(consent.journal, consent.recording) for consent in started] == [(True, False)]
    assert json.loads(file.read_text())["recording"]


@pytest.mark.parametrize(("sees", "code"), [({}, 0), ({"frames": "none"}, 3)])
def test_where_a_desktop_tells_more_than_was_agreed_to_it_is_agreed_to_anew(
    sees: dict[str, str], code: int, started: list[Consent], capsys: pytest.CaptureFixture[str]
) -> None:
    """Who agreed where there are no pictures has not agreed to pictures."""
    given = Consent(journal=True, recording=False, given_at_wall_ns=SystemClock().wall_ns(), sees=sees)
    with StateStore(state_file()) as state:
        state.save_consent(given)
    assert main(["run", "--headless"]) == code
    assert started == ([given] if code == 0 else [])
    assert ("can see more on this desktop" in capsys.readouterr().err) is (code != 0)


@pytest.mark.parametrize("agrees", [True, False])
def test_who_is_asked_anew_answers_for_what_the_settings_say_too(
    monkeypatch: pytest.MonkeyPatch, started: list[Consent], *, agrees: bool
) -> None:
    """Who closes the window has answered nothing, and the settings stay."""
    choices = '[capture]\nrecord_screen = "on"\nunderstand_controls = "on"\n'
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(choices, encoding="utf-8")
    settings: list[Settings] = []

    def start(core: Core, consent: Consent, *_: object) -> None:
        started.append(consent)
        settings.append(core.settings)

    answer = ConsentAnswer(journal=True, recording=False, quiet_first_day=False, controls=False)
    interface = SimpleNamespace(
        ask_consent=lambda *_: answer if agrees else None, bridge=None, show_tray=lambda: None, exec=lambda: None
    )
    monkeypatch.setattr(ui.app, "Interface", lambda *_, **__: interface)
    monkeypatch.setattr(app, "_require_desktop", lambda **_: FakeBackend.capabilities)
    monkeypatch.setattr(Core, "start", start)
    monkeypatch.setattr(Core, "quit", lambda _: None)
    assert main(["run"]) == 0
    assert [with_recording(consent, used).recording for consent, used in zip(started, settings, strict=True)] == (
        [False] if agrees else []
    )
    assert (config_file().read_text(encoding="utf-8") == choices) is not agrees
    assert (read_file(config_file()).capture.record_screen == "on") is not agrees


def test_core_dumps_are_off_before_anything_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dump would hold what was on the screen; the limit is set even where there is no consent yet."""
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda which, limit: limits.append((which, limit)))
    monkeypatch.setattr(backend, "open_backend", lambda _: FakeBackend())
    assert main(["run", "--headless"]) == 3
    assert limits == [(resource.RLIMIT_CORE, (0, 0))]


@pytest.mark.parametrize("on_virtual_desktop", [False, True])
def test_a_process_that_runs_can_be_dumped_by_nobody(on_virtual_desktop: bool) -> None:
    """A limit does not stop a dump that is piped; on a virtual desktop the keeper has to look into it (the control)."""
    assert app.VIRTUAL_DESKTOP == TOKEN_NAME
    asks = "import ctypes; from daemon.runtime.run import _refuse_core_dumps as refuse; refuse();"
    done = subprocess.run(
        [sys.executable, "-c", f"{asks} print(ctypes.CDLL(None).prctl(3, 0))"],
        env=os.environ | ({TOKEN_NAME: "x"} if on_virtual_desktop else {}),
        capture_output=True,
        check=True,
    )
    assert done.stdout == (b"1\n" if on_virtual_desktop else b"0\n")


def test_the_first_start_on_wayland_says_in_a_window_what_will_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(app, "show_limits", shown.append)
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    assert main(["run"]) == 3
    assert len(shown) == 1
    assert "Wayland session" in shown[0]
    assert "Nothing was watched, and nothing is asked of you." in shown[0]
    assert main(["run", "--headless"]) == 3
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=SystemClock().wall_ns()))
    assert main(["run"]) == 3
    monkeypatch.setenv("XDG_SESSION_TYPE", "x11")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert main(["run"]) == 3
    assert len(shown) == 1


def test_without_consent_nothing_is_captured(
    tmp_path: Path, started: list[Consent], capsys: pytest.CaptureFixture[str]
) -> None:
    """Headless and without a record, or with one that says no, it exits with 3 and a remedy, and leaves no session."""
    refusal, sessions = tmp_path / "refusal.json", tmp_path / "sessions"
    assert main(["consent", "--out", str(refusal)]) == 0
    for extra in ([], ["--consent", str(refusal)]):
        assert main(["run", "--headless", "--sessions", str(sessions), *extra]) == 3
        assert "kairos consent" in capsys.readouterr().err
    assert started == []
    assert not sessions.exists()


def test_a_second_start_is_refused(started: list[Consent], capsys: pytest.CaptureFixture[str]) -> None:
    """One Kairos a data folder; the other exits with 3 and the reason."""
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=SystemClock().wall_ns()))
    with only_instance():
        assert main(["run", "--headless"]) == 3
    assert "already running" in capsys.readouterr().err
    assert started == []
    assert main(["run", "--headless"]) == 0
