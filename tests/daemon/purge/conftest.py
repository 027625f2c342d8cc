"""The fixture `remembered`: a data folder with marks in all places, made once and copied for each test."""

import shutil
from pathlib import Path

import pytest

from storage.paths import state_folder
from tests.fakes.remembered import Remembered, remember


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Remembered]:
    """Return a data folder that is only copied from, and what it holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("remembered")))
        found = remember()
        return state_folder(), found


@pytest.fixture
def remembered(made: tuple[Path, Remembered]) -> Remembered:
    """Fill the data folder of this test; return what it holds."""
    source, found = made
    shutil.copytree(source, state_folder())
    return found.moved(state_folder() / "sessions")
