"""The windows whose controls are looked for, and who says what a pointer really reached in them.

A page of a browser has a title that names the control that the pointer is on, as the page itself sees it; of other
programs the witness hears what the pointer reached.
"""

import asyncio
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Self

import msgspec
from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from demo.virtual_desktop.windows import poll
from storage.errors import EnvironmentFault

TITLE = "Registration"
NOTHING = "nothing"

_FACTS = tomllib.loads((Path(__file__).parent / "data" / "subjects.toml").read_text(encoding="utf-8"))
CONTROLS: Sequence[tuple[str, str]] = tuple((kind, name) for kind, name in _FACTS.pop("controls"))
"""Kind and name of what is on the page."""

_INPUTS = {"entry": "text", "check": "checkbox", "radio": "radio", "range": "range"}


def page_html() -> str:
    """Return the page."""
    rows = "".join(f"<p>{_control(kind, escape(name), number)}</p>" for number, (kind, name) in enumerate(CONTROLS))
    return f"""<!doctype html><meta charset=utf-8><title>{TITLE}</title>
<style>body {{ columns: 2; font: 14px sans-serif }} p {{ margin: 0 0 12px }}</style>
{rows}
<script>
document.addEventListener("mousemove", event => {{
  const found = event.target.closest("[data-name]");
  document.title = "{TITLE}: " + (found ? found.dataset.name : "{NOTHING}");
}});
</script>"""


def _control(kind: str, name: str, number: int) -> str:
    mark = f'id=c{number} data-name="{name}"'
    if kind == "button":
        return f"<button {mark}>{name}</button>"
    if kind == "link":
        return f'<a href="#" {mark}>{name}</a>'
    if kind == "select":
        return f"<label for=c{number}>{name}</label> <select {mark}><option>one<option>two</select>"
    return f"<label for=c{number}>{name}</label> <input type={_INPUTS[kind]} {mark}>"


FORM_TITLE = "Order form"
"""Of the window of `qt_form`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A program: how it is started, its window, and its controls by the menu that they stand in.

    `buttons` stand in tool bars, and say their name when they are pressed, or show a hint when the pointer rests on
    them; `hints` are those that are not the name.
    """

    argv: Sequence[str]
    title: str
    menus: Mapping[str, Sequence[str]] = field(default_factory=dict)
    buttons: Sequence[str] = ()
    hints: Mapping[str, str] = field(default_factory=dict)


SUBJECTS: Mapping[str, Subject] = {name: msgspec.convert(facts, Subject) for name, facts in _FACTS.items()}

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_TOOL_TIP = 64
_PROPERTIES = "org.freedesktop.DBus.Properties"
_BUS = "org.freedesktop.DBus"
_REGISTRY = "org.a11y.atspi.Registry"
_SHOWN = ("showing", "visible")
_STATES = ("focused", "selected", "armed", *_SHOWN)


@dataclass(frozen=True, slots=True)
class Reached:
    """A control that the pointer reached: its name, and whether that is a hint shown beside it."""

    name: str
    hint: bool


class Witness:
    """Listens in a thread of its own, from entering to leaving."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._address = env["DBUS_SESSION_BUS_ADDRESS"]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="witness", daemon=True)
        self._reached: list[Reached] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        """Connect and listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(20)
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self._loop.call_soon_threadsafe(self._bus.disconnect)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def forget(self) -> None:
        """Forget what was heard."""
        self._reached = []

    def heard(self) -> str:
        """Return what was heard since the last `forget`, for a report."""
        return ", ".join(dict.fromkeys(reached.name for reached in self._reached)) or "nothing"

    def wait(self, check: Callable[[Reached], bool], timeout_s: float) -> bool:
        """Return whether something fitting was heard since the last `forget`, or is heard in time."""
        try:
            poll(lambda: any(check(reached) for reached in self._reached), what="an answer", timeout_s=timeout_s)
        except EnvironmentFault:
            return False
        return True

    async def _listen(self) -> None:
        session = await MessageBus(bus_address=self._address).connect()
        address = await _ask(session, ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus"), "GetAddress")
        session.disconnect()
        self._bus = await MessageBus(bus_address=str(address)).connect()
        self._bus.add_message_handler(self._take)
        rule = "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged'"
        await _ask(self._bus, (_BUS, "/org/freedesktop/DBus", _BUS), "AddMatch", "s", rule)
        for state in _STATES:
            kind = f"object:state-changed:{state}"
            await _ask(self._bus, (_REGISTRY, "/org/a11y/atspi/registry", _REGISTRY), "RegisterEvent", "s", kind)

    def _take(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.body[:2] in ([state, 1] for state in _STATES):
            task = asyncio.ensure_future(self._look(str(message.sender), str(message.path), str(message.body[0])))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look(self, sender: str, path: str, state: str) -> None:
        role = await _ask(self._bus, (sender, path, _ACCESSIBLE), "GetRole")
        if state in _SHOWN and role != _TOOL_TIP:
            return
        name = await _ask(self._bus, (sender, path, _PROPERTIES), "Get", "ss", _ACCESSIBLE, "Name")
        if isinstance(name, str) and name:
            self._reached.append(Reached(name, role == _TOOL_TIP))


async def _ask(bus: MessageBus, where: tuple[str, str, str], member: str, signature: str = "", *body: object) -> object:
    """Return the first value that an object answers; `where` is its name on the bus, its path and the interface."""
    no_start = MessageFlag.NO_AUTOSTART
    reply = await bus.call(
        Message(*where, member, MessageType.METHOD_CALL, no_start, signature=signature, body=list(body))
    )
    if reply.message_type is not MessageType.METHOD_RETURN or not reply.body:
        return None
    value = reply.body[0]
    return value.value if isinstance(value, Variant) else value
