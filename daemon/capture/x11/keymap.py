"""What the keys of an X11 keyboard mean: the server's own map, with all groups and levels, by the XKB protocol.

python-xlib knows only the core protocol's table, which mixes groups and levels and has no place for a third group. The
two requests needed are spelled here (The X Keyboard Extension: Protocol Specification, `GetMap`).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from Xlib import X
from Xlib.display import Display
from Xlib.ext import record
from Xlib.protocol import rq

from daemon.capture.keys import KeyPress, with_letters

_CORE_KEYBOARD = 0x100
_TYPES_AND_SYMBOLS = 3
_ALT, _LOGO = frozenset(range(0xFFE7, 0xFFEB)), frozenset(range(0xFFEB, 0xFFEF))
"""Keysyms of Meta and Alt; of Super and Hyper."""

_FIRST_KEY = 8
"""Keycodes are the kernel's numbers and this, on all X servers of Linux."""


@dataclass(frozen=True, slots=True)
class KeyType:
    """How modifiers choose one of a key's levels."""

    mask: int
    levels: Mapping[int, int]

    def level(self, state: int) -> int:
        """Return the level for a state of the modifiers."""
        return self.levels.get(state & self.mask, 0)


@dataclass(frozen=True, slots=True)
class MappedKey:
    """A key: its symbols by group and level, and what stands for a group that it does not have."""

    groups: tuple[tuple[KeyType, tuple[int, ...]], ...]
    out_of_range: int = 0
    """XKB's `groupInfo`: wrap (0), clamp (0x40), or the group to redirect to (0x80, in bits 4 and 5)."""

    def group(self, wanted: int) -> int:
        """Return which group of this key a group of the keyboard means; the key has at least one."""
        count = len(self.groups)
        if wanted < count:
            return wanted
        if self.out_of_range & 0x40:
            return count - 1
        if self.out_of_range & 0x80:
            redirected = self.out_of_range >> 4 & 3
            return redirected if redirected < count else 0
        return wanted % count


class Keymap:
    """Decodes key events of an X11 display."""

    def __init__(self, keys: Mapping[int, MappedKey], *, alt: int, logo: int) -> None:
        """Take the keys by keycode, and the modifiers (bits of a state) that Alt and the key with the logo set."""
        self._keys = keys
        self._alt, self._logo = alt, logo

    def press(self, keycode: int, state: int) -> KeyPress:
        """Return what a press is, by keycode and state of its event: effective modifiers, group in bits 13 and 14."""
        key = self._keys.get(keycode)
        press = KeyPress(
            0,
            shift=bool(state & X.ShiftMask),
            ctrl=bool(state & X.ControlMask),
            alt=bool(state & self._alt),
            logo=bool(state & self._logo),
        )
        if key is None:
            return press
        active = key.group(state >> 13 & 3)
        kind, symbols = key.groups[active]
        level = kind.level(state)
        keysym = symbols[min(level, len(symbols) - 1)]
        firsts = (row[0] for _, row in key.groups)
        return with_letters(press._replace(keysym=keysym), level, symbols[0], firsts, keycode - _FIRST_KEY)


def query_keymap(display: Display) -> Keymap:
    """Ask an X server for the map of its keyboard: three round trips."""
    major = display.query_extension("XKEYBOARD")
    keys = None if major is None else _xkb_keys(display, int(major.major_opcode))
    keys = keys or _core_keys(display)
    masks = {X.Mod1Mask << at: codes for at, codes in enumerate(list(display.get_modifier_mapping())[3:])}

    def setting(keysyms: frozenset[int]) -> int:
        return sum(
            mask
            for mask, codes in masks.items()
            if any(keysyms & set(symbols) for code in codes if code in keys for _, symbols in keys[code].groups)
        )

    return Keymap(keys, alt=setting(_ALT), logo=setting(_LOGO) & ~setting(_ALT))


# ------------------------------------------------------------ XKB


class _UseExtension(rq.ReplyRequest):
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("wanted_major"), rq.Card16("wanted_minor")
    )
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("supported"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(24)
    )


class _GetMap(rq.ReplyRequest):
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(8),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("full"),
        rq.Pad(20),  # parts: none
    )
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(), record.RawField("map")
    )


def _xkb_keys(display: Display, major: int) -> dict[int, MappedKey] | None:
    """Return the keys by XKB; None where the server has it turned off, as some remote ones do."""
    if not _UseExtension(display=display.display, opcode=major, wanted_major=1, wanted_minor=0).supported:
        return None
    reply = _GetMap(display=display.display, opcode=major, device=_CORE_KEYBOARD, full=_TYPES_AND_SYMBOLS)
    return dict(read_map(bytes(reply.map)))


def read_map(reply: bytes) -> Iterator[tuple[int, MappedKey]]:
    """Yield the keys with symbols by keycode, from a reply to `GetMap` without its first 8 bytes."""
    types_count, first_key, keys_count = reply[7], reply[9], reply[12]
    at = 32
    types = []
    for _ in range(types_count):
        mask, _, _, entries_count, preserves = struct.unpack_from("<BBxxBBB", reply, at)
        at += 8
        entries = [struct.unpack_from("<BBB", reply, at + 8 * number) for number in range(entries_count)]
        at += entries_count * (12 if preserves else 8)
        types.append(KeyType(mask, {mods: level for active, mods, level in entries if active}))
    for keycode in range(first_key, first_key + keys_count):
        *kinds, info, width, count = struct.unpack_from("<4BBBH", reply, at)
        symbols = struct.unpack_from(f"<{count}I", reply, at + 8)
        at += 8 + 4 * count
        if groups := info & 0xF:
            rows = (symbols[number * width : (number + 1) * width] for number in range(groups))
            mapped = tuple((types[kind], row) for kind, row in zip(kinds, rows, strict=False))
            yield keycode, MappedKey(mapped, info)


# ------------------------------------------------------------ without XKB


def _core_keys(display: Display) -> dict[int, MappedKey]:
    """Return the keys by the core protocol: two levels, and one group as far as events tell."""
    first = display.display.info.min_keycode
    rows: Sequence[Any] = display.get_keyboard_mapping(first, display.display.info.max_keycode - first + 1)
    shifted = KeyType(X.ShiftMask, {X.ShiftMask: 1})
    return {keycode: MappedKey(((shifted, tuple(row[:2])),)) for keycode, row in enumerate(rows, first) if any(row[:2])}
