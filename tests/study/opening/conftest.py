"""A study with people who sent rows, made once and copied for each test."""

from pathlib import Path

import pytest

from tests.fakes.studies.collected_study import CollectedStudy


@pytest.fixture(scope="session")
def made_study(tmp_path_factory: pytest.TempPathFactory) -> CollectedStudy:
    """Return a study of six people, of whom the last sent nothing."""
    return CollectedStudy.make(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def opened_study(made_study: CollectedStudy, tmp_path_factory: pytest.TempPathFactory) -> CollectedStudy:
    study = made_study.copy(tmp_path_factory.mktemp("opened"))
    study.open()
    return study


@pytest.fixture
def opened(opened_study: CollectedStudy, tmp_path: Path) -> CollectedStudy:
    return opened_study.copy(tmp_path)


@pytest.fixture
def study(made_study: CollectedStudy, tmp_path: Path) -> CollectedStudy:
    return made_study.copy(tmp_path)
