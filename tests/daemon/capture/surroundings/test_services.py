"""Screen lock and do-not-disturb, queried from stand-ins on a private message bus."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from dbus_fast import Variant

from daemon.capture import dbus
from daemon.capture.dbus import PROPERTIES
from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.services import BusSource, bus_sources
from daemon.capture.surroundings.source import Condition
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus

SAVER = "org.gnome.ScreenSaver"
SAVER_PATH = "/org/gnome/ScreenSaver"
NOTIFICATIONS = "org.freedesktop.Notifications"
NOTIFICATIONS_PATH = "/org/freedesktop/Notifications"
DUNST = "org.dunstproject.cmd0"
LOGIN = "org.freedesktop.login1"
XFCONF = "org.xfce.Xfconf"
LIMIT_S = 30.0


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with private_bus(tmp_path):
        yield tmp_path


class Listener:
    """Everything that a source reported."""

    def __init__(self, source: BusSource) -> None:
        self.reports: list[tuple[str, bool | None]] = []
        self.source = source

    def report(self, condition: Condition, name: str, value: bool | None) -> None:
        assert isinstance(condition, Condition)
        self.reports.append((name, value))

    def of(self, name: str) -> list[bool | None]:
        return [value for who, value in self.reports if who == name]

    async def until(self, name: str, value: bool | None) -> None:
        await until(lambda: self.of(name)[-1:] == [value])


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not is_so():  # noqa: ASYNC110  # fakes and listeners only count
            await asyncio.sleep(0.005)


def _changes(values: list[bool | None]) -> list[bool | None]:
    return [value for place, value in enumerate(values) if place == 0 or values[place - 1] is not value]


@asynccontextmanager
async def listening(folder: Path, *, system: bool = False, **env: str) -> AsyncIterator[Listener]:
    address = address_in(folder)
    places = {"DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address}
    listener = Listener(bus_sources({**places, **env})[0 if system else 1])
    watching = asyncio.create_task(listener.source.watch(listener.report))
    try:
        yield listener
    finally:
        watching.cancel()
        await asyncio.wait([watching])


@pytest.fixture
def listener(folder: Path) -> AbstractAsyncContextManager[Listener]:
    return listening(folder)


async def test_a_screen_lock_is_reported_as_it_changes_comes_and_goes(folder: Path, listener: Listener) -> None:
    """Nobody, unlocked, locked, gone, and back again: each is reported, and queried only at a signal."""
    label = "GNOME's screen lock"
    await listener.until(label, None)
    async with FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): ("b", [False])}) as saver:
        await listener.until(label, False)
        saver.answers[SAVER, "GetActive"] = ("b", [True])
        await asyncio.sleep(0.1)
        assert listener.of(label)[-1] is False
        await saver.emit(SAVER_PATH, SAVER, "ActiveChanged", "b", [True])
        await listener.until(label, True)
        await saver.emit(SAVER_PATH, SAVER, "WakeUpScreen", "", [])
    await listener.until(label, None)
    async with FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): ("b", [True])}):
        await listener.until(label, True)
    assert _changes(listener.of("GNOME's screen lock")) == [None, False, True, None, True]
    assert {value for name, value in listener.reports if "GNOME's screen" not in name} == {None}


async def test_a_lock_of_which_the_news_is_late_is_found_by_a_look(folder: Path) -> None:
    label = "GNOME's screen lock"
    saver = FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): ("b", [False])})
    async with listening(folder) as listener, saver:
        await listener.until(label, False)
        saver.answers[SAVER, "GetActive"] = ("b", [True])
        await listener.source.look(listener.report)
        assert listener.of(label)[-1] is True
    count = len(listener.reports)
    await listener.source.look(listener.report)
    assert len(listener.reports) == count, "the bus is gone"


async def test_a_signal_is_a_hint_not_the_answer(folder: Path, listener: Listener) -> None:
    """A service that signals "locked" without being so is queried, and its reply is reported."""
    async with FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): ("b", [False])}) as saver:
        await listener.until("GNOME's screen lock", False)
        count = len(saver.queries)
        await saver.emit(SAVER_PATH, SAVER, "ActiveChanged", "b", [True])
        await until(lambda: len(saver.queries) > count)
        await asyncio.sleep(0.05)
        assert True not in listener.of("GNOME's screen lock")


@pytest.mark.parametrize(
    ("env", "queried"),
    [
        ({"XDG_SESSION_ID": "7"}, f"{LOGIN}.Manager"),
        ({}, f"{LOGIN}.User"),
        ({"XDG_SESSION_ID": "gone"}, f"{LOGIN}.User"),
    ],
)
async def test_logind_is_queried_for_this_session_or_the_graphical_one(
    folder: Path, env: Mapping[str, str], queried: str
) -> None:
    """A process in no session, as one started by the user's service manager, uses the one with the display."""
    path = "/org/freedesktop/login1/session/_37"
    hint = (f"{LOGIN}.Session", "LockedHint")
    answers: Answers = {
        (f"{LOGIN}.User", "Display"): ("v", [Variant("(so)", ["7", path])]),
        hint: ("v", [Variant("b", False)]),
    }
    if env.get("XDG_SESSION_ID") == "7":
        answers[f"{LOGIN}.Manager", "GetSession"] = ("o", [path])
    login = FakeService(address_in(folder), LOGIN, answers)
    async with listening(folder, system=True, **env) as listener, login:
        await listener.until("logind", False)
        assert next(key for key in login.queries if key in answers)[0] == queried
        login.answers[hint] = ("v", [Variant("b", True)])
        body = [f"{LOGIN}.Session", {"LockedHint": Variant("b", True)}, []]
        await login.emit(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", body)
        await listener.until("logind", True)


@pytest.mark.parametrize(
    ("label", "key"), [("KDE's notifications", (NOTIFICATIONS, "Inhibited")), ("dunst", (DUNST, "paused"))]
)
async def test_do_not_disturb_beside_the_notifications(
    folder: Path, listener: Listener, label: str, key: tuple[str, str]
) -> None:
    """KDE and dunst own the same name; whichever runs answers, and the other's query is refused."""
    async with FakeService(address_in(folder), NOTIFICATIONS, {key: ("v", [Variant("b", False)])}) as fake:
        await listener.until(label, False)
        fake.answers[key] = ("v", [Variant("b", True)])
        body = [key[0], {key[1]: Variant("b", True)}, []]
        await fake.emit(NOTIFICATIONS_PATH, PROPERTIES, "PropertiesChanged", "sa{sv}as", body)
        await listener.until(label, True)
    assert {value for name, value in listener.reports if name != label} == {None}


async def test_do_not_disturb_of_xfce(folder: Path, listener: Listener) -> None:
    """It is off until it was set for the first time, and unknown where somebody else shows notifications."""
    label = "Xfce's notifications"
    info: Answers = {(NOTIFICATIONS, "GetServerInformation"): ("ssss", ["Xfce Notify Daemon", "Xfce", "0.7", "1.2"])}
    other: Answers = {(NOTIFICATIONS, "GetServerInformation"): ("ssss", ["dunst", "knopwob", "1.9", "1.2"])}
    async with FakeService(address_in(folder), XFCONF, {}) as xfconf:
        async with FakeService(address_in(folder), NOTIFICATIONS, info):
            await listener.until(label, False)
            xfconf.answers[XFCONF, "GetProperty"] = ("v", [Variant("b", True)])
            changed = ["xfce4-notifyd", "/do-not-disturb", Variant("b", True)]
            await xfconf.emit("/org/xfce/Xfconf", XFCONF, "PropertyChanged", "ssv", changed)
            await listener.until(label, True)
        await listener.until(label, None)
        count = len(listener.of(label))
        async with FakeService(address_in(folder), NOTIFICATIONS, other):
            await until(lambda: len(listener.of(label)) > count)
        assert listener.of(label)[-1] is None


async def test_do_not_disturb_of_gnome(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its setting counts only while its shell runs; anywhere else nobody obeys it."""
    (folder / "gsettings").write_text(f"#!/bin/sh\ncat {folder}/show-banners\n")
    (folder / "gsettings").chmod(0o755)
    (folder / "show-banners").write_text("true\n")
    label, dconf = "GNOME's notifications", "ca.desrt.dconf"
    path = f"{folder}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    async with listening(folder, PATH=path) as listener:
        await listener.until(label, None)
        async with (
            FakeService(address_in(folder), "org.gnome.Shell", {}),
            FakeService(address_in(folder), dconf, {}) as writer,
        ):
            await listener.until(label, False)
            (folder / "show-banners").write_text("false\n")
            changed = ["/org/gnome/desktop/notifications/show-banners", [""], "tag"]
            await writer.emit("/ca/desrt/dconf/Writer/user", f"{dconf}.Writer", "Notify", "sass", changed)
            await listener.until(label, True)


async def test_a_service_that_never_answers_is_unknown_and_keeps_nobody_waiting(
    folder: Path, listener: Listener
) -> None:
    """Its silence ends at a limit; the others were reported long before."""
    silent = FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): None})
    dunst = FakeService(address_in(folder), NOTIFICATIONS, {(DUNST, "paused"): ("v", [Variant("b", True)])})
    async with silent, dunst:
        await listener.until("dunst", True)
        await until(lambda: (SAVER, "GetActive") in silent.queries)
        count = len(listener.of("GNOME's screen lock"))
        await until(lambda: len(listener.of("GNOME's screen lock")) > count)
        assert listener.of("GNOME's screen lock")[-1] is None


async def test_an_answer_of_another_type_is_no_answer(folder: Path, listener: Listener) -> None:
    """Text where yes or no was queried counts as unknown."""
    async with FakeService(address_in(folder), SAVER, {(SAVER, "GetActive"): ("s", ["true"])}) as saver:
        await until(lambda: bool(saver.queries))
        await asyncio.sleep(0.05)
        assert set(listener.of("GNOME's screen lock")) == {None}


async def test_no_service_is_started_by_asking(folder: Path) -> None:
    """Asking must not wake what was not running; a plain call would, which is the control."""
    started = folder / "started"
    service = folder / "services" / f"{SAVER}.service"
    service.write_text(f"[D-BUS Service]\nName={SAVER}\nExec=/usr/bin/touch {started}\n")
    with private_bus(folder):
        async with listening(folder) as listener:
            await listener.until("GNOME's screen lock", None)
        assert not started.exists()
        options = [f"--bus={address_in(folder)}", "--print-reply", "--reply-timeout=300", f"--dest={SAVER}"]
        argv = ["dbus-send", *options, SAVER_PATH, f"{SAVER}.GetActive"]
        subprocess.run(argv, check=False, capture_output=True)  # noqa: ASYNC221  # nothing else goes on
        assert started.exists()


async def test_a_bus_that_ends_is_reported(tmp_path: Path) -> None:
    """Whoever listens learns of it and is not left waiting."""
    with private_bus(tmp_path) as bus:
        listener = Listener(bus_sources({"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)})[1])
        watching = asyncio.create_task(listener.source.watch(listener.report))
        await listener.until("dunst", None)
        bus.kill()
        with pytest.raises(SourceGone):
            async with asyncio.timeout(LIMIT_S):
                await watching


async def test_a_bus_that_never_answers_or_is_not_there_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that nobody reads, no socket, and an address that is none."""
    monkeypatch.setattr(dbus, "ANSWER_S", 0.2)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "bus"))
        dead.listen(1)
        for address in (address_in(tmp_path), address_in(tmp_path / "none"), "autolaunch:", "nonsense"):
            source = BusSource(address, [])
            with pytest.raises(SourceGone):
                await source.watch(Listener(source).report)
