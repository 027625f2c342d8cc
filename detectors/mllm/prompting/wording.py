"""The words and JSON schema of a `ModelQuery`: text before the pictures, text after them, schema of the answer.

Nothing before the pictures depends on the pictures or the questions, so a server that caches prompts reads the common
part of nested prefixes once. Schemas hold no lengths and no ranges: several servers refuse them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.briefs import brief_text, check_brief, json_schema, object_schema
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.protocol import SchemaMode
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, QuestionContext, Task

NOTES = "notes"  # the property where a model may think before it answers; never parsed
ANSWER = "answer"
SURE = "sure"
LETTERS = "ABCDEFGHI"
SURE_STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
WORD_LIMITS: Mapping[Task | None, int] = {Task.INTENT: 12, Task.CONTENT: 30}  # how many words a free answer may have
_PLACEHOLDERS = {AnswerForm.CHOICE: prompts.LETTER, AnswerForm.YES_NO: prompts.YES_OR_NO}
_SPELLINGS = {AnswerForm.CHOICE: prompts.ONLY, AnswerForm.YES_NO: prompts.ONLY_WORD}
_NOTES_WORDS = 50
_OPTION_LIMIT = 500
_APP_LIMIT = 60
_OBSERVATION_LIMIT = 400
_OBSERVATIONS = 40
_EVEN = 0.1  # gaps that differ by less than this share of their mean count as even


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a model reads: `system`, then `before`, the pictures, and `after`; `schema` is that of its answer.

    `system` and `before` are the same for all prefixes of a window; `before` is empty where there are no pictures to a
    brief.
    """

    system: str
    before: str
    after: str
    schema: Mapping[str, object] = field(repr=False)


def compose(query: ModelQuery, mode: SchemaMode, repair: str = "") -> Wording:
    """Return the words and the schema for a query.

    Args:
        query: its pictures are only counted.
        mode: how the server enforces the schema. The words describe it in any case: answers suffer where a grammar
            forces a shape that the model does not expect. With `PROMPTED` they insist on it.
        repair: what was wrong with the previous answer (`reply_parser.ParsedReply.repair`).

    Raises:
        ValueError: the questions do not go together; a mistake of the caller.
    """
    _check(query)
    if query.brief is not None:
        return Wording(
            system=query.brief.system,
            before=prompts.BEFORE if query.pictures else "",
            after=brief_text(query.brief, query.captions, mode, repair),
            schema=schema(query),
        )
    parts = [text] if (text := scene(query)) else []
    shared = query.questions[0].given if len({question.given for question in query.questions}) == 1 else None
    if shared:
        parts.extend(_context_lines(shared))
    parts.extend(_question_block(question, with_context=shared is None) for question in query.questions)
    shape = prompts.HOW_PROMPTED if mode is SchemaMode.PROMPTED else prompts.HOW
    parts.append("\n".join((shape, _answer_shape(query), *_answer_rules(query))))
    if repair:
        parts.append(prompts.AGAIN.format(repair=repair))
    return Wording(system=prompts.SYSTEM, before=prompts.BEFORE, after="\n\n".join(parts), schema=schema(query))


def scene(query: ModelQuery) -> str:
    """Return the text right after the pictures: how many there were and when, and what else was observed."""
    parts = [_picture_times(query.at_s)] if query.at_s else []
    if query.observations:
        lines = (one_line(line, _OBSERVATION_LIMIT) for line in query.observations.splitlines()[:_OBSERVATIONS])
        parts.append("\n".join((prompts.OBSERVED, *(line for line in lines if line))))
    return "\n\n".join(parts)


def question_text(question: ModelQuestion) -> str:
    """Return the question with its context, without options or how to answer: for decision endpoints."""
    return "\n".join((*_context_lines(question.given), _words_of(question)))


def option_text(text: str) -> str:
    """Return an option's text as models read it: one line of limited length."""
    return one_line(text, _OPTION_LIMIT)


def letters(question: ModelQuestion) -> Mapping[str, str]:
    """Return how each answer is spelled, and the label it stands for; nothing for free text.

    Options are spelled A to I, so that each is one token and its log-probability can be read; yes and no as such.
    """
    if question.form is AnswerForm.YES_NO:
        return {label: label for label in question.labels}
    return dict(zip(LETTERS, question.labels, strict=False))


def answer_spelling(question: ModelQuestion) -> str:
    """Return how an answer to this question is spelled, for a person or a model to read."""
    if question.form is AnswerForm.YES_NO:
        return "yes or no"
    return f"a single letter from A to {LETTERS[len(question.options) - 1]}"


def schema(query: ModelQuery, *, bounded: bool = False) -> Mapping[str, object]:
    """Return the JSON schema of the answer: an object with one property for each question, in their order.

    A brief's is that of its shape; `bounded`: with its lengths and ranges.
    """
    if query.brief is not None:
        return json_schema(query.brief.shape, bounded=bounded)
    properties: dict[str, object] = {NOTES: {"type": "string"}} if query.reasoned else {}
    for question in query.questions:
        if question.form is AnswerForm.TEXT:
            properties[question.key] = {"type": "string"}
            continue
        answer = {"type": "string", "enum": list(letters(question))}
        sure = {"type": "integer", "enum": list(SURE_STEPS)}
        properties[question.key] = object_schema({ANSWER: answer, SURE: sure})
    return object_schema(properties)


def _check(query: ModelQuery) -> None:
    """Refuse questions with equal keys, those that give another one's answer away, and a brief that is not alone."""
    if any((question.form is AnswerForm.OBJECT) is not (question.brief is not None) for question in query.questions):
        raise ValueError("a question has a brief if it is answered with an object, and only then")
    if query.brief is not None:
        check_brief(query.brief)
        if query.captions and len(query.captions) != len(query.pictures):
            raise ValueError(f"{len(query.captions)} captions for {len(query.pictures)} pictures")
        return
    keys = [question.key for question in query.questions]
    if not keys or len(set(keys)) < len(keys) or NOTES in keys or not all(key.isidentifier() for key in keys):
        raise ValueError(f"questions need keys of their own that are plain names other than {NOTES!r}: {keys}")
    tasks = {question.task for question in query.questions}
    for question in query.questions:
        if (question.task, question.form) not in _asked(question):
            raise ValueError(f"there are no words for {question.task} as {question.form}")
        if question.form is AnswerForm.CHOICE and not 1 < len(question.options) <= len(LETTERS):
            raise ValueError(f"a choice has two to {len(LETTERS)} options; {question.key} has {len(question.options)}")
        leaked = (question.given.behavior and Task.BEHAVIOR in tasks) or (
            question.given.intent and Task.INTENT in tasks
        )
        if leaked:
            raise ValueError(f"{question.key} is told what another question of the same request asks")


def _picture_times(at_s: tuple[float, ...]) -> str:
    """Return how many pictures there were, and when."""
    if len(at_s) == 1:
        return prompts.COUNT_ONE
    gaps = [after - before for before, after in pairwise(at_s)]
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    if all(abs(gap - mean) <= _EVEN * mean for gap in gaps):
        return prompts.COUNT_EVEN.format(count=len(at_s), gap=f"{mean:.2g}", span=f"{sum(gaps):.1f}")
    return prompts.COUNT_UNEVEN.format(count=len(at_s), times=" ".join(f"{second:.1f}" for second in at_s))


def _asked(question: ModelQuestion) -> Mapping[tuple[Task | None, AnswerForm], str]:
    return prompts.OF_STRETCH if question.of_stretch else prompts.QUESTIONS


def _words_of(question: ModelQuestion) -> str:
    return _asked(question)[question.task, question.form]


def _context_lines(context: QuestionContext) -> list[str]:
    lines = []
    if context.previous is not None:
        lines.append(prompts.PREVIOUS.format(state=prompts.state_text(context.previous)))
    if context.behavior:
        lines.append(prompts.BEHAVIOR.format(state=" Then: ".join(map(prompts.state_text, context.behavior))))
    if context.intent is not None:
        lines.append(prompts.INTENT.format(intent=option_text(context.intent).replace('"', "'")))
    return lines


def _question_block(question: ModelQuestion, *, with_context: bool) -> str:
    text = _words_of(question)
    lines = [
        prompts.ASKED.format(key=question.key, question=text),
        *(_context_lines(question.given) if with_context else ()),
    ]
    for letter, option in zip(LETTERS, question.options, strict=False):
        lines.append(f"{letter}) {option_text(option.text)}")
    return "\n".join(lines)


def _answer_rules(query: ModelQuery) -> list[str]:
    lines = [prompts.HOW_REASONED.format(words=_NOTES_WORDS)] if query.reasoned else []
    forms = {question.form for question in query.questions}
    spellings = [spelling for form, spelling in _SPELLINGS.items() if form in forms]
    if spellings:
        lines.append(prompts.HOW_CHOSEN.format(spelled=", or ".join(spellings)))
    written = [question for question in query.questions if question.form is AnswerForm.TEXT]
    if written:
        lines.append(prompts.HOW_WRITTEN.format(words=max(WORD_LIMITS[question.task] for question in written)))
    if AnswerForm.YES_NO in forms and any(question.task is Task.CONTENT for question in written):
        lines.append(prompts.NONE_NEEDED)
    return lines


def _answer_shape(query: ModelQuery) -> str:
    properties = [f'"{NOTES}": "<{prompts.WORDS}>"'] if query.reasoned else []
    for question in query.questions:
        if question.form is AnswerForm.TEXT:
            properties.append(f'"{question.key}": "<{prompts.WORDS}>"')
        else:
            answer = f'"{ANSWER}": "<{_PLACEHOLDERS[question.form]}>", "{SURE}": <{prompts.PERCENTAGE}>'
            properties.append(f'"{question.key}": {{{answer}}}')
    return "{" + ", ".join(properties) + "}"


_COUNTS = (
    ("characters", "characters typed"),
    ("erasures", "erased"),
    ("pastes", "pastes"),
    ("undos", "undos"),
    ("redos", "redos"),
    ("escapes", "presses of Escape"),
    ("clicks", "clicks"),
    ("dead_clicks", "clicks that changed nothing"),
    ("scrolls", "scroll steps"),
    ("menus", "menus opened"),
    ("dialogs", "dialogs opened"),
    ("app_switches", "changes of application"),
    ("saves", "saves"),
)
"""Features of the window so far, in the order of their mention; those that are 0 are left out."""

_PAUSE_S = 2.0
_WATCHING_S = 3.0


def observations(features: Mapping[str, float], app: str = "") -> str:
    """Return what the person did in the time that the pictures show, in the program `app` where that is known."""
    counts = [f"{features[name]:.0f} {words}" for name, words in _COUNTS if features.get(name, 0.0) >= 1.0]
    length_s = features.get("window_s", 0.0)
    lines = [prompts.PROGRAM.format(app=one_line(app, _APP_LIMIT).replace('"', "'"))] if app else []
    lines += [f"Input in these {length_s:.0f} s: {', '.join(counts) or 'none to speak of'}."]
    if features.get("idle_s", 0.0) >= _PAUSE_S:
        lines.append(f"No input for the last {features['idle_s']:.0f} s.")
    if features.get("watching_s", 0.0) >= _WATCHING_S:
        lines.append(f"The screen has been changing by itself for {features['watching_s']:.0f} s.")
    return "\n".join(lines)
