"""`eyewall plan` and `eyewall apply`, against a real server."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from desk_cluster import TOPOLOGY, served, three_sites
from eyewall_sidecar.cli.app import app
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.service.decision import Place
from free_ports import free_port
from obedient_nimbus import Nimbus
from real_stores import HERE
from storm_builders import worker
from typer.testing import CliRunner, Result

NAME = TOPOLOGY.name


@pytest.fixture
def nimbus() -> Nimbus:
    """tag[2-2] and tag[3-3] run in the fog, and that link is slow: 200 + 25 ms."""
    it = three_sites(minimum_gain=1.0)
    it.delays.milliseconds["edge-1", "fog-1"] = 200.0
    it.running[TOPOLOGY.id] = (
        worker("edge-1", 6700, 1),
        worker("fog-1", 6700, 2, 3),
        worker("cloud-1", 6700, 4),
    )
    it.round(TOPOLOGY)
    return it


@pytest.fixture
def address(nimbus: Nimbus) -> Iterator[str]:
    with served(nimbus) as it:
        yield it


def eyewall(*arguments: str, sidecar: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--sidecar", sidecar])


@contextmanager
def rounds_going_on(nimbus: Nimbus, *, obey: bool = True) -> Iterator[None]:
    stopped = threading.Event()

    def go_on() -> None:
        while not stopped.wait(0.2):
            nimbus.round(TOPOLOGY, obey=obey)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def test_a_plan_is_shown_as_a_diff_with_what_it_gains_and_what_the_rules_say(address: str) -> None:
    shown = eyewall("plan", NAME, sidecar=address)
    assert shown.exit_code == 0
    lines = [it.rstrip() for it in shown.stdout.splitlines()]
    assert lines[0].startswith(f"plan 00000001 for {TOPOLOGY.id}: odp, R=1, seed 0: optimal, ")
    assert "  ~ tag[2-2]: fog-1:6700 → edge-1:6701" in lines
    assert "  + edge-1:6701 starts: tag[2-2], tag[3-3]" in lines
    assert "  - fog-1:6700 stops: tag[2-2], tag[3-3]" in lines
    assert "    2 stay as they are" in lines
    # 200 + 25 + 1 ms against 40 + 1.
    metrics = [" ".join(it.split()) for it in lines]
    assert "response time R 226 → 41 ms" in metrics
    assert "availability A 100 %, as it is" in metrics
    assert "1 worker process starts: a restart for the executors in it" in lines
    hold = message(Code.GAIN_TOO_SMALL, minimum=1.0)
    assert f"without an order it would not be made: {hold}" in lines
    assert "81.86 % better by the objective" in lines
    assert "to run exactly this: eyewall apply 00000001" in lines


def test_a_plan_that_is_worse_is_called_so_and_says_why(address: str, nimbus: Nimbus) -> None:
    # source and tags in the fog: 25 + 1 ms. source belongs at the edge: 40 + 1 ms.
    nimbus.running[TOPOLOGY.id] = (worker("fog-1", 6700, 1, 2, 3), worker("cloud-1", 6700, 4))
    nimbus.round(TOPOLOGY, obey=False)
    lines = [it.rstrip() for it in eyewall("plan", NAME, sidecar=address).stdout.splitlines()]
    assert "57.69 % worse by the objective" in lines
    assert "note: source[1-1] was not where it is pinned" in lines
    assert "the rules allow it: it would be made without an order" in lines


def test_all_of_a_plan_is_shown_if_somebody_wants_it(address: str) -> None:
    shown = eyewall("plan", NAME, "--detailed", sidecar=address).stdout
    assert "    edge-1:6700 stays: source[1-1]" in shown
    assert (
        "slowest path: source[1-1] on edge-1 (0 ms) ─0 ms→ tag[2-2] on edge-1 (1 ms) "
        "─40 ms→ sink[4-4] on cloud-1 (0 ms)"
    ) in shown


def test_colours_are_for_terminals_alone(address: str) -> None:
    assert "\x1b[" not in eyewall("plan", NAME, sidecar=address).stdout


def test_a_plan_as_json_has_the_contracts_names_and_nothing_else_on_standard_output(
    address: str,
) -> None:
    found = json.loads(eyewall("plan", NAME, "--json", sidecar=address).stdout)
    assert (found["id"], found["state"], found["workers_started"]) == ("00000001", "PROPOSED", 1)
    assert {it["executor"] for it in found["moves"]} == {"tag[2-2]", "tag[3-3]"}


def test_with_exit_code_a_script_learns_whether_anything_would_move(
    address: str, nimbus: Nimbus
) -> None:
    assert eyewall("plan", NAME, "--exit-code", sidecar=address).exit_code == 10
    nimbus.delays.milliseconds["edge-1", "fog-1"] = 15.0
    nimbus.round(TOPOLOGY)
    shown = eyewall("plan", NAME, "--exit-code", sidecar=address)
    assert shown.exit_code == 0
    assert "nothing would change" in shown.stdout


@pytest.mark.parametrize(
    ("status", "code"),
    [(Status.INFEASIBLE, 3), (Status.TIMED_OUT, 4), (Status.FAILED, 5)],
)
def test_where_nothing_is_found_the_exit_code_is_that_of_solve(
    address: str, nimbus: Nimbus, status: Status, code: int
) -> None:
    nimbus.solvers.answer = Solution(status, "odp", "", reasons=("too little CPU",))
    shown = eyewall("plan", NAME, sidecar=address)
    assert shown.exit_code == code
    assert "too little CPU" in shown.stdout
    assert "nothing was found that could be applied" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("word-1-1700000000",), "no topology word-1-1700000000"),
        ((NAME, "--policy", "hill_climb"), "did you mean hill_climbing"),
        ((NAME, "--objective", "R=0"), "the weights sum to 0; they must sum to 1"),
        ((NAME, "--time-limit", "99"), "at most 60"),
        ((NAME, "--time-limit", "inf"), "at most 60"),
        ((NAME, "--policy", "x" * 20_000), "no policy xxx"),
        ((NAME, "--seed", "-1"), "--seed -1"),
    ],
)
def test_what_is_asked_amiss_ends_with_2_and_a_sentence(
    address: str, arguments: tuple[str, ...], complaint: str
) -> None:
    refused = eyewall("plan", *arguments, sidecar=address)
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1].startswith("eyewall plan: ")
    assert complaint in refused.stderr
    assert refused.stdout == ""


def test_a_sidecar_that_is_away_ends_with_1() -> None:
    refused = eyewall("plan", NAME, sidecar=f"{HERE}:{free_port()}")
    assert refused.exit_code == 1
    assert "no sidecar answers" in refused.stderr


def test_apply_waits_until_nimbus_runs_exactly_the_plan(address: str, nimbus: Nimbus) -> None:
    eyewall("plan", NAME, sidecar=address)
    planned = set(nimbus.planner.get("00000001").assignment)
    with rounds_going_on(nimbus):
        applied = eyewall("apply", "00000001", sidecar=address)
    assert (applied.exit_code, applied.stdout) == (
        0,
        f"plan 00000001 is applied: {NAME} runs exactly so\n",
    )
    assert set(nimbus.running[TOPOLOGY.id]) == planned


def test_without_waiting_it_is_queued_for_the_next_round(address: str, nimbus: Nimbus) -> None:
    eyewall("plan", NAME, sidecar=address)
    queued = eyewall("apply", "00000001", "--no-wait", "--json", sidecar=address)
    assert queued.exit_code == 0
    assert json.loads(queued.stdout)["state"] == "QUEUED"
    assert isinstance(nimbus.round(TOPOLOGY)[TOPOLOGY.id].verdict, Place)


def test_a_stale_plan_ends_with_4_and_says_what_changed(address: str, nimbus: Nimbus) -> None:
    eyewall("plan", NAME, sidecar=address)
    nimbus.running[TOPOLOGY.id] = (*nimbus.running[TOPOLOGY.id][:1], worker("cloud-1", 6701, 2, 3))
    nimbus.round(TOPOLOGY, obey=False)
    stale = eyewall("apply", "00000001", sidecar=address)
    assert stale.exit_code == 4
    assert "tag[2-2] runs on cloud-1:6701 now, not on fog-1:6700" in stale.stderr


def test_a_frozen_topology_and_a_nimbus_that_does_not_take_it_end_with_5(
    address: str, nimbus: Nimbus
) -> None:
    eyewall("plan", NAME, sidecar=address)
    nimbus.switches.turn(TOPOLOGY.id)
    frozen = eyewall("apply", "00000001", sidecar=address)
    assert (frozen.exit_code, "operators' switch" in frozen.stderr) == (5, True)
    nimbus.switches.turn()
    with rounds_going_on(nimbus, obey=False):
        refused = eyewall("apply", "00000001", sidecar=address)
    assert refused.exit_code == 5
    unknown = message(Code.NOT_TAKEN, reason="its log has the reason")
    assert refused.stderr.endswith(f"{unknown}\n")


def test_what_is_refused_at_once_is_json_as_well_and_ends_with_the_same(
    address: str, nimbus: Nimbus
) -> None:
    eyewall("plan", NAME, sidecar=address)
    nimbus.switches.turn(TOPOLOGY.id)
    frozen = eyewall("apply", "00000001", "--json", sidecar=address)
    reply = json.loads(frozen.stdout)
    assert (frozen.exit_code, reply["id"], reply["state"]) == (5, "00000001", "PROPOSED")
    assert "operators' switch" in frozen.stderr
    nimbus.running[TOPOLOGY.id] = (*nimbus.running[TOPOLOGY.id][:1], worker("cloud-1", 6701, 2, 3))
    nimbus.round(TOPOLOGY, obey=False)
    stale = eyewall("apply", "00000001", "--json", sidecar=address)
    assert stale.stdout, stale.stderr
    reply = json.loads(stale.stdout)
    assert (stale.exit_code, reply["state"]) == (4, "STALE")
    assert reply["state_reason"] in stale.stderr


def test_a_plan_that_is_gone_ends_with_2(address: str) -> None:
    gone = eyewall("apply", "01234567", sidecar=address)
    assert gone.exit_code == 2
    assert "kept for 15 minutes" in gone.stderr


def test_if_no_round_comes_it_says_so_and_the_plan_stays_queued(
    address: str, nimbus: Nimbus
) -> None:
    eyewall("plan", NAME, sidecar=address)
    nimbus.clock.now += 45
    waited = eyewall("apply", "00000001", "--timeout", "0.5", sidecar=address)
    assert waited.exit_code == 1
    assert waited.stderr.endswith(f"{message(Code.NO_ROUND, seconds=45.0)}\n")


def test_a_shell_completes_topologies_and_plans(
    address: str, nimbus: Nimbus, monkeypatch: pytest.MonkeyPatch
) -> None:
    eyewall("plan", NAME, sidecar=address)

    def completed(line: str) -> str:
        monkeypatch.setenv("_EYEWALL_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
        return CliRunner().invoke(app, [], prog_name="eyewall").stdout

    assert completed(f"eyewall plan --sidecar {address} wor").split() == [NAME]
    assert completed(f"eyewall apply --sidecar {address} 0000").split() == ["00000001"]
    assert completed(f"eyewall apply --sidecar {HERE}:{free_port()} 0000").split() == []
