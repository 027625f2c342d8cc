"""What people are told before pictures of their screen go to a model: where to, what becomes of them, and what is kept.

Said where they agree to being watched, and where they switch a model on.
"""

from storage.errors import UsageError
from storage.records import ModelTier
from storage.settings import Settings

_FATE = ("sent", "store")
"""What speaks of these in a preset's note is about what becomes of pictures."""


def sent_words(settings: Settings) -> str:
    """Return what is sent to whom under these settings, in plain words; empty if nothing is.

    A rung that cannot be asked as things stand is left out: without leave nothing goes there.
    """
    from daemon.models.tiers import settings_of

    if not any(settings_of(settings, rung).preset for rung in ModelTier):
        return ""
    found = [words for rung in ModelTier if (words := _rung_words(settings, rung))]
    if not found:
        return ""
    kept = "Kept here too (pictures only if recorded): kairos models sent"
    return f"Pictures of the screen: {', and '.join(dict.fromkeys(found))}. {kept}"


def _rung_words(settings: Settings, rung: ModelTier) -> str:
    from daemon.models.tiers import preset_of, settings_of
    from detectors.mllm.client.address import NetworkScope, parse_address

    chosen = settings_of(settings, rung)
    if not chosen.preset:
        return ""
    try:
        preset = preset_of(chosen.preset)
        address = parse_address(chosen.url or preset.url, send_screens=chosen.send_screens)
    except UsageError:
        return ""
    if address.scope is NetworkScope.LOOPBACK:
        return f"to a model on this machine ({preset.name})"
    fate = "; ".join(clause for clause in preset.note.split("; ") if any(word in clause for word in _FATE))
    return f"to {address.host}" + (f" ({fate})" if preset.remote and fate else "")
