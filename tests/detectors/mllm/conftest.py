"""Lets tests of this folder be coroutines (`pytest.mark.anyio`), on asyncio; the plugin comes with httpx2."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
