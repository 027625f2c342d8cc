"""The bundle of a study: its file and consent texts, signed, as participants get it.

The key that signs is named in the study file itself, so a bundle proves that it is whole, not who made it: that a
person sees by the key's eight words, which stand on the paper form too. From the first bundle on the key must stay the
same.
"""

import hashlib
from typing import Annotated, Self

import msgspec
from msgspec import Meta

from participant.documents.keys import BadSignatureError
from participant.documents.names import Digest, Name
from participant.documents.plan import MAX_FILE_BYTES, Plan, parse_plan
from participant.documents.signed import DocumentKind, read_claim
from storage.errors import BadFile
from storage.plain_text import plain

MAX_CONSENT_BYTES = 32 << 10
MAX_LANGUAGES = 8
MAX_BUNDLE_BYTES = MAX_FILE_BYTES + MAX_LANGUAGES * MAX_CONSENT_BYTES + 4096

Language = Annotated[str, Meta(pattern=r"^[a-z]{2}\Z")]
"""ISO 639-1, such as `en`."""


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text with its SHA-256, which a consent names."""

    text: str
    sha256: Digest

    @classmethod
    def of(cls, text: str) -> Self:
        """Return a text with its digest."""
        return cls(text=text, sha256=hashlib.sha256(text.encode()).digest())


class BundleBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed. Name and version repeat the study file's, for those who do not read TOML."""

    name: Name
    version: Annotated[int, Meta(ge=1, le=9_999)]
    plan: Document
    consent: Annotated[dict[Language, Document], Meta(min_length=1, max_length=MAX_LANGUAGES)]


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle whose signature and contents were checked; `digest` is the SHA-256 of all its bytes."""

    plan: Plan
    plan_text: str
    consent: dict[str, Document]
    digest: bytes


def read_bundle(raw: bytes, *, after: Bundle | None = None) -> Bundle:
    """Return a bundle, once all of it was checked.

    `after`: the one before it of the same study, which the same key must have signed; None for the first.

    Raises:
        BadFile: it is damaged, changed, contradicts itself, or asks for what no study may.
    """
    claim = read_claim(raw, DocumentKind.STUDY, BundleBody, limit=MAX_BUNDLE_BYTES)
    plan = parse_plan(claim.body.plan.text, where="the study file in this bundle")
    body = claim.verified_by(plan.signing_key)
    if after is not None:
        _check_follows(plan, after.plan)
    if (body.name, body.version) != (plan.name, plan.version):
        raise BadFile("this bundle and the study file in it differ in name or version")
    for language, document in body.consent.items():
        check_consent(document.text, where=f"the consent text {language} in this bundle")
    if any(Document.of(text.text) != text for text in (body.plan, *body.consent.values())):
        raise BadFile("a text in this bundle is not the one that its digest is of")
    return Bundle(plan=plan, plan_text=body.plan.text, consent=body.consent, digest=hashlib.sha256(raw).digest())


def _check_follows(plan: Plan, before: Plan) -> None:
    if plan.signing_key != before.signing_key:
        raise BadSignatureError("this bundle is signed by another key than the one before", remedy="ask who sent it")
    if plan.name != before.name or plan.version <= before.version:
        raise BadFile("this bundle is of another study, or no newer than the one before", remedy="ask who sent it")
    if plan.arms != before.arms or plan.outcome != before.outcome:  # invitations name an arm by its place
        raise BadFile("this bundle changes the arms or the outcome of the study", remedy="make a new study for them")


def check_consent(text: str, *, where: str) -> None:
    """Check that a consent text is visible text of limited length.

    Raises:
        BadFile: it is empty, too long, or holds characters that a person does not see.
    """
    if len(text.encode(errors="replace")) > MAX_CONSENT_BYTES:
        raise BadFile(f"{where} is longer than {MAX_CONSENT_BYTES >> 10} kB")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    shown = "\n".join(line for line in lines if line)
    if not shown or plain(shown, len(shown)) != shown:
        raise BadFile(f"{where} is empty, or holds characters that nobody can see", remedy="take them out")
