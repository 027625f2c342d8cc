"""The questions of a study in the engine: nothing without a `StudyStart`, the same rows live and in a replay.

Pure like the engine. `policies.sampling` decides; here its state is kept, and what it is shown is chosen.
"""

from collections.abc import Callable

from policies.sampling import QuestionSampler, SamplingState, Step
from storage.errors import BadFile
from storage.records import (
    Anchor,
    Answer,
    Context,
    Decision,
    Feedback,
    FeedbackKind,
    Record,
    SessionEnd,
    SessionStart,
    StudyStart,
)
from storage.settings import PolicySettings

Append = Callable[[Record], Record]


class StudyQuestions:
    """Asks the sampler where something it can act on has happened, and writes its rows."""

    def __init__(self, settings: PolicySettings, append: Append) -> None:
        self._settings = settings
        self._append = append
        self._start: SessionStart | None = None
        self._wall_ns = 0
        self._sampler: QuestionSampler | None = None
        self._state: SamplingState | None = None

    @property
    def next_ns(self) -> int | None:
        """When the sampler is to look again."""
        return None if self._state is None else self._state.next_ns

    @property
    def asking(self) -> bool:
        """Whether a question is on the screen."""
        return self._state is not None and self._state.shown is not None

    def saved(self, now_ns: int) -> dict[str, object] | None:
        """Return what outlives the session; None without questions."""
        if self._sampler is None or self._state is None:
            return None
        return self._sampler.save(self._state, now_ns)

    def decided(self, decision: Decision, *, offered: bool, now_ns: int) -> None:
        """Note a decision: one that made an offer, or left it out by arm, may be followed by a question."""
        if self._sampler is not None and self._state is not None:
            self._write(self._sampler.add_decision(self._state, decision, offered=offered, now_ns=now_ns))

    def take(self, source: Record, context: Callable[[], Context], now_ns: int) -> None:
        """Process a source record, after everything else was derived from it.

        Raises:
            BadFile: the row of the study is none that this version writes.
        """
        if isinstance(source, SessionStart):
            self._start, self._wall_ns = source, source.wall_ns - source.at_ns
        elif isinstance(source, StudyStart):
            self._join(source, now_ns)
        if self._sampler is None or self._state is None:
            return
        sampler, state = self._sampler, self._state
        match source:
            case Anchor():
                self._state = sampler.set_wall_clock(state, source.wall_ns, source.at_ns)
            case Answer():
                self._write(sampler.answer(state, source, now_ns))
            case Feedback(kind=FeedbackKind.ACCEPTED):
                self._state = sampler.add_advice(state, now_ns)
            case SessionEnd():
                self._write(sampler.stop(state, now_ns))
                return
            case _:
                pass
        self._look(source, context, now_ns)

    def _join(self, study: StudyStart, now_ns: int) -> None:
        """Begin to sample, if the study asks anything; the first row stands before this one."""
        if study.questions is None or self._start is None:
            return
        try:
            self._sampler = QuestionSampler(study, study.questions, self._start.session_id, self._settings)
            self._write(self._sampler.start(study, self._wall_ns + now_ns, now_ns))
        except (TypeError, ValueError, KeyError) as error:
            raise BadFile(
                "the study in this session has a shape that this version does not know",
                remedy="update Kairos, or leave the study",
            ) from error

    def _look(self, source: Record, context: Callable[[], Context], now_ns: int) -> None:
        sampler, state = self._sampler, self._state
        assert sampler is not None  # noqa: S101  # the caller has looked
        assert state is not None  # noqa: S101  # same
        busy = state.waiting is not None or state.shown is not None
        due = state.next_ns is not None and state.next_ns <= now_ns
        if busy or due or isinstance(source, Anchor | StudyStart | Answer):
            self._write(sampler.look(state, context(), now_ns))

    def _write(self, step: Step) -> None:
        self._state, rows = step
        for row in rows:
            self._append(row)
