"""What a window says about itself, by names, title, role and process alone. Pure.

A page writes its part of a browser's title, so the title may show that a window is private, and only words that the
browser itself puts at the end show that it is not.

Texts are compared without case, as composed Unicode, without characters that cannot be seen. A program is found by a
run of whole words, "firefox" in "org.mozilla.firefox" and "Firefox-esr", whatever edition of it is installed.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from daemon.capture.scene import DesktopWindow, WindowKind

_LISTS: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "data/lists.toml").read_text(encoding="utf-8"))
_LOCK_SCREENS, _PRODUCTS = frozenset(_LISTS["lock_screens"]), frozenset(_LISTS["products"])
_NOTIFIERS, _LISTERS = _LISTS["always_covered"], _LISTS["window_listers"]
_MARKED_BROWSERS, _UNMARKED_BROWSERS = tuple(_LISTS["marked_browsers"]), tuple(_LISTS["unmarked_browsers"])

_WORD = re.compile(r"[^\W_]+")
_EDITION = re.compile(
    r"(alpha|beta|bin|desktop|dev|devel|developer|developeredition|edition|esr|nightly|stable|unstable|\d+)*"
)


@lru_cache(maxsize=4096)
def comparable(text: str) -> str:
    """Return a text as it is compared: composed, without case, spaces as one, nothing that cannot be seen."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    if folded.isascii() and folded.isprintable():
        return " ".join(folded.split())
    visible = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    return " ".join(visible.split())


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(comparable(name)))


_MAX_HELD = 1024
"""Names whose answer is kept: each dialog and menu of a program asks again."""


class NameList:
    """Names of programs; tells whether a window's names are among them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in {_words(name) for name in names} - {()}:
            self._by_first.setdefault(words[0], []).append(words)
        self._held: dict[str, bool] = {}

    def holds_any(self, names: Iterable[str]) -> bool:
        """Return whether it holds any of a window's names."""
        return any(map(self.holds, names))

    def holds(self, name: str) -> bool:
        """Return whether one of the list is a run of words in `name`; its last word may name an edition as well."""
        if name not in self._held:
            if len(self._held) == _MAX_HELD:
                self._held.clear()
            self._held[name] = self._find(_words(name))
        return self._held[name]

    def _find(self, words: tuple[str, ...]) -> bool:
        return any(
            _matches(words[at : at + len(wanted)], wanted)
            for at, word in enumerate(words)
            for first, runs in self._by_first.items()
            if word.startswith(first)
            for wanted in runs
        )


def _matches(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Compare word by word; what follows in the last one must be the name of an edition: "keepass2"."""
    if len(words) != len(wanted) or words[:-1] != wanted[:-1] or not words[-1].startswith(wanted[-1]):
        return False
    return _EDITION.fullmatch(words[-1][len(wanted[-1]) :]) is not None


_WEB_APP = re.compile(r"crx__?[a-p]{32}")
"""With the id that Chromium gives an installed application; `--app=` windows have host and path of their page there."""

_DASHES = (" - ", " — ", " \N{EN DASH} ")
_PRIVATE = tuple(map(comparable, _LISTS["private_titles"]))
_VAULTS = tuple(map(comparable, _LISTS["vault_titles"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTraits:
    """What a window says about itself.

    `named` and `titled`: it is on a list of excluded names or titles. `private`: a browser's window that is private
    now; `stays_private`: and for as long as it exists. `ordinary`: a browser's window that is not private.
    `satellite`: a dialog, menu, panel or picture-in-picture, which is as private as the rest of its program.
    `keyboard`: a keyboard on the screen, whose places and pixels say what is typed. `lister`: it may show titles,
    pictures, menus or texts of other programs' windows. `notifier`: it shows what is or was another's and does not say
    whose.
    """

    known: bool
    named: bool
    titled: bool
    browser: bool
    private: bool = False
    stays_private: bool = False
    ordinary: bool = False
    satellite: bool = False
    keyboard: bool = False
    lister: bool = False
    notifier: bool = False


class TraitReader:
    """Reads the traits of windows; the answer about a window that did not change is kept."""

    def __init__(self, excluded_apps: Iterable[str], excluded_titles: Iterable[str]) -> None:
        self._names = NameList((*_LISTS["excluded_apps"], *_LOCK_SCREENS, *excluded_apps))
        self._keyboards = NameList(_LISTS["screen_keyboards"])
        self._notifiers, self._listers = NameList(_NOTIFIERS), NameList(_LISTERS)
        self.titles = tuple(part for part in map(comparable, excluded_titles) if part)
        """Parts of titles that the person excludes."""
        self._read: dict[int, tuple[DesktopWindow, WindowTraits]] = {}

    def traits(self, window: DesktopWindow) -> WindowTraits:
        """Return the traits of a window."""
        kept = self._read.get(window.client)
        if kept is not None and kept[0] is window:
            return kept[1]
        found = self._traits(window)
        self._read[window.client] = (window, found)
        return found

    def forget_all_but(self, clients: frozenset[int]) -> None:
        """Forget windows that exist no more."""
        for client in self._read.keys() - clients:
            del self._read[client]

    def _traits(self, window: DesktopWindow) -> WindowTraits:
        title = comparable(window.title)
        known = bool(window.app) and window.readable
        known_as = (*names(window), *window.program)
        keyboard, named = self._keyboards.holds_any(known_as), self._names.holds_any(known_as)
        titled = any(part in title for part in self.titles)
        satellite = window.popup or window.dialog or bool(window.transient_for)
        if not is_browser(window):
            return WindowTraits(
                known=known,
                named=named or keyboard,
                titled=titled,
                browser=False,
                satellite=satellite,
                keyboard=keyboard,
                lister=window.kind in (WindowKind.DOCK, WindowKind.MANAGER)
                or (window.kind is not WindowKind.DESKTOP and self._listers.holds_any(known_as)),
                notifier=window.kind is WindowKind.NOTIFICATION or self._notifiers.holds_any(known_as),
            )
        end = title
        for dash in _DASHES:
            end = end.rpartition(dash)[2]
        family = _begins(window, _MARKED_BROWSERS)
        private = window.private or any(part in title for part in _PRIVATE)
        ordinary = family and window.ordinary_profile and not private and end != title and end in _PRODUCTS
        is_main = window.role == "browser" or (not window.role and ordinary)
        return WindowTraits(
            known=known,
            named=named,
            titled=titled or any(part in title for part in _VAULTS),
            browser=True,
            private=private,
            stays_private=private and (window.private or not family or any(part in end for part in _PRIVATE)),
            ordinary=ordinary and is_main,
            satellite=satellite or not is_main,
        )


def as_part_of_browser(window: DesktopWindow, traits: WindowTraits) -> WindowTraits:
    """Return the traits of a window without a class on a browser's connection: Chromium's menus and lists have none."""
    if window.app:
        return traits
    private = any(part in comparable(window.title) for part in _PRIVATE)
    return replace(traits, known=window.readable, browser=True, private=private, stays_private=private, satellite=True)


def as_part_of_program(window: DesktopWindow, traits: WindowTraits) -> WindowTraits:
    """Return the traits of a pop-up without a class beside windows of the same connection that have one.

    Tips and menus of Emacs and FLTK have none, nor have the parts of Tk's: they are as closed as those windows.
    """
    return replace(traits, known=window.readable, satellite=True) if window.popup and not window.app else traits


def is_browser(window: DesktopWindow) -> bool:
    """Return whether a window belongs to a browser; its installed web applications have no private windows."""
    if window.instance is not None and _WEB_APP.fullmatch(window.instance.lower()):
        return False
    return _begins(window, _MARKED_BROWSERS) or _begins(window, _UNMARKED_BROWSERS)


def is_lock_screen(window: DesktopWindow) -> bool:
    """Return whether a window is one that locks the screen."""
    return bool(names(window) & _LOCK_SCREENS)


def names(window: DesktopWindow) -> set[str]:
    """Return class and instance, as they are compared."""
    return {comparable(name) for name in (window.app, window.instance) if name}


def _begins(window: DesktopWindow, beginnings: tuple[str, ...]) -> bool:
    return any(name.startswith(beginnings) for name in names(window))
