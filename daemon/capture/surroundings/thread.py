"""The thread "surroundings": watches buses, sound servers and devices for what input and windows do not show.

A source that went away is retried with growing pauses, and its conditions are unknown until then.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from daemon.capture.source_thread import SourceGone, SourceThread
from daemon.capture.surroundings.source import Answers, Condition, ConditionSource, SurroundingsState, summarize

_FIRST_PAUSE_S = 1.0
_MAX_PAUSE_S = 300.0


class SurroundingsWatcher:
    """Watches all sources from `start` to `stop`; `state` is what is known now."""

    def __init__(
        self,
        on_change: Callable[[], None] = lambda: None,
        *,
        sources: Sequence[ConditionSource] | None = None,
        first_pause_s: float = _FIRST_PAUSE_S,
    ) -> None:
        """Prepare to watch `sources`, by default all of this system; call `on_change` in the thread at each change."""
        self._on_change = on_change
        self._sources = sources
        self._first_pause_s = first_pause_s
        self._answers: dict[tuple[Condition, str], bool | None] = {}
        self.state = SurroundingsState()
        """What is known now; replaced by the thread."""
        self._settled = threading.Event()
        self._lock = threading.Lock()
        self._env: Mapping[str, str] = {}
        self._looks: deque[asyncio.Future[None]] = deque(maxlen=2)  # nobody else holds them
        self._thread = SourceThread(
            "surroundings", self._watch_all, self._ended, failure="the surroundings are no longer watched"
        )

    @property
    def answers(self) -> Answers:
        """The newest value of each condition by each source."""
        with self._lock:
            return dict(self._answers)

    def start(self) -> None:
        """Begin to watch; returns at once."""
        self._env = dict(os.environ)
        self._thread.start()

    def settle(self, timeout_s: float) -> bool:
        """Wait until every source has answered or is unavailable; return whether that was in time."""
        return self._settled.wait(timeout_s)

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End; return whether the thread ended in time. A second call only waits."""
        return self._thread.stop(timeout_s)

    def look(self, then: Callable[[], None]) -> None:
        """Have every source asked anew, and call `then` in the thread; never where it has ended, or fails at that."""
        self._thread.call(lambda: self._looks.append(asyncio.ensure_future(self._look(then))))

    # ------------------------------------------------------------ the thread

    async def _look(self, then: Callable[[], None]) -> None:
        await asyncio.gather(*(source.look(self._take) for source in self._sources or ()))
        then()

    def _ended(self, _failed: bool) -> None:
        with self._lock:
            self._answers = dict.fromkeys(self._answers)
        self._summarize()
        self._settled.set()

    async def _watch_all(self) -> None:
        if self._sources is None:
            self._sources = default_sources(self._env)
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(self._watch(source))

    async def _watch(self, source: ConditionSource) -> None:
        pause_s = self._first_pause_s
        while True:
            try:
                await source.watch(self._take)
            except SourceGone:
                pass
            else:
                return
            if any(self._answers.get(key) is not None for key in source.provides):
                pause_s = self._first_pause_s  # it worked until now
            for condition, name in source.provides:
                self._take(condition, name, None)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _MAX_PAUSE_S)

    def _take(self, condition: Condition, name: str, value: bool | None) -> None:
        with self._lock:
            self._answers[condition, name] = value
        self._summarize()
        if not self._settled.is_set() and all(key in self._answers for s in self._sources or () for key in s.provides):
            self._settled.set()

    def _summarize(self) -> None:
        state = summarize(self._answers)
        if state != self.state:
            self.state = state
            self._on_change()


def default_sources(env: Mapping[str, str]) -> list[ConditionSource]:
    """Return every source that an environment may have."""
    from daemon.capture.surroundings.devices import Cameras
    from daemon.capture.surroundings.services import bus_sources
    from daemon.capture.surroundings.streams import PipeWire, PulseAudio

    return [*bus_sources(env), PulseAudio(env), PipeWire(env), Cameras()]
