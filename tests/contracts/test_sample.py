from __future__ import annotations

import re
from pathlib import Path

from eyewall_contracts.sample import OVERLAP_CONTRACT
from msgspec.structs import replace
from reports import FULL, MACHINE

AGENT = "storm-scheduler/overlap/src/main/java/io/eyewall/storm/overlap/OverlapAgent.java"


def test_a_report_is_as_old_as_it_is_and_never_younger_than_nothing() -> None:
    assert FULL.age(FULL.time + 2.5) == 2.5
    assert FULL.age(FULL.time - 3600) == 0.0


def test_a_host_has_the_cores_that_its_quota_grants_and_never_more_than_there_are() -> None:
    assert MACHINE.cores == 0.5
    assert replace(MACHINE, quota=None).cores == 4
    assert replace(MACHINE, quota=9.0).cores == 4


def test_the_overlap_agent_and_the_sidecar_have_one_contract() -> None:
    source = Path(__file__).parents[2].joinpath(AGENT).read_text(encoding="utf-8")
    assert re.findall(r"int CONTRACT = (\d+);", source) == [str(OVERLAP_CONTRACT)]
