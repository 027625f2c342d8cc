"""One live session: its folder, recorder, engine, observers and capture.

A session ends at local midnight, after suspend, at its size limit, or with the run. Each has its own capture, keys and
files, so only the policy's state crosses from one to the next. While no model is on, nothing of `detectors.mllm` is
loaded and no picture stays in memory.
"""

import asyncio
import contextlib
import ctypes
import logging
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.capture.accessibility.choice import reads_outputs, records_speech, understands_controls
from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.gate import Gate
from daemon.capture.picture_ring import PictureRing
from daemon.capture.thread import CaptureSession, CaptureThread
from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.help.commands.command import TakeCommands, no_commands
from daemon.help.commands.prefetch import CommandPrefetch
from daemon.help.ports import Library, OpenLibrary, Point, TakeElements
from daemon.help.service import HelpService
from daemon.models.restrictions import Restrictions
from daemon.models.usage import ModelUsage
from daemon.runtime.observers import Observers, PictureNumbering, RecordObserver, TypingPlace
from daemon.runtime.pipeline import Pipeline, Sink
from daemon.runtime.study.enrolment import SILENT, study_row, with_study_seed
from detectors import registry as detector_registry
from policies import registry as policy_registry
from policies.arms import arm_of
from storage.clock import SystemClock, boot_mark, utc_offset_s
from storage.enrolment import Enrolment
from storage.errors import BadFile, EnvironmentFault
from storage.ports import HelpContent, ModelHelp, PointedAt
from storage.records import Box, Offer, Record, SessionStart, StudyStart, Switch, SwitchName
from storage.session.heartbeat import Heartbeat
from storage.session.log import create_session
from storage.session.recorder import SessionRecorder
from storage.session.video import VideoPlan
from storage.settings import Settings
from storage.state.store import Consent, Helped, StateStore
from storage.translation import translatable

if TYPE_CHECKING:
    from daemon.capture.control_source import SourceState
    from daemon.capture.sound.microphone import Microphone
    from daemon.models.answers.service import HelpAnswers
    from daemon.models.session import SessionModels

logger = logging.getLogger(__name__)

STOP_STAGES_S: Mapping[str, float] = {
    "sound": 0.3,
    "capture": 1.2,
    "models": 0.3,
    "help": 0.2,
    "policy": 0.5,
    "recorder": 1.3,
}
"""The time that each stage of stopping has for itself, in their order; what one leaves over goes to the next.

Together with what the core waits for afterwards they fit inside the watchdog's limit, `core.STOP_LIMIT_S`.
"""

HANDOVER_S = 0.1
"""By how much a stage gives up before it is left behind."""

SURROUNDINGS_S = 0.3
"""How long the capture thread waits for the surroundings after its own limit."""

SEED_BITS = 48
"""Of a session's random seed."""

LOTS = ("seed", "drawn")
"""What a policy saves of its lots."""

MB = 1_000_000

ShowAnswer = Callable[[str, ModelHelp], None]
"""Shows what a model has answered so far about an offer."""


class LiveSession:
    """Starts, feeds and ends one session. Used in the core thread."""

    _microphone: "Microphone | None"

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
        enrolment: Enrolment | None = None,
        open_library: OpenLibrary | None = None,
        point: Point = lambda *_: None,
        show_answer: ShowAnswer = lambda *_: None,
        observer: RecordObserver | None = None,
        exclusions: Exclusions | None = None,
        restrictions: Restrictions | None = None,
    ) -> None:
        """Create the folder and everything in the path; nothing is captured before `start`.

        `settings` are those in force, with those of the study `enrolment` over the person's own. `open_library` opens
        the help library; without it none is searched. `point` rings the control of a step, from any thread;
        `show_answer` shows what a model has answered about an offer. `observer` sees the rows of the session as the
        last. `exclusions` is what the person excludes while the session runs, `restrictions` what they turn
        off meanwhile.

        Raises:
            EnvironmentFault: the session cannot be written; its folder is removed again.
        """
        self._settings = settings
        self._restrictions = restrictions or Restrictions(settings)
        self._consent = consent
        self._state = state
        self._clock = clock
        self._gate = gate
        self._cut_wall_ns = cut_wall_ns
        self._enrolment = enrolment
        self._utc_offset_s = utc_offset_s(clock.wall_ns())
        self._ending = False
        self._unwatch: Callable[[], None] = lambda: None
        self._detector = detector_registry.load(settings.detector)
        self._policy = policy_registry.load(settings.policy, settings.detector.base_rate)
        self.folder = create_session(sessions_dir, clock.wall_ns())
        allowed = self._restrictions.apply(settings)
        uses_models = bool(allowed.local_model.preset or allowed.strong_model.preset)
        ring = PictureRing(settings.capture) if self._detector.uses_images or uses_models else None
        knows_commands = understands_controls(allowed, consent)

        def point_there(offer_id: str, step: int, box: Box | None, about: PointedAt) -> None:
            """Ring a control; where no desktop says where it is, the card alone says which step is next."""
            point(offer_id, step, box if self._capture.has_places else None, about)

        self.help = self._prepare_help(open_library, point_there, for_model=uses_models, knows_commands=knows_commands)
        """What searches for help; None where nothing is searched, and no model is on."""

        request = self.help.read_ahead if self.help is not None else self._request_commands
        self._prefetch = CommandPrefetch(request, clock) if knows_commands else None
        self._models = self._prepare_models(ring, show_answer) if uses_models and ring is not None else None
        self._typing = TypingPlace()
        observers = Observers(  # in the order of their calls; another observer is one more line here
            PictureNumbering(ring) if ring is not None else None,
            self.help,
            self._models,  # after the help that it is asked about
            self._typing,
            self._prefetch,
            observer,
        )
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
                self.folder, settings.storage, clock, on_problem=lambda problem: self.submit([problem]), heartbeat=pulse
            )
        except EnvironmentFault:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self._pipeline = Pipeline(
            engine=self._engine,
            log=self._recorder,
            sink=sink,
            clock=clock,
            on_cut=on_cut,
            on_failure=on_failure,
            observer=observers,
            save_policy=self._save_policy,
            too_big=self._too_big,
            zone_changed=self._zone_changed,
            request_flush=lambda: self._capture.request_flush(),  # noqa: PLW0108  # made below; nothing is due before it starts
        )
        self._capture = CaptureThread(
            clock=clock,
            settings=settings,
            gate=gate,
            session=CaptureSession(
                key=secrets.token_bytes(32),
                record_titles=consent.recording,
                plan=VideoPlan(settings.storage.video_file_s) if consent.recording else None,
                controls=knows_commands,
                outputs=reads_outputs(allowed, consent),
                sees=consent.sees,
            ),
            on_records=self.submit,
            on_picture=self._recorder.put_picture if consent.recording else None,
            on_failure=on_failure,
            ring=ring,
            on_activity=pulse.seen,
            exclusions=exclusions,
        )
        self._microphone = None
        if records_speech(allowed, consent):
            from daemon.capture.sound.microphone import Microphone

            self._microphone = Microphone(
                clock=clock,
                gate=gate,
                ear=self._capture.ear,
                file_s=settings.storage.video_file_s,
                on_sound=self._recorder.put_sound,
                on_records=self.submit,
            )

    async def start(self, loop: asyncio.AbstractEventLoop, switches: Mapping[SwitchName, bool]) -> None:
        """Write the first rows and start capture; `switches` that are on carry over from the previous session."""
        carried = [Switch(name=name, on=True, by="system") for name, on in switches.items() if on]
        self._pipeline.start(loop, [self._first_row(), *self._study_rows(), *carried], self._cut_wall_ns)
        if self._models is not None:
            self._models.start()
        if self.help is not None:
            self.help.start(loop)
        if self._prefetch is not None:
            self._prefetch.start(loop)
        await asyncio.to_thread(self._capture.start)
        if self._microphone is not None:
            self._microphone.start()
        self._unwatch = self._restrictions.watch(self._restrict)
        self._restrict()  # what was turned off meanwhile
        await asyncio.to_thread(trim_heap)  # what only the start needed

    def _restrict(self) -> None:
        """Go on without controls, outputs alone or sound, once that is turned off; on the thread that did."""
        settings = self._restrictions.apply(self._settings)
        if self._microphone is not None and not records_speech(settings, self._consent):
            self._microphone.stop(0.0)
        if not understands_controls(settings, self._consent):
            self._capture.turn_controls_off()
        elif not reads_outputs(settings, self._consent):
            self._capture.turn_outputs_off()

    @property
    def prices(self) -> list[ModelUsage]:
        """What models have cost in this session, by tier; empty before the first query."""
        return self._models.usage if self._models is not None else []

    @property
    def controls(self) -> "SourceState | None":
        """How understanding controls is doing; None where it is not chosen."""
        return self._capture.controls

    def names_for(self, offer: Offer) -> Mapping[str, str]:
        """Return the words behind the digests of an offer, as far as they were seen within the last minute."""
        digests = offer.seen.digests if offer.seen is not None else {}
        now_ns = self._clock.now_ns()
        found = {place: self._lookup(digest, now_ns) for place, digest in digests.items()}
        return {place: words for place, words in found.items() if words is not None}

    def content_of(self, offer: Offer) -> HelpContent | None:
        """Return the page that an offer brings, as far as it is in memory, and the model that can be asked about it."""
        content = self.help.content_of(offer) if self.help is not None else None
        answers = self.answers
        model = answers.offered() if answers is not None else None
        if answers is None or model is None:
            return content
        content = content or HelpContent()
        guess = answers.goal_for(offer) or content.guess
        return replace(content, guess=guess, model=model.model, remote=model.remote)

    @property
    def at_break(self) -> bool:
        """Whether the person pauses just now, nothing of ours is on the screen, and no silence was chosen."""
        policy = self._settings.policy
        return self._enrolment is None and policy.name != SILENT and self._engine.at_break(policy)

    @property
    def typing(self) -> Box | None:
        """Where the person typed last, in pixels of the desktop."""
        return self._typing.place

    @property
    def answers(self) -> "HelpAnswers | None":
        """What asks models about the help of offers; None while none is on."""
        return self._models.answers if self._models is not None and self.help is not None else None

    def submit(self, records: Sequence[Record]) -> None:
        """Submit records from any thread."""
        self._pipeline.submit(records)

    def drain(self) -> None:
        """Process at once what was submitted."""
        self._pipeline.drain()

    async def stop(self, reason: str) -> None:
        """Stop capture, models, help, pipeline and recorder, in this order; a late stage is left behind."""
        self._unwatch()
        end_s = asyncio.get_running_loop().time() + sum(STOP_STAGES_S.values())
        if self._models is not None:
            self._models.stop()
        if self._prefetch is not None:
            self._prefetch.stop()
        if self.help is not None:
            self.help.stop()
        if self._microphone is not None:
            await self._stage("sound", end_s, self._microphone.stop)
        await self._stage("capture", end_s, lambda limit_s: self._capture.stop(max(0.0, limit_s - SURROUNDINGS_S)))
        if self._models is not None:
            await self._models.close(_left_s("models", end_s))
        if self.help is not None:
            await self._stage("help", end_s, self.help.close)
        self._ending = True
        try:
            if self._pipeline.is_open:
                self._pipeline.end(reason)
                self._store_policy()
        finally:
            await self._stage("recorder", end_s, self._recorder.close)

    async def _stage(self, name: str, end_s: float, action: Callable[[float], object]) -> None:
        """Run a stage that blocks, for at most as long as the stages after it can spare."""
        limit_s = _left_s(name, end_s)
        try:
            async with asyncio.timeout(limit_s):
                await asyncio.to_thread(action, max(0.0, limit_s - HANDOVER_S))
        except TimeoutError:
            logger.exception("stopping: %s is late and was left behind", name)

    def _prepare_models(self, ring: PictureRing, show_answer: ShowAnswer) -> "SessionModels":
        from daemon.models.answers.service import AnswerContext
        from daemon.models.session import SessionModels

        found = self.help
        around = AnswerContext(
            moment_of=found.moment_of if found is not None else lambda *_: None,
            newest_picture=ring.newest,
            request_elements=self._request_elements,
            show=show_answer,
            follow=found.follow if found is not None else lambda *_: None,
        )
        return SessionModels(
            settings=self._settings,
            restrictions=self._restrictions,
            folder=self.folder,
            recording=self._consent.recording,
            clock=self._clock,
            gate=self._gate,
            images=ring,
            submit=self.submit,
            around=around,
            take_goal=found.take_model_goal if found is not None else lambda _: None,
        )

    def _prepare_help(
        self, open_library: OpenLibrary | None, point: Point, *, for_model: bool, knows_commands: bool
    ) -> HelpService | None:
        """Return what searches for help; without a library there are commands, and what a model may know."""
        if not self._settings.help.library:
            open_library = None
        if open_library is None and not for_model and not knows_commands:
            return None
        return HelpService(
            open_library=open_library or _no_library,
            request_elements=self._request_elements,
            lookup=self._lookup,
            gate=self._gate,
            clock=self._clock,
            submit=self.submit,
            point=point,
            for_model=for_model,
            request_commands=self._request_commands if knows_commands else no_commands,
            helped=self._state.helped(),
            save_helped=self._save_helped,
        )

    def _save_helped(self, helped: Helped) -> None:
        try:
            self._state.save_helped(helped)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("what helped is not saved: %s", fault.what)  # noqa: TRY400  # expected, no bug

    def _request_elements(self, take: TakeElements, *, asked: bool) -> None:
        self._capture.request_elements(take, asked=asked)

    def _request_commands(self, take: TakeCommands, app: str = "") -> None:
        self._capture.request_commands(take, app)

    def _lookup(self, digest: str, now_ns: int) -> str | None:
        return self._capture.words.lookup(digest, now_ns)

    def _first_row(self) -> SessionStart:
        now_wall_ns = self._clock.wall_ns()
        saved, saved_wall_ns = self._state.policy_state(policy_registry.memory_of(self._policy))
        seeded = {"seed": secrets.randbits(SEED_BITS), **saved}
        if arm_of(self._settings.policy) is not None:  # lots of each session's own join it to no other
            own = {**saved, "seed": secrets.randbits(SEED_BITS), "drawn": 0}
            seeded = own if self._enrolment is None else with_study_seed(saved, self._enrolment)
        return first_row(
            settings=self._settings,
            detector=self._detector,
            policy=self._policy,
            session_id=self.folder.name,
            wall_ns=now_wall_ns,
            recording=self._consent.recording,
            policy_state=seeded,
            elapsed_ns=max(0, now_wall_ns - saved_wall_ns) if saved else 0,
            combiner_hash=self._models.combiner.hash if self._models is not None else "",
            boot=boot_mark(self.folder.name),
        )

    def _study_rows(self) -> list[StudyStart]:
        """Return the row of the study that the person has joined, if any."""
        if self._enrolment is None:
            return []
        enrolment, now_wall_ns = self._enrolment, self._clock.wall_ns()
        try:
            saved, saved_wall_ns = self._state.sampling_state(enrolment.study)
        except BadFile as fault:  # nobody knows what was asked today: ask nothing in this session, and begin anew then
            logger.error("how far a study's questions are is not known: %s", fault.what)  # noqa: TRY400  # expected
            self._state.save_sampling_state(enrolment.study, {}, now_wall_ns)
            enrolment, saved, saved_wall_ns = replace(enrolment, questions=None), {}, 0
        return [study_row(enrolment, now_wall_ns, saved, saved_wall_ns)]

    def _zone_changed(self) -> bool:
        return self._enrolment is not None and utc_offset_s(self._clock.wall_ns()) != self._utc_offset_s

    def _save_policy(self) -> None:
        """Save the policy's state, but at the end only once: each time may wait for a locked database."""
        if not self._ending:
            self._store_policy()

    def _store_policy(self) -> None:
        """Save the policy's state; where that fails the session goes on, since its log holds the same facts."""
        try:
            memory = policy_registry.memory_of(self._policy)
            saved = self._engine.saved_policy()
            if self._enrolment is not None and self._is_left():  # its lots are not for afterwards
                saved = {name: value for name, value in saved.items() if name not in LOTS}
            self._state.save_policy_state(memory, saved, self._clock.wall_ns())
            questions = self._engine.saved_questions()
            if self._enrolment is not None and questions is not None:
                self._state.save_sampling_state(self._enrolment.study, questions, self._clock.wall_ns())
        except (EnvironmentFault, BadFile) as fault:
            logger.error("what was learned is not saved: %s", fault.what)  # noqa: TRY400  # expected, no bug

    def _is_left(self) -> bool:
        """Tell whether the person has left the study while this session ran; a damaged one was not left."""
        try:
            return self._state.enrolment() is None
        except BadFile:
            return False

    def _too_big(self) -> bool:
        try:
            size = sum(path.stat().st_size for path in self.folder.iterdir())
        except OSError:  # a file vanished meanwhile, or somebody removed the folder
            return False
        return size > self._settings.storage.max_session_mb * MB


def _no_library() -> Library:
    """Open no library.

    Raises:
        EnvironmentFault: always.
    """
    raise EnvironmentFault(
        translatable("the help library is off"), remedy=translatable("kairos config set help.library true")
    )


def _left_s(stage: str, end_s: float) -> float:
    """Return how long a stage of stopping may take, if all of them are to end by `end_s` of the loop's clock."""
    stages = list(STOP_STAGES_S)
    later_s = sum(STOP_STAGES_S[name] for name in stages[stages.index(stage) + 1 :])
    return max(0.0, end_s - asyncio.get_running_loop().time() - later_s)


def trim_heap() -> None:
    """Have glibc hand free memory back to the system, a millisecond or two; other C libraries have ways of their own.

    Only what is not needed again soon: with limits on what glibc keeps (`mallopt`), 10 MB less were held, and pages
    fetched anew for each picture of the screen cost an eighth of all CPU time (lab/docs/decisions.md).
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
