"""Keys of studies: signing (Ed25519), sealing for several readers (X25519, XChaCha20-Poly1305), and eight words.

The only module that uses PyNaCl. Public keys are 32 bytes; private ones are objects that show nothing of themselves. No
error names a key, a signature or what was signed.
"""

import base64
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Self, TypeVar

import msgspec
from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox
from nacl.secret import Aead
from nacl.signing import SigningKey as NaclSigningKey
from nacl.signing import VerifyKey

from participant.documents.private_files import write_private
from storage.errors import BadFile, EnvironmentFault
from storage.files import open_regular

KEY_BYTES = 32
SIGNATURE_BYTES = 64
SEALED_KEY_BYTES = 80
"""A fresh key sealed for one reader: an ephemeral public key, a tag and the key."""

MAX_READERS = 8
WORDS = 8
WORD_BITS = 10
"""Each word is one of 1,024, so eight carry 80 bits."""

SIGNING_KIND: Final = "ed25519"
READING_KIND: Final = "x25519"

_TEXT = re.compile(r"(ed25519|x25519):([A-Za-z0-9_-]{43})")
_FILE = re.compile(rb"kairos private key 1 (ed25519|x25519) ([A-Za-z0-9_-]{43})\n")
_MAX_KEY_FILE = 256
_SCRYPT = {"n": 2**14, "r": 8, "p": 1, "maxmem": 64 << 20}  # 16 MB and 0.05 to 0.1 s for one key
_SALT = b"kairos study key in words 1"

PublicBytes = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
SealedKeyBytes = Annotated[bytes, msgspec.Meta(min_length=SEALED_KEY_BYTES, max_length=SEALED_KEY_BYTES)]


class BadSignatureError(BadFile):
    """Something was not signed by the key it should be signed by, or was changed since."""


class _Private:
    """The 32 bytes of a private key, which neither `repr` nor an error shows."""

    __slots__ = ("_raw",)

    kind: str

    def __init__(self, raw: bytes) -> None:
        """Take the 32 bytes.

        Raises:
            ValueError: they are not 32.
        """
        if len(raw) != KEY_BYTES:
            raise ValueError("a private key has 32 bytes")
        self._raw = raw

    @classmethod
    def generate(cls) -> Self:
        """Return a new key from the system's source of randomness."""
        return cls(os.urandom(KEY_BYTES))

    def __repr__(self) -> str:
        """Return the kind alone."""
        return f"<private key, {self.kind}>"

    def expose(self) -> bytes:
        """Return the 32 bytes, to be stored or sealed and nothing else."""
        return self._raw


class SigningKey(_Private):
    """A private Ed25519 key."""

    __slots__ = ("_pair",)

    kind = SIGNING_KIND

    def __init__(self, raw: bytes) -> None:
        """Take the 32 bytes."""
        super().__init__(raw)
        self._pair = NaclSigningKey(raw)

    @property
    def public(self) -> bytes:
        """The public half, 32 bytes."""
        return bytes(self._pair.verify_key)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return self._pair.sign(message).signature


class ReaderKey(_Private):
    """A private X25519 key, which opens what was sealed for its public half."""

    kind = READING_KIND

    @property
    def public(self) -> bytes:
        """The public half, 32 bytes."""
        return bytes(PrivateKey(self._raw).public_key)


K = TypeVar("K", SigningKey, ReaderKey)


class Sealed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sealed message: `box` (nonce, ciphertext, tag) and its key, sealed for each reader. Does not name readers."""

    keys: Annotated[tuple[SealedKeyBytes, ...], msgspec.Meta(min_length=1, max_length=MAX_READERS)]
    box: bytes


def verify(public: bytes, message: bytes, signature: bytes) -> None:
    """Check a signature.

    Raises:
        BadSignatureError: it is not by this key, or of another message.
    """
    try:
        VerifyKey(public).verify(message, signature)
    except (CryptoError, ValueError, TypeError):
        raise BadSignatureError("the signature does not fit: not by the expected key, or changed since") from None


def seal(message: bytes, readers: Sequence[bytes], *, bound_to: bytes = b"") -> Sealed:
    """Seal a message so that each of the readers can open it alone.

    Args:
        message: what to seal; its length can be seen.
        readers: public keys, 1 to `MAX_READERS`.
        bound_to: what the message belongs to; it opens only together with the same bytes.

    Raises:
        ValueError: there are no readers, or too many.
        BadFile: a public key is none that anybody can have made.
    """
    if not 1 <= len(readers) <= MAX_READERS:
        raise ValueError("a message is sealed for 1 to 8 readers")
    fresh = os.urandom(Aead.KEY_SIZE)
    return Sealed(
        keys=tuple(_seal_key(fresh, reader) for reader in readers), box=bytes(Aead(fresh).encrypt(message, bound_to))
    )


def open_sealed(sealed: Sealed, key: ReaderKey, *, bound_to: bytes = b"") -> bytes:
    """Return the message.

    Raises:
        BadFile: it is not sealed for this key, bound to something else, or was changed.
    """
    own = SealedBox(PrivateKey(key.expose()))
    for candidate in sealed.keys:
        try:
            return Aead(own.decrypt(candidate)).decrypt(sealed.box, bound_to)
        except (CryptoError, ValueError, TypeError):  # for another reader, or changed
            continue
    raise BadFile("this cannot be opened: it was sealed for another key, or changed since")


def _seal_key(fresh: bytes, reader: bytes) -> bytes:
    try:
        return SealedBox(PublicKey(reader)).encrypt(fresh)
    except (CryptoError, ValueError, TypeError):  # a point of low order: anybody could open it
        raise BadFile("a public key is not usable for sealing") from None


def format_public(kind: str, public: bytes) -> str:
    """Return a public key as text: its kind and 43 characters."""
    return f"{kind}:{_encode(public)}"


def is_public(kind: str, text: str) -> bool:
    """Tell whether a text has the form of a public key; whether anybody can have made it `parse_public` says."""
    found = _TEXT.fullmatch(text)
    return found is not None and found[1] == kind and _decode(found[2]) is not None


def parse_public(kind: str, text: str) -> bytes:
    """Return the 32 bytes of a public key.

    Raises:
        ValueError: the text is no key, one of another kind, or one that nobody can have made.
    """
    found = _TEXT.fullmatch(text)
    if found is None or found[1] != kind:
        raise ValueError(f"wants a public key, {kind}: and 43 letters and digits")
    raw = _decode(found[2])
    if raw is None or not _usable(kind, raw):
        raise ValueError("is no public key that anybody can have made")
    return raw


def _usable(kind: str, raw: bytes) -> bool:
    """Whether a public key is a point of the large group; with others signatures and seals mean nothing."""
    if kind == SIGNING_KIND:
        return not bindings.has_crypto_core_ed25519 or bindings.crypto_core_ed25519_is_valid_point(raw)
    try:
        _seal_key(bytes(Aead.KEY_SIZE), raw)
    except BadFile:
        return False
    return True


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decode(text: str) -> bytes | None:
    """Return the 32 bytes; None where another text stands for the same ones."""
    raw = base64.urlsafe_b64decode(text + "=")
    return raw if _encode(raw) == text else None


def write_key(path: Path, key: SigningKey | ReaderKey) -> None:
    """Write a private key into a new file that only this user can read."""
    write_private(path, f"kairos private key 1 {key.kind} {_encode(key.expose())}\n".encode())


def read_signing_key(path: Path) -> SigningKey:
    """Return the signing key in a file that `write_key` wrote."""
    return _read_key(path, SigningKey)


def read_reader_key(path: Path) -> ReaderKey:
    """Return the reader key in a file that `write_key` wrote."""
    return _read_key(path, ReaderKey)


def _read_key(path: Path, kind: type[K]) -> K:
    with open_regular(path) as file:
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise EnvironmentFault(f"{path}: other users may read this private key", remedy=f"chmod 600 {path}")
        found = _FILE.fullmatch(file.read(_MAX_KEY_FILE))
    raw = _decode(found[2].decode()) if found is not None and found[1].decode() == kind.kind else None
    if raw is None:
        raise BadFile(
            f"{path} is not a private key of this kind ({kind.kind})", remedy="take it from where it was kept"
        )
    return kind(raw)


@cache
def word_list() -> tuple[str, ...]:
    """Return the 1,024 words: each begins with four letters of its own, and no two are one letter apart."""
    return tuple((files("participant.documents") / "data" / "words.txt").read_text(encoding="ascii").split())


@cache
def key_words(public: bytes) -> tuple[str, ...]:
    """Return the eight words by which people recognize a public key, on a screen and on a paper form.

    Eight of 1,024 words carry 80 bits. Who wants a key of theirs to show the same words must try 2**80 keys, and each
    takes a memory-hard hash (scrypt, 16 MB, about 0.05 s). Of people who compare four of the words alone, 40 bits are
    left; the hash makes that about 1,700 years of one core. A collision of two keys of one's own (2**40 tries) gains
    nothing, since a person compares with the words on paper.
    """
    digest = hashlib.scrypt(public, salt=_SALT, dklen=WORDS * WORD_BITS // 8, **_SCRYPT)
    number = int.from_bytes(digest)
    words = word_list()
    return tuple(words[number >> WORD_BITS * place & (1 << WORD_BITS) - 1] for place in reversed(range(WORDS)))
