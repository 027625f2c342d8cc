"""The folder of a study that this person has joined, `studies/NAME` in the data folder.

    participant.key   signs this person's parcels; made here, and nobody else has it
    invitation        the file they joined with: it holds the password at the broker and the key of the invitation
    bundle            the study in force, which may be newer than the one in the invitation
    consent.json      what they agreed to, switch by switch
    outbox.db         their parcels and how far they are

The folder is 0700 and its files 0600. It stays after the study, without the key, so that what was sent can be seen.
"""

from pathlib import Path

from storage.files import state_folder

FOLDER = "studies"


def studies_folder() -> Path:
    """Return the folder of all studies that this person has joined; it may not exist."""
    return state_folder() / FOLDER


class ParticipantFolder:
    """One joined study, and its files as above; none of them need exist."""

    def __init__(self, path: Path) -> None:
        """Take the path of the folder, whose name is the study's."""
        self.path = path
        self.study = path.name
        self.key = path / "participant.key"
        self.invitation = path / "invitation"
        self.bundle = path / "bundle"
        self.consent = path / "consent.json"
        self.outbox = path / "outbox.db"


def joined_folder(study: str) -> ParticipantFolder:
    """Return the folder of a study by its name."""
    return ParticipantFolder(studies_folder() / study)
