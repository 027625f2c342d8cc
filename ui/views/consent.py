"""What the consent window says: what is watched and stored, where, for how long, and the separate choices."""

from dataclasses import dataclass
from pathlib import Path

from storage.settings import StorageSettings


@dataclass(frozen=True, slots=True)
class Choice:
    """A heading and what it means, in the consent window."""

    head: str
    text: str


CONSENT_TITLE = "Before Kairos starts"

CONSENT_LEAD = (
    "Kairos watches how you work, notices when you seem stuck, and offers help at a quiet moment. "
    "It never acts by itself. Nothing has been watched so far."
)

CONSENT_JOURNAL = Choice(
    "Keep the &journal (needed to work)",
    "When something changed and where, which application was in front, kinds of keys and clicks, what Kairos made of "
    "it and what you answered. No pictures, no window titles, no text.",
)

CONSENT_RECORDING = Choice(
    "&Record the screen as well (you can do without)",
    "A video, at most two pictures a second, what models saw, and full window titles, so that you can look at a moment "
    "again. Anything on the screen can be in it, your own text too.",
)

CONSENT_QUIET = Choice(
    "Stay silent on the &first day (you can do without)",
    "Offers are only written down for 24 hours, and then summed up for you once.",
)


def consent_facts(sessions_dir: Path, storage: StorageSettings, sent: str = "") -> tuple[Choice, ...]:
    """Say what is watched and kept, where and for how long, with the settings in force.

    Args:
        sessions_dir: where sessions are kept.
        storage: for how long.
        sent: what is sent to models, in plain words; empty: nothing.
    """
    days = "1 day" if storage.keep_days == 1 else f"{storage.keep_days} days"
    return (
        Choice(
            "Watched",
            "Changes on the screen, the application in front, mouse movements and clicks, and the kind of each key: "
            "a character, backspace, undo. Never which character.",
        ),
        Choice(
            "Never kept",
            "Password managers, private browser windows and whatever else you exclude, and anything while Kairos is "
            "paused or private.",
        ),
        Choice("Kept in", f"{sessions_dir}\nReadable by your user account alone; not encrypted by Kairos."),
        Choice(
            "Kept for",
            f"{days} and at most {storage.keep_gb:g} GB; you are told before the oldest is deleted. You can delete "
            "any session yourself.",
        ),
        Choice("Sent", sent or "Nothing. All stays on this machine, as long as you switch on no model elsewhere."),
    )
