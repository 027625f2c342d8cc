"""The command and the collector that tests of studies share."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from participant.documents import keys
from study.collector.collector import Collector
from study.researcher.folder import StudyFolder
from tests.fakes.commands.study_command import run
from tests.fakes.studies.collector import write_collector_folder

__all__ = ["run"]


@pytest.fixture(autouse=True, scope="session")
def cheap_words() -> Iterator[None]:
    """Have the words of a public key cost next to nothing here: nobody guesses keys, and each new one takes 0.05 s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(keys._SCRYPT, "n", 2)
        yield


@pytest.fixture
def files(tmp_path: Path) -> StudyFolder:
    return write_collector_folder(tmp_path / "sheets")


@pytest.fixture
def collector(files: StudyFolder, tmp_path: Path) -> Iterator[Collector]:
    with closing(Collector(files, tmp_path / "data")) as made:
        yield made
