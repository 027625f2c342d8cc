"""A loop that the test moves, loops of a test's own and of other threads, and processes that may have ended."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class HandLoop:
    """A loop whose clock and timers the test moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.timers: list[tuple[float, Callable[..., None], tuple[Any, ...]]] = []

    def time(self) -> float:
        return self.now_s

    def call_later(self, delay_s: float, action: Callable[..., None], *arguments: Any) -> "HandLoop._Handle":
        timer = (self.now_s + delay_s, action, arguments)
        self.timers.append(timer)
        return self._Handle(self, timer)

    class _Handle:
        def __init__(self, loop: "HandLoop", timer: tuple[float, Callable[..., None], tuple[Any, ...]]) -> None:
            self._loop = loop
            self._timer = timer

        def cancel(self) -> None:
            self._loop.timers = [timer for timer in self._loop.timers if timer is not self._timer]

    def run_until(self, end_s: float) -> None:
        while self.timers and min(self.timers, key=lambda timer: timer[0])[0] <= end_s:
            timer = min(self.timers, key=lambda timer: timer[0])
            self.timers.remove(timer)
            self.now_s = timer[0]
            timer[1](*timer[2])
        self.now_s = end_s


async def until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not check():  # noqa: ASYNC110  # another process does it
            await asyncio.sleep(0.01)


async def woken(work: Any) -> None:
    work._loop = asyncio.get_running_loop()
    work._wake()
    await until(lambda: not work._background.is_running)


def in_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    @wraps(test)
    def run(*arguments: P.args, **fixtures: P.kwargs) -> None:
        asyncio.run(test(*arguments, **fixtures))

    return run


@contextmanager
def in_a_thread(make: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """Keep a service open in the loop of a thread of its own, for tests whose own has something else to do."""
    loop, over, up = asyncio.new_event_loop(), asyncio.Event(), threading.Event()
    opened: list[T] = []

    async def serve() -> None:
        async with make() as service:
            opened.append(service)
            up.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), name="service")
    thread.start()
    try:
        assert up.wait(5.0)
        yield opened[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended; one that nobody has asked about yet counts."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@contextmanager
def answering(path: Path, answer: bytes | None) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        path.parent.mkdir(parents=True, exist_ok=True)
        listener.bind(str(path))
        listener.listen()

        def answer_one() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer or b"")

        thread = threading.Thread(target=answer_one, name="answering")
        if answer is not None:
            thread.start()
        yield
        if answer is not None:
            thread.join()
    path.unlink()
