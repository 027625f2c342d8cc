"""The models that answer a benchmark's questions, by name.

A name is "preset" or "preset:model" (see `daemon.diagnosis.model_queries.models`), "scripted:strong" and the like, or
"always:LABEL,...". The last two look at no picture; whatever figure comes of them says so. A scripted model knows the
truth and errs at stated rates. Each of its answers is a pure function of its place, so two runs agree in whatever
order they ask.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daemon.diagnosis.model_queries.models import Volume, name_of, named_model, open_counted
from daemon.models.tiers import endpoint_key
from detectors.mllm.questions import (
    AnswerForm,
    Confidence,
    FailureReason,
    Model,
    ModelQuery,
    ModelQuestion,
    ModelResult,
    ParsedAnswer,
    Task,
    Usage,
)
from lab.benchmarks.guide.clips import DISTRACTORS
from storage.errors import UsageError
from storage.records import State
from storage.settings import ModelSettings, Settings

PREFIX = "scripted:"
SURE = 0.9
"""Probability that a scripted model gives the label it names."""

SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How often a model is right.

    Attributes:
        recall: share of moments of need at which it answers yes.
        false_positives: share of other moments at which it answers yes.
        states: share of behavior states that it names; wrong ones are drawn evenly.
        choices: the same of other choices and of free answers.
    """

    recall: float
    false_positives: float
    states: float
    choices: float


SCRIPTS: Mapping[str, Script] = {
    "strong": Script(recall=0.85, false_positives=0.05, states=0.60, choices=0.75),
    "local": Script(recall=0.70, false_positives=0.15, states=0.45, choices=0.55),
}
"""The scripts by name; their rates are invented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixTruth:
    """What a scripted model knows about one prefix: which it is, and the right answer to each question's key."""

    place: str
    truth: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """A model that errs as its script says. Call `about` with the prefix first: it looks at no picture."""

    name: str
    script: Script
    known: PrefixTruth | None = field(default=None, repr=False)

    def about(self, known: PrefixTruth) -> "ScriptedModel":
        """Return the same model, for one prefix."""
        return replace(self, known=known)

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:  # noqa: ARG002  # it is always in time
        """Return an answer to every question whose truth is known."""
        if self.known is None:
            return ModelResult(failure=FailureReason.NONSENSE, model=self.name)
        truth = self.known.truth
        return ModelResult(
            answers={
                question.key: self.answer(question, truth[question.key])
                for question in ask.questions
                if question.key in truth
            },
            usage=Usage(calls=1),
            model=self.name,
            pictures=len(ask.pictures),
        )

    async def close(self) -> None:
        """Nothing is open."""

    def answer(self, question: ModelQuestion, truth: str) -> ParsedAnswer:
        """Return the answer to a question, right or wrong as it was drawn."""
        if question.form is AnswerForm.TEXT:
            right = self._draw(question.key) < self.script.choices
            return ParsedAnswer(text=truth if right else "something else", confidence=Confidence.LABEL_ONLY)
        label = self._need(question.key, truth) if question.task is Task.NEED else self._choice(question, truth)
        others = (1.0 - SURE) / max(1, len(question.labels) - 1)
        distribution = {known_label: SURE if known_label == label else others for known_label in question.labels}
        return ParsedAnswer(distribution=distribution, confidence=Confidence.LABEL_ONLY)

    def _need(self, key: str, truth: str) -> str:
        rate = self.script.recall if truth == "yes" else self.script.false_positives
        return "yes" if self._draw(key) < rate else "no"

    def _choice(self, question: ModelQuestion, truth: str) -> str:
        rate = self.script.states if question.task is Task.BEHAVIOR else self.script.choices
        wrong = [label for label in question.labels if label != truth]
        if self._draw(question.key) < rate or not wrong:
            return truth
        return wrong[int(self._draw(question.key, "which") * len(wrong))]

    def _draw(self, *about: str) -> float:
        """Return a number from 0 to 1, excluded, that depends on the model, the place and the question alone."""
        place = "" if self.known is None else self.known.place
        text = "\0".join((self.name, str(SEED), place, *about))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) / 2**64


def scripted(name: str) -> ScriptedModel:
    """Return the model of a name such as "scripted:strong".

    Raises:
        UsageError: there is none of this name.
    """
    script = name.removeprefix(PREFIX)
    if script not in SCRIPTS:
        named = ", ".join(f"{PREFIX}{text}" for text in SCRIPTS)
        raise UsageError(f"There is no scripted model {name!r}.", remedy=f"Choose one of {named}.")
    return ScriptedModel(name=script, script=SCRIPTS[script])


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

    def _answer(self, question: ModelQuestion) -> ParsedAnswer:
        if not question.labels:  # it has no words of its own
            return ParsedAnswer()
        label = next((label for label in self._labels if label in question.labels), question.labels[0])
        return ParsedAnswer(distribution={label: 1.0}, confidence=Confidence.LABEL_ONLY)


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
