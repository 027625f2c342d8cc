"""Parses a model's reply, which may be hostile: only our labels, numbers, and plain words of limited length pass.

Objects of a brief are checked in `facts`; this module finds them.

Everything else in a reply is dropped here and quoted nowhere, not even in the request for a better one. A label that is
not ours, or a question left out, makes the whole reply unusable; an impossible number costs it only the number.

Servers list the likeliest tokens only, some of them from before a grammar excluded most of them, so labels may be
missing from the list. A distribution is made of log-probabilities only where the list still shows which label is the
likeliest.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.briefs import BrokenRuleError, checked_facts
from detectors.mllm.prompting.plain_text import plain_text
from detectors.mllm.prompting.wording import ANSWER, SURE, answer_spelling, letters, option_text
from detectors.mllm.protocol import Reply, Token
from detectors.mllm.questions import WRITTEN, AnswerForm, Confidence, ModelQuery, ModelQuestion, ParsedAnswer, Task

TEXT_LIMITS: Mapping[Task | None, int] = {Task.INTENT: 120, Task.CONTENT: 240}
"""Characters of a free answer that are used."""

LABEL_ALONE = 0.7  # probability of a label that came without a usable number: a guess, for calibration to replace
SUREST = 0.99  # no model's own word makes an answer more certain than this
BROKEN_RULE = "broken_rule"  # the problem of an object that does not fit its shape, or a rule of its brief
_READ = 20_000  # characters at the end of a reply: an answer follows thoughts
_LABEL_READ = 200
_ABOVE_CHANCE = 1.1  # an answer is likelier than the others, whatever number came with it
_OURS = 0.5  # a distribution that gives our labels less than this answers something else
_PERCENTAGE = re.compile(r"[0-9]{1,3} ?%?")
_LETTER = re.compile(r"[(\[]?([A-Za-z])[)\].:]*|[(\[]?([A-Z])[)\].:]+\s.*", re.DOTALL)

_OBJECT_START = re.compile(r"\{\s*\"")
_THOUGHTS_END = "</think>"
_OBJECTS_MAX = 40  # objects that are begun; a reply needs one, and each costs a scan of the rest of the text

_ROUNDING = 1e-3  # a log-probability may be this much above zero
_HALF = 0.5  # a label that is not listed has something between nothing and the most it can have
_AROUND_LABEL = ' \t\r\n"\\:,{}'


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReply:
    """The answers in a reply, or why it cannot be used."""

    # one for every question; empty if the reply cannot be used
    answers: Mapping[str, ParsedAnswer] = field(default_factory=dict)
    problem: str = ""  # a key of `prompts.REPAIRS`, or `BROKEN_RULE`; empty with answers
    repair: str = ""  # what to say to the model about it, in our words alone


class _Unusable(Exception):  # noqa: N818  # reads better in an except clause
    def __init__(self, problem: str, question: ModelQuestion | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.question = question


def parse_reply(query: ModelQuery, reply: Reply) -> ParsedReply:
    """Return an answer to every question, or what is wrong with the reply."""
    try:
        if query.brief is not None:
            facts = checked_facts(query.brief, _answer_fields(query, reply))
            return ParsedReply(answers={query.questions[0].key: ParsedAnswer(facts=facts)})
        if reply.distributions:
            return ParsedReply(answers={q.key: _decided(q, reply.distributions) for q in query.questions})
        fields = _answer_fields(query, reply)
        judged = any(question.form not in WRITTEN for question in query.questions)
        return ParsedReply(
            answers={
                question.key: _answer(question, fields, reply, optional=judged and question.form in WRITTEN)
                for question in query.questions
            }
        )
    except BrokenRuleError as broken:
        return ParsedReply(problem=BROKEN_RULE, repair=broken.rule)
    except _Unusable as unusable:
        problem, question = unusable.problem, unusable.question
    names = {"key": question.key, "spelled": answer_spelling(question)} if question else {}
    return ParsedReply(problem=problem, repair=prompts.REPAIRS[problem].format(**names))


def _decided(question: ModelQuestion, distributions: Mapping[str, Mapping[str, float]]) -> ParsedAnswer:
    """Return the answer of a decision endpoint; it writes no free text."""
    if question.form in WRITTEN:
        return ParsedAnswer()
    if question.key not in distributions:
        raise _Unusable("missing", question)
    masses = {label: distributions[question.key].get(label, 0.0) for label in question.labels}
    total = sum(masses.values())
    if not all(math.isfinite(mass) and mass >= 0 for mass in masses.values()) or not _OURS <= total < math.inf:
        raise _Unusable("wrong_label", question)
    return ParsedAnswer(
        distribution={label: mass / total for label, mass in masses.items()}, confidence=Confidence.DECISION
    )


def _answer_fields(query: ModelQuery, reply: Reply) -> Mapping[str, object]:
    """Return the reply's answers, unchecked, by question.

    Some servers put the whole reply where thoughts belong; that counts only if there is nothing else and it is whole.
    Of a reply that was cut, only an object that it opens with counts: a later one may be a draft.
    """
    text = reply.text if reply.cut or reply.text.strip() else reply.reasoning
    text = text[-_READ:].strip()
    if not text:
        raise _Unusable("cut" if reply.cut else "empty")
    single = query.questions[0] if len(query.questions) == 1 else None
    names = _expected_names(query)
    objects = list(find_objects(text, names))
    if reply.cut:
        objects = [each for each in objects if not text[: each.start].strip("`json\n ")]
    if query.brief is not None and objects:
        return objects[-1].fields
    if not objects and single and not reply.cut and _label(single, text) is not None:
        return {single.key: text}
    if not objects:
        raise _Unusable("cut" if reply.cut else "not_json")
    fields = objects[-1].fields
    return {single.key: fields} if single and single.key not in fields else fields


def _expected_names(query: ModelQuery) -> set[str]:
    if query.brief is not None:
        return {field.name for field in query.brief.shape.fields}
    return {question.key for question in query.questions} | ({ANSWER} if len(query.questions) == 1 else set())


def _answer(
    question: ModelQuestion, fields: Mapping[str, object], reply: Reply, *, optional: bool = False
) -> ParsedAnswer:
    """Return the answer to one question from the best source of confidence there is.

    Words that are `optional` may be missing or unusable: they do not spoil the judgements beside them.
    """
    if optional:
        with suppress(_Unusable):
            return _answer(question, fields, reply)
        return ParsedAnswer(text="")
    if question.key not in fields:
        raise _Unusable("missing", question)
    value = fields[question.key]
    value, sure = (value.get(ANSWER), value.get(SURE)) if isinstance(value, dict) else (value, None)
    if question.form is AnswerForm.TEXT:
        return ParsedAnswer(text=_free_text(question, value))
    label = _label(question, value)
    if label is None:
        raise _Unusable("wrong_label", question)
    if distribution := token_distribution(question, reply.tokens, label):
        return ParsedAnswer(distribution=distribution, confidence=Confidence.LOG_PROBABILITIES)
    probability = _stated_probability(sure)
    if probability is None:
        return ParsedAnswer(distribution=_centered(question, label, LABEL_ALONE), confidence=Confidence.LABEL_ONLY)
    return ParsedAnswer(distribution=_centered(question, label, probability), confidence=Confidence.SELF_REPORT)


def _free_text(question: ModelQuestion, value: object) -> str:
    """Return a free answer as plain words; an empty one means that no help is needed."""
    if not isinstance(value, str):
        raise _Unusable("missing", question)
    words = plain_text(value, TEXT_LIMITS[question.task])
    if not words and (value.strip() or question.task is not Task.CONTENT):
        raise _Unusable("no_text", question)
    return words


def _label(question: ModelQuestion, value: object) -> str | None:
    """Return the label that is meant: its letter or word, its key, or the option as it was put; else None."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if not isinstance(value, str) or question.form in WRITTEN:
        return None
    bare = value[:_LABEL_READ].strip(" \t\r\n\"'`*.")
    spellings = letters(question)
    if question.form is AnswerForm.YES_NO:
        return spellings.get(bare.casefold())
    if match := _LETTER.fullmatch(bare):
        return spellings.get((match[1] or match[2]).upper())
    folded = bare.casefold()
    matches = [
        option.key
        for option in question.options
        if folded.replace(" ", "_") == option.key.casefold() or _names(folded, option_text(option.text).casefold())
    ]
    return matches[0] if len(matches) == 1 else None


def _names(text: str, option: str) -> bool:
    """Tell whether an option is meant by its whole text, or by its name before the colon."""
    return bool(text) and (text == option.strip(".") or option.startswith(f"{text}:"))


def _stated_probability(sure: object) -> float | None:
    """Return a model's own percentage or fraction as a probability; None if it is neither."""
    if isinstance(sure, str) and _PERCENTAGE.fullmatch(sure):
        sure = int(sure.rstrip("% "))
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 100:  # noqa: PLR2004  # percent
        return None
    return sure if isinstance(sure, float) and sure <= 1 else sure / 100


def _centered(question: ModelQuestion, label: str, probability: float) -> Mapping[str, float]:
    """Return a distribution with this probability of one label, and the rest shared among the others."""
    count = len(question.labels)
    least = min(SUREST, _ABOVE_CHANCE / count)
    chosen = min(SUREST, max(least, probability))
    return {each: chosen if each == label else (1.0 - chosen) / (count - 1) for each in question.labels}


# ---------------------------------------------------------------- JSON objects in text


class FoundObject(NamedTuple):
    """A JSON object in a text, and where it stands."""

    fields: dict[str, object]
    start: int
    end: int


def find_objects(text: str, names: Collection[str]) -> Iterator[FoundObject]:
    """Return the outermost objects that hold at least one of these names, in order, in bounded time.

    What is broken off, nested too deeply or no JSON (NaN, endless digits) is passed over. So are thoughts with an end
    mark: they may hold any number of drafts.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
    position = max(0, text.rfind(_THOUGHTS_END))
    for _ in range(_OBJECTS_MAX):
        match = _OBJECT_START.search(text, position)
        if match is None:
            return
        position = match.end()
        try:
            fields, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if any(name in fields for name in names):
            position = end
            yield FoundObject(fields, match.start(), end)


def _refuse_constant(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python parses and JSON does not have."""
    raise ValueError(f"{len(constant)} letters in place of a number")


# ---------------------------------------------------------------- log-probabilities


def token_distribution(
    question: ModelQuestion, tokens: Sequence[Token], answer: str | None = None
) -> Mapping[str, float] | None:
    """Return a distribution over the labels from a reply's log-probabilities, or None where they do not give one.

    They do not where they are of another text, which says something else than the `answer`.
    """
    token = _answering_token(question, tokens)
    if token is None or (answer is not None and _token_label(question, token.text) not in (None, answer)):
        return None
    others = {text: mass for text, log in token.others if (mass := _mass(log)) is not None}
    listed = dict(others)
    if (mass := _mass(token.log_probability)) is not None:
        listed[token.text] = mass
    masses = dict.fromkeys(question.labels, 0.0)
    for text, probability in listed.items():
        label = _token_label(question, text)
        if label is not None:
            masses[label] += probability
    unlisted = [label for label, mass in masses.items() if not mass]
    if unlisted:
        left = max(0.0, 1.0 - sum(listed.values())) / len(unlisted)
        most = min([left, *others.values()])  # what is not listed is no likelier than what is
        if most > max(masses.values()):
            return None
        masses.update(dict.fromkeys(unlisted, most * _HALF))
    total = sum(masses.values())
    return {label: mass / total for label, mass in masses.items()} if total else None


def _answering_token(question: ModelQuestion, tokens: Sequence[Token]) -> Token | None:
    """Return the token with which the answer to a question begins, if there is exactly one such place."""
    text = "".join(token.text for token in tokens)
    skipped = max(0, len(text) - _READ)
    objects = list(find_objects(text[skipped:], [question.key]))
    if not objects:
        return None
    start, end = skipped + objects[-1].start, skipped + objects[-1].end
    pattern = rf'"{re.escape(question.key)}"\s*:\s*(?:\{{\s*"{ANSWER}"\s*:\s*)?"?(?=[^\s"{{])'
    places = [match.end() for match in re.finditer(pattern, text[start:end])]
    if len(places) != 1:
        return None
    place = start + places[0]
    for token in tokens:
        place -= len(token.text)
        if place < 0:
            return token
    return None


def _token_label(question: ModelQuestion, text: str) -> str | None:
    """Return the label that a token spells, whole or, for words, by its beginning."""
    bare = text.strip(_AROUND_LABEL)
    for spelling, label in letters(question).items():
        if bare == spelling or (len(spelling) > 1 and bare and spelling.startswith(bare.casefold())):
            return label
    return None


def _mass(log_probability: float) -> float | None:
    """Return the probability, or None for what is no log-probability."""
    if math.isnan(log_probability) or log_probability > _ROUNDING:
        return None
    return math.exp(min(0.0, log_probability))
