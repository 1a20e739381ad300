"""A sidecar for each test; the processes that solve for it are those of all tests here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from eyewall_sidecar.service.solver_pool import SolverPool
from running_sidecar import RunningSidecar


@pytest.fixture(scope="package")
def solvers() -> Iterator[SolverPool]:
    processes = SolverPool()
    processes.warm()
    yield processes
    processes.close()


@pytest.fixture
def sidecar(solvers: SolverPool, tmp_path: Path) -> Iterator[RunningSidecar]:
    running = RunningSidecar(solvers, tmp_path / "delays.json")
    yield running
    running.close()
