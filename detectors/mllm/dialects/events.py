"""The JSON objects in a reply, whatever wraps them: one object, a list, a line for each, or server-sent events.

Encodings and JSON are taken as servers write them: with a byte order mark, in UTF-16, with NaN. None of that makes an
answer another one; bytes that are no text of their encoding do.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from detectors.mllm.protocol import InvalidReply

Tree = Mapping[str, object]

_BOM = b"\xef\xbb\xbf"
_DONE = b"[DONE]"
_ERRORS = ("error", "choices.0.error", "response.error")
_BARE_ERRORS = (  # where nothing else is in a reply
    *("detail", "errors", "message", "msg", "Error", "Message", "error_msg", "error_message", "base_resp.status_msg"),
    "fault",
)


_DECODER = json.JSONDecoder()


class Events(NamedTuple):
    """What a reply is made of."""

    objects: tuple[Tree, ...]
    streamed: bool  # it came in pieces, so it has to say where it ends
    damaged: bool  # what follows the objects could not be read


def split(content: bytes) -> Events:
    """Return the objects of a reply, as far as they can be read."""
    whole = _loaded(content)
    if isinstance(whole, dict):
        return Events((whole,), streamed=False, damaged=False)
    if isinstance(whole, list):
        objects = tuple(each for each in whole if isinstance(each, dict))
        return Events(objects, streamed=True, damaged=len(objects) < len(whole))
    if content.removeprefix(_BOM).lstrip().startswith(b"{"):
        return _in_a_row(content)
    found: list[Tree] = []
    error = False
    begun = b""
    for line in content.splitlines():
        if line.startswith(b"event:"):
            error = line.partition(b":")[2].strip() == b"error"
        data = line.partition(b":")[2].strip()
        try:
            if tree := event(b"data:" + begun + data if begun and line.startswith(b"data:") else line):
                found.append({"error": tree, **tree} if error else tree)
            begun = b"" if tree else begun
        except InvalidReply:
            begun += data  # an event may have several lines of data
            if error:
                found.append({"error": data.decode("utf-8", "replace")})
                break
    return Events(tuple(found), streamed=True, damaged=bool(begun))


def _in_a_row(content: bytes) -> Events:
    """Return objects that follow each other, in a line each, in several, or all in one."""
    text = content.removeprefix(_BOM).decode("utf-8", "replace")
    found: list[Tree] = []
    place = text.find("{")
    while text.startswith("{", place):
        try:
            tree, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        found.append(tree)
        while text[place : place + 1].isspace():
            place += 1
    is_one = len(found) == 1 and found[0].get("done") is not False
    return Events(tuple(found), streamed=not is_one, damaged=place < len(text))


def event(line: bytes) -> Tree:
    """Return the object in a line of a stream; empty where it is a name, a comment or a blank line.

    Raises:
        InvalidReply: there should be one.
    """
    line = line.removeprefix(_BOM).strip()
    name, _, data = (b"data", b"", line) if line.startswith(b"{") else line.partition(b":")
    if name not in (b"data", b"error") or not data.strip():
        return {}
    if data.strip() == _DONE:
        return {"done": True}  # as Ollama puts it
    tree = _loaded(data)
    if not isinstance(tree, dict):
        raise InvalidReply("an event that is no object")
    return {"error": tree, **tree} if name == b"error" else tree  # an older llama-server's errors


def at(tree: object, path: str) -> object:
    """Return what stands at a path such as "choices.0.message"; None where nothing does."""
    for step in path.split("."):
        if isinstance(tree, dict):
            tree = tree.get(step)
        elif isinstance(tree, list) and step.isdigit():
            tree = tree[int(step)] if int(step) < len(tree) else None
        else:
            return None
    return tree


def error_in(tree: Tree, *, bare: bool = False) -> object:
    """Return the error that a server reports in an object; None where it reports none.

    `bare` also takes for one what stands alone where an answer should be.
    """
    for path in (*_ERRORS, *(_BARE_ERRORS if bare else ())):
        error = at(tree, path)
        is_empty = not (any(error.values()) if isinstance(error, dict) else error)
        if not is_empty and not (path == "message" and isinstance(error, dict)):
            return tree if path in _BARE_ERRORS else error if isinstance(error, dict) else _with_its_code(error, tree)
    return tree if tree.get("object") == "error" or tree.get("type") == "error" else None


def _with_its_code(error: object, tree: Tree) -> object:
    """Return an error that is no object with what stands beside it and may say more."""
    beside = {
        name: tree[name] for name in ("code", "status", "message", "detail") if isinstance(tree.get(name), int | str)
    }
    return {"error": error, **beside} if beside else error


def _loaded(content: bytes) -> object:
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(content.decode(json.detect_encoding(content)))
    except (ValueError, RecursionError):
        return None
