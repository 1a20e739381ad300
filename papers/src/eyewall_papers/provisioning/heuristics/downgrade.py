"""Downgrade: every machine becomes the cheapest that still does (paper 003, section 6.2.2)."""

from collections.abc import Mapping

from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.heuristics.server_selection import Sources
from eyewall_papers.provisioning.purchases import Purchases


def downgrade(purchases: Purchases, sources: Sources) -> None:
    """Exchange each machine, in the order they were bought, for the cheapest that holds its load.

    CPU, memory, card, and the links to other machines and from servers, which may depend on
    the type.
    """
    downloaded: dict[int, dict[int, float]] = {number: {} for number in purchases.owned}
    for (number, key), server in sources.items():
        rate = purchases.instance.rates[key]
        downloaded[number][server] = downloaded[number].get(server, 0.0) + rate
    for number, has in list(purchases.owned.items()):
        for machine_type in range(has.type):
            if (
                purchases.in_stock(machine_type)
                and purchases.fits(machine_type, has.group, (number,))
                and _links_carry(purchases, machine_type, downloaded[number])
            ):
                purchases.retype(number, machine_type)
                break


def _links_carry(purchases: Purchases, machine_type: int, downloaded: Mapping[int, float]) -> bool:
    instance = purchases.instance
    name = instance.types[machine_type].name
    return not any(
        exceeds(rate, instance.problem.servers[server].link_to(name))
        for server, rate in downloaded.items()
    )
