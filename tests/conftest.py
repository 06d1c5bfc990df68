"""Lakes that several tests look at; each is loaded once and only read."""

import pytest

from config import Config
from tests.lakes import written
from tests.sample import LIGHT, sample_lake


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The whole sample company, as `make run` loads it."""
    return sample_lake(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def light_sample(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The sample's plans, risks, incidents and reference tables; no bills, no jobs."""
    return sample_lake(tmp_path_factory.mktemp("light"), LIGHT)


@pytest.fixture(scope="session")
def empty_lake(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A configuration without sources: nothing is loaded."""
    return written(tmp_path_factory.mktemp("empty"), "", timezone="Asia/Shanghai")
