"""Reads the distribution over a question's labels from the log-probabilities of the tokens that a model answered with.

Servers list the likeliest tokens only, some of them from before a grammar ruled most of them out, so labels may be
missing from the list. A distribution is made only where the list still shows which label is the likeliest.
"""

import math
import re
from collections.abc import Mapping, Sequence

from detectors.mllm.prompting.json_search import objects
from detectors.mllm.prompting.wording import ANSWER, letters
from detectors.mllm.questions import Question
from detectors.mllm.wire import Token

_READ = 20_000  # characters at the end of what was said
_ROUNDING = 1e-3  # a log-probability may be this much above zero
_HALF = 0.5  # a label that is not listed has something between nothing and the most it can have
_AROUND = ' \t\r\n"\\:,{}'


def from_tokens(question: Question, tokens: Sequence[Token]) -> Mapping[str, float] | None:
    """Return a distribution that sums to 1 over the labels, or None where the tokens do not give one."""
    token = _answering(question, tokens)
    if token is None:
        return None
    others = {text: mass for text, log in token.others if (mass := _mass(log)) is not None}
    listed = dict(others)
    if (mass := _mass(token.log_probability)) is not None:
        listed[token.text] = mass
    masses = dict.fromkeys(question.labels, 0.0)
    for text, probability in listed.items():
        label = _label(question, text)
        if label is not None:
            masses[label] += probability
    unseen = [label for label, mass in masses.items() if not mass]
    if unseen:
        left = max(0.0, 1.0 - sum(listed.values())) / len(unseen)
        most = min([left, *others.values()])  # what is not listed is no likelier than what is
        if most > max(masses.values()):
            return None
        masses.update(dict.fromkeys(unseen, most * _HALF))
    total = sum(masses.values())
    return {label: mass / total for label, mass in masses.items()} if total else None


def _answering(question: Question, tokens: Sequence[Token]) -> Token | None:
    """Return the token with which the answer to a question begins, if there is one such place."""
    said = "".join(token.text for token in tokens)
    skipped = max(0, len(said) - _READ)
    found = list(objects(said[skipped:], [question.key]))
    if not found:
        return None
    pattern = rf'"{re.escape(question.key)}"\s*:\s*(?:\{{\s*"{ANSWER}"\s*:\s*)?"?(?=[^\s"{{])'
    places = [match.end() for match in re.finditer(pattern, said[skipped + found[-1].start : skipped + found[-1].end])]
    if len(places) != 1:
        return None
    place = skipped + found[-1].start + places[0]
    for token in tokens:
        place -= len(token.text)
        if place < 0:
            return token
    return None


def _label(question: Question, text: str) -> str | None:
    """Return the label that a token spells, whole or, for words, by its beginning."""
    bare = text.strip(_AROUND)
    for spelling, label in letters(question).items():
        if bare == spelling or (len(spelling) > 1 and bare and spelling.startswith(bare.casefold())):
            return label
    return None


def _mass(log_probability: float) -> float | None:
    """Return the probability, or None for what is no log-probability."""
    if math.isnan(log_probability) or log_probability > _ROUNDING:
        return None
    return math.exp(min(0.0, log_probability))
