"""Which of a browser's windows are private, proven by the name that the browser itself gives them. Pure.

Chromium's private and ordinary windows differ in nothing but "T - Chromium (Incognito)" against "T - Chromium", and a
page writes only T. All of its 55 languages put the mark in brackets behind the product; any other name proves nothing.
Chrome, Brave, Edge and others were not tried, and stay unknown.
"""

import re
from collections.abc import Hashable, Mapping, Sequence

from daemon.capture.control_source import BrowserWindowNamed, Observation
from daemon.capture.fence.rules import Proof
from daemon.capture.scene import DesktopWindow, Scene
from storage.records import Box

PRODUCT = " - Chromium"
_MARK = re.compile(re.escape(PRODUCT) + r" \([^()]+\)$")
_APP = "chromium"
_ROLE = "browser"
BORDER = 64
"""By how many pixels a window with its decorations may be larger than its frame says."""

MAX_WINDOWS = 200


class BrowserProofs:
    """What browsers call their windows, and what that proves. A verdict stays for as long as its window exists."""

    def __init__(self) -> None:
        self._named: dict[tuple[int, Hashable], BrowserWindowNamed] = {}
        self._proofs: dict[int, Proof] = {}
        self._judged: tuple[Scene | None, int] = (None, 0)
        self._changes = 0

    def note(self, observations: Sequence[Observation]) -> None:
        """Take in what browsers call their windows."""
        for seen in observations:
            if isinstance(seen, BrowserWindowNamed):
                self._changes += 1
                self._named.pop((seen.pid, seen.key), None)
                if seen.name and len(self._named) < MAX_WINDOWS:
                    self._named[seen.pid, seen.key] = seen

    def proofs(self, scene: Scene) -> Mapping[int, Proof]:
        """Return what is proven of the windows that exist."""
        if self._judged[0] is scene and self._judged[1] == self._changes:
            return self._proofs
        self._judged = (scene, self._changes)
        existing = scene.clients
        self._proofs = {client: proof for client, proof in self._proofs.items() if client in existing}
        windows = [window for window in scene.windows if _is_main(window)]
        for named in self._named.values():
            fitting = [window for window in windows if _fits(named, window)]
            if len(fitting) != 1 or sum(_fits(other, fitting[0]) for other in self._named.values()) != 1:
                continue
            proof = verdict(named.name)
            client = fitting[0].client
            if proof is not None and self._proofs.get(client) is not Proof.PRIVATE:
                self._proofs[client] = proof
        return self._proofs


def verdict(name: str) -> Proof | None:
    """Return what the name of a window proves; by its last characters alone, since the browser writes them last."""
    if _MARK.search(name):
        return Proof.PRIVATE
    return Proof.ORDINARY if name.endswith(PRODUCT) and name != PRODUCT else None


def _is_main(window: DesktopWindow) -> bool:
    names = {(window.app or "").lower(), (window.instance or "").lower()}
    return window.role == _ROLE and any(name.startswith(_APP) for name in names) and bool(window.program)


def _fits(named: BrowserWindowNamed, window: DesktopWindow) -> bool:
    """Return whether a frame may be a window: the same process, title and place."""
    if named.pid != window.pid or named.box is None or not window.readable:
        return False
    marked = _MARK.search(named.name)
    title = named.name[: marked.start()] + PRODUCT if marked else named.name
    return title == window.title and _holds(window.box, named.box)


def _holds(outer: Box, inner: Box) -> bool:
    right, bottom = outer.x + outer.w - inner.x - inner.w, outer.y + outer.h - inner.y - inner.h
    return all(-BORDER <= gap <= BORDER for gap in (inner.x - outer.x, inner.y - outer.y, right, bottom))
