"""The models that answer a benchmark's questions, by name.

A name is "preset" or "preset:model" (see `daemon.judgements.models`), "scripted:strong" and the like, or
"always:LABEL,...". The last two look at no picture; whatever figure comes of them says so.
"""

from dataclasses import dataclass

from daemon.judgements.models import Volume, name_of, named_model, open_counted
from daemon.models.tiers import endpoint_key
from detectors.mllm.questions import Answer, Confidence, Model, ModelQuery, ModelResult, Question, Usage
from lab.benchmarks.guide.clips import DISTRACTORS
from lab.benchmarks.scripted_models import PREFIX, scripted
from storage.errors import UsageError
from storage.records import State
from storage.settings import ModelSettings, Settings

ALWAYS = "always:"

_PURPOSE = "bench guide"

_LABELS = frozenset({"first", "yes", "no", *State, *(f"o{place}" for place in range(1, DISTRACTORS + 2))})
"""The labels of "always:": those of questions, or whichever is a question's first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A model as named on the command line; `chosen` are its settings, None for a stand-in without any model."""

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
        """Return what stored answers are filed under: for a server's model its address too, for a script its rates."""
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
        """Return the same answer to every question."""
        return ModelResult(
            answers={question.key: self._answer(question) for question in ask.questions},
            usage=Usage(calls=1),
            model=self.name,
            pictures=len(ask.pictures),
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, question: Question) -> Answer:
        if not question.labels:  # it has no words of its own
            return Answer()
        label = next((label for label in self._labels if label in question.labels), question.labels[0])
        return Answer(distribution={label: 1.0}, confidence=Confidence.LABEL_ONLY)


def _labels(name: str) -> list[str]:
    return name.removeprefix(ALWAYS).split(",")


def model_named(name: str, settings: Settings) -> ModelName:
    """Return the model of a name; address and key are those of the settings' tier of the same preset, if there is one.

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
    chosen = named_model(name, settings)
    return ModelName(name=name_of(chosen), chosen=chosen)


def volume_of(questions: int, pictures: int) -> Volume:
    """Return how much so many questions are, of so many pictures each."""
    return Volume(requests=questions, pictures=questions * pictures)


def open_named(model: ModelName, questions: int, pictures: int) -> Model:
    """Return a model, ready to be asked so many questions; whoever opened it closes it.

    Raises:
        UsageError: there is none of this name, or pictures may not be sent there.
        EnvironmentFault: the keyring, or the log of what is sent, cannot be used.
    """
    if model.chosen is None:
        return AlwaysModel(model.name) if model.name.startswith(ALWAYS) else scripted(model.name)
    return open_counted(model.chosen, volume_of(questions, pictures), pictures_max=pictures, purpose=_PURPOSE)
