"""Scripted stand-ins for models: they know the truth and err at stated rates, to test what is around a model.

There is no model and no picture is looked at: figures from these are *scripted* and must be called so. Every answer is
a pure function of seed, item (a session, a video), window and prefix, so two runs agree in whatever order they query;
errors are independent of all other detectors. Rates and both kinds of errors were fixed before anything was scored.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from detectors.mllm.questions import (
    Answer,
    AnswerForm,
    Confidence,
    FailureReason,
    ModelQuery,
    ModelResult,
    Option,
    Question,
    Task,
    Usage,
)
from storage.errors import UsageError
from storage.records import State

PREFIX = "scripted:"
SURE = 0.9
"""Probability that a scripted model gives the label it names."""

SEED = 1

BEHAVIOR = Question(
    key="behavior",
    task=Task.BEHAVIOR,
    form=AnswerForm.CHOICE,
    options=tuple(Option(key=state.value, text=state.value) for state in State),
)


class Errors(StrEnum):
    """Whether a model errs anew at each prefix, or once for all prefixes of a window."""

    EACH_PREFIX = "prefix"
    EACH_WINDOW = "window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How often a model is right, and the nominal cost of an answer.

    Attributes:
        recall: share of moments of need at which it answers yes.
        false_positives: share of other moments at which it answers yes.
        states: share of behavior states that it names; wrong ones are drawn evenly.
        choices: the same of other choices and of free answers.
        tokens_a_picture: and `tokens_beside`, the nominal size of a request.
        dollars_a_million: nominal price of tokens.
        latency_s: nominal time to the answer; nobody waits for it.
    """

    recall: float
    false_positives: float
    states: float
    choices: float
    tokens_a_picture: int
    tokens_beside: int
    dollars_a_million: float
    latency_s: float


SCRIPTS: Mapping[str, Script] = {
    "strong": Script(
        recall=0.85, false_positives=0.05, states=0.60, choices=0.75,
        tokens_a_picture=260, tokens_beside=900, dollars_a_million=1.0, latency_s=2.5,
    ),
    "local": Script(
        recall=0.70, false_positives=0.15, states=0.45, choices=0.55,
        tokens_a_picture=64, tokens_beside=900, dollars_a_million=0.0, latency_s=1.5,
    ),
}  # fmt: skip
"""The scripts by name. Tokens, prices and times are invented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixTruth:
    """What a scripted model knows about one prefix: where it is, and the right answer to each question's key."""

    item: str
    window: str
    prefix: str
    truth: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """A model that errs as its script says. Call `about` with the prefix first: it looks at no picture."""

    name: str
    script: Script
    errors: Errors = Errors.EACH_PREFIX
    seed: int = SEED
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
            answers={one.key: self.answer(one, truth[one.key]) for one in ask.questions if one.key in truth},
            usage=self.usage(len(ask.pictures)),
            latency_s=self.script.latency_s,
            model=self.name,
            pictures=len(ask.pictures),
        )

    async def close(self) -> None:
        """Nothing is open."""

    def usage(self, pictures: int) -> Usage:
        """Return the nominal cost of a request with so many pictures."""
        tokens = self.script.tokens_beside + pictures * self.script.tokens_a_picture
        return Usage(calls=1, tokens_in=tokens, dollars=tokens * self.script.dollars_a_million / 1e6)

    def answers_need(self, *, need: bool) -> bool:
        """Return whether it answers that help is needed."""
        return self._need("need", "yes" if need else "no") == "yes"

    def names_state(self, state: State) -> State:
        """Return the state that it names."""
        return State(self._choice(BEHAVIOR, state.value))

    def answer(self, question: Question, truth: str) -> Answer:
        """Return the answer to a question, right or wrong as it was drawn."""
        if question.form is AnswerForm.TEXT:
            right = self._draw(question.key) < self.script.choices
            return Answer(text=truth if right else "something else", confidence=Confidence.LABEL_ONLY)
        label = self._need(question.key, truth) if question.task is Task.NEED else self._choice(question, truth)
        others = (1.0 - SURE) / max(1, len(question.labels) - 1)
        distribution = {one: SURE if one == label else others for one in question.labels}
        return Answer(distribution=distribution, confidence=Confidence.LABEL_ONLY)

    def _need(self, key: str, truth: str) -> str:
        """Return yes or no. One draw serves both truths, so that a window with one error has it on either side."""
        rate = self.script.recall if truth == "yes" else self.script.false_positives
        return "yes" if self._draw(key) < rate else "no"

    def _choice(self, question: Question, truth: str) -> str:
        rate = self.script.states if question.task is Task.BEHAVIOR else self.script.choices
        wrong = [label for label in question.labels if label != truth]
        if self._draw(question.key) < rate or not wrong:
            return truth
        return wrong[int(self._draw(question.key, "which") * len(wrong))]

    def _draw(self, *about: str) -> float:
        """Return a number from 0 to 1, excluded, that depends on the model, the place and the question alone."""
        known = self.known
        place = ("", "") if known is None else (known.item, known.window)
        prefix = known.prefix if known is not None and self.errors is Errors.EACH_PREFIX else ""
        text = "\0".join((self.name, str(self.seed), *place, prefix, *about))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) / 2**64


def scripted(name: str, *, seed: int = SEED) -> ScriptedModel:
    """Return the model of a name such as "scripted:strong" or "scripted:local/window" (errors shared in a window).

    Raises:
        UsageError: there is none of this name.
    """
    script, _, errors = name.removeprefix(PREFIX).partition("/")
    if script not in SCRIPTS or (errors or Errors.EACH_PREFIX) not in set(Errors):
        named = ", ".join(f"{PREFIX}{one}" for one in SCRIPTS)
        raise UsageError(
            f"There is no scripted model {name!r}.",
            remedy=f"Choose one of {named}; /window after it has errors shared by all prefixes of a window.",
        )
    return ScriptedModel(name=script, script=SCRIPTS[script], errors=Errors(errors or Errors.EACH_PREFIX), seed=seed)
