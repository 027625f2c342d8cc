"""What the windows request, written down and not answered: classes with the methods of a protocol.

Programs of their own start with this, so pytest is not imported here.
"""

import inspect
from collections.abc import Callable
from typing import Any

from storage.ports import CoreCommands
from storage.preferences import SettingsRequests
from storage.timeline import ForgetReport, ForgetScope, LabelRequests, TimelineRequests


def taking(protocol: type) -> Any:
    """Return a class with the methods of a protocol; each hands its name and all arguments, by name, to `note`."""

    def method(name: str, function: Callable[..., Any]) -> Callable[..., None]:
        signature = inspect.signature(function)

        def call(self: Any, *arguments: object, **named: object) -> None:
            bound = signature.bind(self, *arguments, **named)
            bound.apply_defaults()
            self.note(name, **{key: value for key, value in bound.arguments.items() if key != "self"})

        return call

    named = {name: found for name, found in vars(protocol).items() if not name.startswith("_") and callable(found)}
    return type(f"Taking{protocol.__name__}", (), {name: method(name, found) for name, found in named.items()})


class Calls(taking(CoreCommands)):  # type: ignore[misc]  # its methods are those of the protocol
    """A core that only writes down what it is asked; the end of help is kept apart, as it comes with every card."""

    def __init__(self) -> None:
        self.made: list[tuple[object, ...]] = []
        self.closed: list[object] = []
        self.on_quit: Callable[[], None] = lambda: None

    def note(self, name: str, **given: object) -> None:
        if name == "close_help":
            self.closed.append(given["offer_id"])
            return
        self.made.append((name, *given.values()))
        if name == "quit":
            self.on_quit()


class _Noted:
    """Keeps each call but the first one that names the view, as its name and its arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def note(self, name: str, **given: object) -> None:
        if name != "attach":
            self.calls.append((name, *given.values()))


class SettingsNotes(_Noted, taking(SettingsRequests)):  # type: ignore[misc]  # its methods are those of the protocol
    """A service of settings that notes what the window requests, and answers nothing."""


class TimelineNotes(_Noted, taking(TimelineRequests)):  # type: ignore[misc]  # its methods are those of the protocol
    """A reader of the timeline that notes what the interface requests, and answers nothing."""


class LabelNotes(_Noted, taking(LabelRequests)):  # type: ignore[misc]  # its methods are those of the protocol
    """A reader of sessions to be labelled that notes what the window requests, and answers nothing."""


def forget_report(**changes: Any) -> ForgetReport:
    values: dict[str, Any] = {
        "scope": ForgetScope.LAST,
        "begin_wall_ns": 1_790_000_000_000_000_000,
        "end_wall_ns": None,
        "done": False,
        "sessions": 2,
        "cut": 1,
        "requests": 3,
        "learned": True,
        "began_after": 1,
        "problems": (),
        "out_of_reach": ("backups",),
        "kept": "your consent",
    }
    return ForgetReport(**(values | changes))


class NotedView:
    """A window, as a service sees it, that keeps what it is told."""

    def __init__(self) -> None:
        self.replies: list[Any] = []
        self.opened = 0

    def show_reply(self, reply: Any) -> None:
        self.replies.append(reply)

    def open_window(self) -> None:
        self.opened += 1
