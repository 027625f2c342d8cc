"""Tells whether a server really enforces the shape of answers: by asking for a shape that only its schema speaks of."""

from dataclasses import replace

import msgspec

from detectors.mllm.prompting import reply_parser as reading
from detectors.mllm.prompting import wording as asking
from detectors.mllm.prompting.json_search import objects
from detectors.mllm.questions import ModelQuery, Picture
from detectors.mllm.wire import Body, Reply, Request

_COLOUR, _SHADE = "colour", "teal41"
_UNMENTIONED = {
    "type": "object",
    "properties": {_COLOUR: {"type": "string", "enum": [_SHADE]}},
    "required": [_COLOUR],
    "additionalProperties": False,
}


def is_read(ask: ModelQuery, reply: Reply) -> bool:
    """Tell whether a reply answers the questions."""
    try:
        reading.read(ask, reply)
    except reading.Unusable:
        return False
    return True


def with_unmentioned_shape(request: Request, ask: ModelQuery) -> Request | None:
    """Return the request with another schema, of which its words say nothing; None where its schema is rewritten."""
    schema, other = msgspec.json.encode(asking.schema(ask)), msgspec.json.encode(_UNMENTIONED)
    parts = request.body.parts
    if not any(schema in part for part in parts if not isinstance(part, Picture)):
        return None
    changed = (part if isinstance(part, Picture) else part.replace(schema, other) for part in parts)
    return replace(request, body=Body(parts=tuple(changed)))


def has_unmentioned_shape(reply: Reply) -> bool:
    """Tell whether a reply has the shape of which only its schema spoke."""
    said = f"{reply.reasoning}\n{reply.text}"
    return any(found.facts.get(_COLOUR) == _SHADE for found in objects(said, [_COLOUR]))
