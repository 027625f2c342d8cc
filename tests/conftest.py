"""Fixtures for every test: no network, no keys, nobody's own files, no thread left behind.

Tests in this process never see a screen; those marked `display` start a virtual desktop of their own, so the settings
that turn the screen off are only defaults for a selection without them (`./test` runs the two apart).
"""

import gc
import gettext
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import metadata
from ipaddress import ip_address
from itertools import count
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from storage.clock import SystemClock

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

THREAD_GRACE_S = 20.0
SECRET_ENDINGS = ("_API_KEY", "_APIKEY", "_TOKEN", "_SECRET")
PROXY_ENDING = "_proxy"
_numbers = count()

# Examples are the same in every run, so that a red test is red again; a loaded machine is not a failure.
hypothesis.settings.register_profile(
    "kairos",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("kairos")


def pytest_configure(config: pytest.Config) -> None:
    """Speak English, and turn the screen off unless the tests on a virtual desktop were asked for."""
    os.environ["LANGUAGE"] = "en"  # whatever this desktop speaks
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # small networks take longer to compile than to run
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for each other in a loop are CPU that others lack
    metadata.entry_points = cache(metadata.entry_points)  # type: ignore[assignment]  # looked up by most commands; it stays as it is
    gettext.find = cache(gettext.find)  # type: ignore[assignment]  # argparse looks for a catalogue at each word; it has none
    selection = str(config.option.markexpr)
    if "display" in selection and "not display" not in selection:
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_collection_finish() -> None:
    """Search modules and tests for garbage no more: they stay until the end. Search what tests make less often."""
    gc.freeze()
    gc.set_threshold(50_000)  # with Python's 700 a twentieth of the time goes there


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Let the process end without a search of all that tests share; searching syntax trees took 8 s of CPU."""
    gc.freeze()
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count no branches under random examples: those beside them reach all, and the examples take thrice as long."""
    coverage = sys.modules.get("coverage") if item.get_closest_marker("hypothesis") else None
    counting = coverage and coverage.Coverage.current()
    if not counting:
        return (yield)
    counting.stop()
    try:
        return (yield)
    finally:
        counting.start()


def _is_local(address: Any) -> bool:
    """Whether a socket address stays on this machine: a path, a loopback address or its name."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host in {"localhost", ""}:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Refuse every connection that would leave this machine."""

    def guard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any) -> Any:
            if not _is_local(address):
                raise PermissionError(f"a test tried to reach {address[0]}; tests stay on this machine")
            return real(self, address)

        monkeypatch.setattr(socket.socket, name, connect)

    with pytest.MonkeyPatch.context() as patch:
        guard("connect", patch)
        guard("connect_ex", patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_secrets() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.upper().endswith(SECRET_ENDINGS) or name.lower().endswith(PROXY_ENDING):
                patch.delenv(name)
        yield


@pytest.fixture(autouse=True)
def own_surroundings(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Move every folder of the person running the tests into the test's own.

    They are made by whoever writes into them; most tests do not.
    """
    short = tmp_path_factory.getbasetemp() / f"xdg-{next(_numbers)}"
    own = request.getfixturevalue("tmp_path") / "xdg" if "tmp_path" in request.fixturenames else short
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", f"{own}/{name.lower()}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", f"{short}/runtime")  # the path of a socket has at most 107 bytes


@pytest.fixture
def set_zone() -> Iterator[Callable[[str], None]]:
    """Set the local time zone; afterwards the C library, which keeps the last one, is told to look again."""
    with pytest.MonkeyPatch.context() as patch:

        def set_zone(name: str) -> None:
            patch.setenv("TZ", name)
            time.tzset()

        yield set_zone
    time.tzset()


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a thread running which would keep the process alive."""
    before = set(threading.enumerate())
    yield
    clock = SystemClock()
    deadline_ns = clock.now_ns() + int(THREAD_GRACE_S * 1e9)
    for thread in set(threading.enumerate()) - before:
        if not thread.daemon:
            thread.join(max(0.0, (deadline_ns - clock.now_ns()) / 1e9))
            assert not thread.is_alive(), f"the test left thread {thread.name!r} running"


@pytest.fixture(scope="session")
def qapp() -> Iterator["QApplication"]:
    """Return the one QApplication of this process; Qt allows no second."""
    from PySide6.QtWidgets import QApplication

    found = QApplication.instance()
    application = found if isinstance(found, QApplication) else QApplication(["kairos"])
    application.setQuitOnLastWindowClosed(False)
    yield application
    application.closeAllWindows()
    application.processEvents()
