"""Records at chosen seconds, one function a kind, for checks of features that need to know what happened when."""

import random
from collections.abc import Iterable

from hypothesis import strategies as st

from detectors.features.tracker import FeatureTracker
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass, Record, WindowEvent
from tests.fakes.sessions.strokes import NAMED

S = 1_000_000_000
MENU = Box(100, 40, 200, 300)


def key(t_s: float, key_class: KeyClass, **fields: bool) -> InputEvent:
    return InputEvent(t_ns=round(t_s * S), kind=EventKind.KEY, key_class=key_class, **fields)  # type: ignore[arg-type]


def keys(t_s: float, text: str) -> list[Record]:
    return [key(t_s + 0.2 * place, NAMED[letter]) for place, letter in enumerate(text)]


def click(t_s: float, x: int = 500, y: int = 500, to: tuple[int, int] | None = None) -> list[Record]:
    end = to or (x, y)
    return [
        InputEvent(t_ns=round(t_s * S), kind=EventKind.BUTTON_DOWN, button="left", x=x, y=y),
        InputEvent(t_ns=round((t_s + 0.08) * S), kind=EventKind.BUTTON_UP, button="left", x=end[0], y=end[1]),
    ]


def frame(t_s: float, digest: str, *boxes: Box) -> Frame:
    return Frame(t_ns=round(t_s * S), monitor="m", size=(1920, 1080), digest=digest, changed=boxes)


def popup(t_s: float, *, gone: bool = False, box: Box = MENU) -> WindowEvent:
    return WindowEvent(t_ns=round(t_s * S), app="editor", popup=True, gone=gone, geometry=box)


def focus(t_s: float, app: str, *, title: str = "main", dialog: bool = False, own: bool = False) -> Focus:
    box = Box(600, 300, 400, 300) if dialog else Box(0, 0, 1900, 1000)
    return Focus(
        t_ns=round(t_s * S), app=app, window=1, title_digest=title, geometry=box, dialog=dialog, own=own
    )  # fmt: skip


def seen(records: Iterable[Record], at_s: float, *, app: str = "editor") -> dict[str, float]:
    """Return the features at a moment, after an editor got the focus and a first frame was seen."""
    tracker = FeatureTracker()
    tracker.take(focus(0.0, app))
    tracker.take(frame(0.1, "first", Box(0, 0, 1900, 1000)))
    tracker.open_window(0)
    for record in records:
        tracker.take(record)
    return tracker.values(round(at_s * S))


def menu_visit(t_s: float, end: list[Record]) -> list[Record]:
    return [*click(t_s, 150, 30), popup(t_s + 0.2), *end]


def dialog_visit(t_s: float, inside: list[Record], end_s: float, digest: str = "first") -> list[Record]:
    shown = frame(t_s + 0.4, f"dialog {t_s}", Box(576, 288, 448, 320))
    back = frame(end_s + 0.2, digest, Box(576, 288, 448, 320))
    return [
        *keys(t_s, "k"), focus(t_s + 0.3, "Office", title="format", dialog=True), shown, *inside,
        focus(end_s, "editor"), back,
    ]  # fmt: skip


actions = st.lists(
    st.tuples(st.integers(0, 3_000), st.integers(0, 9), st.integers(0, 1_000_000)), max_size=60
)  # milliseconds, what, how


def records_of(steps: list[tuple[int, int, int]]) -> list[Record]:
    records: list[Record] = []
    t_s = 0.0
    for wait_ms, what, how in steps:
        t_s += wait_ms / 1000.0
        rng = random.Random(how)
        x, y = rng.randint(0, 1900), rng.randint(0, 1000)
        box = Box(x // 64 * 64, y // 32 * 32, 64 * rng.randint(1, 9), 32 * rng.randint(1, 9))
        if what <= 3:
            records.append(key(t_s, rng.choice(list(KeyClass))))
        elif what == 4:
            records += click(t_s, x, y)
        elif what == 5:
            records.append(frame(t_s, f"d{rng.randint(0, 5)}", box))
        elif what == 6:
            records.append(popup(t_s, gone=how % 2 == 0, box=MENU if how % 3 else box))
        elif what == 7:
            records.append(focus(t_s, rng.choice(["editor", "Chromium"]), title=f"t{how % 3}", dialog=how % 2 == 0))
        elif what == 8:
            records.append(InputEvent(t_ns=round(t_s * S), kind=EventKind.SCROLL, x=x, y=y, dy=how % 3 - 1))
        else:
            records.append(InputEvent(t_ns=round(t_s * S), kind=EventKind.MOTION, x=x, y=y, path=how % 500))
    return records
