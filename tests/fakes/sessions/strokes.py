"""Records by hand, stroke by stroke, for checks that need to know exactly what happened when (simulated, not recorded).

Where a check needs a program that answers by itself, it uses `tests.fakes.sessions.desk` instead.
"""

from dataclasses import replace
from hashlib import blake2b
from typing import cast

from detectors.features.tracker import FeatureTracker
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    ControlState,
    DialogSeen,
    DocumentLoaded,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Record,
    Sense,
    TileDigests,
    UndoLabel,
    WindowEvent,
)
from storage.records.tiles import BAND, DIGEST_BYTES, TILE, Place, digested_tiles, pack

S = 1_000_000_000
WINDOW = Box(0, 0, 1900, 1000)
MENU = Box(100, 40, 200, 300)
WORD = Box(448, 480, 256, 32)
"""A change as large as a word."""

VIEW = Box(0, 64, 1856, 896)
"""A change of nearly all of the window."""

NAMED = {
    "c": KeyClass.CHARACTER, "b": KeyClass.BACKSPACE, "u": KeyClass.UNDO, "r": KeyClass.REDO, "e": KeyClass.ESCAPE,
    "n": KeyClass.NAVIGATION, "t": KeyClass.TAB, "x": KeyClass.ENTER, "a": KeyClass.SELECT_ALL, "y": KeyClass.COPY,
    "p": KeyClass.PASTE, "s": KeyClass.SAVE, "k": KeyClass.SHORTCUT, "h": KeyClass.HELP, "m": KeyClass.MENU,
    "_": KeyClass.MODIFIER,
}  # fmt: skip


def tile_of(picture: str, place: Place) -> bytes:
    """Return the digest of a tile: `"a"` differs from `"b"` everywhere, `"a+3"` from `"a"` in 3 of 8 columns."""
    name, _, others = picture.partition("+")
    row = (place[0] // TILE + place[1] // BAND) % 8
    shown = picture if others and row < int(others) else name
    return blake2b(f"{shown} {place}".encode(), digest_size=DIGEST_BYTES).digest()


class Strokes:
    """Collects records; every method moves on in time. An editor is in front from the start, with one frame seen."""

    def __init__(self, app: str = "editor") -> None:
        self.now = 0.0
        self.records: list[Record] = []
        self.at = (900, 500)
        self.frames = 0
        self.focus(app)
        self.now = 0.1
        self.frame(WINDOW)
        self.now = 1.0

    def wait(self, seconds: float) -> "Strokes":
        self.now += seconds
        return self

    def keys(self, text: str, gap: float = 0.2) -> "Strokes":
        """Press keys named by letter, each followed by `gap` seconds."""
        for letter in text:
            self._input(EventKind.KEY, key_class=NAMED[letter])
            self.now += gap
        return self

    def move(self, *places: tuple[int, int], rest: float = 0.0) -> "Strokes":
        """Move to places in a straight line each, a tenth of a second for 150 pixels, and rest on each."""
        for x, y in places:
            from_x, from_y = self.at
            length = ((x - from_x) ** 2 + (y - from_y) ** 2) ** 0.5
            steps = max(1, round(length / 150))
            for step in range(1, steps + 1):
                self.now += 0.1
                here = (from_x + (x - from_x) * step // steps, from_y + (y - from_y) * step // steps)
                self._input(EventKind.MOTION, x=here[0], y=here[1], path=round(length / steps))
            self.at = (x, y)
            self.now += rest
        return self

    def press(
        self,
        x: int = 900,
        y: int = 500,
        *,
        to: tuple[int, int] | None = None,
        hold: float = 0.08,
        gap: float = 0.5,
        button: str = "left",
    ) -> "Strokes":
        """Press a button and let it go `hold` seconds later, elsewhere if it is a drag; wait for `gap` seconds."""
        self.at = to or (x, y)
        self._input(EventKind.BUTTON_DOWN, x=x, y=y, button=button)
        self.now += hold
        self._input(EventKind.BUTTON_UP, x=self.at[0], y=self.at[1], button=button)
        self.now += gap
        return self

    def scroll(self, *steps: int, gap: float = 0.2) -> "Strokes":
        for step in steps:
            self._input(EventKind.SCROLL, x=self.at[0], y=self.at[1], dy=step)
            self.now += gap
        return self

    def frame(self, *boxes: Box, digest: str | None = None) -> "Strokes":
        self.frames += 1
        shown = digest or f"picture {self.frames}"
        self.records.append(
            Frame(t_ns=self.now_ns, monitor="m", size=(1920, 1080), digest=shown, changed=boxes or (WORD,))
        )
        return self

    def answered(self, after: float = 0.2, *boxes: Box, digest: str | None = None) -> "Strokes":
        return self.wait(after).frame(*boxes, digest=digest).wait(0.3)

    def shows(self, picture: str, box: Box = WORD, *, after: float = 0.3, before: str = "") -> "Strokes":
        """Show a picture in a box a moment after an act, with digests of its tiles; `before` is what stood there."""
        self.wait(after).frame(box, digest=picture)
        places = digested_tiles(cast("Frame", self.records[-1]))
        stood = pack(tile_of(before, place) for place in places) if before else ""
        self.records.append(TileDigests(now=pack(tile_of(picture, place) for place in places), before=stood))
        return self.wait(0.5)

    def scrolls_to(
        self, line: int, *, lines: int = 20, text: str = "text", box: Box = VIEW, after: float = 0.3
    ) -> "Strokes":
        """Show the lines of a text from one on, a view with digests of patches as well as of tiles."""
        self.shows(f"{text} {line}", box, after=after)
        shown = {
            blake2b(f"{text} {at}".encode(), digest_size=DIGEST_BYTES).digest() for at in range(line, line + lines)
        }
        row = cast("TileDigests", self.records[-1])
        self.records[-1] = replace(row, patches=pack(sorted(shown)))
        return self

    def popup(self, box: Box = MENU, *, gone: bool = False) -> "Strokes":
        self.records.append(WindowEvent(t_ns=self.now_ns, app="editor", popup=True, gone=gone, geometry=box))
        return self

    def window(self, box: Box, *, gone: bool = False) -> "Strokes":
        self.records.append(WindowEvent(t_ns=self.now_ns, app="editor", popup=False, gone=gone, geometry=box))
        return self

    def focus(self, app: str, *, title: str = "main", dialog: bool = False, window: int = 1) -> "Strokes":
        box = Box(600, 300, 400, 300) if dialog else WINDOW
        self.records.append(
            Focus(t_ns=self.now_ns, app=app, window=window, title_digest=title, geometry=box, dialog=dialog)
        )
        return self

    def sense(self, *, on: bool = True) -> "Strokes":
        self.records.append(Sense(name="controls", on=on))
        return self

    def touch(
        self,
        name: str,
        *,
        role: ControlRole = ControlRole.BUTTON,
        state: ControlState = ControlState.PLAIN,
        at: tuple[int, int] = (900, 500),
        gap: float = 0.5,
    ) -> "Strokes":
        pressed_ns = self.now_ns
        self.press(*at, gap=gap)
        box = Box(at[0] - 40, at[1] - 12, 80, 24)
        self.records.append(
            ControlAct(t_ns=pressed_ns, app="editor", what="pressed", role=role, name_digest=name, state=state, box=box)
        )
        return self

    def toggles(self, name: str, *, on: bool) -> "Strokes":
        state = ControlState.ON if on else ControlState.OFF
        role = ControlRole.CHECK_BOX
        self.touch(name, role=role, state=state)
        (pressed,) = (record for record in self.records[-1:] if isinstance(record, ControlAct))
        self.records.append(replace(pressed, t_ns=self.now_ns, what="toggled"))
        return self.wait(0.5)

    def says(
        self, text: str, about: MessageClass = MessageClass.ERROR, role: ControlRole = ControlRole.ALERT
    ) -> "Strokes":
        self.records.append(MessageSeen(t_ns=self.now_ns, app="editor", role=role, text_digest=text, about=about))
        return self.wait(0.5)

    def runs(self, error: str = "") -> "Strokes":
        """Edit and run a program, which ends with an error, or goes well where there is none."""
        about = MessageClass.ERROR if error else MessageClass.SUCCESS
        return self.keys("cck").wait(0.5).says(error, about, ControlRole.OUTPUT).wait(5.0)

    def opens(self, title: str, about: MessageClass) -> "Strokes":
        self.records.append(
            DialogSeen(
                t_ns=self.now_ns,
                app="editor",
                role=ControlRole.DIALOG,
                title_digest=title,
                text_digest=title,
                about=about,
            )
        )
        return self.wait(0.5)

    def loads(self, title: str) -> "Strokes":
        self.records.append(DocumentLoaded(t_ns=self.now_ns, app="editor", title_digest=title))
        return self.wait(0.5)

    def names_undo(self, label: str) -> "Strokes":
        self.records.append(UndoLabel(t_ns=self.now_ns, app="editor", label_digest=label))
        return self.wait(0.3)

    @property
    def now_ns(self) -> int:
        return round(self.now * S)

    def values(self, at: float | None = None) -> dict[str, float]:
        tracker = FeatureTracker()
        tracker.open_window(0)
        for record in self.records:
            tracker.take(record)
        return tracker.values(self.now_ns if at is None else round(at * S))

    def _input(self, kind: EventKind, **fields: object) -> None:
        self.records.append(InputEvent(t_ns=self.now_ns, kind=kind, **fields))  # type: ignore[arg-type]  # by name
