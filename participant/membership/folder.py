"""The folder of a study that this person has joined, `studies/NAME` in the data folder.

    participant.key   signs this person's parcels; made here, and nobody else has it
    invitation        the file they joined with: it holds the password at the broker and the key of the invitation
    bundle            the study in force, which may be newer than the one in the invitation
    consent.json      what they agreed to, switch by switch
    outbox.db         their parcels and how far they are

The folder is 0700 and its files 0600. It stays after the study, without the key, so that what was sent can be seen.
"""

from dataclasses import dataclass
from pathlib import Path

from storage.files import state_folder

FOLDER = "studies"


def studies_folder() -> Path:
    """Return the folder of all studies that this person has joined; it may not exist."""
    return state_folder() / FOLDER


@dataclass(frozen=True, slots=True)
class ParticipantFolder:
    """One joined study; none of its files need exist."""

    path: Path

    @property
    def study(self) -> str:
        """The name of the study."""
        return self.path.name

    @property
    def key(self) -> Path:
        """The participant's private signing key."""
        return self.path / "participant.key"

    @property
    def invitation(self) -> Path:
        """The invitation, as it came."""
        return self.path / "invitation"

    @property
    def bundle(self) -> Path:
        """The signed study in force, as it came."""
        return self.path / "bundle"

    @property
    def consent(self) -> Path:
        """What the person agreed to."""
        return self.path / "consent.json"

    @property
    def outbox(self) -> Path:
        """The parcels."""
        return self.path / "outbox.db"


def joined_folder(study: str) -> ParticipantFolder:
    """Return the folder of a study by its name."""
    return ParticipantFolder(studies_folder() / study)
