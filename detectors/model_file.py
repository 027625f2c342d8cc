"""Reads model files: small ones, complete in themselves, of which only what is known here is looked at.

A model may come from anybody. ONNX files are protocol buffers (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
has the numbers of their fields). What `kairos train` does not write is refused, never skipped: other files that hold a
tensor's numbers, graphs inside a graph, functions, and whatever two parsers could take differently.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from storage.errors import BadFile
from storage.files import open_regular
from storage.translation.sentences import phrase, translatable

MAX_BYTES = 10_000_000  # a larger file is refused; the shipped model has 0.6 MB
REMEDY = translatable("Set detector.name to embedded, or to a file that kairos train wrote with this version.")

FOREIGN = phrase("holds what kairos train does not write")
INTS = -8
"""An attribute's whole numbers, of which a tree ensemble has tens of thousands: `fields` yields runs of field 8."""

_RUN = re.compile(rb"(?:\x40[\x80-\xff]{0,8}[\x00-\x7f])++", re.DOTALL)
_INTS_TAG = -INTS << 3
_MAX_PARTS = 100_000  # the shipped model has 600
_MAX_VARINT = 10
_TAGS = 1 << 32
_VARINT, _BYTES = 0, 2
_METADATA, _KEY, _VALUE = 14, 1, 2  # fields of a model, and of each pair in its metadata


class RefusedError(Exception):
    """Why a file is refused, as the end of a sentence about it."""


class Message:
    """The fields of one message: numbers, and pieces of the file (texts, other messages, packed numbers).

    Raises:
        RefusedError: it has a field that is not named here, or one of another type.
    """

    def __init__(
        self, content: bytes, piece: slice, *, numbers: Collection[int] = (), pieces: Collection[int] = ()
    ) -> None:
        """Read the fields in a piece of the file."""
        self.content = content
        self.numbers: Mapping[int, list[int]] = {number: [] for number in numbers}
        self.pieces: Mapping[int, list[slice]] = {number: [] for number in pieces}
        for number, value in fields(content, piece):
            if isinstance(value, int) and number in self.numbers:
                self.numbers[number].append(value)
            elif isinstance(value, slice) and number in self.pieces:
                self.pieces[number].append(value)
            else:
                raise RefusedError(FOREIGN)

    def piece(self, number: int) -> slice:
        """Return a piece that must be there once: parsers differ in what they make of a second one."""
        if len(self.pieces[number]) != 1:
            raise RefusedError(phrase("is not an ONNX file"))
        return self.pieces[number][0]

    def text(self, number: int) -> str:
        """Return the text of a field that must be there once."""
        return _text(self.content, self.piece(number))

    def texts(self, number: int) -> list[str]:
        """Return the texts of a field that may come any number of times."""
        return [_text(self.content, piece) for piece in self.pieces[number]]


def read_model(path: Path) -> bytes:
    """Return the content of a model file, however it goes on inside.

    Raises:
        BadFile: it cannot be read, is no plain file, or too large.
    """
    try:
        with open_regular(Path(os.path.realpath(path))) as file:  # the person may name a link
            content = file.read(MAX_BYTES + 1)
    except BadFile as error:
        raise BadFile(
            translatable("The model {path} cannot be read: {why}.", path=path, why=error.what), remedy=REMEDY
        ) from error
    except (OSError, ValueError) as error:  # a folder that is no folder, a name that no file can have
        raise BadFile(translatable("The model file cannot be read."), remedy=REMEDY) from error
    if len(content) > MAX_BYTES:
        raise refusal(path, RefusedError(translatable("is larger than {limit} MB", limit=MAX_BYTES // 1000000)))
    return content


def refusal(path: Path, refused: RefusedError) -> BadFile:
    """Return the error that names the file and why it is refused."""
    return BadFile(translatable("The model {path} {refused}.", path=path, refused=refused.args[0]), remedy=REMEDY)


def metadata_of(content: bytes) -> dict[str, str]:
    """Return the metadata in a model file.

    Raises:
        RefusedError: it is no ONNX file, or its metadata is no text.
    """
    found: dict[str, str] = {}
    for number, value in fields(content, slice(0, len(content))):
        if number == _METADATA and isinstance(value, slice):
            pair = Message(content, value, pieces=(_KEY, _VALUE))
            found[pair.text(_KEY)] = pair.text(_VALUE)
    return found


def read_metadata(path: Path) -> dict[str, str]:
    """Return the metadata of a model file, without its graph.

    Raises:
        BadFile: as `read_model`; or its metadata cannot be read.
    """
    try:
        return metadata_of(read_model(path))
    except RefusedError as refused:
        raise refusal(path, refused) from None


def fields(content: bytes, piece: slice) -> Iterator[tuple[int, int | slice]]:
    """Yield the fields of a message: their number, and a number or where in the file the value stands.

    Raises:
        RefusedError: it is no message, or has too many fields.
    """
    position, end, seen = piece.start, piece.stop, 0
    while position < end:
        seen += 1
        run = _RUN.match(content, position, end) if content[position] == _INTS_TAG else None
        if run is not None:
            position = run.end()
            yield INTS, slice(run.start(), position)
            continue
        tag, position = _varint(content, position, end)
        number, wire_type = tag >> 3, tag & 7
        # Fractions and groups, which are not written; of a tag some parsers drop the upper bits.
        if wire_type not in (_VARINT, _BYTES) or number == 0 or tag >= _TAGS or seen > _MAX_PARTS:
            raise RefusedError(phrase("is not an ONNX file"))
        value, position = _varint(content, position, end)
        if wire_type == _VARINT:
            yield number, value
            continue
        first, position = position, position + value
        if position > end:
            raise RefusedError(phrase("is not an ONNX file"))
        yield number, slice(first, position)


def _text(content: bytes, piece: slice) -> str:
    try:
        return content[piece].decode()
    except UnicodeDecodeError:
        raise RefusedError(phrase("is not an ONNX file")) from None


def _varint(content: bytes, position: int, end: int) -> tuple[int, int]:
    """Return a number of variable length and where it ends."""
    value = 0
    for index in range(min(_MAX_VARINT, end - position)):
        byte = content[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004  # the last byte has no highest bit
            return value, position + index + 1
    raise RefusedError(phrase("is not an ONNX file"))
