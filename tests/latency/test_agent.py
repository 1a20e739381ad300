"""Real agents, real Redis: on loopback, over TCP handshakes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from eyewall_contracts.latency import LatencyKeys, RttRecord, decode_host, decode_rtt
from real_stores import Server, redis_server
from redis import Redis

PATIENCE = 120.0
"""Seconds; no test means to wait so long."""
EXPIRY = 3.0
PATIENTLY = "?socket_timeout=60&socket_connect_timeout=60"
KEYS = LatencyKeys()


class Store:
    """A real Redis, and a client of the test's own."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Redis(port=server.port, decode_responses=True)


@pytest.fixture
def redis() -> Iterator[Store]:
    server = redis_server()
    server.start()
    store = Store(server)
    yield store
    store.client.close()
    server.stop()


class Agents:
    def __init__(self, folder: Path, redis: Store) -> None:
        self._folder = folder
        self._redis = redis
        self.running: dict[str, subprocess.Popen[str]] = {}

    def start(self, host: str, more: str = "", *, redis: str = "") -> None:
        config = self._folder / f"{host}.toml"
        config.write_text(
            f"host = '{host}'\n"
            f"[redis]\nurl = 'redis://{self._redis.server.address}{PATIENTLY}'\n{redis}"
            f"expiry_seconds = {EXPIRY}\n"
            "[pace]\ninterval_seconds = 0.1\nbudget_per_second = 10.0\n"
            f"[probe]\nmethod = 'tcp'\nlisten = '127.0.0.1:0'\n{more}"
        )
        log = (self._folder / f"{host}.log").open("w")
        command = [sys.executable, "-m", "eyewall_latency.cli", "agent", "--config", str(config)]
        with log:
            self.running[host] = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True
            )

    def log(self, host: str) -> str:
        return (self._folder / f"{host}.log").read_text()

    def end(self) -> None:
        for host, process in self.running.items():
            process.kill()
            process.communicate()
            assert "Traceback" not in self.log(host)


@pytest.fixture
def agents(tmp_path: Path, redis: Store) -> Iterator[Agents]:
    it = Agents(tmp_path, redis)
    yield it
    it.end()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)


def measured(redis: Store, source: str, target: str, keys: LatencyKeys = KEYS) -> RttRecord | None:
    value = redis.client.hget(keys.rtts(target), source)
    assert value is None or isinstance(value, str)
    return None if value is None else decode_rtt(value.encode())


def await_another(redis: Store, source: str, target: str) -> None:
    before = measured(redis, source, target)
    wait_for(lambda: measured(redis, source, target) != before)


def alive(redis: Store, host: str) -> bool:
    return redis.client.exists(KEYS.host(host)) == 1


def test_agents_find_and_measure_each_other(agents: Agents, redis: Store) -> None:
    for host in ("a", "b", "c"):
        agents.start(host)
    pairs = [(i, j) for i in "abc" for j in "abc" if i != j]
    # It is loopback; but the first one may have waited for an agent that was paused.
    wait_for(
        lambda: all((it := measured(redis, *pair)) and 0.0 <= it.seconds < 1.0 for pair in pairs)
    )
    assert redis.client.get(KEYS.version) == "1"
    wait_for(lambda: alive(redis, "a"))
    record = decode_host(str(redis.client.get(KEYS.host("a"))).encode())
    assert record.address == "127.0.0.1"
    # Redis's own clock: what it says now is within minutes of it.
    seconds, _ = redis.client.time()
    assert abs(record.at - seconds) < 120


def test_a_killed_host_expires_and_the_others_go_on(agents: Agents, redis: Store) -> None:
    for host in ("a", "b", "c"):
        agents.start(host)
    wait_for(lambda: measured(redis, "a", "c") is not None)
    agents.running["c"].kill()
    wait_for(lambda: not alive(redis, "c"))
    # After two more of b none is under way that began before c expired.
    await_another(redis, "a", "b")
    await_another(redis, "a", "b")
    last = measured(redis, "a", "c")
    await_another(redis, "a", "b")
    assert measured(redis, "a", "c") == last


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_agent_cleanly_and_takes_its_host_out(
    agents: Agents, redis: Store, number: signal.Signals
) -> None:
    agents.start("a")
    wait_for(lambda: alive(redis, "a"))
    agents.running["a"].send_signal(number)
    out, _ = agents.running["a"].communicate(timeout=PATIENCE)
    assert agents.running["a"].returncode == 0
    assert out.startswith("eyewall latency agent of a: probes by tcp, answers on port ")
    assert not alive(redis, "a")
    assert redis.client.zscore(KEYS.members, "a") is None


def test_without_redis_an_agent_goes_on_says_so_once_and_recovers(
    agents: Agents, redis: Store
) -> None:
    agents.start("a")
    agents.start("b")
    wait_for(lambda: measured(redis, "a", "b") is not None)
    redis.server.stop()
    wait_for(lambda: "going on without redis" in agents.log("a"))
    time.sleep(1.0)  # ten rounds without
    assert agents.running["a"].poll() is None
    assert agents.log("a").count("going on without redis") == 1
    redis.server.start()  # empty: it has no persistence
    wait_for(lambda: measured(redis, "a", "b") is not None)
    wait_for(lambda: "redis is back" in agents.log("a"))
    assert agents.log("a").count("redis is back") == 1


def test_an_agent_that_starts_before_redis_waits_for_it(agents: Agents, redis: Store) -> None:
    redis.server.stop()
    agents.start("a")
    wait_for(lambda: "going on without redis" in agents.log("a"))
    redis.server.start()
    wait_for(lambda: alive(redis, "a"))


def test_what_is_no_record_of_a_host_is_never_probed_and_harms_nobody(
    agents: Agents, redis: Store
) -> None:
    seconds, _ = redis.client.time()
    for host, value in {
        "nan": '{"v":1,"at":1,"address":"127.0.0.1","port":1,"position":[NaN],'
        '"height":0,"error":0,"resets":0}',
        "name": '{"v":1,"at":1,"address":"example.org","port":1,"position":[0,0,0,0,0,0,0,0],'
        '"height":0,"error":0,"resets":0}',
        "noise": "\x00\x01",
        "bad host name\n": "{}",
    }.items():
        redis.client.set(KEYS.host(host), value)
        redis.client.zadd(KEYS.members, {host: seconds + 3600})
    redis.client.hset(KEYS.rtts("a"), mapping={"stranger": "x", "b": '{"v":1}'})
    agents.start("a")
    agents.start("b")
    wait_for(lambda: measured(redis, "a", "b") is not None)
    wait_for(lambda: "refused so far" in agents.log("a"))
    probed = set(redis.client.scan_iter("eyewall:latency:v1:rtts:*"))
    assert probed <= {KEYS.rtts("a"), KEYS.rtts("b")}


def test_outside_the_allowed_networks_nothing_is_probed(agents: Agents, redis: Store) -> None:
    agents.start("a", "networks = ['10.0.0.0/8']\n")
    agents.start("b")
    wait_for(lambda: measured(redis, "b", "a") is not None)
    time.sleep(1.0)  # ten rounds
    assert measured(redis, "a", "b") is None


def test_a_newer_contract_is_said_and_left_as_it_is(agents: Agents, redis: Store) -> None:
    redis.client.set(KEYS.version, "7")
    agents.start("a")
    wait_for(lambda: "version 7" in agents.log("a"))
    wait_for(lambda: alive(redis, "a"))
    time.sleep(1.0)  # ten rounds
    assert agents.log("a").count("version 7") == 1
    assert redis.client.get(KEYS.version) == "7"


def test_clusters_that_share_a_redis_do_not_see_each_other(agents: Agents, redis: Store) -> None:
    for host in ("a", "b"):
        agents.start(host)
    for host in ("c", "d"):
        agents.start(host, redis="prefix = 'storm-2:eyewall'\n")
    theirs = LatencyKeys("storm-2:eyewall")
    wait_for(lambda: measured(redis, "a", "b") is not None)
    wait_for(lambda: measured(redis, "c", "d", theirs) is not None)
    for keys, hosts in ((KEYS, "ab"), (theirs, "cd")):
        members = redis.client.zrange(keys.members, 0, -1)
        assert isinstance(members, list)
        assert set(members) == set(hosts)


def test_an_option_of_the_url_that_is_not_known_is_one_line_and_exit_code_two(
    tmp_path: Path,
) -> None:
    path = tmp_path / "latency.toml"
    path.write_text(
        "[probe]\nlisten = '127.0.0.1:0'\n[redis]\nurl = 'redis://:pw@r/0?socket_timeout=x'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "eyewall_latency.cli", "agent", "--config", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"eyewall-latency agent: {path}: [redis] url: option socket_timeout is 'x'; "
        "it must be seconds above 0, up to 3600\n"
    )


def test_an_address_that_is_taken_is_one_line_and_exit_code_one(
    tmp_path: Path, redis: Store
) -> None:
    path = tmp_path / "latency.toml"
    path.write_text(f"[probe]\nlisten = '127.0.0.1:{redis.server.port}'\n")
    done = subprocess.run(
        [sys.executable, "-m", "eyewall_latency.cli", "agent", "--config", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"[probe] listen is 127.0.0.1:{redis.server.port}: Address already in use" in done.stderr
