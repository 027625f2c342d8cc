"""What keys, clicks and changes of the screen showed in the last minute, where no single sign explains an offer."""

from collections.abc import Iterator, Sequence

from daemon.engine.sightings.span import Span, seconds
from storage.clock import NS_PER_S
from storage.records import EventKind, Focus, InputEvent, KeyClass, Sighting

IN_VAIN = 3
AT_ONE_PLACE = 4
UNDONE = 3
DIALOGS = 3
TURNS = 4
PAUSE_NS = 10 * NS_PER_S
PLACE_PX = 12
DOUBLE_NS = NS_PER_S // 2
"""Presses at one place so close to each other are a double click, and count once."""


def find_in_gestures(span: Span) -> Iterator[Sighting]:
    """Yield what was seen, the most telling first."""
    clicks = _clicks(span)
    in_vain = _most_at_one_place([click for click in clicks if span.is_without_effect(click.t_ns)])
    if len(in_vain) >= IN_VAIN:
        yield _counted("place_in_vain", in_vain)
    undone = sum(key.count for key in _keys(span, KeyClass.UNDO))
    if undone >= UNDONE:
        yield Sighting(code="undone", numbers={"count": float(undone)})
    dialogs = [one for one in span.of_kind(Focus) if one.dialog and not one.own]
    if len(dialogs) >= DIALOGS:
        yield Sighting(code="dialogs", numbers={"count": float(len(dialogs))})
    at_one_place = _most_at_one_place(clicks)
    if len(at_one_place) >= AT_ONE_PLACE:
        yield _counted("place_again", at_one_place)
    turns = _turns(span)
    if turns >= TURNS:
        yield Sighting(code="turns", numbers={"count": float(turns)})
    last_ns = span.last_input_ns
    if last_ns is not None and span.now_ns - last_ns >= PAUSE_NS:
        yield Sighting(code="pause", numbers={"age_s": float((span.now_ns - last_ns) // NS_PER_S)})


def _counted(code: str, clicks: Sequence[InputEvent]) -> Sighting:
    numbers = {"count": float(len(clicks)), "span_s": seconds(clicks[0].t_ns, clicks[-1].t_ns)}
    return Sighting(code=code, numbers=numbers)


def _keys(span: Span, key_class: KeyClass) -> Iterator[InputEvent]:
    return (one for one in span.of_kind(InputEvent) if one.kind is EventKind.KEY and one.key_class is key_class)


def _clicks(span: Span) -> list[InputEvent]:
    """Return the presses of the left button, a double click once."""
    clicks: list[InputEvent] = []
    last: InputEvent | None = None
    for one in span.of_kind(InputEvent):
        if one.kind is not EventKind.BUTTON_DOWN or one.button != "left" or one.x is None:
            continue
        if last is None or one.t_ns - last.t_ns >= DOUBLE_NS or not _is_near(one, last):
            clicks.append(one)
        last = one
    return clicks


def _most_at_one_place(clicks: Sequence[InputEvent]) -> list[InputEvent]:
    """Return the most clicks that lie near one of them."""
    groups = ([other for other in clicks if _is_near(one, other)] for one in clicks)
    return max(groups, key=len, default=[])


def _is_near(one: InputEvent, other: InputEvent) -> bool:
    if one.x is None or one.y is None or other.x is None or other.y is None:
        return False
    return abs(one.x - other.x) <= PLACE_PX and abs(one.y - other.y) <= PLACE_PX


def _turns(span: Span) -> int:
    """Return how often scrolling changed between up and down."""
    turns, before = 0, 0
    for one in span.of_kind(InputEvent):
        if one.kind is EventKind.SCROLL and one.dy:
            way = 1 if one.dy > 0 else -1
            turns += before not in (0, way)
            before = way
    return turns
