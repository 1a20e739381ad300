"""The test driver's socket, with a source and a sink that a test plays."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

import pytest
from eyewall_papers.experiments.paper_002 import drive
from eyewall_papers.experiments.paper_002.driver import (
    EventDriver,
    Latencies,
    Stage,
    StageTimeoutError,
)

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
NOW = 1_790_000_000.0


class Clock:
    """A time that passes by some milliseconds whenever somebody looks."""

    def __init__(self, step: float = 0.001) -> None:
        self.now = NOW
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


async def connect(socket: Path, role: str) -> Connection:
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(f"{role}\n".encode())
    return reader, writer


async def close(*writers: asyncio.StreamWriter) -> None:
    for it in writers:
        it.close()
        await it.wait_closed()


async def event(reader: asyncio.StreamReader) -> tuple[int, int]:
    number, timestamp = (await reader.readline()).split()
    return int(number), int(timestamp)


def with_driver(
    folder: Path, test: Callable[[EventDriver, Path], Awaitable[None]], clock: Clock | None = None
) -> None:
    """Run a test against a driver that listens."""

    async def run() -> None:
        driver = EventDriver(clock or Clock())
        socket = folder / "driver.sock"
        async with driver.listen(socket):
            await asyncio.wait_for(test(driver, socket), 30)

    asyncio.run(run())


def test_a_stage_ends_once_every_event_is_acked(tmp_path: Path) -> None:
    async def test(driver: EventDriver, socket: Path) -> None:
        reader, writer = await connect(socket, "source")
        stage = asyncio.create_task(driver.run(Stage(1_000.0, 5)))
        got = [await event(reader) for _ in range(5)]
        assert [number for number, _ in got] == [1, 2, 3, 4, 5]
        writer.write(b"1\n2\n3\n5\n")
        done, _ = await asyncio.wait([stage], timeout=0.5)
        assert not done
        writer.write(b"4\n")
        result = await stage
        assert (result.stage.events, result.outputs, result.replayed) == (5, 0, 0)
        assert result.throughput > 0
        assert result.latency is None
        await close(writer)

    with_driver(tmp_path, test)


def test_events_are_due_at_a_constant_rate_whenever_they_are_sent(tmp_path: Path) -> None:
    async def test(driver: EventDriver, socket: Path) -> None:
        stage = asyncio.create_task(driver.run(Stage(200.0, 4)))
        await asyncio.sleep(0.2)  # nobody has connected yet: they wait
        reader, writer = await connect(socket, "source")
        due = [timestamp for _, timestamp in [await event(reader) for _ in range(4)]]
        # 200/s: one every 5,000 us, but for what a double of the epoch cannot tell.
        apart = [after - before for before, after in pairwise(due)]
        assert apart == [pytest.approx(5_000, abs=2)] * 3
        writer.write(b"1\n2\n3\n4\n")
        await stage
        await close(writer)

    with_driver(tmp_path, test, Clock(step=0.012))  # two events or three at a time


def test_a_source_that_starts_again_gets_what_was_not_acked(tmp_path: Path) -> None:
    async def test(driver: EventDriver, socket: Path) -> None:
        reader, writer = await connect(socket, "source")
        stage = asyncio.create_task(driver.run(Stage(1_000.0, 3)))
        first = [await event(reader) for _ in range(3)]
        writer.write(b"2\n")
        await writer.drain()
        await close(writer)
        await asyncio.sleep(0.1)
        reader, writer = await connect(socket, "source")
        again = [await event(reader) for _ in range(2)]
        assert again == [first[0], first[2]]
        writer.write(b"1\n3\n")
        assert (await stage).replayed == 2
        await close(writer)

    with_driver(tmp_path, test)


def test_an_outputs_latency_is_from_its_copied_timestamp(tmp_path: Path) -> None:
    async def test(driver: EventDriver, socket: Path) -> None:
        reader, writer = await connect(socket, "source")
        _, sink = await connect(socket, "sink")
        stage = asyncio.create_task(driver.run(Stage(1_000.0, 1)))
        number, timestamp = await event(reader)
        for late in (0, 500_000, 1_000_000):  # us before it was due: as if it had taken longer
            sink.write(f"{timestamp - late}\n".encode())
        await sink.drain()
        await asyncio.sleep(0.1)
        writer.write(f"{number}\n".encode())
        latency = (await stage).latency
        assert latency is not None
        # Some looks at the clock pass meanwhile, of a millisecond each.
        assert 0 < latency.least < 0.1
        assert latency.greatest - latency.least == pytest.approx(1.0, abs=0.1)
        assert latency.median - latency.least == pytest.approx(0.5, abs=0.1)
        await close(writer, sink)

    with_driver(tmp_path, test)


def test_a_stage_of_which_nothing_is_acked_is_given_up(tmp_path: Path) -> None:
    async def test(driver: EventDriver, _socket: Path) -> None:
        with pytest.raises(StageTimeoutError, match="2 of 2 events are under way, and none was"):
            await driver.run(Stage(1_000.0, 2), patience=0.05)

    with_driver(tmp_path, test)


def test_latencies_are_nearest_ranks() -> None:
    values = [float(it) for it in range(100, 0, -1)]
    assert Latencies.of(values) == Latencies(1.0, 50.5, 50.5, 99.0, 100.0)
    assert Latencies.of([]) is None


@pytest.mark.parametrize("load", ["0", "-1", "nan", "much"])
def test_a_load_that_makes_no_sense_is_refused(
    load: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    drive.add_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["T-R1", f"--low={load}"])
    assert f"{load}: a load is above 0 and up to 1000" in capsys.readouterr().err


def test_results_that_cannot_be_written_are_known_before_anything_runs(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    drive.add_options(parser)
    file = tmp_path / "none" / "results.json"
    with pytest.raises(SystemExit, match=f"--output {file}: No such file or directory"):
        drive.run(parser.parse_args(["T-R1", "--output", str(file)]))


def test_only_one_known_topology_is_driven() -> None:
    parser = argparse.ArgumentParser()
    drive.add_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["T-R10"])
    with pytest.raises(SystemExit, match="T-M1,T-R1: drive one topology at a time"):
        drive.run(parser.parse_args(["T-M1,T-R1"]))
