"""Violations of a provision: constraints (1) to (5) of paper 003, section 2.3, checked directly."""

from collections import Counter

from eyewall_sidecar.model import violations as placement_violations
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision, placement_problem
from eyewall_papers.provisioning.utilisation import Loads, loads


def violations(problem: ProvisioningProblem, provision: Provision) -> tuple[str, ...]:
    """Sentences, one for each constraint that is broken; none if the provision is valid."""
    broken = [
        *_not_to_be_had(problem, provision),
        *_unknown_machines(provision),
    ]
    if broken:
        return tuple(broken)
    platform = placement_problem(problem, provision.machines)
    placed = placement_violations(platform, provision.placement)
    if any(operator.id not in provision.placement for operator in problem.operators):
        return placed
    wrong = [*_wrong_types(problem, provision), *_wrong_downloads(problem, provision)]
    if wrong:
        return (*placed, *wrong)
    taken = loads(problem, provision)
    return (
        *placed,
        *_cards(provision, taken),
        *_servers(problem, provision, taken),
        *_links(problem, provision, taken),
    )


def _not_to_be_had(problem: ProvisioningProblem, provision: Provision) -> list[str]:
    bought = Counter(machine.type.name for machine in provision.machines)
    known = {it.name: it for it in problem.types}
    strange = [
        f"machine {it.id}: no such machine type {it.type.name} is available"
        for it in provision.machines
        if known.get(it.type.name) != it.type
    ]
    return strange or [
        f"machine type {name}: {times} used, {known[name].count:g} available"
        for name, times in bought.items()
        if times > known[name].count
    ]


def _unknown_machines(provision: Provision) -> list[str]:
    ids = {machine.id for machine in provision.machines}
    twice = len(ids) < len(provision.machines)
    strayed = [
        f"operator {operator} is on {machine}, which is not bought"
        for operator, machine in provision.placement.items()
        if machine not in ids
    ]
    return [*(["two machines have the same id"] if twice else []), *strayed]


def _wrong_types(problem: ProvisioningProblem, provision: Provision) -> list[str]:
    types = {it.id: it.type.name for it in provision.machines}
    return [
        f"operator {it.id} is on a machine of type {on}, which is not among its candidates"
        for it in problem.operators
        if it.candidates is not None
        and (on := types[provision.placement[it.id]]) not in it.candidates
    ]


def _wrong_downloads(problem: ProvisioningProblem, provision: Provision) -> list[str]:
    used = {
        (provision.placement[operator.id], name): operator.id
        for operator in problem.operators
        for name in problem.needed(operator.id)
    }
    lacking = [
        f"machine {machine} downloads {name}, which operator {operator} uses, from no server"
        for (machine, name), operator in used.items()
        if (machine, name) not in provision.downloads
    ]
    needless = [
        f"machine {machine} downloads {name}, which none of its operators uses"
        for machine, name in provision.downloads
        if (machine, name) not in used
    ]
    wrong = [
        f"machine {machine} downloads {name} from {server}, which does not hold it"
        for (machine, name), server in provision.downloads.items()
        if (machine, name) in used and server not in {it.id for it in problem.holders(name)}
    ]
    return [*lacking, *needless, *wrong]


def _cards(provision: Provision, taken: Loads) -> list[str]:
    return [
        f"machine {it.id}: its card carries {load:g} bytes/s, {it.type.card:g} there"
        for it in provision.machines
        if exceeds(load := taken.card.get(it.id, 0.0), it.type.card)
    ]


def _servers(problem: ProvisioningProblem, provision: Provision, taken: Loads) -> list[str]:
    types = {it.id: it.type.name for it in provision.machines}
    servers = {it.id: it for it in problem.servers}
    overloaded = [
        f"server {name}: its card sends {load:g} bytes/s, {servers[name].card:g} there"
        for name, load in taken.server.items()
        if exceeds(load, servers[name].card)
    ]
    saturated = [
        f"link {server} → {machine}: {load:g} bytes/s downloaded, {limit:g} there"
        for (server, machine), load in taken.server_link.items()
        if exceeds(load, limit := servers[server].link_to(types[machine]))
    ]
    return [*overloaded, *saturated]


def _links(problem: ProvisioningProblem, provision: Provision, taken: Loads) -> list[str]:
    types = {it.id: it.type.name for it in provision.machines}
    return [
        f"link between {one} and {other}: {load:g} bytes/s, {limit:g} there"
        for (one, other), load in taken.link.items()
        if exceeds(load, limit := problem.link_between(types[one], types[other]))
    ]
