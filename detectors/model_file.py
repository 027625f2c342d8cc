"""Reads a model file and refuses one that asks for more than arithmetic, before onnxruntime sees a byte of it.

A model may come from anybody. onnxruntime would read whatever file its tensors name as external data, would load any
amount, and knows operators beyond the standard. So a file must be small, complete in itself, and made of standard
operators. ONNX files are protocol buffers; of these only the fields that can say otherwise are looked at
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto has their numbers), and each is judged in every place where it
can stand, also inside the graphs of conditions and loops. What a parser could read in two ways is refused.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from storage.errors import BadFile
from storage.files import open_regular
from storage.translation.sentences import phrase, translatable

MAX_BYTES = 10_000_000  # a larger file is refused; the shipped model has 0.6 MB
REMEDY = translatable("Set detector.name to embedded, or to a file that kairos train wrote with this version.")

DOMAINS = frozenset({b"", b"ai.onnx", b"ai.onnx.ml"})  # the domains of the standard's operators
_MAX_DEPTH = 32  # of messages in messages; the shipped model has 4
_MAX_FIELDS = 1_000_000  # besides plain numbers; the shipped model has 600
_MAX_VARINT = 10
_TAGS = 1 << 32
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_METADATA, _KEY, _VALUE = 14, 1, 2  # fields of a model, and of each pair in its metadata
_SIZES = {_FIXED64: 8, _FIXED32: 4}
_DOMAIN, _EXTERNAL = "domain", "external data"
_FIELDS: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "model": {7: "graph", 8: "operator set", 20: "training", 25: "function"},
        "operator set": {1: _DOMAIN},
        "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
        "node": {5: "attribute", 7: _DOMAIN},
        "attribute": {
            5: "tensor",
            6: "graph",
            10: "tensor",
            11: "graph",
            22: "sparse tensor",
            23: "sparse tensor",
        },
        "tensor": {13: _EXTERNAL, 14: _EXTERNAL},
        "sparse tensor": {1: "tensor", 2: "tensor"},
        "training": {1: "graph", 2: "graph"},
        "function": {7: "node", 9: "operator set", 10: _DOMAIN, 11: "attribute"},
    }
)
"""By kind of message, the fields that are looked at: messages of a kind, names of domains, signs of external data."""

_NUMBERS = re.compile(
    rb"(?:[\x08\x10\x18\x20\x28\x30\x38\x40\x48\x50\x58\x60\x68][\x80-\xff]{0,9}[\x00-\x7f]"
    rb"|[\x0d\x15\x1d\x25\x2d\x35\x3d\x45\x4d\x55\x5d\x65\x6d].{4})*+",
    re.DOTALL,
)
"""Numbers in fields 1 to 13: those of a tree ensemble stand one by one, in their hundred thousands."""


def read_model(path: Path) -> bytes:
    """Return the content of a model file that is safe to hand to onnxruntime.

    Raises:
        BadFile: it cannot be read, is no plain file, too large, no ONNX file, or asks for what is not allowed.
    """
    try:
        with open_regular(Path(os.path.realpath(path))) as file:  # the person may name a link
            content = file.read(MAX_BYTES + 1)
        _check(content)
    except _RefusedError as refused:
        raise BadFile(
            translatable("The model {path} {refused}.", path=path, refused=refused.args[0]), remedy=REMEDY
        ) from None
    except BadFile as error:
        raise BadFile(
            translatable("The model {path} cannot be read: {why}.", path=path, why=error.what), remedy=REMEDY
        ) from error
    except (OSError, ValueError) as error:  # a folder that is no folder, a name that no file can have
        raise BadFile(translatable("The model file cannot be read."), remedy=REMEDY) from error
    return content


def read_metadata(path: Path) -> dict[str, str]:
    """Return the metadata of a model file, as onnxruntime would, without loading it.

    Raises:
        BadFile: as `read_model`; or its metadata is no text.
    """
    content = read_model(path)
    found: dict[str, str] = {}
    try:
        for number, wire_type, first, last in _fields(content, 0, len(content)):
            if number == _METADATA and wire_type == _BYTES:
                pair = {key: content[start:end].decode() for key, _, start, end in _fields(content, first, last)}
                found[pair.get(_KEY, "")] = pair.get(_VALUE, "")
    except (_RefusedError, UnicodeDecodeError):
        raise BadFile(
            translatable("The metadata of the model {path} cannot be read.", path=path), remedy=REMEDY
        ) from None
    return found


class _RefusedError(Exception):
    """Why a file is refused, as the end of a sentence about it."""


def _check(content: bytes) -> None:
    """Look at the size, and without recursion at all messages that can hold what is not allowed."""
    if len(content) > MAX_BYTES:
        raise _RefusedError(translatable("is larger than {limit} MB", limit=MAX_BYTES // 1000000))
    pending = [("model", 0, len(content), 0)]
    seen = 0
    while pending:
        kind, start, end, depth = pending.pop()
        fields = _FIELDS[kind]
        for number, wire_type, first, last in _fields(content, start, end):
            seen += 1
            if seen > _MAX_FIELDS:
                raise _RefusedError(phrase("has too many parts"))
            meaning = fields.get(number)
            if meaning is None:
                continue
            if meaning is _EXTERNAL:
                raise _RefusedError(phrase("keeps its numbers in other files (external data)"))
            if wire_type != _BYTES:
                raise _RefusedError(phrase("is not an ONNX file"))
            if meaning is _DOMAIN:
                if content[first:last] not in DOMAINS:
                    raise _RefusedError(phrase("uses operators of a domain of its own"))
                continue
            if depth == _MAX_DEPTH:
                raise _RefusedError(phrase("is nested too deeply"))
            pending.append((meaning, first, last, depth + 1))


def _fields(content: bytes, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, wire type and the place of the value for the fields of a message, many plain numbers left out."""
    while (position := _after_numbers(content, position, end)) < end:
        tag, position = _varint(content, position, end)
        number, wire_type = tag >> 3, tag & 7
        length = _SIZES.get(wire_type)
        first = position
        if wire_type == _VARINT:
            _, position = _varint(content, position, end)
        elif wire_type == _BYTES:
            length, first = _varint(content, position, end)
            position = first + length
        elif length is not None:
            position += length
        else:  # groups, which ONNX does not have
            raise _RefusedError(phrase("is not an ONNX file"))
        if position > end or number == 0 or tag >= _TAGS:  # some parsers drop the upper bits of a tag
            raise _RefusedError(phrase("is not an ONNX file"))
        yield number, wire_type, first, position


def _after_numbers(content: bytes, position: int, end: int) -> int:
    match = _NUMBERS.match(content, position, end)
    return match.end() if match is not None else position


def _varint(content: bytes, position: int, end: int) -> tuple[int, int]:
    """Return a number of variable length and where it ends."""
    value = 0
    for index in range(_MAX_VARINT):
        if position + index >= end:
            break
        byte = content[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004  # the last byte has no highest bit
            return value, position + index + 1
    raise _RefusedError(phrase("is not an ONNX file"))
