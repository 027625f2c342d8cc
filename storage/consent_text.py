"""The words people agree to: in the consent window, in `kairos consent`, and where they switch a model on.

They stand in `data/consent.toml` and here alone. A change of any of them needs a new `CONSENT_VERSION`, with which
people are asked again; a test compares a digest of the words with the version.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from storage.settings import StorageSettings
from storage.translation import ENGLISH, Language, translatable
from storage.translation.sentences import read_texts

CONSENT_VERSION = 2
"""Version of these words; a consent given to another version does not count."""

CONTROLS_VERSION = 3
"""Version of the words whose names begin with `CONTROLS_`; a yes to another version of them does not count."""


SPEECH_VERSION = 1
"""Version of the words whose names begin with `SPEECH_`, in the same way."""


@dataclass(frozen=True, slots=True)
class ConsentItem:
    """A heading and what it means."""

    head: str
    text: str


_TEXTS = read_texts("consent")


def _item(texts: dict[str, str]) -> ConsentItem:
    return ConsentItem(texts["head"], texts["text"])


CONSENT_TITLE: str = _TEXTS["title"]
CONSENT_LEAD: str = _TEXTS["lead"]
CONSENT_UNWATCHED: str = _TEXTS["unwatched"]
CONSENT_STORED: str = _TEXTS["stored"]
"""In place of `CONSENT_UNWATCHED` for who comes back; `sessions` is how many are stored."""
CONSENT_JOURNAL = _item(_TEXTS["journal"])
CONSENT_RECORDING = _item(_TEXTS["recording"])
CONSENT_QUIET = _item(_TEXTS["quiet"])
CONTROLS_CHOICE = _item(_TEXTS["controls"])
SPEECH_CHOICE = _item(_TEXTS["speech"])
SETTING_TEXTS: Mapping[str, str] = {
    "capture.record_screen": CONSENT_RECORDING.text,
    "capture.understand_controls": CONTROLS_CHOICE.text,
    "capture.record_speech": SPEECH_CHOICE.text,
    **_TEXTS["settings"],
}
"""What somebody agrees to who turns one of these settings on. A new start of consent puts each to its default."""

CONTROLS_OUTPUTS = SETTING_TEXTS["capture.read_outputs"]
CONSENT_FACTS = tuple(map(_item, _TEXTS["facts"]))
"""What is watched, kept and sent; `consent_facts` fills in what the settings decide."""

NOTHING_SENT: str = _TEXTS["nothing_sent"]

# shown by `kairos consent`
COMMAND_JOURNAL = """\
The journal keeps, on this machine only: when and where you click, scroll and type (kinds of keys such as
"character" or "undo", never which key), which application is in front, which parts of the screen changed, and what
Kairos made of it. No pictures, no window titles, no text. Kairos cannot work without it."""

COMMAND_RECORDING = """\
The recording keeps, besides, a small video of the screen, full window titles, and the very pictures that
went to models you switched on, on this machine only.
It is for people who take part in a study or want to replay their own work. Off unless you choose it."""

CONTROLS_COMMAND = """\
Understanding controls reads from the desktop's accessibility interface which button or field you use, which dialog or
error message appears and, where help is looked for, which controls the window in front shows. The entries of its menus
are read too, and kept in memory alone. What a program writes after a command, in a part without the keyboard, is
looked through for a line that names an error; what you type is not read, unless a program repeats it there. The
journal keeps the kind of each and a keyed digest of its words, of controls in sight kind, state and place; the words
themselves only with the recording. Password fields are recognized and covered, private browser windows are told from
ordinary ones. It turns the interface on for this desktop, and in Chromium and its kin for all pages until the browser
ends: any program you run can then read the texts of other programs, web pages and typed letters too. Taking the choice
back turns the interface off again if Kairos turned it on. Programs that run already take part after a restart. Off
unless you choose it."""

SPEECH_COMMAND = """\
Recording what you say keeps the sound of the microphone, on this machine only, so that what you think aloud stands
beside your work. Whoever else speaks in the room is recorded too: ask them first. Nothing of it is kept while Kairos is
paused or private, the screen is locked, another program uses microphone or camera, or an excluded window is on the
screen. Off unless you choose it."""

COMMAND_QUIET = """\
For the first 24 hours offers are decided and written down, and not shown. Afterwards Kairos says
once how many there would have been, when and about what, and begins to show them. At any time: kairos why."""

SENT_PICTURES: str = _TEXTS["sent"]["pictures"]
SENT_HERE: str = _TEXTS["sent"]["here"]
SENT_ELSEWHERE: str = _TEXTS["sent"]["elsewhere"]
SENT_ELSEWHERE_NOTE: str = _TEXTS["sent"]["elsewhere_note"]


def words_digest(language: Language = ENGLISH, desktop: Sequence[str] = ()) -> str:
    """Return the SHA-256, in hexadecimal, of all words about consent in a language, settings not filled in.

    `desktop` are the lines about what this desktop tells (`storage.capabilities`), where it does not tell all.

    A consent keeps it, so that it stays known which words somebody was shown. What counts is the version, which all
    languages share.
    """
    items = (CONSENT_JOURNAL, CONSENT_RECORDING, CONSENT_QUIET, CONTROLS_CHOICE, SPEECH_CHOICE, *CONSENT_FACTS)
    lead = (CONSENT_TITLE, CONSENT_LEAD, CONSENT_UNWATCHED, CONSENT_STORED, NOTHING_SENT)
    window = [*lead, *(part for item in items for part in (item.head, item.text))]
    command = [COMMAND_JOURNAL, COMMAND_RECORDING, CONTROLS_COMMAND, SPEECH_COMMAND, COMMAND_QUIET]
    sent = [SENT_PICTURES, SENT_HERE, SENT_ELSEWHERE, SENT_ELSEWHERE_NOTE]
    words = [*(language.find(source) for source in (*window, *sent)), *command, *desktop]
    return hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()


def consent_facts(
    sessions_dir: Path,
    storage: StorageSettings,
    sent: str = "",
    language: Language = ENGLISH,
    desktop: Sequence[str] = (),
) -> tuple[ConsentItem, ...]:
    """Return what is watched and kept, where and for how long, with the settings in force.

    Args:
        sessions_dir: the folder of all sessions.
        storage: for how long they are kept.
        sent: what is sent to models (`daemon.models.disclosure`), in this language; empty: nothing.
        language: that of the words.
        desktop: what this desktop does not tell in full, a line each; none where it tells all.
    """
    values = {
        "sessions_dir": sessions_dir,
        "days": language.say(translatable("{days:day|days}"), {"days": storage.keep_days}),
        "keep_gb": storage.keep_gb,
        "sent": sent or language.find(NOTHING_SENT),
    }
    facts = tuple(ConsentItem(language.find(item.head), language.say(item.text, values)) for item in CONSENT_FACTS)
    if not desktop:
        return facts
    return (facts[0], ConsentItem(language.find(translatable("On this desktop")), "\n".join(desktop)), *facts[1:])
