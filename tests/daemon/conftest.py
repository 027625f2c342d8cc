"""The fixture `painter`: another program on the test's desktop."""

from collections.abc import Iterator

import pytest

from evaluation.stage.desktop import VirtualDesktop
from tests.fakes.painter import Painter


@pytest.fixture
def painter(bare_desktop: VirtualDesktop) -> Iterator[Painter]:
    """Yield a painter on the bare desktop of this test."""
    painter = Painter(bare_desktop)
    yield painter
    painter.close()
