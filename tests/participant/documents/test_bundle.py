"""The bundle: what was signed comes out whole, and whatever was changed since is refused."""

import hashlib
import random

import msgspec
import pytest

from participant.documents.bundle import MAX_BUNDLE_BYTES, MAX_CONSENT_BYTES, BundleBody, Document, read_bundle
from participant.documents.keys import SIGNING_KIND, BadSignatureError, format_public, key_words
from participant.documents.signed import DocumentKind, read_claim, write_signed
from storage.errors import BadFile
from study.researcher.documents import write_bundle
from tests.fakes.studies.documents import CONSENT, PLAN, SIGNING, STRANGER, bundle, bundle_bytes

NEWER = PLAN.replace("version = 1", "version = 2")
THEIRS = PLAN.replace(format_public(SIGNING_KIND, SIGNING.public), format_public(SIGNING_KIND, STRANGER.public))


def resigned(**changes: object) -> bytes:
    honest = read_claim(bundle_bytes(), DocumentKind.STUDY, BundleBody, limit=MAX_BUNDLE_BYTES).body
    return write_signed(DocumentKind.STUDY, msgspec.structs.replace(honest, **changes), SIGNING)


def document(text: str) -> Document:
    return Document(text=text, sha256=hashlib.sha256(text.encode()).digest())


def test_what_was_signed_comes_out() -> None:
    found = read_bundle(bundle_bytes())
    assert (found.plan.name, found.plan.version, found.plan_text) == ("sheets", 1, PLAN)
    assert found.consent["en"].text == CONSENT
    assert found.consent["en"].sha256 == hashlib.sha256(CONSENT.encode()).digest()
    assert found.digest == hashlib.sha256(bundle_bytes()).digest()
    assert read_bundle(resigned()) == found  # the control of what is resigned below


def test_a_study_has_one_bundle() -> None:
    """The same texts and key give the same bytes, in whatever order the languages come."""
    texts = {"en": CONSENT, "de": "# Hilfe\n"}
    assert bundle_bytes() == bundle_bytes()
    assert write_bundle(PLAN, texts, SIGNING) == write_bundle(PLAN, dict(reversed(texts.items())), SIGNING)


def test_any_changed_byte_is_refused() -> None:
    raw = bundle_bytes()
    rng = random.Random(7)
    for at in (*range(100), *rng.sample(range(100, len(raw)), 100)):
        with pytest.raises(BadFile):
            read_bundle(bytes([*raw[:at], raw[at] ^ 1 << rng.randrange(8), *raw[at + 1 :]]))
    for length in rng.sample(range(len(raw)), 100):
        with pytest.raises(BadFile):
            read_bundle(raw[:length])


@pytest.mark.slow
def test_every_changed_byte_is_refused() -> None:
    raw = bundle_bytes()
    for at in range(len(raw)):
        with pytest.raises(BadFile):
            read_bundle(bytes([*raw[:at], raw[at] ^ 1 << at % 8, *raw[at + 1 :]]))


def test_somebody_else_s_signature_is_refused() -> None:
    """The key that the study file names must sign; a study of one's own has other words."""
    with pytest.raises(BadFile, match="not the public half"):
        write_bundle(PLAN, {"en": CONSENT}, STRANGER)
    claim = read_claim(bundle_bytes(), DocumentKind.STUDY, BundleBody, limit=MAX_BUNDLE_BYTES)
    with pytest.raises(BadSignatureError):
        read_bundle(write_signed(DocumentKind.STUDY, claim.body, STRANGER))
    theirs = read_bundle(write_bundle(THEIRS, {"en": CONSENT}, STRANGER))
    assert key_words(theirs.plan.signing_key) != key_words(SIGNING.public)


def test_what_contradicts_itself_is_refused_though_it_is_signed() -> None:
    """Name, version and digests are those of the texts, which are valid."""
    widening = PLAN.replace("[prompts]", "[fence]\nexcluded_apps = []\n[prompts]")
    wrong: list[dict[str, object]] = [
        {"name": "other"},
        {"version": 2},
        {"plan": Document(text=PLAN, sha256=bytes(32))},
        {"plan": document(widening)},
        {"plan": document("")},
        {"consent": {"en": Document(text=CONSENT, sha256=bytes(32))}},
        {"consent": {"en": document("")}},
        {"consent": {"en": document("agree\u202e")}},
        {"consent": {"en": document("x" * (MAX_CONSENT_BYTES + 1))}},
        {"consent": {}},
        {"consent": {"../x": document(CONSENT)}},
    ]
    for changes in wrong:
        with pytest.raises(BadFile):
            read_bundle(resigned(**changes))


def test_what_participants_could_not_read_is_not_signed() -> None:
    for plan, consent in (
        (PLAN.replace("days = 28", "days = 29"), {"en": CONSENT}),
        (PLAN, {"en": " \n"}),
        (PLAN, {"en": "\x1b[2J"}),
        (PLAN, {"english": CONSENT}),
        (PLAN, {}),
    ):
        with pytest.raises(BadFile):
            write_bundle(plan, consent, SIGNING)


def test_a_later_bundle_has_the_same_key_and_a_higher_version() -> None:
    """Else somebody could take a study over, or bring an old consent back."""
    first = bundle()
    second = read_bundle(write_bundle(NEWER, {"en": CONSENT}, SIGNING), after=first)
    assert second.plan.version == 2
    with pytest.raises(BadFile, match="no newer"):
        read_bundle(bundle_bytes(), after=second)
    with pytest.raises(BadFile, match="no newer"):
        read_bundle(bundle_bytes(), after=first)
    with pytest.raises(BadFile, match="another study"):
        read_bundle(write_bundle(NEWER.replace('"sheets"', '"slides"'), {"en": CONSENT}, SIGNING), after=first)
    theirs = THEIRS.replace("version = 1", "version = 2")
    with pytest.raises(BadSignatureError, match="another key"):
        read_bundle(write_bundle(theirs, {"en": CONSENT}, STRANGER), after=first)
