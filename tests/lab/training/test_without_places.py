"""Sessions as they would be if every window were one of many small equal controls."""

from lab.training.extract import _without_places
from storage.records import Box, ControlAct, EventKind, Focus, Frame, InputEvent, TileDigests, WindowEvent
from storage.testing import plain


def test_without_places_nothing_tells_where_the_pointer_was_or_what_of_a_window_changed() -> None:
    """As capture leaves a window of many small equal controls, for every window in front."""
    front, inside, outside = Box(100, 100, 400, 300), Box(160, 160, 64, 32), Box(800, 0, 64, 32)
    desk = [
        plain(Focus, app="a", geometry=front),
        plain(InputEvent, kind=EventKind.BUTTON_DOWN, button="left", x=170, y=165),
        plain(Frame, changed=(inside, outside, inside)),
        TileDigests(now="AAAA"),
        plain(ControlAct),
        plain(WindowEvent),
    ]
    focus, press, frame, other = _without_places(desk)
    assert isinstance(press, InputEvent)
    assert isinstance(frame, Frame)
    assert (press.x, press.y, press.button) == (None, None, "left")
    assert frame.changed == (front, outside)
    assert (focus, other) == (desk[0], desk[-1])
