"""Keys of studies: signatures and seals hold, files are private, words are told apart, and nothing shows a key."""

import hashlib
import itertools
import os
import stat
import traceback
from pathlib import Path
from unittest.mock import Mock

import pytest

from participant.documents import keys
from participant.documents.keys import (
    READING_KIND,
    SIGNING_KIND,
    BadSignatureError,
    ReaderKey,
    Sealed,
    SigningKey,
    format_public,
    key_words,
    open_sealed,
    parse_public,
    read_reader_key,
    read_signing_key,
    seal,
    verify,
    word_list,
    write_key,
)
from participant.documents.private_files import write_private
from storage.errors import BadFile, EnvironmentFault

ADA, EVE = SigningKey(b"a" * 32), SigningKey(b"e" * 32)
FIRST, SECOND, OTHER = ReaderKey(b"1" * 32), ReaderKey(b"2" * 32), ReaderKey(b"3" * 32)


def test_a_signature_is_of_one_key_and_one_message() -> None:
    """Another key, another message or any changed byte of the signature is refused; the control passes."""
    signature = ADA.sign(b"message")
    verify(ADA.public, b"message", signature)
    changed = [bytes([*signature[:at], signature[at] ^ 1, *signature[at + 1 :]]) for at in range(len(signature))]
    wrong = [(EVE.public, b"message", signature), (ADA.public, b"massage", signature)]
    wrong += [(ADA.public, b"message", forged) for forged in (*changed, b"", signature[:-1], signature * 2)]
    for public, message, one in wrong:
        with pytest.raises(BadSignatureError):
            verify(public, message, one)


def test_a_known_signature_comes_out() -> None:
    """Test 2 of RFC 8032, 7.1: Ed25519, and nothing of our own."""
    key = SigningKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    assert key.public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert key.sign(b"\x72").hex().startswith("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da")


def test_each_reader_opens_a_seal_alone_and_nobody_else() -> None:
    sealed = seal(b"how stuck: 3", [FIRST.public, SECOND.public], bound_to=b"head")
    assert open_sealed(sealed, FIRST, bound_to=b"head") == b"how stuck: 3"
    assert open_sealed(sealed, SECOND, bound_to=b"head") == b"how stuck: 3"
    assert b"stuck" not in sealed.box + b"".join(sealed.keys)
    for reader, bound_to in ((OTHER, b"head"), (FIRST, b"another head")):
        with pytest.raises(BadFile, match="cannot be opened"):
            open_sealed(sealed, reader, bound_to=bound_to)


def test_a_changed_seal_does_not_open() -> None:
    sealed = seal(b"message", [FIRST.public])
    for at in range(len(sealed.box)):
        box = bytes([*sealed.box[:at], sealed.box[at] ^ 1, *sealed.box[at + 1 :]])
        with pytest.raises(BadFile):
            open_sealed(Sealed(keys=sealed.keys, box=box), FIRST)
    for damaged in (Sealed(keys=(bytes(80),), box=sealed.box), Sealed(keys=sealed.keys, box=b"")):
        with pytest.raises(BadFile):
            open_sealed(damaged, FIRST)


def test_a_seal_has_one_to_eight_readers_with_usable_keys() -> None:
    """For a key of low order the seal would be open to everybody."""
    for count in (0, 9):
        with pytest.raises(ValueError, match="1 to 8 readers"):
            seal(b"message", [FIRST.public] * count)
    for unusable in (bytes(32), b"\x01" + bytes(31), b"short"):
        with pytest.raises(BadFile, match="not usable"):
            seal(b"message", [unusable])


def test_two_seals_of_one_message_differ() -> None:
    """Each has a fresh key."""
    assert seal(b"message", [FIRST.public]).box != seal(b"message", [FIRST.public]).box


@pytest.mark.parametrize("key", [ADA, FIRST], ids=["signing", "reader"])
def test_a_key_is_stored_for_this_user_alone_and_never_overwritten(key: SigningKey | ReaderKey, tmp_path: Path) -> None:
    """Whatever the umask is; a second one of that name is refused, and so is a link."""
    read = read_signing_key if isinstance(key, SigningKey) else read_reader_key
    path = tmp_path / "a.key"
    before = os.umask(0)
    try:
        write_key(path, key)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read(path).expose() == key.expose()
    with pytest.raises(EnvironmentFault, match="exists already"):
        write_key(path, key)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentFault, match="exists already"):
        write_key(tmp_path / "link", key)


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    write_key(tmp_path / "a.key", ADA)
    (tmp_path / "a.key").chmod(0o640)
    with pytest.raises(EnvironmentFault, match=r"chmod 600 .*a\.key"):
        read_signing_key(tmp_path / "a.key")


def test_a_damaged_key_file_is_refused(tmp_path: Path) -> None:
    write_key(tmp_path / "a.key", ADA)
    with pytest.raises(BadFile, match="x25519"):
        read_reader_key(tmp_path / "a.key")
    text = (tmp_path / "a.key").read_bytes()
    for at, damaged in enumerate((b"", text[:-2], text + b"more", text[:-2] + b"!\n", text[:-2] + b"F\n")):
        write_private(tmp_path / f"{at}.key", damaged)
        with pytest.raises(BadFile):
            read_signing_key(tmp_path / f"{at}.key")


def test_a_file_that_cannot_be_written_is_not_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", Mock(side_effect=OSError(28, "No space left on device")))
        with pytest.raises(EnvironmentFault, match="No space left"):
            write_private(tmp_path / "a", b"text")
    write_private(tmp_path / "a", b"text")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_private(tmp_path / "none" / "a", b"text")


def test_public_keys_are_text_of_their_kind() -> None:
    """A key of another kind, another spelling of it, or a point that nobody can have made is refused."""
    for kind, public in ((SIGNING_KIND, ADA.public), (READING_KIND, FIRST.public)):
        text = format_public(kind, public)
        assert parse_public(kind, text) == public
        other = READING_KIND if kind == SIGNING_KIND else SIGNING_KIND
        low = format_public(kind, b"\x01" + bytes(31))
        for wrong in (text.replace(kind, other), text[:-1], f"{text}=", f" {text}", low, "", "ed25519:"):
            with pytest.raises(ValueError):
                parse_public(kind, wrong)


def test_eight_words_carry_eighty_bits() -> None:
    """1,024 words, none twice; each begins with four letters of its own, and no two are one letter apart."""
    words = word_list()
    assert len(words) == len(set(words)) == 2**keys.WORD_BITS
    assert keys.WORDS * keys.WORD_BITS == 80
    assert all(word.isascii() and word.isalpha() and word.islower() and 4 <= len(word) <= 9 for word in words)
    assert len({word[:4] for word in words}) == len(words)
    one_letter_gone = [{word[:at] + word[at + 1 :] for at in range(len(word))} for word in words]
    assert not set(words) & set(itertools.chain.from_iterable(one_letter_gone))
    wildcards = [word[:at] + "?" + word[at + 1 :] for word in words for at in range(len(word))]
    assert len(wildcards) == len(set(wildcards))


def test_words_stand_for_the_whole_key() -> None:
    """The same key has the same words, on every machine and in every release; another key has others."""
    words = key_words(ADA.public)
    assert words == ("enamel", "chalk", "decade", "convoy", "seed", "chrome", "shower", "lemon")
    assert all(word in word_list() for word in words)
    assert sum(a != b for a, b in zip(words, key_words(EVE.public), strict=True)) >= 6


def test_words_are_hashed_hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try to find a key with the same words takes a memory-hard hash of 16 MB."""
    used: list[dict[str, object]] = []

    def note(*given: bytes, **options: object) -> bytes:
        used.append(options)
        return bytes(10)

    monkeypatch.setattr(hashlib, "scrypt", note)
    key_words(b"no other test uses these bytes..")
    assert [(call["n"], call["r"], call["p"]) for call in used] == [(2**14, 8, 1)]


def test_nothing_shows_a_key(tmp_path: Path) -> None:
    """Neither `repr` nor an error names a private key, in bytes, in base64 or in hexadecimal."""
    shown = [repr(ADA), repr(FIRST), f"{ADA}", str([ADA])]
    write_key(tmp_path / "a.key", ADA)
    attempts = (
        lambda: read_reader_key(tmp_path / "a.key"),
        lambda: verify(EVE.public, b"message", ADA.sign(b"message")),
        lambda: open_sealed(seal(b"m", [SECOND.public]), FIRST),
        lambda: SigningKey(ADA.expose() + b"x"),
        lambda: write_key(tmp_path / "a.key", ADA),
    )
    for attempt in attempts:
        with pytest.raises((BadFile, ValueError, EnvironmentFault)) as caught:
            attempt()
        shown.append("".join(traceback.format_exception_only(caught.value)))
    text = "\n".join(shown)
    for key in (ADA, EVE, FIRST, SECOND):
        secrets = (key.expose().decode(), key.expose().hex(), format_public("", key.expose())[1:], repr(key.expose()))
        assert not [secret for secret in secrets if secret in text]
    stored = (tmp_path / "a.key").read_text()
    assert format_public("", ADA.expose())[1:] in stored  # the control: it is found where it is
