"""Who answers a benchmark's questions, by name: a server's model, a scripted stand-in, or who always says the same.

A name is "preset" or "preset:model" (see `kairos models list`), "scripted:strong" and the like, or "always:LABEL,...".
The last two look at no picture; whatever figure comes of them says so.
"""

from dataclasses import dataclass, replace

from daemon.models.sent_writer import SentLogWriter
from daemon.models.tiers import OpenModel, capabilities_of, endpoint_key, preset_of
from detectors.mllm.client.endpoint import open_model
from detectors.mllm.client.spending import DailyBudget, MemoryLedger
from detectors.mllm.questions import Answer, Confidence, Model, ModelQuery, ModelResult, Question, Usage
from evaluation.benchmarks.guide.clips import WRONG
from evaluation.benchmarks.guide.price import estimate
from evaluation.benchmarks.scripted_models import PREFIX, scripted
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.records import State
from storage.settings import ModelSettings, Settings

ALWAYS = "always:"

_CALM = 2.0
"""A run stops when it has used so many times what was estimated."""

_PURPOSE = "bench guide"

_LABELS = frozenset({"first", "yes", "no", *State, *(f"o{place}" for place in range(1, WRONG + 2))})
"""What somebody who always says the same can say: labels of questions, or whichever is a question's first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A model as it was named on the command line; `chosen` says where it is, None for one that is not there at all."""

    name: str
    chosen: ModelSettings | None = None

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    @property
    def is_stand_in(self) -> bool:
        """Whether no model is behind it, and nothing is sent or paid."""
        return self.chosen is None

    @property
    def identity(self) -> str:
        """Return what kept answers are filed under: for a server's model its address too, for a script its rates."""
        if self.chosen is not None:
            return endpoint_key(self.chosen)
        return repr(scripted(self.name)) if self.name.startswith(PREFIX) else self.name


class AlwaysModel:
    """Gives the first of its labels that a question has; its first option where there is none: a control."""

    def __init__(self, name: str) -> None:
        """Take a name such as "always:yes,performing_actions" or "always:first"."""
        self.name = name
        self._labels = _labels(name)

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:  # noqa: ARG002  # it is always in time
        """Return the same as ever."""
        return ModelResult(
            answers={question.key: self._answer(question) for question in ask.questions},
            usage=Usage(calls=1),
            model=self.name,
            pictures=len(ask.pictures),
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, question: Question) -> Answer:
        said = next((label for label in self._labels if label in question.labels), question.labels[0])
        return Answer(distribution={said: 1.0}, confidence=Confidence.LABEL_ONLY)


def _labels(name: str) -> list[str]:
    return name.removeprefix(ALWAYS).split(",")


def named(name: str, settings: Settings) -> ModelName:
    """Return the model of a name; address and key are those of the settings' rung of the same preset, if there is one.

    Raises:
        UsageError: there is none of this name, or nothing says where it is.
    """
    if name.startswith(PREFIX):
        scripted(name)
    if name.startswith(ALWAYS) and (wrong := set(_labels(name)) - _LABELS):
        raise UsageError(
            f"no question has the answer {min(wrong)!r}",
            remedy=f"such as {ALWAYS}yes or {ALWAYS}first; there are: {', '.join(sorted(_LABELS))}",
        )
    if name.startswith((PREFIX, ALWAYS)):
        return ModelName(name=name)
    preset, _, model = name.partition(":")
    preset_of(preset)
    rungs = (settings.local_model, settings.strong_model)
    chosen = next((rung for rung in rungs if rung.preset == preset), ModelSettings(preset=preset))
    if not (chosen.url or preset_of(preset).url):
        raise UsageError(
            f"{preset} has no address of its own, and the settings name none",
            remedy=f"kairos config set local_model.preset {preset}, and local_model.url",
        )
    chosen = replace(chosen, model=model or chosen.model or preset_of(preset).model)
    return ModelName(name=f"{preset}:{chosen.model}" if chosen.model else preset, chosen=chosen)


def opened(model: ModelName, questions: int, pictures: int) -> Model:
    """Return a model, ready to be asked so many questions; whoever opened it closes it.

    What it sends goes into the log of what is sent, like anything else that leaves. The daily limits of the settings
    are for watching: a benchmark has its own, which stop it when its estimate was far too low.

    Raises:
        UsageError: there is none of this name, or pictures may not be sent there.
        EnvironmentFault: the keyring, or the log of what is sent, cannot be used.
    """
    if model.chosen is None:
        return AlwaysModel(model.name) if model.name.startswith(ALWAYS) else scripted(model.name)
    expected = estimate(model.chosen, questions, pictures)
    chosen = replace(
        model.chosen,
        frames=pictures,
        calls_per_day=round(_CALM * questions) + 10,
        tokens_per_day=round(_CALM * (expected.tokens_in + expected.tokens_out)),
        dollars_per_day=_CALM * (expected.dollars or 0.0),
    )
    clock = SystemClock()
    keeper = SentLogWriter(clock=clock, settings=Settings().storage, tier=_PURPOSE, purpose=_PURPOSE)
    try:
        budget = DailyBudget(_PURPOSE, chosen, MemoryLedger())
        endpoint = open_model(chosen, clock=clock, budget=budget, sent=keeper, capabilities=capabilities_of(chosen))
    except BaseException:
        keeper.close()
        raise
    return OpenModel(endpoint, keeper)
