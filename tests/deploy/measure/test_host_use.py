from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.measure.host_use import HostMeter, host_workers
from waiting_process import WORKER, waiting_process

if TYPE_CHECKING:
    from pathlib import Path


def group(folder: Path, *pids: int) -> tuple[str, ...]:
    (folder / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids))
    return (str(folder), "elsewhere")


def test_a_host_uses_what_its_processes_use(tmp_path: Path) -> None:
    meter = HostMeter({"h1": group(tmp_path), "h2": ()})
    assert meter.read()["h1"].cpu is None  # since when is not known
    with waiting_process() as process:
        group(tmp_path, process.pid, 999999999)  # the second one has ended
        used = meter.read()
        assert list(used) == ["h1"]
        assert used["h1"].cpu == pytest.approx(0.2, abs=0.15)
        assert used["h1"].memory > 1_000_000
        assert meter.read()["h1"].cpu == pytest.approx(0, abs=0.05)


def test_log_writers_are_no_workers(tmp_path: Path) -> None:
    writer_command = ("org.apache.storm.LogWriter", *WORKER)
    with waiting_process(*WORKER) as worker, waiting_process(*writer_command) as writer:
        folders = group(tmp_path, worker.pid, writer.pid)
        assert HostMeter({"h1": folders}).read()["h1"].workers == 1
        assert host_workers(folders) == {worker}
