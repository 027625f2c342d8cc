"""Requests to models as the sent log stores them, without any model."""

import base64
import hashlib

from storage.sent.log import OutgoingRequest, SentPicture

SESSION = "/data/sessions/20261121-143002-9f3a"


def picture(seed: int, size: int = 400) -> SentPicture:
    jpeg = hashlib.shake_128(f"picture {seed}".encode()).digest(size)
    return SentPicture(digest=hashlib.sha256(jpeg).hexdigest(), jpeg=jpeg)


def request(
    *pictures: SentPicture, at_ns: int = 1, session: str = SESSION, text: str = "what is it?"
) -> OutgoingRequest:
    parts: list[bytes | SentPicture] = [b'{"text":"' + text.encode() + b'","pictures":[']
    for each in pictures:
        parts += [b'"', each, b'",']
    parts.append(b"0]}")
    return OutgoingRequest(
        at_wall_ns=at_ns,
        session=session,
        purpose="strong",
        endpoint="openai",
        address="https://models.example/v1",
        path="/chat/completions",
        headers={"X-Version": "1"},
        model="big",
        parts=parts,
        digest=hashlib.sha256(whole(parts)).hexdigest(),
    )


def whole(parts: list[bytes | SentPicture]) -> bytes:
    return b"".join(part if isinstance(part, bytes) else base64.b64encode(part.jpeg) for part in parts)
