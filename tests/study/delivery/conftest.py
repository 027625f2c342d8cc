"""A broker with TLS and a collector, shared by tests that do not harm them; everybody is somebody else's."""

from collections.abc import Iterator

import pytest

from tests.fakes.studies.delivery.authority import Authority, make_authority
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, running


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[Stage]:
    with running(Stage(tmp_path_factory.mktemp("stage"), people=32, authority=authority)) as stage:
        yield stage


@pytest.fixture(scope="session")
def _left(stage: Stage) -> list[Person]:
    return list(stage.people)


@pytest.fixture
def person(_left: list[Person]) -> Person:
    return _left.pop()
