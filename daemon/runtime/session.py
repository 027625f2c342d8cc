"""One live session: its folder, recorder, engine and capture, from the first row to the last.

A session is one run, cut at local midnight, after suspend and at its size limit; every session has capture, keys and
files of its own, so that nothing crosses from one to the next but the policy's state. While no model is on, nothing of
`detectors.mllm` is loaded, no picture is kept in memory, and nobody looks at the rows once more.
"""

import asyncio
import logging
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.capture.picture_ring import PictureRing
from daemon.capture.thread import CaptureSession, CaptureThread
from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.gate import Gate
from daemon.models.usage import ModelUsage
from daemon.runtime.pipeline import Pipeline, Sink
from detectors import registry as detector_registry
from policies import registry as policy_registry
from storage.clock import SystemClock
from storage.errors import BadFile, EnvironmentFault
from storage.records import Decision, Frame, Offer, Problem, Record, SessionStart, Switch, SwitchName
from storage.session.heartbeat import Heartbeat
from storage.session.log import create_session
from storage.session.recorder import SessionRecorder
from storage.session.video import VideoPlan
from storage.settings import Settings
from storage.state.store import Consent, StateStore

if TYPE_CHECKING:
    from daemon.models.session import SessionModels

logger = logging.getLogger(__name__)

STAGE_LIMIT_S = 1.5
SEED_BITS = 48
MB = 1_000_000


class LiveSession:
    """Starts, feeds and ends one session. Used in the core thread."""

    def __init__(
        self,
        *,
        settings: Settings,
        consent: Consent,
        sessions_dir: Path,
        state: StateStore,
        clock: SystemClock,
        gate: Gate,
        sink: Sink,
        on_cut: Callable[[str], None],
        on_failure: Callable[[Exception], None],
        cut_wall_ns: int,
    ) -> None:
        """Create the folder and everything in the path; nothing is captured before `start`.

        Raises:
            EnvironmentFault: the session cannot be written; nothing of it is left.
        """
        self._settings = settings
        self._consent = consent
        self._state = state
        self._clock = clock
        self._gate = gate
        self._cut_wall_ns = cut_wall_ns
        self._sink = sink
        self._detector = detector_registry.load(settings.detector)
        self._policy = policy_registry.load(settings.policy, settings.detector.base_rate)
        self.folder = create_session(sessions_dir, clock.wall_ns())
        looks = self._detector.uses_images or _asks(settings)
        ring = self._ring = PictureRing(settings.capture) if looks else None
        self._models = self._prepare_models() if _asks(settings) else None
        self._engine = Engine(
            detector=self._detector,
            policy=self._policy,
            settings=settings,
            images=ring if self._detector.uses_images else None,
            combine=self._models.combiner if self._models is not None else None,
        )
        try:
            pulse = Heartbeat(self.folder)
            self._recorder = SessionRecorder(
                self.folder, settings.storage, clock, on_problem=lambda problem: self.submit([problem]), pulse=pulse
            )
        except EnvironmentFault:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self._pipeline = Pipeline(
            engine=self._engine,
            log=self,
            sink=self,
            clock=clock,
            on_cut=on_cut,
            on_failure=on_failure,
            too_big=self._too_big,
        )
        self._capture = CaptureThread(
            clock=clock,
            settings=settings,
            gate=gate,
            session=CaptureSession(
                key=secrets.token_bytes(32),
                record_titles=consent.recording,
                plan=VideoPlan(settings.storage.video_file_s) if consent.recording else None,
            ),
            on_records=self.submit,
            on_picture=self._recorder.put_picture if consent.recording else None,
            on_failure=on_failure,
            ring=ring,
            pulse=pulse,
        )

    async def start(self, loop: asyncio.AbstractEventLoop, switches: Mapping[SwitchName, bool]) -> None:
        """Write the first rows and begin to capture; switches that are on go over from the session before."""
        carried = [Switch(name=name, on=True, by="system") for name, on in switches.items() if on]
        self._pipeline.start(loop, [self._first_row(), *carried], self._cut_wall_ns)
        if self._models is not None:
            self._models.start()
        await asyncio.to_thread(self._capture.start)

    @property
    def prices(self) -> list[ModelUsage]:
        """What models have cost in this session, by rung; none while none was asked."""
        return self._models.usage if self._models is not None else []

    def submit(self, records: Sequence[Record]) -> None:
        """Hand records over from any thread."""
        self._pipeline.submit(records)

    def drain(self) -> None:
        """Take in at once what was submitted."""
        self._pipeline.drain()

    async def stop(self, reason: str) -> None:
        """End in order: capture, last rows, policy state, recorder; each stage has its limit and says if it is late."""
        if self._models is not None:
            self._models.stop()
        await self._stage("capture", lambda: self._capture.stop(STAGE_LIMIT_S))
        if self._models is not None:
            await self._models.close(STAGE_LIMIT_S)
        try:
            if self._pipeline.is_open:
                self._pipeline.end(reason)
                self._save_policy()
        finally:
            await self._stage("recorder", lambda: self._recorder.close(STAGE_LIMIT_S))

    async def _stage(self, name: str, action: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(STAGE_LIMIT_S + 0.5):
                await asyncio.to_thread(action)
        except TimeoutError:
            logger.exception("stopping: %s is late and was left behind", name)

    def _prepare_models(self) -> "SessionModels":
        from daemon.models.session import SessionModels

        assert self._ring is not None  # noqa: S101  # there is one where a model is on
        return SessionModels(
            settings=self._settings,
            folder=self.folder,
            recording=self._consent.recording,
            clock=self._clock,
            gate=self._gate,
            images=self._ring,
            submit=self.submit,
        )

    def _first_row(self) -> SessionStart:
        now_wall_ns = self._clock.wall_ns()
        saved, saved_wall_ns = self._state.policy_state(policy_registry.memory_of(self._policy))
        return first_row(
            settings=self._settings,
            detector=self._detector,
            policy=self._policy,
            session_id=self.folder.name,
            wall_ns=now_wall_ns,
            recording=self._consent.recording,
            policy_state={"seed": secrets.randbits(SEED_BITS), **saved},
            elapsed_ns=max(0, now_wall_ns - saved_wall_ns) if saved else 0,
            combiner_hash=self._models.combiner.hash if self._models is not None else "",
        )

    def _save_policy(self) -> None:
        """Keep what the policy must not forget; where that fails, the session that says the same still goes on."""
        try:
            memory = policy_registry.memory_of(self._policy)
            self._state.save_policy_state(memory, self._engine.saved_policy(), self._clock.wall_ns())
        except (EnvironmentFault, BadFile) as fault:
            logger.error("what was learned is not kept: %s", fault.what)  # noqa: TRY400  # told, no bug

    def _too_big(self) -> bool:
        try:
            size = sum(path.stat().st_size for path in self.folder.iterdir())
        except OSError:  # a file went while we looked, or somebody removed the folder
            return False
        return size > self._settings.storage.max_session_mb * MB

    # ------------------------------------------------------------ log and sink of the pipeline

    def put(self, rows: Sequence[Record]) -> None:
        """Hand the rows of one step to the recorder; tell the ring the numbers of its frames, and models all."""
        self._recorder.put(rows)
        if self._ring is not None:
            for row in rows:
                if isinstance(row, Frame):
                    self._ring.name(row.seq, row.t_ns)
        if self._models is not None:
            self._models.observe(rows)

    def show(self, offer: Offer) -> None:
        """Show an offer, whose budget must not be forgotten by a crash."""
        self._save_policy()
        self._sink.show(offer)

    def close(self, offer_id: str) -> None:
        """Take an offer down, after what was learned from it is kept."""
        self._save_policy()
        self._sink.close(offer_id)

    def changed(self, record: Switch | Problem) -> None:
        """Pass on that something was switched, broke or was mended."""
        self._sink.changed(record)

    def decided(self, decision: Decision) -> None:
        """Pass on what the policy decided."""
        self._sink.decided(decision)


def _asks(settings: Settings) -> bool:
    """Tell whether a model is on."""
    return bool(settings.local_model.preset or settings.strong_model.preset)
