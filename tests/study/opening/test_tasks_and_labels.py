"""Tasks and labels where they are opened: the newest row of a label counts, and what was not agreed to is named."""

from pathlib import Path

import msgspec

from participant.documents.rows import LabelRow, TaskRow
from storage.records import NeedLabel, State
from study.audit.tables import audit_tables
from study.opening.tables import read_tables
from study.researcher.folder import StudyFolder
from tests.fakes.studies.collected_study import CollectedStudy, collect, make_study, send

LABEL = LabelRow(
    label="00000000000000aa",
    day=9,
    minute=602,
    phase="trial",
    arm="help",
    seconds=60,
    states=(State.FRUSTRATION, State.WAITING),
    need=NeedLabel.YES,
)
TASK = TaskRow(day=9, minute=601, phase="trial", arm="help", task="sort", seconds=240, end="done", skill=2)


def test_the_newest_row_of_a_label_counts_and_what_was_not_agreed_to_is_named(tmp_path: Path) -> None:
    """The study of the control asks for neither; the whole path has the same with a study that does."""
    study = CollectedStudy(tmp_path, make_study(tmp_path / "study", people=2))
    sender = study.senders[0]
    own, task = (msgspec.structs.replace(row, arm=sender.arm) for row in (LABEL, TASK))
    other = msgspec.structs.replace(own, label="00000000000000bb", said="out loud")
    corrected = msgspec.structs.replace(own, need=NeedLabel.NO)
    send(sender, [own, other, task, corrected])
    sender.pack([msgspec.structs.replace(other, taken_back=True), msgspec.structs.replace(other, label="c" * 16)])
    study.data.parent.mkdir()
    collect(study.data, [sender])
    opened = study.open()
    assert (opened.rows["labels"], opened.rows["tasks"]) == (2, 1)
    rows = study.read("SELECT label, need, states, said FROM labels ORDER BY label")
    assert rows == [
        ("00000000000000aa", "no", ["frustration", "waiting"], ""),
        ("c" * 16, "yes", ["frustration", "waiting"], "out loud"),
    ]
    plans = {bundle.plan.version: bundle.plan for bundle, _ in StudyFolder(study.folder).bundles()}
    with read_tables(study.folder) as tables:
        found = sorted((row.table, row.what) for row in audit_tables(tables, plans).findings)
    assert found == [
        ("labels", "it holds words, and the consent before it sends none"),
        ("labels", "the consent before it does not send labels"),
        ("labels", "the consent before it does not send labels"),
        ("tasks", "it names a task that the study does not have"),
        ("tasks", "the consent before it does not send tasks"),
    ]
