"""Compiled code is loaded before a time limit begins: a search that has begun compiles nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[2] / "support"

PROGRAM = """
import gc, sys
sys.path.insert(0, {support!r})
from numba.core.dispatcher import Dispatcher
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import load_policy
from random_problems import random_problem
from {module} import {load}

def compiled():
    found = [it for it in gc.get_objects() if isinstance(it, Dispatcher)]
    return {{(it.py_func.__module__, it.__name__, types) for it in found for types in it.overloads}}

{load}()
before = compiled()
assert before
for objective in map(Objective.parse, {objectives!r}):
    for seed in range(8):
        problem = random_problem(seed, operators=8, nodes=5)
        load_policy({policy!r})(problem, objective, time_limit={limit}, seed=seed)
print(*sorted({{f"{{module}}.{{name}}" for module, name, _ in compiled() - before}}), sep="\\n")
"""


@pytest.mark.parametrize(
    ("policy", "load", "limit"),
    [
        ("odp", "eyewall_sidecar.policies.odp.load_odp", 5.0),
        ("hybrid", "eyewall_sidecar.heuristic.warm_up.load_compiled_searches", 0.05),
        ("bound_guided", "eyewall_sidecar.heuristic.bound_guided_search.load_guided", 0.05),
    ],
)
def test_after_loading_nothing_is_compiled_whatever_is_asked(
    policy: str, load: str, limit: float
) -> None:
    module, _, function = load.rpartition(".")
    program = PROGRAM.format(
        support=str(SUPPORT),
        module=module,
        load=function,
        objectives=["R=1", "A=1", "N=1", "R=0.5,A=0.2,T=0.3"],
        policy=policy,
        limit=limit,
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=570
    )
    assert not run.stdout.split(), run.stdout
