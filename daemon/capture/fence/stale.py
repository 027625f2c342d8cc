"""Where pixels of closed windows may still be on the screen although the windows are not. Pure.

Without a compositor a window that goes leaves its pixels until something paints over them: the server does so where the
window below has a background, its program does elsewhere, and a hung program does not. So a place stays covered until
it was painted since. With a compositor nothing is left behind but the last picture that it drew: whatever it paints
next shows that it works, and it draws everything that changed at once.

When a compositor begins to draw, the server gives each window a picture of its own, filled with what the screen shows
there: also pixels of closed windows above it. They are seen once those are gone, for as long as the program does not
paint there; the screen's reports then tell what the compositor paints, no more what the program does. So what such
windows paint into themselves is followed from the moment in which a compositor announces itself. The part of a window
that such pixels may be in stays covered until the window painted there and the compositor drew it, or until it leaves
the screen, which ends its picture.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from daemon.capture.scene import Scene, around, intersection, remainder
from storage.clock import NS_PER_S
from storage.records import Box

MAX_PIECES = 64
"""How many rectangles are remembered; where there would be more, rougher ones."""

_CELLS = (32, 128)
"""Sizes of the cells, in pixels, that take the place of too many rectangles: round corners leave dozens of slivers."""

NOBODY = 0
"""The number of no window."""

MOVED_NS = NS_PER_S // 10
"""What is painted this soon after a window moved may be the server's copy of its pixels, stale ones with the others."""


DRAWN_NS = NS_PER_S // 2
"""What the compositor paints this long after a window painted into its picture shows that; a program that paints in
several steps has done so, too."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A rectangle in which `client` was seen last; painting counts from `from_ns` on."""

    box: Box
    client: int
    from_ns: int = 0


@dataclass(frozen=True, slots=True)
class _Trace:
    """A rectangle of a window (`xid`), from its upper left corner, in whose picture pixels of a closed one may be.

    From `drawn_ns` on, if that is not 0, they are no more on the screen once the compositor has painted anything.
    """

    window: int
    box: Box
    client: int
    drawn_ns: int = 0

    def painted(self, boxes: Collection[Box], drawn_ns: int) -> Iterator["_Trace"]:
        """Return what is left of it once the window painted rectangles, and what will be drawn by `drawn_ns`."""
        left = [self.box] if self.drawn_ns else _unpainted(self.box, boxes)
        if left == [self.box]:
            yield self
        else:
            yield replace(self, drawn_ns=drawn_ns)
            yield from (replace(self, box=box) for box in left)


@dataclass(frozen=True, slots=True)
class _Copy:
    """A window that moved: the server reports its old parts at the new place, also where they are not visible."""

    reported: Box
    is_whole: bool
    visible: Sequence[Box]
    until_ns: int

    def painted(self, box: Box) -> list[Box]:
        """Return what was painted, where `box` was reported."""
        may_be_copy = box == self.reported if self.is_whole else intersection(box, self.reported) == box
        return [part for seen in self.visible if (part := intersection(box, seen))] if may_be_copy else [box]


class StaleAreas:
    """Remembers what closed windows left on the screen, until it was painted over."""

    def __init__(self) -> None:
        self._shown: Mapping[int, Sequence[Box]] = {}
        self._scene = Scene(t_ns=0)
        self._began = False
        self._is_begun_for_sure = False
        self._traces: list[_Trace] = []
        self._pieces: list[_Piece] = []
        self._certain: set[int] = set()
        self._copies: list[_Copy] = []

    @property
    def boxes(self) -> list[Box]:
        """The rectangles that were not painted over yet; they may overlap."""
        traces = self._traces if self._scene.redirected else ()
        return [piece.box for piece in (*self._pieces, *_places(traces, self._scene))]

    @property
    def needs_painting(self) -> bool:
        """Whether `paint` has to be called: before a window goes where the order matters, else when it has gone."""
        if self._scene.redirected:
            return bool(self._pieces) or any(trace.drawn_ns for trace in self._traces)
        return bool(self._pieces or self._shown)

    @property
    def needs_painting_inside(self) -> frozenset[int]:
        """The windows (`xid`) for which `paint_inside` has to be called."""
        return frozenset(trace.window for trace in self._traces if not trace.drawn_ns)

    def paint(self, boxes: Collection[Box], t_ns: int) -> bool:
        """Take in what was painted on the screen in the newest state, by `t_ns`; return whether less is stale now."""
        if not boxes:
            return False
        before = self._pieces
        if self._scene.redirected:
            traces = self._traces
            self._pieces = [piece for piece in before if t_ns < piece.from_ns]
            self._traces = [trace for trace in traces if not 0 < trace.drawn_ns <= t_ns]
            return len(self._pieces) != len(before) or len(self._traces) != len(traces)
        if not before:
            return False
        for copy in self._copies:
            if t_ns < copy.until_ns:
                boxes = [part for box in boxes for part in copy.painted(box)]
        self._pieces = _bounded(
            replace(piece, box=part)
            for piece in before
            for part in ([piece.box] if t_ns < piece.from_ns else _unpainted(piece.box, boxes))
        )
        return self._pieces != before

    def paint_inside(self, painted: Iterable[tuple[int, Box]], t_ns: int) -> None:
        """Take in what windows (`xid`) painted into themselves in the newest state, by `t_ns`, in their coordinates.

        A window painted into its own picture for sure where another one is above it: else it cannot be painted there.
        """
        boxes: dict[int, list[Box]] = {}
        for window, box in painted:
            if window in self.needs_painting_inside:
                boxes.setdefault(window, []).append(box)
                self._is_begun_for_sure = self._is_begun_for_sure or bool(_hidden_part(self._scene, window, box))
        if boxes:
            drawn_ns = t_ns + DRAWN_NS
            parts = [part for trace in self._traces for part in trace.painted(boxes.get(trace.window, ()), drawn_ns)]
            self._traces = _few(parts, self._scene)

    def show(
        self,
        scene: Scene,
        shown: Mapping[int, Sequence[Box]],
        *,
        harmless: Collection[int],
        excluded: Collection[int],
    ) -> None:
        """Take in the next state: the visible parts of closed windows, and which windows are harmless or excluded.

        What windows that are `excluded` for sure left stays closed even if they turn harmless.
        """
        before, self._scene = self._scene, scene
        shown_before, self._shown = self._shown, shown
        self._certain.update(excluded)
        pieces = self._pieces
        if not scene.redirected and scene.windows is not before.windows and (pieces or shown_before):
            moves = _moves(before, scene)
            carried = [piece for move in moves if move.client not in self._certain for piece in move.carried(pieces)]
            pieces = [*pieces, *carried]
            self._copies = [copy for copy in self._copies if copy.until_ns > scene.t_ns]
            self._copies += [copy for move in moves if (copy := move.copy(scene.screen)) is not None]
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
        if before.redirected and not scene.redirected:
            traces = [trace for trace in self._traces if not trace.drawn_ns]
            pieces = [*pieces, *_places(traces, before)]  # the server puts the pictures back on the screen
        places = _places(self._traces, before) if before.redirected and scene.redirected else []
        self._trace(before, shown_before, pieces)
        if places:  # until the compositor draws, they are where they were
            left = set(places).difference(_places(self._traces, scene))
            pieces = [*pieces, *(replace(piece, from_ns=scene.t_ns + DRAWN_NS) for piece in left)]
        self._traces = [trace for trace in self._traces if self._counts(trace.client, harmless)]
        if pieces:
            kept = (piece for piece in pieces if self._counts(piece.client, harmless))
            self._pieces = _bounded(
                replace(piece, box=box) for piece in kept if (box := intersection(piece.box, scene.screen)) is not None
            )
        else:
            self._pieces = []
        if self._certain:
            self._certain &= (
                shown.keys() | {piece.client for piece in self._pieces} | {trace.client for trace in self._traces}
            )

    def _counts(self, client: int, harmless: Collection[int]) -> bool:
        return client not in harmless or client in self._certain

    def _trace(self, before: Scene, shown_before: Mapping[int, Sequence[Box]], pieces: Sequence[_Piece]) -> None:
        """Follow windows in whose pictures pixels of closed ones may be; find them while a compositor begins."""
        scene, shown = self._scene, self._shown
        if scene is not before:
            self._traces = list(_followed(self._traces, before, scene))
        began, self._began = self._began, True
        if scene.compositor and not scene.redirected:
            self._traces = list(_taken(scene, shown, pieces))  # if it begins before the next state
            self._is_begun_for_sure = False
        elif not scene.redirected:
            self._traces = []
        elif not began:
            return  # what was before Kairos started is not known
        else:
            if not before.redirected and not before.compositor:
                self._traces += _followed(_taken(before, shown_before, pieces), before, scene)
                self._is_begun_for_sure = False
            if (not before.redirected or scene.was_redirected_later) and not self._is_begun_for_sure:
                self._traces += _taken(scene, shown, pieces)
        self._traces = _few(self._traces, scene)


def _unpainted(box: Box, painted: Iterable[Box]) -> list[Box]:
    """Return what is left of a rectangle, in rougher parts where it fell into too many."""
    parts = [box]
    for paint in painted:
        if intersection(box, paint) is not None:
            parts = [left for part in parts for left in remainder(part, (paint,))]
            if len(parts) > MAX_PIECES:
                parts = _rougher(parts)
    return parts


def _rougher(boxes: Sequence[Box]) -> list[Box]:
    """Return fewer rectangles that hold all of these: runs of cells, or one around them."""
    whole = around(boxes)
    for size in _CELLS:
        rows: dict[int, set[int]] = {}
        for box in boxes:
            across = range(box.x // size, (box.x + box.w - 1) // size + 1)
            for row in range(box.y // size, (box.y + box.h - 1) // size + 1):
                rows.setdefault(row, set()).update(across)
        runs: dict[tuple[int, int], Box] = {}  # by their ends, those that the row above had too go on
        found: list[Box] = []
        for row, columns in sorted(rows.items()):
            going, runs = runs, {}
            for first in sorted(column for column in columns if column - 1 not in columns):
                last = next(column for column in count(first) if column + 1 not in columns)
                above = going.pop((first, last), None)
                if above is not None and above.y + above.h == row * size:
                    runs[first, last] = above._replace(h=above.h + size)
                else:
                    found += [above] if above is not None else []
                    runs[first, last] = Box(first * size, row * size, (last - first + 1) * size, size)
            found += going.values()
        found += runs.values()
        if len(found) <= MAX_PIECES // 2:
            return [part for run in found if (part := intersection(run, whole)) is not None]
    return [whole]


@dataclass(frozen=True, slots=True)
class _Move:
    """A window that moved, and its visible parts at the old place and at the new one."""

    client: int
    before: Box
    after: Box
    visible_before: Sequence[Box]
    visible_after: Sequence[Box]
    opaque: bool
    until_ns: int

    def at_new_place(self, box: Box) -> Box:
        return box._replace(x=box.x + self.after.x - self.before.x, y=box.y + self.after.y - self.before.y)

    def carried(self, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
        """Return what moved on the screen with the window, whose pixels the server copies; not its own."""
        for piece in pieces:
            if piece.client == self.client:
                continue
            for box in self.visible_before:
                part = intersection(piece.box, box)
                arrived = intersection(self.at_new_place(part), self.after) if part is not None else None
                if arrived is not None:
                    yield _Piece(arrived, piece.client, self.until_ns)

    def copy(self, screen: Box) -> _Copy | None:
        """Return what will be reported of it, if that is more than it paints."""
        source = intersection(self.before, screen)
        reported = intersection(self.at_new_place(source), screen) if source is not None else None
        if reported is None or not remainder(reported, self.visible_after):
            return None
        is_whole = self.opaque and list(self.visible_before) == [source]
        return _Copy(reported, is_whole, self.visible_after, self.until_ns)


def _moves(before: Scene, after: Scene) -> list[_Move]:
    numbers = {window.client: number for number, window in enumerate(after.windows)}
    return [
        _Move(
            window.client,
            window.box,
            after.windows[there].box,
            _visible_part(before, number),
            _visible_part(after, there),
            window.opaque,
            after.t_ns + MOVED_NS,
        )
        for number, window in enumerate(before.windows)
        if (there := numbers.get(window.client)) is not None and after.windows[there].box[:2] != window.box[:2]
    ]


def _hidden_part(scene: Scene, xid: int, box: Box) -> list[Box]:
    """Return where a rectangle of a window, in its coordinates, is on the screen and below others."""
    for number, window in enumerate(scene.windows):
        if window.xid == xid:
            place = intersection(_at(window.box, box), scene.screen)
            return remainder(place, _visible_part(scene, number)) if place is not None else []
    return []


def _at(window: Box, box: Box) -> Box:
    return box._replace(x=box.x + window.x, y=box.y + window.y)


def _visible_part(scene: Scene, number: int) -> list[Box]:
    above = [box for other in scene.windows[number + 1 :] if (box := other.hiding) is not None]
    whole = intersection(scene.windows[number].box, scene.screen)
    return remainder(whole, above) if whole is not None else []


def _taken(scene: Scene, shown: Collection[int], pieces: Iterable[_Piece]) -> Iterator[_Trace]:
    """Return what pictures of windows would hold of closed ones if the server made them now."""
    left = [(piece.box, piece.client) for piece in pieces]
    for window in reversed(scene.windows):
        for box, client in left:
            part = intersection(window.box, box)
            if part is not None and client != window.client:
                yield _Trace(window.xid, part._replace(x=part.x - window.box.x, y=part.y - window.box.y), client)
        if window.client in shown:
            left.append((window.box, window.client))


def _followed(traces: Iterable[_Trace], before: Scene, after: Scene) -> Iterator[_Trace]:
    """Return what is in pictures that are still there; where in them, is unknown at another size.

    A window moved off the screen counts as hidden and has its picture, as it can come back without a new one.
    """
    sizes = {window.xid: window.box[2:] for window in (*before.windows, *before.hidden)}
    outside = (window for window in after.hidden if intersection(window.box, after.screen) is None)
    boxes = {window.xid: window.box for window in (*after.windows, *outside)}
    for trace in traces:
        box = boxes.get(trace.window)
        if box is not None:
            is_same = sizes.get(trace.window) == box[2:]
            yield trace if is_same else replace(trace, box=box._replace(x=0, y=0))


def _few(traces: Sequence[_Trace], scene: Scene) -> list[_Trace]:
    """Return the traces without repetitions; where there are too many, one around those of each, or whole windows."""
    found = list(dict.fromkeys(trace for trace in traces if not trace.drawn_ns))
    if len(found) > MAX_PIECES:
        found = _joined_traces(found)
    drawn = _joined_traces(trace for trace in traces if trace.drawn_ns)
    if len(found) + len(drawn) <= MAX_PIECES:
        return found + drawn
    windows = {trace.window for trace in found + drawn}
    present = (*scene.windows, *scene.hidden)
    return [_Trace(top.xid, top.box._replace(x=0, y=0), NOBODY) for top in present if top.xid in windows]


def _joined_traces(traces: Iterable[_Trace]) -> list[_Trace]:
    """Return one trace of each closed window in each picture, around all that there are."""
    by_pair: dict[tuple[int, int], list[_Trace]] = {}
    for trace in traces:
        by_pair.setdefault((trace.window, trace.client), []).append(trace)
    return [
        _Trace(window, around(trace.box for trace in some), client, max(trace.drawn_ns for trace in some))
        for (window, client), some in by_pair.items()
    ]


def _places(traces: Iterable[_Trace], scene: Scene) -> list[_Piece]:
    boxes = {window.xid: window.box for window in scene.windows}
    return [
        _Piece(_at(box, trace.box), trace.client) for trace in traces if (box := boxes.get(trace.window)) is not None
    ]


def _bounded(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Return the pieces without repetitions; where there are too many, rougher ones for each window, or for all."""
    found = list(dict.fromkeys(pieces))
    if len(found) > MAX_PIECES:
        by_client: dict[int, list[_Piece]] = {}
        for piece in found:
            by_client.setdefault(piece.client, []).append(piece)
        found = [rough for client, parts in by_client.items() for rough in _joined(client, parts)]
    return found if len(found) <= MAX_PIECES else _joined(NOBODY, found)


def _joined(client: int, pieces: Sequence[_Piece]) -> list[_Piece]:
    from_ns = max(piece.from_ns for piece in pieces)
    return [_Piece(box, client, from_ns) for box in _rougher([piece.box for piece in pieces])]
