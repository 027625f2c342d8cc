"""Where pixels of closed windows may still be on the screen although the windows are not. Pure.

Without a compositor a window that goes leaves its pixels until something paints over them: the server does so where the
window below has a background, its program does elsewhere, and a hung program does not. So a place stays covered until
it was painted since. With a compositor nothing is left behind but the last picture that it drew: whatever it paints
next shows that it works, and it draws everything that changed at once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.capture.fence.areas import around, remainder
from daemon.capture.scene import Scene, intersection
from storage.clock import NS_PER_S
from storage.records import Box

MAX_PIECES = 64
"""So many rectangles are remembered; where there would be more, one around those of each window."""

NOBODY = 0
"""The number of no window."""

MOVED_NS = NS_PER_S // 10
"""What is painted so soon after a window moved may be the server's copy of its pixels, stale ones with the others."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A rectangle in which `client` was seen last; painting counts from `from_ns` on."""

    box: Box
    client: int
    from_ns: int = 0


class StaleAreas:
    """Remembers what closed windows left on the screen, until it was painted over."""

    def __init__(self) -> None:
        """Start with nothing left behind."""
        self._shown: Mapping[int, Sequence[Box]] = {}
        self._scene = Scene(t_ns=0)
        self._pieces: list[_Piece] = []
        self._certain: set[int] = set()

    @property
    def boxes(self) -> list[Box]:
        """The rectangles that were not painted over yet; they may overlap."""
        return [piece.box for piece in self._pieces]

    @property
    def needs_painting(self) -> bool:
        """Whether `paint` has to be called: before a window goes where the order matters, else when it has gone."""
        return bool(self._pieces or (self._shown and not self._scene.compositor))

    def paint(self, boxes: Collection[Box], t_ns: int) -> bool:
        """Take in what was painted in the newest state, by `t_ns`; return whether less is stale now."""
        if not self._pieces or not boxes:
            return False
        before = self._pieces
        if self._scene.compositor:
            self._pieces = []
            return True
        self._pieces = _bounded(
            replace(piece, box=part)
            for piece in before
            for part in ([piece.box] if t_ns < piece.from_ns else _unpainted(piece.box, boxes))
        )
        return self._pieces != before

    def show(
        self,
        scene: Scene,
        shown: Mapping[int, Sequence[Box]],
        *,
        harmless: Collection[int],
        excluded: Collection[int],
    ) -> None:
        """Take in the next state.

        Args:
            scene: all windows.
            shown: the visible parts of closed windows, by client.
            harmless: clients of windows on the screen that may be seen.
            excluded: clients of windows that must not be seen for sure; what they left stays closed even if they turn
                harmless.
        """
        before, self._scene = self._scene, scene
        shown_before, self._shown = self._shown, shown
        self._certain.update(excluded)
        pieces = self._pieces
        if pieces and not scene.compositor and scene.windows is not before.windows:
            pieces = [*pieces, *_moved_along(pieces, before, scene)]
        if scene.compositor == before.compositor:  # else what may be seen changed, and nothing went
            pieces = [
                *pieces,
                *(
                    _Piece(part, client)
                    for client, parts in shown_before.items()
                    if client not in harmless
                    for box in parts
                    for part in remainder(box, shown.get(client, ()))
                ),
            ]
        if pieces:
            kept = (piece for piece in pieces if piece.client not in harmless or piece.client in self._certain)
            self._pieces = _bounded(
                replace(piece, box=box) for piece in kept if (box := intersection(piece.box, scene.screen)) is not None
            )
        else:
            self._pieces = []
        if self._certain:
            self._certain &= shown.keys() | {piece.client for piece in self._pieces}


def _unpainted(box: Box, painted: Iterable[Box]) -> list[Box]:
    """Return what is left of a rectangle, as one around it where it fell into too many parts."""
    parts = [box]
    for paint in painted:
        if intersection(box, paint) is not None:
            parts = [left for part in parts for left in remainder(part, (paint,))]
            if len(parts) > MAX_PIECES:
                parts = [around(parts)]
    return parts


def _moved_along(pieces: Iterable[_Piece], before: Scene, after: Scene) -> list[_Piece]:
    """Return what moved on the screen as part of windows that moved: the server copies a window's pixels."""
    places = {window.client: window.box for window in after.windows}
    moved: list[_Piece] = []
    for number, window in enumerate(before.windows):
        place = places.get(window.client, window.box)
        right, down = place.x - window.box.x, place.y - window.box.y
        if not right and not down:
            continue
        above = [other.box for other in before.windows[number + 1 :] if other.opaque]
        for piece in pieces:
            shared = intersection(piece.box, window.box)
            for part in remainder(shared, above) if shared is not None else ():
                arrived = intersection(part._replace(x=part.x + right, y=part.y + down), place)
                if arrived is not None:
                    moved.append(_Piece(arrived, piece.client, after.t_ns + MOVED_NS))
    return moved


def _bounded(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Return the pieces without repetitions; where there are too many, one for each window, or one for all."""
    found = list(dict.fromkeys(pieces))
    if len(found) > MAX_PIECES:
        by_client: dict[int, list[_Piece]] = {}
        for piece in found:
            by_client.setdefault(piece.client, []).append(piece)
        found = [_joined(client, parts) for client, parts in by_client.items()]
    return found if len(found) <= MAX_PIECES else [_joined(NOBODY, found)]


def _joined(client: int, pieces: Sequence[_Piece]) -> _Piece:
    return _Piece(around(piece.box for piece in pieces), client, max(piece.from_ns for piece in pieces))
