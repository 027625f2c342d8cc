"""Reads demonstrations of crowd workers in small web tasks: the page after each act, with its geometry.

A file is the work of one assignment: a list of `{file, demo}`, and a demo a list of states with a time in milliseconds,
the act (mouse button, key, scrolling) and the tree of the page. So what the screen answered is true: changed boxes are
those of elements that came, went or look different.

Rebuilt: the boxes, put into a browser window that fills a common screen, below 120 pixels of tool bars; the cover that
these pages show as soon as a task has ended, so that the last click is not a dead one; and the next task's page.
**Invented**: 1.5 s between the demos of an assignment. Pointer motion is not in the data and none
is invented; scrolling is left out, since pages scroll by themselves to a field.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from lab.people.desk import SIZE, Demo, RecordedDesk, Recording, read_text
from storage.clock import NS_PER_MS, NS_PER_S
from storage.errors import BadFile
from storage.records import Box, KeyClass

TOP = 120
BETWEEN_NS = 3 * NS_PER_S // 2
_PAGE = Box(0, TOP, SIZE[0], SIZE[1] - TOP)
_COVER_NS = 20 * NS_PER_MS
_BEFORE = 1
"""Each act is stored before and after the page took it; only the first counts as input."""

_CONTROL, _LETTERS = 17, range(65, 91)
_WITH_CONTROL = {
    ord("Z"): KeyClass.UNDO,
    ord("Y"): KeyClass.REDO,
    ord("C"): KeyClass.COPY,
    ord("X"): KeyClass.CUT,
    ord("V"): KeyClass.PASTE,
    ord("A"): KeyClass.SELECT_ALL,
    ord("F"): KeyClass.FIND,
    ord("S"): KeyClass.SAVE,
}
_KEYS = {
    8: KeyClass.BACKSPACE,
    9: KeyClass.TAB,
    13: KeyClass.ENTER,
    27: KeyClass.ESCAPE,
    46: KeyClass.DELETE,
    **dict.fromkeys((16, 17, 18, 20, 91, 92, 93, 144, 225), KeyClass.MODIFIER),
    **dict.fromkeys(range(33, 41), KeyClass.NAVIGATION),
    **dict.fromkeys(range(112, 124), KeyClass.FUNCTION),
}
_CLEAR = {"", "rgba(0, 0, 0, 0)", "transparent"}

Node = dict[str, Any]
Painted = dict[tuple[Any, ...], tuple[Any, ...]]


class State(msgspec.Struct):
    """The page at a time, and the act that led there."""

    time: float
    dom: Node
    action: Node | None = None


class Demonstration(msgspec.Struct):
    """One task, from the page's begin to its end."""

    states: list[State]


class PagePart(msgspec.Struct):
    """One file of the publication within an assignment."""

    file: str
    demo: Demonstration


def read(path: Path, app: str) -> Recording:
    """Read the demos of an assignment, one after the other.

    Raises:
        BadFile: it is not such a file.
    """
    try:
        parts = msgspec.json.decode(read_text(path).encode(), type=list[PagePart])
    except msgspec.MsgspecError as error:
        raise BadFile(f"{path} holds no demos of an assignment") from error
    desk, demos, start_ns = RecordedDesk(app), [], NS_PER_S
    for number, part in enumerate(parts):
        if part.demo.states:
            try:
                end_ns = _play(desk, part.demo.states, start_ns, number)
                desk.change(end_ns + _COVER_NS, (_PAGE,), f"cover {number}")
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise BadFile(f"{path}: the page or an act in {part.file} cannot be understood") from error
            demos.append(Demo(file=part.file, start_ns=start_ns, end_ns=end_ns))
            start_ns = end_ns + BETWEEN_NS
    name, task = path.name.split(".")[0], path.parent.name
    end_ns = demos[-1].end_ns if demos else 0
    return Recording(name=name, person=name, sources=desk.sources(), end_ns=end_ns, task=task, demos=tuple(demos))


def _play(desk: RecordedDesk, states: list[State], start_ns: int, number: int) -> int:
    shown, painted, control, t_ns = states[0].dom, painted_in(states[0].dom), False, start_ns
    desk.change(start_ns, (_PAGE,), _picture(number, painted))
    for state in states:
        t_ns = max(t_ns, start_ns + round(state.time * NS_PER_MS))
        act = state.action
        if act is not None and act["timing"] == _BEFORE:
            control = _act(desk, t_ns, act, control=control)
        if state.dom != shown:
            before, shown, painted = painted, state.dom, painted_in(state.dom)
            if before != painted:
                desk.change(t_ns + NS_PER_MS, changed_boxes(before, painted), _picture(number, painted))
    return t_ns


def _act(desk: RecordedDesk, t_ns: int, act: Node, *, control: bool) -> bool:
    """Add an act; return whether the control key is down."""
    kind = act["type"]
    if kind in {"mousedown", "mouseup"}:
        add = desk.press if kind == "mousedown" else desk.release
        add(t_ns, round(act["x"]), round(act["y"]) + TOP)
    elif kind in {"keydown", "keyup"} and act["keyCode"] == _CONTROL:
        control = kind == "keydown"
        if control:
            desk.key(t_ns, KeyClass.MODIFIER)
    elif kind == "keydown":
        desk.key(t_ns, _key_class(act["keyCode"], control=control))
    return control


def _key_class(code: int, *, control: bool) -> KeyClass:
    if control and code in _LETTERS:
        return _WITH_CONTROL.get(code, KeyClass.SHORTCUT)
    return _KEYS.get(code, KeyClass.CHARACTER)


def painted_in(dom: Node) -> Painted:
    """Return what is painted: elements without children, and coloured backgrounds, by a key that stays theirs."""
    painted: Painted = {}
    pending: list[tuple[Node, tuple[Any, ...]]] = [(dom, ())]
    while pending:
        node, key = pending.pop()
        children = node["children"]
        box = tuple(round(node[side]) for side in ("left", "top", "width", "height"))
        coloured = node.get("bgColor", "") not in _CLEAR
        if box[2] > 0 and box[3] > 0 and (not children or coloured):
            looks = tuple(node.get(name) for name in ("bgColor", "fgColor", "focused"))
            content = () if children else tuple(str(node.get(name)) for name in ("text", "value", "classes"))
            painted[key] = (*box, *looks, *content)
        for at, child in enumerate(children):
            ref = child.get("ref", -1)
            pending.append((child, (ref,) if ref >= 0 else (*key, at)))
    return painted


def changed_boxes(before: Painted, after: Painted) -> Iterator[Box]:
    """Yield where two pages differ, as boxes of the desktop: where things were, and where they are."""
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was != now:
            for row in (was, now):
                if row is not None:
                    yield Box(row[0], row[1] + TOP, row[2], row[3])


def _picture(number: int, painted: Painted) -> str:
    """Return a name of what the page looks like."""
    content = repr((number, sorted(painted.items(), key=repr)))
    return hashlib.blake2b(content.encode(errors="replace"), digest_size=8).hexdigest()
