"""What windows say of themselves, read from a display that a test makes up."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from Xlib import error
from Xlib.display import Display

from daemon.capture.scene import NO_EDGES, Edges
from daemon.capture.x11 import properties
from daemon.capture.x11.properties import Client, Properties
from daemon.capture.x11.requests import Property

CONNECTED = 4321


class FakeDisplay:
    """A display server that says, or does not say, whose a connection is."""

    def __init__(self, *, version: tuple[int, int] | None = (1, 2), fails: bool = False) -> None:
        self._version = version
        self._fails = fails
        self.values: dict[str, Sequence[int]] = {}
        self.asked: list[str] = []
        self.asked_at_once = 0

    def has_extension(self, _: str) -> bool:
        return self._version is not None

    def res_query_version(self, *_: int) -> SimpleNamespace:
        assert self._version is not None
        return SimpleNamespace(server_major=self._version[0], server_minor=self._version[1])

    def res_query_client_ids(self, specs: Sequence[dict[str, int]]) -> SimpleNamespace:
        if self._fails:
            raise error.XError(cast("Any", self), bytes(32))
        assert [spec["client"] for spec in specs] == [7]
        return SimpleNamespace(ids=[SimpleNamespace(value=[CONNECTED])])

    def get_resource_class(self, *_: object) -> None:
        """An error looks this up."""


class FakeRequest:
    """A property that is asked for: an atom is its own name here."""

    def __init__(self, display: FakeDisplay, window: int, atom: str, _longs: int) -> None:
        assert window == 7
        self._display, self._value = display, display.values.get(atom)
        display.asked.append(atom)

    def found(self) -> Property | None:
        self._display.asked_at_once = self._display.asked_at_once or len(self._display.asked)
        return None if self._value is None else Property(tuple(self._value), 0)


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "AskedProperty", FakeRequest)
    monkeypatch.setattr(properties, "atoms_of", lambda _, names: {name: name for name in names})


def read(display: FakeDisplay, **values: Sequence[int]) -> Client:
    client = Client()
    display.values = values
    Properties(cast("Display", display)).read(SimpleNamespace(id=7), client)
    return client


@pytest.mark.parametrize(
    ("display", "connected"),
    [
        (FakeDisplay(), CONNECTED),
        (FakeDisplay(version=None), 0),
        (FakeDisplay(version=(1, 0)), 0),
        (FakeDisplay(fails=True), 0),
    ],
)
def test_the_display_server_is_asked_whose_a_window_is(
    monkeypatch: pytest.MonkeyPatch, display: FakeDisplay, connected: int
) -> None:
    """Where it can say so; of a window that says no process it is not asked."""
    asked: list[tuple[int, int]] = []

    def process(claimed: int, known: int) -> int:
        asked.append((claimed, known))
        return known or claimed

    monkeypatch.setattr(properties, "local_process", process)
    assert read(display, _NET_WM_PID=[2]).pid == (connected or 2)
    assert asked == [(2, connected)]
    assert read(display).pid == 0
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("value", "edges"),
    [([23, 23, 20, 26], Edges(23, 23, 20, 26)), ([1, 2], NO_EDGES), ([0, 0, 0, 2**32 - 1], Edges(0, 0, 0, 1000))],
)
def test_what_lies_around_a_window_is_four_widths_of_some_hundred_pixels(value: list[int], edges: Edges) -> None:
    """A program may write anything there."""
    client = read(FakeDisplay(), _GTK_FRAME_EXTENTS=value, _NET_FRAME_EXTENTS=[1, 1, 20, 5])
    assert (client.shadow, client.decorations) == (edges, Edges(1, 1, 20, 5))


def test_what_windows_usually_have_is_asked_for_before_any_answer_is_waited_for() -> None:
    """One round trip a window; menus on a bus and the older title are asked for where they may be needed."""
    display = FakeDisplay()
    read(display)
    assert display.asked_at_once == len(display.asked) - 1
    assert display.asked[-1] == "WM_NAME"
