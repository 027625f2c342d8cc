"""Draws the acts of a campaign from a seed: a pure function, so that a seed repeats them. Knows no screen."""

import random
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from lab.benchmarks.fence.cast import Cast, Maker, Slot, SlotKind
from storage.records import Box

SCREEN = (1280, 720)
_NOWHERE = Box(0, 0, 0, 0)
MAX_EXCLUDED = 2
"""Most excluded windows open at a time: people have few open, and they cover the rest."""

MAX_BROWSERS = 2


class Act(StrEnum):
    """What can be done."""

    OPEN = "open"
    OPEN_LATE_NAMED = "open, named late"
    CLOSE = "close"
    BLINK = "open and close at once"
    MOVE = "move"
    RAISE = "raise"
    MINIMISE = "minimise"
    RETITLE = "retitle"
    TURN = "turn"
    FADE = "fade"
    DIALOG = "dialog"
    POPUP = "pop-up"
    EMBED = "embed"
    FREE = "take out again"
    DESKTOP = "switch desktop"
    SEND = "send to a desktop"
    COMPOSITOR = "compositor"
    TYPE = "type"
    CLICK = "click"
    PAINT = "paint"
    HANG = "hang"
    SWITCHER = "switcher"
    TIP = "tip of the panel"
    OVERVIEW = "overview"
    NOTIFY = "notification"


_PROXY_WEIGHTS = {Act.SWITCHER: 5, Act.TIP: 4, Act.OVERVIEW: 3, Act.NOTIFY: 5}
"""What is drawn beside the others where there is a panel and a notification daemon."""

_WEIGHTS = {
    Act.OPEN: 14,
    Act.OPEN_LATE_NAMED: 3,
    Act.CLOSE: 10,
    Act.BLINK: 5,
    Act.MOVE: 12,
    Act.RAISE: 12,
    Act.MINIMISE: 6,
    Act.RETITLE: 5,
    Act.TURN: 8,
    Act.FADE: 4,
    Act.DIALOG: 6,
    Act.POPUP: 6,
    Act.EMBED: 3,
    Act.FREE: 4,
    Act.DESKTOP: 3,
    Act.SEND: 2,
    Act.COMPOSITOR: 2,
    Act.TYPE: 18,
    Act.CLICK: 5,
    Act.PAINT: 10,
    Act.HANG: 3,
}

COMPOSITORS = ("off", "plain", "off", "fading", "off", "translucent")
"""What the compositor is switched to, in turn; it begins off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One act. What its fields mean depends on it; `value` is in one of five steps what varies otherwise."""

    number: int
    act: Act
    slot: str = ""
    other: str = ""
    box: Box = _NOWHERE
    value: int = 0
    pause_s: float = 0.0


@dataclass(slots=True)
class _Desk:
    """What should be there by now."""

    open: list[Slot] = field(default_factory=list)
    dialogs: set[str] = field(default_factory=set)
    turned: set[str] = field(default_factory=set)
    guests: dict[str, str] = field(default_factory=dict)
    compositor: int = 0
    opened: Counter[str] = field(default_factory=Counter)


def plan(cast: Cast, seed: int, count: int) -> list[Action]:
    """Return `count` acts; each is possible if those before it were carried out."""
    rng = random.Random(seed)  # noqa: S311  # a script, no secret
    desk = _Desk()
    actions: list[Action] = []
    first = [slot for slot in cast.slots if slot.kind is SlotKind.ORDINARY][:3]
    for label in first:
        desk.open.append(label)
        actions.append(Action(number=len(actions), act=Act.OPEN, slot=label.name, box=_box(rng, label), pause_s=0.3))
    weights = _WEIGHTS | (_PROXY_WEIGHTS if cast.desk else {})
    while len(actions) < count:
        act = rng.choices(list(weights), list(weights.values()))[0]
        found = _draw(rng, cast, desk, act)
        if found is None:
            continue
        slot, other, box, value = found
        pause_s = rng.choice((0.0, 0.1, 0.2, 0.3, 0.5, 0.9))
        actions.append(
            Action(number=len(actions), act=act, slot=slot, other=other, box=box, value=value, pause_s=pause_s)
        )
    return actions[:count]


_Drawn = tuple[str, str, Box, int]


def _draw(rng: random.Random, cast: Cast, desk: _Desk, act: Act) -> _Drawn | None:
    """Return slot, other slot, box and value of an act, and take in what it changes; None if it is not possible now."""
    value = rng.randrange(5)
    if act in (Act.SWITCHER, Act.TIP, Act.DESKTOP):
        return "", "", _NOWHERE, value % 2 if act is Act.DESKTOP else value
    if act is Act.COMPOSITOR:
        desk.compositor = (desk.compositor + 1) % len(COMPOSITORS)
        return "", COMPOSITORS[desk.compositor], _NOWHERE, value
    if act in (Act.OPEN, Act.OPEN_LATE_NAMED, Act.BLINK):
        return _draw_new(rng, cast, desk, act, value)
    chosen = [slot for slot in desk.open if _allows(desk, slot, act)]
    if not chosen:
        return None
    if act is Act.TYPE:
        chosen += 2 * [slot for slot in chosen if slot.is_browser]  # few are open, and their rates need numbers
    if act is Act.CLOSE:
        chosen += 2 * [slot for slot in chosen if slot.is_excluded]  # so that each has its turn
    slot = rng.choice(chosen)
    other = ""
    if act is Act.EMBED:
        hosts = [window for window in desk.open if _allows(desk, window, act) and window.app != slot.app]
        if not hosts:
            return None
        other = rng.choice(hosts).name
        desk.guests[slot.name] = other
    elif act is Act.FREE:
        del desk.guests[slot.name]
    elif act is Act.CLOSE:
        desk.open.remove(slot)
        desk.turned.discard(slot.name)
        desk.dialogs.discard(slot.name)
    elif act is Act.TURN:
        desk.turned ^= {slot.name}
        other = "secret" if slot.name in desk.turned else "plain"
    elif act is Act.DIALOG:
        desk.dialogs ^= {slot.name}
        other = "open" if slot.name in desk.dialogs else "close"
    return slot.name, other, _box(rng, slot), value


def _draw_new(rng: random.Random, cast: Cast, desk: _Desk, act: Act, value: int) -> _Drawn | None:
    closed = [slot for slot in cast.slots if slot not in desk.open]
    if act is not Act.OPEN:
        closed = [slot for slot in closed if slot.maker is Maker.CLIENT and slot.kind is not SlotKind.TURNING]
    if sum(slot.is_excluded for slot in desk.open) >= MAX_EXCLUDED:
        closed = [slot for slot in closed if not slot.is_excluded]
    if sum(slot.is_browser for slot in desk.open) >= MAX_BROWSERS:
        closed = [slot for slot in closed if not slot.is_browser]
    if not closed:
        return None
    slot = rng.choices(closed, [1 / (1 + desk.opened[window.name]) ** 2 for window in closed])[
        0
    ]  # no window is left out
    desk.opened[slot.name] += 1
    if act is not Act.BLINK:
        desk.open.append(slot)
    return slot.name, "", _box(rng, slot), value


def _allows(desk: _Desk, slot: Slot, act: Act) -> bool:
    """Return whether an act is possible with an open window."""
    is_client = slot.maker is Maker.CLIENT
    is_guest = slot.name in desk.guests
    if act is Act.FREE:
        return is_guest
    if is_guest or (slot.name in desk.guests.values() and act is not Act.TYPE):
        return act in (Act.PAINT, Act.RETITLE) and slot.kind is not SlotKind.TURNING
    if act is Act.CLOSE:
        return len(desk.open) > 3  # noqa: PLR2004  # some always stay
    if act is Act.TURN:
        return slot.kind is SlotKind.TURNING
    if act is Act.RETITLE:
        return is_client and slot.kind is not SlotKind.TURNING
    if act is Act.EMBED:
        return is_client and slot.kind in (SlotKind.ORDINARY, SlotKind.EXCLUDED_APP, SlotKind.EXCLUDED_TITLE)
    if act in (Act.DIALOG, Act.POPUP):
        return is_client and slot.kind is not SlotKind.TURNING and slot.kind is not SlotKind.VEIL
    if act in (Act.OVERVIEW, Act.NOTIFY):
        return slot.is_excluded
    if act is Act.FADE:
        return is_client
    if act is Act.PAINT:
        return is_client
    if act is Act.HANG:
        return is_client and slot.kind is SlotKind.ORDINARY
    if act is Act.TYPE:
        return slot.kind is not SlotKind.TURNING
    return True


def _box(rng: random.Random, slot: Slot) -> Box:
    """Return a place on the screen; excluded windows are smaller, as prompts and key rings are."""
    large = (420, 320, 640, 480) if slot.is_browser else (260, 200, 480, 360)
    least_w, least_h, most_w, most_h = (200, 140, 340, 260) if slot.is_excluded and not slot.is_browser else large
    if slot.is_browser:
        least_w, most_w = 500, 700
    width, height = rng.randint(least_w, most_w), rng.randint(least_h, most_h)
    return Box(rng.randint(0, SCREEN[0] - width), rng.randint(24, SCREEN[1] - height), width, height)
