"""Draw the delays of odp8.toml: `python draw_odp8.py > odp8.toml` gives that file again.

Paper 000, section 7.1: 8 worker nodes with 2 slots each, at most 4 executors in a slot, one
vCPU and 2 GB; netem gives links a Gaussian delay with its mean in 12–32 ms and its standard
deviation in 1–3 ms; half of the nodes are available 99 % of the time, the others always. The
paper does not say which pairs got which means: here each pair's is drawn evenly from its range.
"""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Final

SEED: Final = 2016
HOSTS: Final = tuple(f"node-{number}" for number in range(1, 9))
LABELS: Final = {"node-1": '"source"', "node-8": '"consumer"'}


def cluster_file() -> str:
    """Text of odp8.toml."""
    random = Random(SEED)  # noqa: S311 - an experiment's draw, to be had again
    tables = [
        f"""\
# Paper 000, section 7.1: 8 nodes with the delays of a wide-area network. Written by draw_odp8.py
# (seed {SEED}): one-way means drawn from 12 to 32 ms, standard deviations from 1 to 3 ms, once for
# each pair and alike in both directions. The nodes with even numbers are available 99 % of the
# time. Eight vCPUs are more than a small machine has: they are limits, not promises.
version = 1
name = "odp8"
executors_per_slot = 4
cpu_scale = 1.0

[[sites]]
name = "wide-area"
"""
    ]
    tables += [
        f"""\
[[hosts]]
name = "{host}"
site = "wide-area"
slots = 2
cpu = 1.0
memory_mb = 2048
labels = [{LABELS.get(host, "")}]
availability = {1.0 if number % 2 else 0.99}
speed = 1.0
"""
        for number, host in enumerate(HOSTS, start=1)
    ]
    tables += [
        f"""\
[[delays]]
between = ["{a}", "{b}"]
one_way_ms = {random.uniform(12, 32):.2f}
deviation_ms = {random.uniform(1, 3):.2f}
"""
        for a, b in combinations(HOSTS, 2)
    ]
    return "\n".join(tables)


if __name__ == "__main__":
    print(cluster_file(), end="")
