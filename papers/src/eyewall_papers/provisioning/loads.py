"""How much of every machine, card, link and server a provision takes: the left sides of (1) to (5).

Paper 003, section 2.3. Bytes/s, and cores (or what `MachineType.cpu` counts).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision


@dataclass(frozen=True, slots=True)
class Loads:
    """What is taken.

    Parameters
    ----------
    cpu
        (1), machine id → Σ ρ · w_i.
    card
        (2), machine id → downloads, and what it exchanges with other machines.
    server
        (3), server id → all downloads from it.
    server_link
        (4), (server id, machine id) → downloads over that link.
    link
        (5), two machine ids in alphabetical order → both directions together.
    """

    cpu: Mapping[str, float]
    card: Mapping[str, float]
    server: Mapping[str, float]
    server_link: Mapping[tuple[str, str], float]
    link: Mapping[tuple[str, str], float]


def loads(problem: ProvisioningProblem, provision: Provision) -> Loads:
    """Sum up what a whole provision takes."""
    cpu: defaultdict[str, float] = defaultdict(float)
    card: defaultdict[str, float] = defaultdict(float)
    server: defaultdict[str, float] = defaultdict(float)
    server_link: defaultdict[tuple[str, str], float] = defaultdict(float)
    link: defaultdict[tuple[str, str], float] = defaultdict(float)
    for operator in problem.demands:
        cpu[provision.placement[operator.id]] += operator.cpu
    for stream in problem.streams:
        ends = provision.placement[stream.source], provision.placement[stream.target]
        one, other = sorted(ends)
        if one != other:
            carried = problem.carried(stream)
            card[one] += carried
            card[other] += carried
            link[one, other] += carried
    for (machine, name), holder in provision.downloads.items():
        rate = problem.object(name).rate
        card[machine] += rate
        server[holder] += rate
        server_link[holder, machine] += rate
    return Loads(cpu, card, server, server_link, link)
