"""Compositors listen on sockets, whose addresses hold 107 bytes: less than the folders of some test runs are long."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with TemporaryDirectory(prefix="k") as folder:
        yield Path(folder)
