from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from eyewall_monitor.agent.procfs import Proc
from eyewall_monitor.agent.workers import WorkerProcess, WorkerSearch, read_command
from fake_proc import FakeProc

COMMAND = [
    "java",
    "-server",
    "-Dworkers.artifacts=/var/storm/workers-artifacts",
    "-Dstorm.id=wc-1-1000",
    "-Dstorm.local.dir=/var/storm",
    "-cp",
    "/opt/storm/lib-worker/*",
    "org.apache.storm.daemon.worker.Worker",
    "wc-1-1000",
    "supervisor-id",
    "6628",
    "6700",
    "worker-id",
]
WORKER = WorkerProcess(
    pid=7,
    topology="wc-1-1000",
    port=6700,
    id="worker-id",
    local_dir="/var/storm",
    artifacts="/var/storm/workers-artifacts",
)


def test_a_worker_is_known_by_its_command_line() -> None:
    assert read_command(7, COMMAND) == WORKER
    assert WORKER.log == Path("/var/storm/workers-artifacts/wc-1-1000/6700/worker.log")


def test_a_worker_without_its_supervisors_port_is_known_too() -> None:
    without = [word for word in COMMAND if word != "6628"]
    assert read_command(7, without) == WORKER


def test_the_log_writer_that_starts_a_worker_is_none_though_it_has_the_whole_command() -> None:
    writer = ["java", "-Dstorm.id=wc-1-1000", "org.apache.storm.LogWriter", *COMMAND]
    assert read_command(7, writer) is None


def test_what_only_looks_a_little_like_a_worker_is_none() -> None:
    assert read_command(7, []) is None
    assert read_command(7, ["java", "-jar", "x.jar"]) is None
    assert read_command(7, COMMAND[:8]) is None
    assert read_command(7, [*COMMAND[:11], "port", "worker-id"]) is None


def test_a_worker_with_the_agent_of_moves_without_a_gap_is_known_by_its_file(
    tmp_path: Path,
) -> None:
    worker = replace(WORKER, local_dir=str(tmp_path))
    assert worker.overlap_agent() is None
    folder = tmp_path / "workers" / "worker-id"
    folder.mkdir(parents=True)
    file = folder / "eyewall-agent"
    for text, agent in (
        (b"1 0.1.0\n", (1, "0.1.0")),
        (b"", (0, "")),  # older ones write nothing into it
        (b"\xffone 0.1.0", (0, "")),
        (b"1 0.1.0\x07\n", (0, "")),
        (b"9" * 20 + b" 0.1.0\n", (0, "")),
        (b"1 " + b"9" * 5_000 + b"\n", (0, "")),
    ):
        file.write_bytes(text)
        assert worker.overlap_agent() == agent


def test_a_storm_that_the_agent_does_not_know_is_known_by_its_file(tmp_path: Path) -> None:
    worker = replace(WORKER, local_dir=str(tmp_path))
    assert worker.unknown_storm() == ""
    folder = tmp_path / "workers" / "worker-id"
    folder.mkdir(parents=True)
    file = folder / "eyewall-unknown-storm"
    for text, release in (
        (b"2.9.0\n", "2.9.0"),
        (b"", ""),
        (b"2.9.0\x07\n", ""),
        (b"9" * 5_000 + b"\n", ""),
    ):
        file.write_bytes(text)
        assert worker.unknown_storm() == release
    assert worker.overlap_agent() is None


def search(fake: FakeProc, local_dir: str | None = None) -> list[int]:
    proc = Proc(fake.root)
    found = WorkerSearch(proc, 1, local_dir).workers(proc.processes())
    return [worker.pid for worker in found]


def test_workers_of_another_network_are_another_hosts(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.process(1, "agent", network="net:[1]")
    fake.process(7, "java", command=COMMAND, network="net:[1]")
    fake.process(8, "java", command=COMMAND, network="net:[2]")
    assert search(fake) == [7]


def test_workers_whose_network_may_not_be_known_are_taken_for_this_hosts(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.process(1, "agent", network="net:[1]")
    fake.process(7, "java", command=COMMAND)
    assert search(fake) == [7]


def test_two_supervisors_on_one_host_differ_by_their_folder(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.process(1, "agent")
    fake.process(7, "java", command=COMMAND)
    other = [word.replace("=/var/storm", "=/var/storm-2") for word in COMMAND]
    fake.process(8, "java", command=other)
    assert search(fake, "/var/storm-2") == [8]
    assert search(fake) == [7, 8]


def test_a_process_that_becomes_a_worker_later_is_found_then(tmp_path: Path) -> None:
    # Between fork and exec it still is what its parent is.
    fake = FakeProc(tmp_path)
    fake.process(1, "agent")
    fake.process(7, "java", command=["java", "org.apache.storm.LogWriter", *COMMAND])
    proc = Proc(fake.root)
    finder = WorkerSearch(proc, 1, None)
    assert finder.workers(proc.processes()) == []
    fake.process(7, "java", command=COMMAND)
    assert finder.workers(proc.processes()) == [WORKER]


def test_the_youngest_worker_of_a_port_comes_last(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.process(1, "agent")
    fake.process(9, "java", command=COMMAND, started=100)
    fake.process(8, "java", command=COMMAND, started=200)
    assert search(fake) == [9, 8]
