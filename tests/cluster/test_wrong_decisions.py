"""Whatever a sidecar answers, Nimbus lives and what runs is left alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from running_cluster import PATIENCE, Cluster, Running, assignment, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = Path(__file__).with_name("scripted_sidecar.py")


@pytest.fixture(scope="module")
def wrong_answers(cluster: Cluster, tag_and_count: Running) -> Iterator[None]:
    """In the sidecar's place is one that does wrong what the newest topology is named after."""
    cluster.placed(tag_and_count.name, tag_and_count.executors)
    cluster.run("stop", "sidecar")
    script = cluster.start_on("control", sys.executable, str(SCRIPT), "10.83.0.1:7077")
    try:
        yield
    finally:
        script.terminate()
        script.communicate(timeout=120)
        cluster.run("start", "sidecar")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        # Of the placements that are refused one; AssignmentApplierTest has all of them.
        ("doubly-used-slot", "is given to two workers"),
        ("late", "did not answer in"),
        ("garbage", "answered "),
    ],
)
def test_a_wrong_answer_is_rejected_with_its_reason_and_nothing_moves(
    cluster: Cluster, tag_and_count: Running, wrong_answers: None, behaviour: str, reason: str
) -> None:
    before = cluster.placed(tag_and_count.name, tag_and_count.executors)
    nimbus = cluster.pid("nimbus")
    acked = len(tag_and_count.events().acked)
    # The new topology is named after the fault, and the inner scheduler places it at last.
    cluster.submit("word_count", {}, under=behaviour)
    status = wait_for(
        lambda: _status(cluster, behaviour), PATIENCE, f"{behaviour} placed by the inner scheduler"
    )
    assert status.startswith("placed by ResourceAwareScheduler: ")
    assert reason in status
    wait_for(lambda: len(tag_and_count.events().acked) > acked + 10, PATIENCE, "tuples still flow")
    cluster.run("kill", behaviour)
    after = cluster.placed(tag_and_count.name, tag_and_count.executors)
    assert assignment(after) == assignment(before)
    assert cluster.pid("nimbus") == nimbus


def _status(cluster: Cluster, name: str) -> str | None:
    topology = cluster.topology(name)
    return str(topology["scheduling"]) if topology and topology["executors"] else None
