"""The narrow set of signals that is listened to, their plain form, and which of them the bus sends here now.

A rule of the bus names member and first argument; what others asked for arrives all the same, and is dropped here.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dbus_fast import Message, Variant

from daemon.capture.accessibility.atspi.connection import Connection

_EVENT = "org.a11y.atspi.Event."


class SignalKind(StrEnum):
    """A kind of signal, by the name under which the registry knows it."""

    WINDOW_ACTIVATE = "window:activate"
    WINDOW_CREATE = "window:create"
    WINDOW_DESTROY = "window:destroy"
    FOCUSED = "object:state-changed:focused"
    CHECKED = "object:state-changed:checked"
    INVALID_ENTRY = "object:state-changed:invalid-entry"
    SHOWING = "object:state-changed:showing"
    NAME = "object:property-change:accessible-name"
    ROW_INSERTED = "object:row-inserted"
    DESCENDANT = "object:active-descendant-changed"
    TEXT_INSERTED = "object:text-changed:insert"
    TEXT_WRITTEN = "object:text-changed:insert/system"
    """By Firefox, of a text that its page wrote and nobody typed."""

    LOADED = "document:load-complete"
    ANNOUNCEMENT = "object:announcement"
    NOTIFICATION = "object:notification"


NOISY = (
    SignalKind.SHOWING,
    SignalKind.NAME,
    SignalKind.ROW_INSERTED,
    SignalKind.DESCENDANT,
    SignalKind.TEXT_INSERTED,
    SignalKind.TEXT_WRITTEN,
)
"""What is not listened to for a while when there is too much of it."""

TYPED = (SignalKind.TEXT_INSERTED,)
"""What comes with each letter that is typed."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: who sent it about which object, whether a state is on, a row's number, and a text or a reference.

    The text that was typed or written is in signals about text: it is never read, and not here, but only where it
    begins (`detail`) and its `length`, in characters.
    """

    kind: SignalKind
    sender: str
    path: str
    detail: int
    text: str = ""
    reference: str = ""
    length: int = 0


def rule(kind: SignalKind) -> str:
    """Return the match rule for a kind."""
    category, member, *detail = kind.split(":")
    found = f"type='signal',interface='{_EVENT}{_camel(category)}',member='{_camel(member)}'"
    return found + "".join(f",arg0='{name}'" for name in detail)


def parse(message: Message) -> Signal | None:
    """Return a signal in its plain form; None if it is not one of those listened to, or no valid one."""
    key = (message.interface, message.member)
    details = _KINDS.get((str(key[0]), str(key[1])))
    body = message.body
    if details is None or len(body) < 4 or not message.sender or not message.path:  # noqa: PLR2004  # detail, two numbers, a value
        return None
    kind = details.get("") or details.get(body[0])
    if kind is None or not isinstance(body[1], int):
        return None
    if kind in (SignalKind.TEXT_INSERTED, SignalKind.TEXT_WRITTEN):
        length = body[2] if isinstance(body[2], int) else 0
        return Signal(kind, message.sender, message.path, max(0, body[1]), length=max(0, length))
    value = body[3].value if isinstance(body[3], Variant) else None
    text = value if isinstance(value, str) else ""
    is_reference = isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[1], str)  # noqa: PLR2004  # name and path
    return Signal(kind, message.sender, message.path, body[1], text, str(value[1]) if is_reference and value else "")


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _kinds() -> Mapping[tuple[str, str], Mapping[str, SignalKind]]:
    found: dict[tuple[str, str], dict[str, SignalKind]] = {}
    for kind in SignalKind:
        category, member, *detail = kind.split(":")
        found.setdefault((_EVENT + _camel(category), _camel(member)), {})[detail[0] if detail else ""] = kind
    return found


_KINDS = _kinds()


class Subscriptions:
    """The rules of one connection.

    What nobody would look at is best not sent: that costs neither the bus nor this process anything. A kind stays
    silent for as long as any reason for that holds.
    """

    def __init__(self, connection: Connection, begin: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        """Take what runs a change beside the rest, in the order of the calls."""
        self._connection = connection
        self._begin = begin
        self._reasons: dict[SignalKind, set[str]] = {kind: set() for kind in SignalKind}

    async def open(self) -> None:
        """Have all kinds sent."""
        for kind in SignalKind:
            await self._connection.ask_bus("AddMatch", "s", rule(kind))

    def mute(self, kinds: Iterable[SignalKind], reason: str) -> None:
        """Have these kinds not sent any more, until `unmute` with the same reason."""
        for kind in kinds:
            reasons = self._reasons[kind]
            if not reasons:
                self._begin(self._ask("RemoveMatch", kind))
            reasons.add(reason)

    def unmute(self, kinds: Iterable[SignalKind], reason: str) -> None:
        """Have these kinds sent again, if there is no other reason."""
        for kind in kinds:
            reasons = self._reasons[kind]
            if reasons == {reason}:
                self._begin(self._ask("AddMatch", kind))
            reasons.discard(reason)

    async def _ask(self, member: str, kind: SignalKind) -> None:
        await self._connection.ask_bus(member, "s", rule(kind))
