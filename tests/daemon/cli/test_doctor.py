"""What the doctor says of the surroundings: what reports each, and what cannot be detected."""

import json
import os
import socket
import sys
from pathlib import Path

import pytest
from dbus_fast import Variant

from daemon.capture.backend import TriedDesktop
from daemon.capture.scene import Scene
from daemon.cli import doctor
from daemon.cli.main import main
from daemon.help.library import documentation
from daemon.help.library.index import LibraryIndex
from daemon.runtime import control_client
from daemon.runtime.control_client import socket_file
from storage.capabilities import Capabilities, Capability, Level
from storage.clock import NS_PER_S, ManualClock
from storage.consent_text import SPEECH_VERSION
from storage.errors import EnvironmentFault
from storage.files import LOG_NAME, config_file, library_file, private_folder, state_file, state_folder
from storage.messages import PROBLEMS
from storage.state.store import Consent, StateStore
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
from tests.fakes.commands.background import answering, in_a_thread
from tests.fakes.help.documentation import index_of, write_documentation

DUNST: Answers = {("org.dunstproject.cmd0", "paused"): ("v", [Variant("b", True)])}
SAVER: Answers = {("org.gnome.ScreenSaver", "GetActive"): ("b", [False])}
SURROUNDINGS = {"full screen", "locked screen", "do-not-disturb", "microphone", "camera", "shared screen", "battery"}


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.setenv(name, address_in(tmp_path))
    for name in ("PULSE_SERVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def _checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    assert main(["doctor", "--json"]) == 3  # without a display nothing can be watched
    return {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}


def test_what_cannot_be_detected_has_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it keeps Kairos from running."""
    checks = _checks(capsys)
    assert checks.keys() >= SURROUNDINGS | {"detector", "policy"}
    assert not any(checks[name]["needed"] for name in SURROUNDINGS)
    for name in ("locked screen", "do-not-disturb", "microphone", "shared screen"):
        assert (checks[name]["ok"], checks[name]["says"]) == (False, "cannot be detected here")
        assert checks[name]["remedy"]


HANGS = "it hangs, or another program is there; end it, and start again: kill -9"


@pytest.mark.parametrize(
    ("answer", "ok", "says", "remedy"),
    [
        (b'{"v": 1, "state": "watching", "problem": null}', True, "watching", ""),
        (b'{"v": 1, "state": "problem", "problem": "disk_full"}', False, "disk_full", PROBLEMS["disk_full"][1]),
        (b'{"v": 1, "state": "problem", "problem": "of_later"}', False, "not known here", LOG_NAME),
        (b"noise", False, "gave an answer that is none", HANGS),
        (None, False, "timed out", HANGS),
    ],
)
def test_remedies_that_end_here_find_how_the_running_kairos_is(
    answer: bytes | None, ok: bool, says: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_client, "TIMEOUT_S", 0.5 if answer is None else 30.0)
    log = private_folder(state_folder()) / LOG_NAME
    log.write_text("2026-11-29 1 ERROR daemon: one\n2026-11-29 2 INFO x: y\n")
    with answering(socket_file(), answer and answer + b"\n"):
        check = doctor.check_kairos_itself()
    assert (check.ok, check.needed) == (ok, False)
    assert says in check.says
    assert remedy in check.remedy
    assert check.notes == (f"1 fault of its own noted in {log}",)
    assert doctor.check_kairos_itself().says == "it does not run"


@pytest.mark.skipif(sys.platform != "linux", reason="nothing else says who listens")
@pytest.mark.parametrize("gone", [True, False], ids=["ended meanwhile", "no room for another connection"])
def test_whoever_cannot_be_named_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, *, gone: bool) -> None:
    """Linux lets whoever connects wait for room without an end; without a number no `kill` is proposed."""
    monkeypatch.setattr(control_client, "TIMEOUT_S", 0.1)
    path = socket_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waiting:
        listener.bind(str(path))
        listener.listen(0)
        waiting.connect(str(path))
        if gone:
            real = control_client.send

            def ending(command: str) -> object:
                try:
                    return real(command)
                finally:
                    listener.close()

            monkeypatch.setattr(control_client, "send", ending)
        check = doctor.check_kairos_itself()
    assert (check.ok, check.needed) == (False, False)
    assert check.remedy == HANGS.replace("kill -9", "kairos run")


def test_what_keeps_a_model_from_being_asked_is_found() -> None:
    """The settings say "nothing is sent, see: kairos doctor" then; where nobody wants one all is well (the control)."""
    local, strong = doctor.check_models()
    assert (local.ok, strong.ok) == (True, True)
    config_file().parent.mkdir(parents=True)
    config_file().write_text('[strong_model]\nurl = "https://h.example/v1"\n')
    local, strong = doctor.check_models()
    assert (local.ok, strong.ok, strong.needed) == (True, False, False)
    assert "kairos config set strong_model.preset" in strong.remedy


def test_what_another_user_left_in_the_data_folder_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a command with sudo: "permission denied, see: kairos doctor"; the control is the same folder, ours."""
    theirs = private_folder(state_folder()) / "sessions" / "20261121-120000-abcd"
    theirs.mkdir(parents=True)
    assert doctor.check_data_folder().ok
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != theirs and may(path, mode))
    with pytest.raises(EnvironmentFault, match=theirs.name) as found:
        doctor.check_data_folder()
    assert found.value.remedy == f'take it over: sudo chown -R "$USER" {state_folder()}'


def test_what_is_deleted_while_the_data_folder_is_looked_at_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kairos runs meanwhile: it deletes sessions, and SQLite its own files."""
    session = private_folder(state_folder()) / "sessions" / "20261121-120000-abcd"
    log = session / "session.db-wal"
    session.mkdir(parents=True)
    log.touch()
    folder, may = session.with_name("20261121-130000-abcd"), os.access
    folder.mkdir()

    def deleting(path: Path, mode: int) -> bool:
        if path == log:
            log.unlink()
        result = may(path, mode)
        if path == folder:
            folder.rmdir()
        return result

    monkeypatch.setattr(os, "access", deleting)
    assert doctor.check_data_folder().ok
    assert not log.exists()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ("", {"detector": (True, "embedded, version "), "policy": (True, "utility, version ")}),
        (
            '[detector]\nname = "/nowhere/none.onnx"\n[policy]\nname = "nope"\n',
            {
                "detector": (False, "/nowhere/none.onnx cannot be read"),
                "policy": (False, "names nothing known: 'nope'"),
            },
        ),
    ],
)
def test_detector_and_policy_are_loaded_and_named(chosen: str, says: dict[str, tuple[bool, str]]) -> None:
    """`kairos run` needs both: what the settings name and nobody can load fails, with the remedy that it would tell."""
    config_file().parent.mkdir(parents=True)
    config_file().write_text(chosen)
    checks = {check.name: check for check in doctor.check_plugins()}
    for name, (ok, words) in says.items():
        assert (checks[name].ok, checks[name].needed) == (ok, True)
        assert words in checks[name].says
        assert ok or f"Set {name}.name to " in checks[name].remedy
    config_file().write_text("[policy]\ncooldown_s = true\n")
    assert doctor.check_plugins() == []  # the check of the settings says why


def test_a_fault_of_an_external_plugin_is_not_blamed_on_kairos() -> None:
    """A factory that takes other arguments, and one that misses a file: another installation would not bring it."""
    config_file().parent.mkdir(parents=True)
    config_file().write_text(
        '[detector]\nname = "os:getcwd"\n[policy]\nname = "tests.fakes.detectors.fake_detectors:unready_factory"\n'
    )
    detector, policy = doctor.check_plugins()
    assert (detector.ok, policy.ok) == (False, False)
    assert "detector.name: the factory does not take what it is called with" in detector.says
    assert "detectors/protocol.py" in detector.remedy
    assert "policy.name: what it names failed (FileNotFoundError: weights.bin)" in policy.says
    assert "no part of Kairos" in policy.remedy


def test_the_source_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Whether it is on or off now makes no difference."""
    address = address_in(tmp_path)
    with (
        private_bus(tmp_path),
        in_a_thread(lambda: FakeService(address, "org.freedesktop.Notifications", DUNST)),
        in_a_thread(lambda: FakeService(address, "org.gnome.ScreenSaver", SAVER)),
    ):
        checks = _checks(capsys)
    assert (checks["do-not-disturb"]["ok"], checks["do-not-disturb"]["says"]) == (True, "reported by dunst")
    assert checks["locked screen"]["says"] == "reported by GNOME's screen lock"
    assert checks["microphone"]["ok"] is False


def test_help_that_is_not_indexed_or_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is indexed is listed; a program without its help comes with the package, and neither is needed."""
    found = write_documentation(tmp_path / "pages")
    monkeypatch.setattr(documentation, "find_documentation", lambda: (found,))
    monkeypatch.setattr(documentation, "missing_packages", lambda: documentation.KNOWN_PACKAGES[:1])
    check = doctor._help()
    assert (check.ok, check.needed) == (False, False)
    assert check.says == "no documentation is indexed: general advice alone"
    assert "sudo apt install libreoffice-help-en-us" in check.remedy
    assert check.remedy.endswith("kairos library add")
    index_of(state_folder(), found)
    monkeypatch.setattr(documentation, "missing_packages", lambda: ())
    check = doctor._help()
    assert (check.ok, check.says) == (True, "indexed: pages")


@pytest.mark.parametrize(
    ("hours", "says"),
    [(3, "indexed: pages; brought up to date 3 h 0 min ago"), (-3, "indexed: pages; brought up to date 0 s ago")],
)
def test_the_age_of_the_index_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hours: int, says: str) -> None:
    """A clock that was set back makes no age below zero."""
    monkeypatch.setattr(documentation, "find_documentation", lambda: ())
    monkeypatch.setattr(documentation, "missing_packages", lambda: ())
    index_of(state_folder(), write_documentation(tmp_path / "pages"))
    clock = ManualClock(0, 1_790_000_000 * NS_PER_S)
    monkeypatch.setattr(doctor, "SystemClock", lambda: clock)
    with LibraryIndex.open(library_file()) as index:
        index.save_checked(clock.wall_ns() - hours * 3600 * NS_PER_S)
    assert doctor._help().says == says


def test_what_is_not_indexed_yet_comes_by_itself_unless_that_is_turned_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The remedy says so."""
    monkeypatch.setattr(documentation, "find_documentation", lambda: (write_documentation(tmp_path / "pages"),))
    monkeypatch.setattr(documentation, "missing_packages", lambda: ())
    when = "Kairos indexes it a minute after its start, then once a day; at once"
    assert doctor._help().remedy == f"{when}: kairos library add"
    config_file().parent.mkdir(parents=True)
    config_file().write_text("[help]\nlibrary = false\n")
    assert doctor._help().remedy == "kairos library add"


@pytest.mark.parametrize(
    ("level", "microphone", "ok", "says"),
    [
        (Level.NONE, "mic", False, "it takes the list of all windows"),
        (Level.PART, "mic", True, "recorded from mic"),
        (Level.FULL, "", False, "there is no microphone"),
        (Level.FULL, None, False, "there is no microphone"),
    ],
)
def test_doctor_says_whether_speech_is_recorded(
    level: Level, microphone: str | None, says: str, monkeypatch: pytest.MonkeyPatch, *, ok: bool
) -> None:
    """Where no windows are told the microphone stays closed, whatever was chosen."""
    private_folder(state_folder())
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=1, speech=SPEECH_VERSION))
    found = TriedDesktop(
        capabilities=Capabilities(desktop="some", windows=Capability(level)), monitors=1, scene=Scene(t_ns=0)
    )
    monkeypatch.setattr("daemon.capture.backend.try_desktop", lambda _: found)
    monkeypatch.setattr("daemon.capture.surroundings.streams.default_microphone", lambda _: microphone)
    check = doctor._Desktop().speech()
    assert (check.ok, check.needed) == (ok, False)
    assert says in check.says
