"""The icon and its menu over D-Bus, as panels of today show them, and the small window where no panel does."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, Self

import pytest
from dbus_fast import Message, MessageType, PropertyAccess, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.ports import ASK_TITLE
from tests.fakes.ui.interface_process import Puppet, click, find_button, popups_of, press

TIMEOUT_S = 20.0
NAME = "org.kde.StatusNotifierWatcher"
MENU = "com.canonical.dbusmenu"


class _Watcher(ServiceInterface):
    """What Qt looks for before it makes an icon over D-Bus."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.items: list[str] = []

    @dbus_method()
    def RegisterStatusNotifierItem(self, service: "s") -> None:  # type: ignore[name-defined]  # noqa: N802, F821  # a signature of D-Bus
        self.items.append(service)

    @dbus_property(access=PropertyAccess.READ)
    def IsStatusNotifierHostRegistered(self) -> "b":  # type: ignore[name-defined]  # noqa: N802, F821  # a D-Bus name and type
        return True

    @dbus_property(access=PropertyAccess.READ)
    def ProtocolVersion(self) -> "i":  # type: ignore[name-defined]  # noqa: N802, F821  # a D-Bus name and type
        return 0


class TrayWatcher:
    """Runs the watcher in a thread, and uses the icon and its menu as a panel would."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tray-watcher")
        self._watcher = _Watcher()
        self._bus: MessageBus | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._begin())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def items(self) -> tuple[str, ...]:
        return tuple(self._watcher.items)

    @property
    def item(self) -> str | None:
        return self._watcher.items[-1] if self._watcher.items else None

    def tooltip(self) -> str:
        value = self._get("org.kde.StatusNotifierItem", "ToolTip")
        return str(value[2])

    def icon(self) -> bytes:
        value = self._get("org.kde.StatusNotifierItem", "IconPixmap")
        return b"".join(bytes(picture[2]) for picture in value)

    def facts(self) -> dict[str, str]:
        """Return what a panel sorts icons by: name, kind, title, and whether it asks for attention."""
        names = ("Id", "Category", "Title", "Status")
        return {name: str(self._get("org.kde.StatusNotifierItem", name)) for name in names}

    def activate(self, x: int, y: int) -> None:
        self._call("/StatusNotifierItem", "org.kde.StatusNotifierItem", "Activate", "ii", [x, y])

    def lines(self) -> dict[str, tuple[int, bool, int]]:
        """Return the visible lines of the menu: by label their id, whether they can be clicked, and their tick."""
        _, (_, _, children) = self._call(self._menu(), MENU, "GetLayout", "iias", [0, -1, []])
        found: dict[str, tuple[int, bool, int]] = {}
        for child in children:
            number, facts, _ = child.value
            values = {name: fact.value for name, fact in facts.items()}
            if values.get("visible", True) and values.get("label"):
                label = values["label"].replace("_", "")
                found[label] = number, values.get("enabled", True), values.get("toggle-state", -1)
        return found

    def click(self, label: str) -> None:
        number, enabled, _ = self.lines()[label]
        assert enabled, label
        self._call(self._menu(), MENU, "Event", "isvu", [number, "clicked", Variant("s", ""), 0])

    def _menu(self) -> str:
        return str(self._get("org.kde.StatusNotifierItem", "Menu"))

    def _get(self, interface: str, name: str) -> Any:
        (value,) = self._call("/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get", "ss", [interface, name])
        return value.value

    def _call(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> Any:
        message = Message(
            destination=self.item, path=path, interface=interface, member=member, signature=signature, body=body
        )

        async def call() -> Message | None:
            assert self._bus is not None
            return await self._bus.call(message)

        reply = self._run(call())
        assert reply is not None
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return reply.body

    async def _begin(self) -> None:
        self._bus = await MessageBus(bus_address=self._address).connect()
        self._bus.export("/StatusNotifierWatcher", self._watcher)
        await self._bus.request_name(NAME)

    async def _end(self) -> None:
        if self._bus is not None:
            self._bus.disconnect()
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]  # as the package has it

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT_S)


pytestmark = pytest.mark.display


@pytest.fixture
def watcher(bare_desktop: VirtualDesktop) -> Iterator[TrayWatcher]:
    with TrayWatcher(bare_desktop.env["DBUS_SESSION_BUS_ADDRESS"]) as made:
        yield made


def test_the_menu_is_used_over_d_bus(bare_desktop: VirtualDesktop, watcher: TrayWatcher) -> None:
    with Puppet(bare_desktop) as puppet:
        poll(lambda: watcher.item, what="finding the icon")
        pictures = set()
        for state, says in (
            ("watching", "Kairos: Watching"),
            ("paused", "Kairos: Paused until you resume"),
            ("private", "Kairos: Private until you resume"),
            ("problem", "Kairos: Something is wrong"),
        ):
            puppet.order("status", state=state)
            poll(lambda says=says: watcher.tooltip() == says, what=says)  # type: ignore[misc]  # bound at once
            pictures.add(watcher.icon())
        puppet.order("status", state="watching", model_off=True)
        poll(lambda: watcher.tooltip() == "Kairos: Watching; a model cannot be asked now", what="the model")
        pictures.add(watcher.icon())
        assert len(pictures) == 5
        puppet.order("status", state="paused")
        poll(lambda: not watcher.lines()["Ask…"][1], what="nothing to ask")
        assert watcher.lines()["Private now"][2] == 0
        for label, call in (
            ("Resume", {"call": "resume"}),
            ("Pause for 15 minutes", {"call": "pause", "seconds": 900.0}),
            ("Private now", {"call": "set_private", "on": True}),
            ("Quit Kairos", {"call": "quit"}),
        ):
            watcher.click(label)
            assert puppet.hear() == call


def test_minutes_are_forgotten_from_the_menu_without_the_timeline(
    bare_desktop: VirtualDesktop, watcher: TrayWatcher
) -> None:
    """The entry brings the question up by itself; a double click on yes forgets once, since the time that was shown."""
    with Puppet(bare_desktop) as puppet:
        poll(lambda: watcher.item, what="finding the icon")
        puppet.order("status", state="watching")
        poll(lambda: watcher.lines().get("Forget the last 10 minutes…", (0, False, 0))[1], what="the entry")
        watcher.click("Forget the last 10 minutes…")
        assert puppet.hear() == {"call": "preview_forget", "scope": "last", "day": None}
        puppet.order("forget_report", begin_wall_ns=7)
        bare_desktop.windows.wait(title="Kairos: Forget the last 10 minutes?")
        point = find_button(puppet, "forget_now")
        click(bare_desktop, point)
        click(bare_desktop, point)
        assert puppet.hear() == {"call": "forget", "begin_wall_ns": 7}
        bare_desktop.windows.wait_gone(title="Kairos: Forget the last 10 minutes?")
        puppet.order("forget_report", begin_wall_ns=7, done=True)
        poll(lambda: puppet.ask("button", name="keep")["button"], what="what went; no second call came before")


def test_the_icon_registers_and_opens_its_menu_and_the_timeline(
    bare_desktop: VirtualDesktop, watcher: TrayWatcher
) -> None:
    with Puppet(bare_desktop) as puppet:
        poll(lambda: watcher.item, what="finding the icon")
        assert len(watcher.items) == 1
        facts = watcher.facts()
        assert (facts["Id"], facts["Status"]) == ("kairos", "Active")
        puppet.order("status", state="watching")
        poll(lambda: watcher.lines().get("Watching", (0, False, 0))[1], what="the line")
        watcher.activate(600, 400)
        poll(lambda: popups_of(bare_desktop, puppet), what="the menu")
        assert puppet.ask("close_menu") == {"closed": True}
        watcher.click("Watching")
        bare_desktop.windows.wait("kairos", "Kairos: What Kairos saw")


def test_where_no_tray_is_a_small_window_does_the_same(bare_desktop: VirtualDesktop) -> None:
    """The notice that says so stays and opens it; its buttons are the lines of the menu."""
    with Puppet(bare_desktop) as puppet:
        bare_desktop.windows.wait("kairos", "Kairos notice")
        puppet.order("status", state="watching")
        click(bare_desktop, find_button(puppet, "act"))
        bare_desktop.windows.wait_gone("kairos", "Kairos notice")
        bare_desktop.windows.wait("kairos", "Kairos")
        for name, call in (
            ("Pause for 1 hour", {"call": "pause", "seconds": 3600.0}),
            ("Ask…", {"call": "find_help", "words": ""}),
        ):
            click(bare_desktop, find_button(puppet, name))
            assert puppet.hear() == call
        field = bare_desktop.windows.wait("kairos", ASK_TITLE)
        poll(lambda: bare_desktop.windows.is_active(field), what="the keyboard in the field")
        press(bare_desktop, "Escape")
        bare_desktop.windows.wait_gone("kairos", ASK_TITLE)
        bare_desktop.spawn(["trayer", "--edge", "bottom", "--align", "right", "--height", "32"], "trayer")
        bare_desktop.windows.wait_gone("kairos", "Kairos")
        poll(lambda: puppet.ask("tray")["tray"], what="finding the tray")
