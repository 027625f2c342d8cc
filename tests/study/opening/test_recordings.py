"""`kairos study receive-recording`: who gave it is checked, and it goes when its person goes."""

from pathlib import Path

import pytest

from participant.commands.study import register
from participant.documents.keys import SigningKey
from participant.documents.recording import write_recording
from storage.clock import DAY_NS
from storage.errors import BadFile
from study.opening.deletion import files_with, purge
from study.opening.recordings import RECORDINGS, take_recording
from study.researcher.folder import StudyFolder
from tests.fakes.commands.command_line import run_command
from tests.fakes.studies.collected_study import CollectedStudy, change_data

MARKER = b"PK a recording of somebody"
LEFT_WALL_NS = 100 * DAY_NS


def test_a_recording_lies_in_the_study_until_its_person_has_left(
    study: CollectedStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Taken in twice it is one; by a purge it is destroyed with the key, and the file opens no more."""
    giver, other = study.senders[:2]
    paths = []
    for sender in (giver, other):
        paths.append(tmp_path / f"{sender.participant}.kairos-recording")
        paths[-1].write_bytes(write_recording(MARKER + sender.participant.encode(), sender.invitation, sender.key))
    answer = run_command(register, capsys, "study", "receive-recording", str(paths[0]), "--into", str(study.folder))
    assert answer.code == 0
    folder = StudyFolder(study.folder)
    _, path, is_new = take_recording(folder, paths[0])
    assert not is_new
    assert path.read_bytes() == MARKER + giver.participant.encode()
    assert path.stat().st_mode & 0o077 == 0
    _, kept, _ = take_recording(folder, paths[1])
    sql = "UPDATE participants SET withdrawal = ?, withdrawn_wall_ns = ? WHERE participant = ?"
    change_data(study.data, sql, giver.withdraw(keep=False), LEFT_WALL_NS, giver.participant)
    purge(study.folder, [study.data], wall_ns=LEFT_WALL_NS + DAY_NS)
    assert files_with(study.folder / RECORDINGS, MARKER) == [kept]
    with pytest.raises(BadFile, match="has left"):
        take_recording(folder, paths[0])


def test_a_recording_of_nobody_invited_or_signed_by_another_is_refused(study: CollectedStudy, tmp_path: Path) -> None:
    """Control: the person's own key is taken."""
    giver, other = study.senders[:2]
    folder = StudyFolder(study.folder)
    path = tmp_path / "given"
    stranger = SigningKey(b"9" * 32)
    path.write_bytes(write_recording(MARKER, giver.invitation, stranger))
    take_recording(folder, path)  # whoever has the invitation may join with a key of their own
    raw = write_recording(MARKER, giver.invitation, giver.key)
    forged = write_recording(MARKER, other.invitation, other.key)
    path.write_bytes(raw[:100] + forged[100:])
    with pytest.raises(BadFile):
        take_recording(folder, path)
    path.write_bytes(b"KAIROS-RECORDING-1\n")
    with pytest.raises(BadFile, match=path.name):
        take_recording(folder, path)
