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

CONNECTED = 4321


class FakeDisplay:
    """A display server that says, or does not say, whose a connection is."""

    def __init__(self, *, version: tuple[int, int] | None = (1, 2), fails: bool = False) -> None:
        self._version = version
        self._fails = fails
        self._atoms: dict[str, int] = {}

    def intern_atom(self, name: str) -> int:
        return self._atoms.setdefault(name, len(self._atoms) + 1)

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


class FakeWindow:
    """A window with properties; of no others it may be asked."""

    id = 7

    def __init__(self, display: FakeDisplay, values: dict[str, Sequence[int]]) -> None:
        self._values = {display.intern_atom(name): value for name, value in values.items()}

    def list_properties(self) -> list[int]:
        return list(self._values)

    def get_property(self, atom: int, *_: int) -> SimpleNamespace:
        return SimpleNamespace(value=self._values[atom], bytes_after=0)


def read(display: FakeDisplay, **values: Sequence[int]) -> Client:
    client = Client()
    Properties(cast("Display", display)).read(FakeWindow(display, values), client)
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
