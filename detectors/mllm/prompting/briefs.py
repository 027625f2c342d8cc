"""Questions with a brief: the sentences around their own words, the JSON schema of the answer, and its check.

Change no sentence without a new `VERSION`: stored answers name it, and a test pins the two together. The schema holds
lengths and ranges only for servers that are known to take them; the words name them and `checked_facts` checks them:
only our names and words, numbers within bounds and plain text pass. What the shape does not name is dropped. Whatever
else does not fit makes the object unusable, and the rule that it breaks is named in our words alone, so nothing of a
reply goes into the next request.
"""

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.plain_text import one_line, plain_text
from detectors.mllm.protocol import SchemaMode
from detectors.mllm.questions import (
    AnswerField,
    BooleanShape,
    Brief,
    EnumShape,
    IntegerShape,
    ListShape,
    ObjectShape,
    Shape,
    TextShape,
)

VERSION = "1"

PICTURES = "What the screenshots show, in their order:"
PICTURE = "{number}. {caption}"

HOW_WRITTEN = "Text is plain English: no links, no mark-up, no terminal commands."

TEXT = "{words}; at most {limit} characters"
TEXT_OR_EMPTY = "{words}; at most {limit} characters, or empty"
INTEGER = "{words}; a whole number from {least} to {most}"
BOOLEAN = "{words}; true or false"
ENUM = "{words}; one of: {values}"
LIST = "at most {most} such entries"
LIST_AT_LEAST = "from {least} to {most} such entries"
PLAIN_WORDS = "words"
NUMBER = "number"
ANSWER = "answer"

RULES: Mapping[str, str] = MappingProxyType(
    {
        "missing": "{place} was missing.",
        "no_object": "{place} must be an object.",
        "no_list": "{place} must be a list.",
        "length": "{place} must have from {least} to {most} entries.",
        "no_text": "{place} must be text that holds plain words, without links, mark-up or terminal commands.",
        "integer": "{place} must be a whole number from {least} to {most}.",
        "boolean": "{place} must be true or false.",
        "enum": "{place} must be one of these, and nothing else: {values}.",
    }
)
"""What is wrong with a reply, by the rule that it breaks. Quotes nothing of the reply."""

PLACE = '"{name}"'
ENTRY = "{place}, entry {number}"
WITHIN = "{place}, {inner}"


_CAPTION_LIMIT = 200

_CHARACTERS_PER_TOKEN, _SPARE_TOKENS = 2, 64
"""Few: prose has four, other languages fewer. Spare are those around an object."""


def brief_text(brief: Brief, captions: Iterable[str], mode: SchemaMode, repair: str = "") -> str:
    """Return what follows the pictures: their captions, the question, and how to reply."""
    shown = [
        PICTURE.format(number=number, caption=one_line(caption, _CAPTION_LIMIT))
        for number, caption in enumerate(captions, start=1)
    ]
    parts = ["\n".join((PICTURES, *shown))] if shown else []
    parts.append(brief.words)
    how = prompts.HOW_PROMPTED if mode is SchemaMode.PROMPTED else prompts.HOW
    parts.append("\n".join((how, _placeholder(brief.shape), HOW_WRITTEN)))
    if repair:
        parts.append(prompts.AGAIN.format(repair=repair))
    return "\n\n".join(parts)


def json_schema(shape: Shape, *, bounded: bool = False) -> dict[str, object]:
    """Return the JSON schema of a shape; `bounded`: with lengths of texts and lists, and ranges of numbers."""
    match shape:
        case TextShape(limit=limit):
            return {"type": "string", **({"maxLength": limit} if bounded else {})}
        case IntegerShape(least=least, most=most):
            return {"type": "integer", **({"minimum": least, "maximum": most} if bounded else {})}
        case BooleanShape():
            return {"type": "boolean"}
        case EnumShape():
            return {"type": "string", "enum": list(shape.values)}
        case ListShape():
            lengths = {"minItems": shape.least, "maxItems": shape.most} if bounded else {}
            return {"type": "array", "items": json_schema(shape.of, bounded=bounded), **lengths}
        case ObjectShape():
            return object_schema({field.name: json_schema(field.shape, bounded=bounded) for field in shape.fields})


def tokens_needed(brief: Brief) -> int:
    """Return how many tokens its longest answer may take: those it allows, or fewer where its shape needs fewer."""
    return min(brief.tokens, _SPARE_TOKENS + _longest(brief.shape) // _CHARACTERS_PER_TOKEN)


def _longest(shape: Shape) -> int:
    """Return the length of the longest JSON of a shape, in characters."""
    match shape:
        case TextShape(limit=limit):
            return limit + 2
        case IntegerShape(least=least, most=most):
            return max(len(str(least)), len(str(most)))
        case BooleanShape():
            return len("false")
        case EnumShape(values=values):
            return max(map(len, values)) + 2
        case ListShape(of=inner, most=most):
            return 2 + most * (_longest(inner) + 2)
        case ObjectShape(fields=fields):
            return 2 + sum(len(field.name) + 6 + _longest(field.shape) for field in fields)


def object_schema(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def check_brief(brief: Brief) -> None:
    """Refuse a shape that no model could answer; a mistake of the caller.

    Raises:
        ValueError: an object without properties or with equal names, an empty choice or range.
    """
    _check(brief.shape)


def _check(shape: Shape) -> None:
    match shape:
        case ObjectShape(fields=fields):
            names = [field.name for field in fields]
            if not names or len(set(names)) < len(names) or not all(name.isidentifier() for name in names):
                raise ValueError(f"an object needs properties with plain names of their own: {names}")
            for field in fields:
                _check(field.shape)
        case ListShape(of=inner, least=least, most=most):
            if not 0 <= least <= most:
                raise ValueError(f"a list of {least} to {most} entries")
            _check(inner)
        case IntegerShape(least=least, most=most) if least > most:
            raise ValueError(f"a number from {least} to {most}")
        case EnumShape(values=values) if not values or len({value.casefold() for value in values}) < len(values):
            raise ValueError(f"a choice of {len(values)} words that differ in more than case")
        case TextShape(limit=limit) if limit < 1:
            raise ValueError("a text without room for a word")


def _placeholder(shape: Shape, words: str = "") -> str:
    """Return a shape as JSON with placeholders in angle brackets, for a model to fill in."""
    match shape:
        case TextShape():
            sentence = TEXT_OR_EMPTY if shape.may_be_empty else TEXT
            return f'"<{sentence.format(words=words or PLAIN_WORDS, limit=shape.limit)}>"'
        case IntegerShape():
            sentence = INTEGER
            return f"<{sentence.format(words=words or NUMBER, least=shape.least, most=shape.most)}>"
        case BooleanShape():
            return f"<{BOOLEAN.format(words=words or ANSWER)}>"
        case EnumShape():
            values = " | ".join(shape.values)
            return f'"<{ENUM.format(words=words or ANSWER, values=values)}>"'
        case ListShape():
            sentence = LIST_AT_LEAST if shape.least else LIST
            return f"[{_placeholder(shape.of, words)}, <{sentence.format(least=shape.least, most=shape.most)}>]"
        case ObjectShape():
            return "{" + ", ".join(map(_property, shape.fields)) + "}"


def _property(field: AnswerField) -> str:
    return f"{json.dumps(field.name)}: {_placeholder(field.shape, field.words)}"


_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_BOOLEANS: Mapping[str, bool] = {"true": True, "yes": True, "false": False, "no": False}
_WORD_READ = 200
_RULE_LIMIT = 300
_VALUES_NAMED = 60


class BrokenRuleError(Exception):
    """An object does not fit; `rule` says how, in our words."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def checked_facts(brief: Brief, fields: Mapping[str, object]) -> Mapping[str, object]:
    """Return the properties that a brief asks for, each as its shape says.

    Raises:
        BrokenRuleError: one does not fit, or the brief's own rule is broken.
    """
    facts = _object(brief.shape, fields, "")
    if brief.check is not None and (broken := brief.check(facts)):
        raise BrokenRuleError(broken[:_RULE_LIMIT])
    return facts


def _object(shape: ObjectShape, fields: Mapping[str, object], place: str) -> dict[str, object]:
    facts: dict[str, object] = {}
    for field in shape.fields:
        name = PLACE.format(name=field.name)
        inner = WITHIN.format(place=place, inner=name) if place else name
        if field.name not in fields:
            raise _broken("missing", inner)
        facts[field.name] = _fact(field.shape, fields[field.name], inner)
    return facts


def _fact(shape: Shape, value: object, place: str) -> object:
    match shape:
        case ObjectShape():
            if not isinstance(value, dict):
                raise _broken("no_object", place)
            return _object(shape, value, place)
        case ListShape():
            return _list(shape, value, place)
        case TextShape():
            return _text(shape, value, place)
        case IntegerShape():
            number = _integer(value)
            if number is None or not shape.least <= number <= shape.most:
                raise _broken("integer", place, least=shape.least, most=shape.most)
            return number
        case BooleanShape():
            truth = _boolean(value)
            if truth is None:
                raise _broken("boolean", place)
            return truth
        case EnumShape():
            return _word(shape, value, place)


def _list(shape: ListShape, value: object, place: str) -> list[object]:
    if not isinstance(value, list):
        raise _broken("no_list", place)
    if not shape.least <= len(value) <= shape.most:
        raise _broken("length", place, least=shape.least, most=shape.most)
    return [
        _fact(shape.of, entry, ENTRY.format(place=place, number=number)) for number, entry in enumerate(value, start=1)
    ]


def _text(shape: TextShape, value: object, place: str) -> str:
    words = plain_text(value, shape.limit) if isinstance(value, str) else ""
    nothing_given = value is None or value == ""
    if not words and not (shape.may_be_empty and nothing_given):
        raise _broken("no_text", place)
    return words


def _word(shape: EnumShape, value: object, place: str) -> str:
    bare = value[:_WORD_READ].strip(" \t\r\n\"'`*.").casefold() if isinstance(value, str) else None
    for word in shape.values:
        if bare == word.casefold():
            return word
    raise _broken("enum", place, values=", ".join(shape.values[:_VALUES_NAMED]))


def _integer(value: object) -> int | None:
    """Return a whole number, however it is written; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _boolean(value: object) -> bool | None:
    if isinstance(value, str):
        return _BOOLEANS.get(value[:_WORD_READ].strip(" .").casefold())
    return value if isinstance(value, bool) else None


def _broken(rule: str, place: str, **named: object) -> BrokenRuleError:
    return BrokenRuleError(RULES[rule].format(place=place, **named))
