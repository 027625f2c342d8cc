"""Reads what a model replied, as hostile text: only labels of ours, numbers, and plain words of limited length pass.

Whatever else a reply holds is dropped here and quoted nowhere, not even in the request for a better one. A label that
is not ours, or a question left out, makes the whole reply unusable; a senseless number costs it only the number.
"""

import math
import re
from collections.abc import Mapping

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.json_search import objects
from detectors.mllm.prompting.likelihoods import from_tokens
from detectors.mllm.prompting.plain_text import plain_text
from detectors.mllm.prompting.wording import ANSWER, SURE, letters, option_text, spelled
from detectors.mllm.questions import Answer, Confidence, Form, ModelQuery, Question, Task
from detectors.mllm.wire import Reply

TEXT_LIMITS: Mapping[Task, int] = {Task.INTENT: 120, Task.CONTENT: 240}
"""Characters of a free answer that are kept."""

LABEL_ALONE = 0.7
"""Probability of a label that came without a number of any use: a guess, for calibration to replace."""

SUREST = 0.99
"""No model's word for itself makes an answer more certain than this."""

_READ = 20_000  # characters at the end of a reply: an answer follows thoughts
_LABEL_READ = 200
_ABOVE_CHANCE = 1.1  # an answer is likelier than the others, whatever number came with it
_OURS = 0.5  # a distribution that gives our labels less than this answers something else
_PERCENTAGE = re.compile(r"[0-9]{1,3} ?%?")
_LETTER = re.compile(r"[(\[]?([A-Za-z])[)\].:]*|[(\[]?([A-Z])[)\].:]+\s.*", re.DOTALL)


class Unusable(ValueError):  # noqa: N818  # says what it is in an except clause
    """A reply that holds no answer. `code` says why; `repair` tells the model, in our words alone."""

    def __init__(self, code: str, question: Question | None = None) -> None:
        """Name what is wrong, and with the answer to which question."""
        super().__init__(code)
        self.code = code
        names = {"key": question.key, "spelled": spelled(question)} if question else {}
        self.repair = prompts.REPAIRS[code].format(**names)


def read(ask: ModelQuery, reply: Reply) -> Mapping[str, Answer]:
    """Return an answer to every question.

    Raises:
        Unusable: at least one has none.
    """
    if reply.distributions:
        return {question.key: _decided(question, reply.distributions) for question in ask.questions}
    facts = _facts(ask, reply)
    return {question.key: _answer(question, facts, reply) for question in ask.questions}


def _decided(question: Question, distributions: Mapping[str, Mapping[str, float]]) -> Answer:
    """Return what a decision endpoint says; it writes no free text."""
    if question.form is Form.TEXT:
        return Answer()
    if question.key not in distributions:
        raise Unusable("missing", question)
    masses = {label: distributions[question.key].get(label, 0.0) for label in question.labels}
    total = sum(masses.values())
    if not all(math.isfinite(mass) and mass >= 0 for mass in masses.values()) or not _OURS <= total < math.inf:
        raise Unusable("wrong_label", question)
    return Answer(distribution={label: mass / total for label, mass in masses.items()}, confidence=Confidence.DECISION)


def _facts(ask: ModelQuery, reply: Reply) -> Mapping[str, object]:
    """Return the answers as they stand in the reply, by question.

    Some servers put the whole reply where thoughts belong; that counts only if there is nothing else and it is whole.
    Of a reply that was cut, only an object that it opens with: what comes later may be a draft.
    """
    said = reply.text if reply.cut or reply.text.strip() else reply.reasoning
    said = said[-_READ:].strip()
    if not said:
        raise Unusable("cut" if reply.cut else "empty")
    alone = ask.questions[0] if len(ask.questions) == 1 else None
    names = {question.key for question in ask.questions} | ({ANSWER} if alone else set())
    found = list(objects(said, names))
    if reply.cut:
        found = [each for each in found if not said[: each.start].strip("`json\n ")]
    if not found and alone and not reply.cut and _label(alone, said) is not None:
        return {alone.key: said}
    if not found:
        raise Unusable("cut" if reply.cut else "not_json")
    facts = found[-1].facts
    return {alone.key: facts} if alone and alone.key not in facts else facts


def _answer(question: Question, facts: Mapping[str, object], reply: Reply) -> Answer:
    """Return the answer to one question from the best source of confidence there is."""
    if question.key not in facts:
        raise Unusable("missing", question)
    said = facts[question.key]
    said, sure = (said.get(ANSWER), said.get(SURE)) if isinstance(said, dict) else (said, None)
    if question.form is Form.TEXT:
        return Answer(text=_words(question, said))
    label = _label(question, said)
    if label is None:
        raise Unusable("wrong_label", question)
    if distribution := from_tokens(question, reply.tokens):
        return Answer(distribution=distribution, confidence=Confidence.LOG_PROBABILITIES)
    probability = _probability(sure)
    if probability is None:
        return Answer(distribution=_about(question, label, LABEL_ALONE), confidence=Confidence.LABEL_ONLY)
    return Answer(distribution=_about(question, label, probability), confidence=Confidence.SELF_REPORT)


def _words(question: Question, said: object) -> str:
    """Return a free answer as plain words; none at all is the answer that no help is needed."""
    if not isinstance(said, str):
        raise Unusable("missing", question)
    words = plain_text(said, TEXT_LIMITS[question.task])
    if not words and (said.strip() or question.task is not Task.CONTENT):
        raise Unusable("no_text", question)
    return words


def _label(question: Question, said: object) -> str | None:
    """Return the label that is meant: its letter or word, its key, or the option as it was put; else None."""
    if isinstance(said, bool):
        said = "yes" if said else "no"
    if not isinstance(said, str) or question.form is Form.TEXT:
        return None
    bare = said[:_LABEL_READ].strip(" \t\r\n\"'`*.")
    spellings = letters(question)
    if question.form is Form.YES_NO:
        return spellings.get(bare.casefold())
    if match := _LETTER.fullmatch(bare):
        return spellings.get((match[1] or match[2]).upper())
    folded = bare.casefold()
    meant = [
        option.key
        for option in question.options
        if folded.replace(" ", "_") == option.key.casefold() or _names(folded, option_text(option.text).casefold())
    ]
    return meant[0] if len(meant) == 1 else None


def _names(said: str, option: str) -> bool:
    """Tell whether an option is meant by its whole text, or by its name before the colon."""
    return bool(said) and (said == option.strip(".") or option.startswith(f"{said}:"))


def _probability(sure: object) -> float | None:
    """Return what a model says of itself, a percentage or a fraction, as a probability; None if it makes no sense."""
    if isinstance(sure, str) and _PERCENTAGE.fullmatch(sure):
        sure = int(sure.rstrip("% "))
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 100:  # noqa: PLR2004  # percent
        return None
    return sure if isinstance(sure, float) and sure <= 1 else sure / 100


def _about(question: Question, label: str, probability: float) -> Mapping[str, float]:
    """Return a distribution with this probability of one label, and the rest shared among the others."""
    count = len(question.labels)
    least = min(SUREST, _ABOVE_CHANCE / count)
    chosen = min(SUREST, max(least, probability))
    return {each: chosen if each == label else (1.0 - chosen) / (count - 1) for each in question.labels}
