"""What the decision endpoints share: which questions they can take, what is told beside them, how odds are read.

They answer choices and yes-or-no questions with a distribution and write no text, so free questions are left out, and
nothing is said of how an answer should look. Options go by their letters: a key such as "frustration" would be one more
word for a model to lean on, and in the benchmark keys could give an answer away.
"""

import math
from collections.abc import Mapping

from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import prompts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import Form, ModelQuery, Question
from detectors.mllm.wire import InvalidReply


def closed(ask: ModelQuery) -> tuple[Question, ...]:
    """Return the questions that can be decided.

    Raises:
        ValueError: there are none; a mistake of the caller, who knows that this dialect decides.
    """
    questions = tuple(question for question in ask.questions if question.form is not Form.TEXT)
    if not questions:
        raise ValueError("a decision endpoint answers no free questions")
    return questions


def told(ask: ModelQuery) -> tuple[str, str]:
    """Return what is told before the pictures, the same for all prefixes, and after them."""
    return parts.joined(prompts.JUDGE, prompts.BEFORE), asking.scene(ask)


def options(question: Question) -> Mapping[str, str]:
    """Return the letters of a choice with the words of their options."""
    return dict(zip(asking.letters(question), (asking.option_text(o.text) for o in question.options), strict=True))


def yes_no(probability: float) -> Mapping[str, float]:
    """Return the distribution of a yes-or-no question.

    Raises:
        Nonsense: it is no probability.
    """
    if not 0.0 <= probability <= 1.0:
        raise InvalidReply("a probability beyond 0 to 1")
    return {"yes": probability, "no": 1.0 - probability}


def choice(question: Question, odds: Mapping[str, float]) -> Mapping[str, float]:
    """Return the distribution of a choice from the odds of its letters, which servers round.

    Raises:
        Nonsense: they are none.
    """
    letters = asking.letters(question)
    if any(not math.isfinite(value) or value < 0.0 for value in odds.values()):
        raise InvalidReply("a probability below 0")
    total = sum(odds.get(letter, 0.0) for letter in letters)
    if not 0.5 < total < 1.5:  # noqa: PLR2004  # rounding does not explain more than that
        raise InvalidReply("probabilities that do not add up")
    return {key: odds.get(letter, 0.0) / total for letter, key in letters.items()}
