"""Everything signed has one form: of one kind, in one way of writing it, by one key."""

import msgspec
import pytest

from participant.documents.keys import BadSignatureError, SigningKey
from participant.documents.signed import DocumentKind, decode, encode, read_claim, write_signed
from storage.errors import BadFile

KEY = SigningKey(b"k" * 32)


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to sign."""

    name: str
    counts: dict[str, int]


BODY = Body(name="x", counts={"b": 1, "a": 2})
RAW = write_signed(DocumentKind.RECEIPT, BODY, KEY)


def read(raw: bytes, kind: DocumentKind = DocumentKind.RECEIPT) -> Body:
    return read_claim(raw, kind, Body, limit=1000).verified_by(KEY.public)


def signed(body: bytes) -> bytes:
    line = DocumentKind.RECEIPT.line
    return line + KEY.sign(line + body) + body


def test_what_was_signed_comes_back() -> None:
    """The control of all below."""
    assert read(RAW) == BODY
    assert read(signed(encode(BODY))) == BODY


def test_any_changed_byte_is_refused() -> None:
    for at in range(len(RAW)):
        for bit in (1, 0x80):
            with pytest.raises(BadFile):
                read(bytes([*RAW[:at], RAW[at] ^ bit, *RAW[at + 1 :]]))


def test_cut_off_or_with_more_behind_it_is_refused() -> None:
    for raw in (*(RAW[:length] for length in range(len(RAW))), RAW + b"\0", RAW * 2):
        with pytest.raises(BadFile):
            read(raw)


def test_a_signature_of_one_kind_is_none_of_another() -> None:
    with pytest.raises(BadFile, match="is no parcel"):
        read(RAW, DocumentKind.PARCEL)
    with pytest.raises(BadSignatureError):
        read(RAW.replace(DocumentKind.RECEIPT.line, DocumentKind.PARCEL.line), DocumentKind.PARCEL)
    assert len({kind.line for kind in DocumentKind}) == len(DocumentKind)


@pytest.mark.parametrize(
    "body",
    [
        b"\x82\xa4name\xa1x\xa6counts\x82\xa1b\x01\xa1a\x02",
        b"\x82\xa6counts\x82\xa1a\x02\xa1b\x01\xa4name\xa1x",
        b"\x82\xa4name\xd9\x01x\xa6counts\x82\xa1a\x02\xa1b\x01",
        b"\x82\xa4name\xa1x\xa6counts\x83\xa1a\x02\xa1a\x02\xa1b\x01",
        b"\x83\xa4name\xa1x\xa6counts\x80\xa4more\x01",
        b"\x82\xa4name\x01\xa6counts\x80",
        b"\x82\xa4name\xa1\xff\xa6counts\x80",
        b"\x91" * 5000,
        b"\xdd\xff\xff\xff\xff",
        b"",
    ],
    ids=["keys", "fields", "long form", "twice", "unknown", "type", "UTF-8", "depth", "length", "nothing"],
)
def test_there_is_one_way_to_write_a_body(body: bytes) -> None:
    with pytest.raises(BadFile):
        read_claim(signed(body), DocumentKind.RECEIPT, Body, limit=10_000)


def test_what_is_too_long_is_not_read() -> None:
    with pytest.raises(BadFile, match="longer than 1000 bytes"):
        read(signed(encode(Body(name="x" * 1000, counts={}))))


def test_decoding_says_what_it_wanted() -> None:
    with pytest.raises(BadFile, match="not a valid list of rows") as caught:
        decode(encode(["marker"]), list[int], what="list of rows")
    assert "marker" not in caught.value.what
