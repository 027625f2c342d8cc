"""Closes a study on the researcher's machine: a signed statement that it is over, for the collector to pass on."""

from pathlib import Path

from participant.documents.closing import MAX_CLOSING_BYTES, Closing, closing_file, read_closing, write_closing
from participant.documents.keys import write_private
from participant.documents.plan import Plan
from storage.plain_file import open_regular
from study.opening.open_study import signed_bundle
from study.researcher.folder import StudyFolder

_DAY_NS = 24 * 3600 * 1_000_000_000


def is_over(folder: Path, plan: Plan) -> bool:
    """Whether the study was closed.

    Raises:
        BadFile: the statement is damaged, or not signed by the study's key.
    """
    path = closing_file(folder, plan.name)
    if not path.exists():
        return False
    with open_regular(path) as file:
        read_closing(file.read(MAX_CLOSING_BYTES + 1), study=plan.name, key=plan.signing_key)
    return True


def close_study(folder: StudyFolder, *, wall_ns: int) -> tuple[Path, bool]:
    """Sign the end of a study; return the file, and whether it is new.

    Raises:
        UsageError: the study was not signed yet.
        BadFile: a key or a statement is not the study's.
        EnvironmentFault: the file cannot be written.
    """
    with folder.locked():
        bundle = signed_bundle(folder)
        plan = bundle.plan
        path = closing_file(folder.path, plan.name)
        if is_over(folder.path, plan):
            return path, False
        closing = Closing(study=plan.name, study_version=plan.version, bundle=bundle.digest, date=wall_ns // _DAY_NS)
        raw = write_closing(closing, folder.signing_key())
        read_closing(raw, study=plan.name, key=plan.signing_key)
        write_private(path, raw)
        return path, True
