"""What the programs of the scenes share: pieces of calm work, and attempts in vain, by name."""

from collections.abc import Callable, Mapping
from typing import Protocol

from evaluation.stage.desktop import VirtualDesktop

Act = Callable[[], None]


class SceneProgram(Protocol):
    """A program in which scenes are played."""

    in_vain: Mapping[str, Act]
    """One attempt in vain, for each kind of trouble."""
    calm: Mapping[str, Act]
    """One piece of calm work, for each kind of look-alike."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it and wait until it takes input."""

    def begin(self, seconds: float) -> None:
        """Work fluently for so long, before trouble begins."""
