"""Acts made of input: a burst of keys (Enter ends it), a click, a drag, a burst of scrolling or of arrow keys."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum

from detectors.features.acts import Act
from detectors.features.states.views import View
from storage.clock import NS_PER_S
from storage.tiles import Place

GAP_NS = 4 * NS_PER_S // 5
"""A pause longer than this ends a burst of keys; a guess."""

LONGEST_NS = 4 * NS_PER_S
DOUBLE_NS = 2 * NS_PER_S // 5
EFFECT_NS = 3 * NS_PER_S // 2
"""What changes within this time after an act belongs to it."""

ENTRY_ROWS = 6
"""An entry of one line is in at most so many rows of tiles, with its frame and a second view of it (a formula bar)."""

CELL = (48, 24)
"""Presses within such a part of the window are at the same target; pixels."""


class BurstKind(IntEnum):
    """Kinds of acts as far as this memory tells them apart."""

    TYPED = 0
    PRESSED = 1
    SCROLLED = 2
    MENDED = 3


KIND_OF = {
    Act.TEXT: BurstKind.TYPED,
    Act.ERASE: BurstKind.TYPED,
    Act.COMMIT: BurstKind.TYPED,
    Act.STEP: BurstKind.SCROLLED,
    Act.CLIP: BurstKind.TYPED,
    Act.COMMAND: BurstKind.TYPED,
    Act.ESCAPE: BurstKind.TYPED,
    Act.UNDO: BurstKind.MENDED,
    Act.REDO: BurstKind.MENDED,
    Act.PRESS: BurstKind.PRESSED,
    Act.SCROLL: BurstKind.SCROLLED,
}

Target = tuple[object, ...]


@dataclass(slots=True)
class Burst:
    """An act in progress.

    `target` is None where attempts at it cannot be told apart. `first` and `values` say what stood at a place before
    it, and what stands there since. `rows` and `responses` count digests and changes seen. `typed_rows` are tops of
    tiles that changed while the last entry was typed. `switched` means that it led to another program, `new_title` to
    a window or dialog never seen before; one that comes back was left at `left_ns`. `view` is where scrolling led to,
    None where no patches tell.
    """

    kind: BurstKind
    start_ns: int
    last_ns: int
    app: str
    target: Target | None = None
    ended: bool = False
    edits: bool = False
    first: dict[Place, int | None] = field(default_factory=dict)
    values: dict[Place, int] = field(default_factory=dict)
    rows: int = 0
    typed_rows: set[int] = field(default_factory=set)
    responses: int = 0
    switched: bool = False
    new_title: bool = False
    left_ns: int | None = None
    view: View | None = None

    def goes_on(self, kind: BurstKind, t_ns: int) -> bool:
        """Return whether another event of a kind belongs to it."""
        if kind is not self.kind or self.ended:
            return False
        gap_ns = t_ns - self.last_ns
        if kind is BurstKind.PRESSED:
            return gap_ns < DOUBLE_NS
        return gap_ns <= GAP_NS and t_ns - self.start_ns <= LONGEST_NS

    @property
    def entry_rows(self) -> AbstractSet[int] | None:
        """The rows of the last entry: None where they are not known, none where typing changed more than an entry."""
        rows = self.typed_rows
        return (rows if len(rows) <= ENTRY_ROWS else frozenset()) if rows else None

    def net_changes(self) -> dict[Place, int]:
        """Return what stands where something else stood before it."""
        first = self.first
        return {place: value for place, value in self.values.items() if value != first[place]}

    def is_over(self, now_ns: int) -> bool:
        """Return whether nothing that changes now belongs to it."""
        return now_ns - self.last_ns > EFFECT_NS
