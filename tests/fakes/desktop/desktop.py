"""The fixtures `desktop` and `bare_desktop`: a fresh virtual X11 desktop for tests marked `display`.

The top-level conftest offers them to every test.
"""

from collections.abc import Iterator

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    """Yield a running 1280x800 desktop with window manager, compositor and tray; it is gone afterwards."""
    with VirtualDesktop((1280, 800)) as running:
        yield running


@pytest.fixture
def bare_desktop() -> Iterator[VirtualDesktop]:
    """Yield a running 1280x800 desktop with a window manager alone: nothing on it paints by itself."""
    with VirtualDesktop((1280, 800), compositor=False, tray="none") as running:
        yield running
