"""Fixtures of the daemon's tests; tests that are coroutines run in a loop in which their fixtures are open."""

import asyncio
import inspect
import json
import shutil
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from storage.files import state_folder
from storage.session import video_sandbox
from tests.fakes.desktop.painter import Painter

if TYPE_CHECKING:
    from tests.fakes.accessibility.remembered import Remembered


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine to its end, with what its fixtures open; leave others to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or pyfuncitem.get_closest_marker("anyio"):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def run() -> None:
        async with AsyncExitStack() as opened:
            for name, value in given.items():
                if isinstance(value, AbstractAsyncContextManager):
                    given[name] = await opened.enter_async_context(value)
            await pyfuncitem.obj(**given)

    asyncio.run(run())
    return True


@pytest.fixture
def painter(bare_desktop: VirtualDesktop) -> Iterator[Painter]:
    painter = Painter(bare_desktop)
    yield painter
    painter.close()


@pytest.fixture(scope="session")
def remembered_once(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Path, Remembered]":
    """Return a data folder with marks in all places that is only copied from, and what it holds."""
    from tests.fakes.accessibility.remembered import remember

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("remembered")))
        found = remember()
        return state_folder(), found


@pytest.fixture
def remembered(remembered_once: "tuple[Path, Remembered]", monkeypatch: pytest.MonkeyPatch) -> "Remembered":
    """Fill the data folder of this test; return what it holds. Its videos are decoded in this process."""
    source, found = remembered_once

    def run_limited(module: str, arguments: list[str], *, file: BinaryIO, name: str, cpu_s: int) -> str:
        return json.dumps(asdict(video_sandbox._probe(file, name)))

    monkeypatch.setattr(video_sandbox, "run_limited", run_limited)
    shutil.copytree(source, state_folder())
    return found.moved(state_folder() / "sessions")
