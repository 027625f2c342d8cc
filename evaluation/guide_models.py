"""Who answers a benchmark's questions, by name: a server's model, a scripted stand-in, or who always says the same.

A name is "preset" or "preset:model" (see `kairos models list`), "scripted:strong" and the like, or "always:LABEL,...".
The last two look at no picture; whatever figure comes of them says so.
"""

from dataclasses import dataclass

from detectors.mllm.questions import Answer, Answers, Ask, Confidence, Model, Question, Usage
from evaluation.scripted_models import PREFIX, scripted

ALWAYS = "always:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A model as it was named on the command line."""

    name: str

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    @property
    def is_stand_in(self) -> bool:
        """Whether no model is behind it, and nothing is sent or paid."""
        return self.name.startswith((PREFIX, ALWAYS))


class AlwaysModel:
    """Gives the first of its labels that a question has; its first option where there is none: a control."""

    def __init__(self, name: str) -> None:
        """Take a name such as "always:yes,performing_actions" or "always:first"."""
        self.name = name
        self._labels = name.removeprefix(ALWAYS).split(",")

    async def ask(self, ask: Ask, *, deadline_s: float) -> Answers:  # noqa: ARG002  # it is always in time
        """Return the same as ever."""
        return Answers(
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


def opened(model: ModelName) -> Model:
    """Return a model, ready to be asked; whoever opened it closes it.

    Raises:
        UsageError: there is none of this name.
    """
    if model.name.startswith(ALWAYS):
        return AlwaysModel(model.name)
    return scripted(model.name)
