"""The thread "surroundings": hears from buses, sound servers and cameras what input and windows do not show.

It sleeps until one of them says something. Whoever goes away or does not answer is asked again with growing pauses, and
counts as "cannot tell" until then. Nobody waits for this thread: the capture thread reads its last word.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence

from daemon.capture.surroundings.source import Answers, Kind, Sensed, Source, SourceUnavailable, sum_up

logger = logging.getLogger(__name__)

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 300.0


class Surroundings:
    """Listens from `start` to `stop`; `sensed` is what is known now."""

    def __init__(
        self,
        on_change: Callable[[], None] = lambda: None,
        *,
        sources: Sequence[Source] | None = None,
        first_pause_s: float = _FIRST_PAUSE_S,
    ) -> None:
        """Prepare; nobody is asked before `start`.

        Args:
            on_change: called, in the thread, whenever `sensed` has changed; it must not block.
            sources: whom to ask; by default everyone this system has.
            first_pause_s: how long to wait before somebody who went away is asked again; it doubles.
        """
        self._on_change = on_change
        self._sources = sources
        self._first_pause_s = first_pause_s
        self._answers: dict[tuple[Kind, str], bool | None] = {}
        self._sensed = Sensed()
        self._settled = threading.Event()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._env: Mapping[str, str] = {}
        self._thread = threading.Thread(target=self._run, name="surroundings", daemon=True)

    @property
    def sensed(self) -> Sensed:
        """What is known now."""
        return self._sensed

    @property
    def answers(self) -> Answers:
        """The last word of everyone."""
        with self._lock:
            return dict(self._answers)

    def start(self) -> None:
        """Begin to listen; returns at once."""
        self._env = dict(os.environ)
        self._thread.start()

    def settle(self, timeout_s: float) -> bool:
        """Wait until everyone has answered or could not; tell whether that was in time."""
        return self._settled.wait(timeout_s)

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End; tell whether the thread ended in time. A second call only waits."""
        with self._lock:
            if self._loop is not None and not self._stopping:
                self._loop.call_soon_threadsafe(self._cancel)
            self._stopping = True
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            asyncio.run(self._listen())
        except asyncio.CancelledError:
            pass
        except Exception:  # a stage boundary: without manners there is still everything else
            logger.exception("the surroundings are no longer heard")
        finally:
            self._forget()
            self._settled.set()

    def _cancel(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    async def _listen(self) -> None:
        if self._sources is None:
            self._sources = sources_of(self._env)
        with self._lock:
            if self._stopping:
                return
            self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.TaskGroup() as group:
                for source in self._sources:
                    group.create_task(self._keep(source))
        finally:
            with self._lock:
                self._loop = None

    async def _keep(self, source: Source) -> None:
        """Listen to one source for as long as it may say anything."""
        pause_s = self._first_pause_s
        while True:
            try:
                await source.watch(self._tell)
            except SourceUnavailable:
                pass
            else:
                return
            if any(self._answers.get(key) is not None for key in source.tells):
                pause_s = self._first_pause_s  # it worked until now
            for kind, name in source.tells:
                self._tell(kind, name, None)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _tell(self, kind: Kind, name: str, value: bool | None) -> None:
        with self._lock:
            self._answers[kind, name] = value
        self._sum_up()
        if not self._settled.is_set() and all(key in self._answers for s in self._sources or () for key in s.tells):
            self._settled.set()

    def _forget(self) -> None:
        with self._lock:
            self._answers = dict.fromkeys(self._answers)
        self._sum_up()

    def _sum_up(self) -> None:
        sensed = sum_up(self._answers)
        if sensed != self._sensed:
            self._sensed = sensed
            self._on_change()


def sources_of(env: Mapping[str, str]) -> list[Source]:
    """Return everyone who may tell something in an environment."""
    from daemon.capture.surroundings.cameras import Cameras
    from daemon.capture.surroundings.services import buses_of
    from daemon.capture.surroundings.streams import PipeWire, PulseAudio

    return [*buses_of(env), PulseAudio(env), PipeWire(env), Cameras()]
