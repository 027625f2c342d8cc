"""A message bus for what asks the session's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.accessibility.private_bus import address_in, private_bus


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the address of a bus that is the session's."""
    with private_bus(tmp_path):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address_in(tmp_path))
        yield address_in(tmp_path)
