"""Says before pictures of the screen go to a model: where to, what happens to them there, and what is kept here.

Shown where people agree to being watched, and where they switch a model on; the words are in `storage.consent_text`,
but for those that belong to the choice of a model alone.
"""

from storage.consent_text import SENT_ELSEWHERE, SENT_ELSEWHERE_NOTE, SENT_HERE, SENT_PICTURES
from storage.errors import UsageError
from storage.records import ModelTier
from storage.settings import Settings
from storage.translation import ENGLISH, Language, translatable

SENT_FOR_ANSWERS = translatable("For an answer on the card also names and messages on the screen, and what you typed.")
"""What such an answer takes; one elsewhere is asked for by a click, unless the settings say more."""

AND = translatable("{one}, and {other}")
"""Between two destinations."""

NOTES = (
    translatable("asked not to store anything"),
    translatable("without billing Google may use what is sent to improve its products"),
    translatable("who reads what is sent depends on it, and so does everything else: run the probe"),
)
"""Clauses of the presets' notes that may be shown here."""

_MARKS = ("sent", "store")
"""A clause of a preset's note with one of these is about what happens to pictures there."""


def describe_sent(settings: Settings, language: Language = ENGLISH) -> str:
    """Return what is sent to whom under these settings; empty if nothing is.

    A tier that cannot be asked as things stand is left out: without permission nothing goes there.
    """
    from daemon.models.tiers import settings_of

    if not any(settings_of(settings, tier).preset for tier in ModelTier):
        return ""
    destinations = list(dict.fromkeys(filter(None, (_destination(settings, tier, language) for tier in ModelTier))))
    listed = destinations[0] if destinations else ""
    for further in destinations[1:]:
        listed = language.say(AND, {"one": listed, "other": further})
    if not listed:
        return ""
    pictures = language.say(SENT_PICTURES, {"destinations": listed})
    writes = {settings.help.model, settings.help.remote_model} != {"off"}
    return f"{pictures}. {language.find(SENT_FOR_ANSWERS)}" if writes else pictures


def _destination(settings: Settings, tier: ModelTier, language: Language) -> str:
    from daemon.models.tiers import preset_of, settings_of
    from detectors.mllm.client.address import NetworkScope, parse_address

    chosen = settings_of(settings, tier)
    if not chosen.preset:
        return ""
    try:
        preset = preset_of(chosen.preset)
        address = parse_address(chosen.url or preset.url, send_screens=chosen.send_screens)
    except UsageError:
        return ""
    if address.scope is NetworkScope.LOOPBACK:
        return language.say(SENT_HERE, {"preset": preset.name})
    note = "; ".join(
        language.find(clause) for clause in preset.note.split("; ") if any(mark in clause for mark in _MARKS)
    )
    if preset.remote and note:
        return language.say(SENT_ELSEWHERE_NOTE, {"host": address.host, "note": note})
    return language.say(SENT_ELSEWHERE, {"host": address.host})
