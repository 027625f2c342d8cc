"""Reads the focused application and the visible controls from a recording.

Accessibility trees come in the recorder's three dialects (Windows, macOS, pywinauto). Only role, box and name are
read, never a control's value, which somebody may have typed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from daemon.replay.imports.agentnet.input import MAX_COORDINATE, Timeline, UnreadableLines, decode_lines
from storage.clock import NS_PER_S
from storage.records import Box, Element, Elements, Focus

FIRST_NS = NS_PER_S
"""The recorder polls five times a second: what it finds first had the focus from the beginning."""

MAX_APPS = 10_000
"""Programs that a recording may name; a line that names one more is not read."""

MAX_ELEMENTS = 1_000
MAX_NAME = 200
MAX_APP = 100

_PAIR = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")
_FRAME = re.compile(r"'([xywh])'\s*:\s*(-?\d+(?:\.\d+)?)")
_ROLES = ("ControlType", "AXRole", "friendly_class_name", "role")
_NAMES = ("Name", "AXTitle", "AXDescription", "name")


class TopWindow(msgspec.Struct):
    """One line of `top_window.jsonl`: the name is the application's, not the window's title."""

    time_stamp: float
    top_window_name: str | None


class Tree(msgspec.Struct):
    """One line of `a11y.jsonl` (`axtree`) or `element.jsonl` (`a11y_tree`)."""

    time_stamp: float
    axtree: dict[str, Any] | list[Any] | None = None
    a11y_tree: dict[str, Any] | list[Any] | None = None


def read_focus(
    lines: Iterable[bytes], *, timeline: Timeline, screen: Box, unreadable: UnreadableLines
) -> Iterator[Focus]:
    """Yield the changes of focus; the recorder has no window geometry, so the screen stands for it."""
    numbers: dict[str, int] = {}
    last: str | None = None
    for number, top in decode_lines(lines, TopWindow, unreadable):
        t_ns = timeline.of_clock(top.time_stamp)
        app = (top.top_window_name or "")[:MAX_APP]
        if t_ns is None or (app not in numbers and len(numbers) == MAX_APPS):
            unreadable.add(number)
            continue
        if last is None and t_ns < FIRST_NS:
            t_ns = 0
        if app != last:
            last = app
            window = numbers.setdefault(app, len(numbers) + 1)
            yield Focus(t_ns=t_ns, app=app, window=window, title_digest="", geometry=screen)


def read_elements(
    lines: Iterable[bytes], *, timeline: Timeline, screen: Box, factor: float, named: bool, unreadable: UnreadableLines
) -> Iterator[Elements]:
    """Yield the visible controls; their application is filled in later, from the focus at that time.

    Args:
        lines: of `a11y.jsonl` or `element.jsonl`.
        timeline: from the recorder's clock to session time.
        screen: controls outside it are left out.
        factor: what positions are divided by.
        named: whether controls keep their names.
        unreadable: counts lines without meaning.
    """
    for number, tree in decode_lines(lines, Tree, unreadable):
        root = tree.axtree if tree.axtree is not None else tree.a11y_tree
        t_ns = timeline.of_clock(tree.time_stamp)
        if root is None or t_ns is None:
            unreadable.add(number)
            continue
        elements = tuple(_elements(root, screen, factor, named=named))
        if elements:
            yield Elements(t_ns=t_ns, app="", elements=elements)


def _elements(root: object, screen: Box, factor: float, *, named: bool) -> Iterator[Element]:
    """Walk a tree in order, without recursion: a hostile tree may be very deep."""
    pending: list[object] = [root]
    left = MAX_ELEMENTS
    while pending and left:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(reversed(node))
            continue
        if not isinstance(node, dict):
            continue
        pending.extend(value for value in reversed(node.values()) if isinstance(value, list))
        role = next((node[key] for key in _ROLES if isinstance(node.get(key), str)), None)
        box = _box(node, factor)
        if role and box and _overlap(box, screen):
            name = next((node[key] for key in _NAMES if isinstance(node.get(key), str)), None) if named else None
            left -= 1
            yield Element(role=_role(role), box=box, name=name[:MAX_NAME] if name else None)


def _role(role: str) -> str:
    """Return `button` for `ButtonControl`, `AXButton` and `button`."""
    return role.removeprefix("AX").removesuffix("Control").lower()[:MAX_APP]


def _box(node: dict[str, Any], factor: float) -> Box | None:
    """Return a node's box in any of the dialects; None if it is missing or empty."""
    edges: list[Any] = []
    if isinstance(rectangle := node.get("BoundingRectangle"), dict):
        corners: list[Any] = [rectangle.get(key) for key in ("left", "top", "right", "bottom")]
        if _numbers(corners):
            left, top, right, bottom = corners
            edges = [left, top, right - left, bottom - top]
    elif isinstance(frame := node.get("AXFrame"), dict):
        edges = [frame.get(key) for key in "xywh"]
    elif isinstance(frame, str):
        parts = dict(_FRAME.findall(frame[:MAX_NAME]))
        edges = [float(parts[key]) for key in "xywh"] if len(parts) == len("xywh") else []
    elif isinstance(corner := node.get("screencoord"), str) and isinstance(size := node.get("size"), str):
        both = (_PAIR.fullmatch(corner[:MAX_NAME]), _PAIR.fullmatch(size[:MAX_NAME]))
        edges = [float(part) for match in both if match for part in match.groups()]
    if len(edges) != len("xywh") or not _numbers(edges):
        return None
    x, y, w, h = (round(edge / factor) for edge in edges)
    return Box(x, y, w, h) if w > 0 and h > 0 else None


def _numbers(edges: Iterable[object]) -> bool:
    return all(isinstance(edge, (int, float)) and abs(edge) <= MAX_COORDINATE for edge in edges)


def _overlap(box: Box, screen: Box) -> bool:
    return (
        box.x < screen.x + screen.w
        and box.y < screen.y + screen.h
        and box.x + box.w > screen.x
        and box.y + box.h > screen.y
    )
