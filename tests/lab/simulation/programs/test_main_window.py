"""A window is clicked on only where it can be seen."""

import random
from typing import Any, cast

import pytest

from demo.virtual_desktop.windows import WindowInfo
from lab.simulation.programs.main_window import MainWindow
from storage.records import Box


class FakeDesktop:
    """Windows one above the other, each framed by the window manager."""

    def __init__(self, boxes: list[Box]) -> None:
        self.windows = self
        self.display = self
        self.all = [
            WindowInfo(xid=number, app="any", title="", pid=number, box=box, popup=False)
            for number, box in enumerate(boxes)
        ]

    def list_all(self) -> list[WindowInfo]:
        return self.all

    def intern_atom(self, name: str) -> int:
        return 1

    def create_resource_object(self, kind: str, xid: int) -> "FakeDesktop":
        return self

    def get_full_property(self, atom: int, kind: int) -> None:
        return None


class FakeUser:
    """Has random numbers and nothing else."""

    def __init__(self) -> None:
        self.rng = random.Random(1)


WORK = Box(100, 100, 1000, 700)


@pytest.mark.parametrize(
    ("above", "free"),
    [
        ([], range(100, 1100)),
        ([Box(90, 60, 600, 400)], range(690, 1100)),
        ([Box(90, 60, 1100, 400)], None),
        ([Box(90, 300, 1100, 400)], range(100, 1100)),
        ([Box(90, 60, 600, 400), Box(650, 90, 600, 300)], None),
    ],
)
def test_the_title_bar_is_clicked_where_nothing_covers_it(above: list[Box], free: range | None) -> None:
    """A place is found if there is one, on the title bar, under no other window; else none."""
    desktop = FakeDesktop([WORK, *above])
    window = MainWindow(cast(Any, FakeUser()), cast(Any, desktop), desktop.all[0])
    for _ in range(20):
        point = window.free_title()
        if free is None:
            assert point is None
        else:
            assert point is not None
            assert point[0] in free
            assert point[1] < WORK.y
