"""Opens recordings that participants gave. They lie beside the tables, and go when their person goes."""

import hashlib
import os
from pathlib import Path

from participant.documents.keys import SIGNING_KIND, parse_public
from participant.documents.private_files import replace_private
from participant.documents.recording import MAX_GIVEN_BYTES, claim_recording, open_recording
from storage.errors import BadFile
from storage.files import open_regular, private_folder
from study.opening.ledger import purged_participants
from study.researcher.folder import StudyFolder

RECORDINGS = "recordings"


def take_recording(folder: StudyFolder, path: Path) -> tuple[str, Path, bool]:
    """Open a recording; return by whom it is, where it lies, and whether it is new.

    Raises:
        BadFile: it is damaged, of somebody who was not invited or has left, or its key was destroyed.
        EnvironmentFault: it cannot be written.
    """
    with open_regular(path, follow_links=True) as file:
        size = os.fstat(file.fileno()).st_size  # reading sets aside as much memory as it is asked for
        raw = file.read(min(size, MAX_GIVEN_BYTES) + 1)
    try:
        claim = claim_recording(raw)
    except BadFile as fault:
        raise BadFile(f"{path}: {fault.what}", remedy=fault.remedy) from fault
    whose = claim.body.whose
    with folder.locked():
        bundle, _ = folder.signed_bundle()
        listed = next((each for each in folder.participants() if each.participant == whose.participant), None)
        if listed is None or whose.study != bundle.plan.name:
            raise BadFile(f"{path} is by nobody who was invited to this study", remedy="name the folder of its study")
        if whose.participant in purged_participants(folder.path):
            raise BadFile(f"{path} is by somebody who has left", remedy="delete the file")
        reader = folder.participant_key(bundle.plan, whose.participant, folder.reader_key())
        join_key = parse_public(SIGNING_KIND, listed.join_key)
        content = open_recording(claim, study=bundle.plan.name, join_key=join_key, reader=reader)
        name = f"{hashlib.sha256(content).hexdigest()[:16]}.kairos"
        private_folder(folder.path / RECORDINGS)
        target = private_folder(folder.path / RECORDINGS / whose.participant) / name
        if target.exists():
            return whose.participant, target, False
        replace_private(target, content)
        return whose.participant, target, True
