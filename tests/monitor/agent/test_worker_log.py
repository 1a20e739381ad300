from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_monitor.agent.worker_log import MOST_BYTES, WorkerLog

if TYPE_CHECKING:
    from pathlib import Path

LAUNCHED = (
    "2026 o.a.s.d.w.Worker main [INFO] Launching worker for t on s:6700 with id {} and conf {{}}\n"
)


def executor(number: int, task: int) -> str:
    return f"2026 o.a.s.e.Executor Thread-{number}-count-executor[{task}, {task}] [INFO] Ready\n"


def test_only_what_this_worker_wrote_counts(tmp_path: Path) -> None:
    file = tmp_path / "worker.log"
    first_life = LAUNCHED.format("w1") + executor(12, 3) + executor(13, 5)
    file.write_text(first_life + LAUNCHED.format("w2") + executor(12, 4))
    log = WorkerLog(file, "w2")
    log.read_on()
    assert {n: name.first for n, name in log.names.items()} == {12: 4}


def test_a_log_is_read_as_it_grows_even_when_a_line_comes_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "worker.log"
    log = WorkerLog(file, "w1")
    log.read_on()  # it is not there yet
    text = LAUNCHED.format("w1") + executor(12, 3)
    file.write_text(text[:-40])
    log.read_on()
    assert log.names == {}
    file.write_text(text)
    log.read_on()
    assert set(log.names) == {12}


def test_of_a_log_without_end_only_so_much_is_read(tmp_path: Path) -> None:
    file = tmp_path / "worker.log"
    file.write_text(LAUNCHED.format("w1"))
    log = WorkerLog(file, "w1")
    log.read_on()
    with file.open("a") as more:
        more.write("x" * (2 * MOST_BYTES) + "\n" + executor(12, 3))
    for _ in range(100):
        log.read_on()
    assert log.names == {}


def test_in_a_large_log_a_worker_that_just_started_is_found_near_the_end(tmp_path: Path) -> None:
    file = tmp_path / "worker.log"
    file.write_text("old\n" * (2 * MOST_BYTES // 4) + LAUNCHED.format("w2") + executor(12, 4))
    log = WorkerLog(file, "w2")
    for _ in range(8):
        log.read_on()
    assert set(log.names) == {12}
