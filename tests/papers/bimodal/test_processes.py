import subprocess
from dataclasses import replace

import pytest
from eyewall_papers.bimodal import processes
from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.metric import METRICS
from eyewall_papers.bimodal.negotiation import FirstInFirstOut, RecordedOrder, negotiate
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.processes import converse
from eyewall_papers.bimodal.pruning import PRUNINGS
from eyewall_sidecar.model import Node, ProblemError
from two_kind_networks import random_case

CASE = random_case(5)
FREE = Resources.of(CASE.network)


@pytest.mark.parametrize(("policy", "metric"), [("least_cost", "delay"), ("annealed", "balanced")])
def test_processes_do_what_the_simulation_does_with_messages_in_the_same_order(
    policy: str, metric: str
) -> None:
    # What a heuristic prunes depends on who is first, so each process records its senders in order.
    talk = converse(
        CASE.network, FREE, CASE.task, pruning=policy, metric=metric, seed=3, time_limit=60
    )
    heard = {node: record.heard for node, record in talk.records.items()}
    simulated = negotiate(
        CASE.network,
        FREE,
        CASE.task,
        PRUNINGS[policy],
        METRICS[metric],
        seed=3,
        queue=lambda: RecordedOrder(heard),
    )
    assert talk.settled is not None
    assert simulated.outcome is not None
    assert talk.settled.feasible == simulated.outcome.feasible
    assert talk.settled.accepted == simulated.outcome.accepted is not None
    assert sum(it.maps for it in talk.records.values()) == simulated.traffic.maps
    assert [it.computations for it in talk.records.values()] == [0] * len(CASE.network.nodes)


def test_exact_finds_the_same_as_processes_and_in_simulation_in_any_order() -> None:
    talk = converse(
        CASE.network, FREE, CASE.task, pruning="exact", metric="payment", seed=0, time_limit=60
    )
    simulated = negotiate(
        CASE.network,
        FREE,
        CASE.task,
        PRUNINGS["exact"],
        METRICS["payment"],
        queue=FirstInFirstOut,
    )
    assert talk.settled is not None
    assert simulated.outcome is not None
    assert talk.settled.feasible == simulated.outcome.feasible


def test_a_time_limit_is_an_answer_without_a_mapping() -> None:
    talk = converse(
        CASE.network, FREE, CASE.task, pruning="exact", metric="delay", seed=0, time_limit=0.01
    )
    assert (talk.settled, talk.records) == (None, {})


def test_more_hosts_than_a_machine_takes_are_refused() -> None:
    many = TwoKindNetwork(tuple(Node(str(it)) for it in range(13)))
    with pytest.raises(ProblemError, match="13 nodes; as processes there may be at most 12"):
        converse(
            many,
            Resources.of(many),
            replace(CASE.task, source="0", sink="1"),
            pruning="exact",
            metric="delay",
            seed=0,
            time_limit=1,
        )


def test_a_process_that_ends_before_it_gets_the_task_is_an_answer_without_a_mapping(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A process is killed just before it learns where the others listen: what is
    # written to it then breaks when its pipe closes.
    written = iter(range(100))
    send = processes._send

    def kill_then_send(host: subprocess.Popen[str], line: str) -> None:
        if next(written) == len(CASE.network.nodes):
            host.kill()
            host.wait()
        send(host, line)

    monkeypatch.setattr(processes, "_send", kill_then_send)
    talk = converse(
        CASE.network, FREE, CASE.task, pruning="exact", metric="delay", seed=0, time_limit=60
    )
    assert (talk.settled, talk.records) == (None, {})
