"""Ruin and recreate: some operators lose their machines, and are placed again, cheapest first.

The step of `repair`: merging machines, moving or swapping operators and subtrees, and choosing
other machine types are cases of it.
"""

from collections.abc import Iterable

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Bits, OperatorGroup, ProvisioningArrays, places_in
from eyewall_papers.provisioning.purchases import OwnedMachine, Purchases

OTHERS = 4
"""Machines without any relation to a piece on which it is tried, too."""
SKIPPED = 0.05
"""How often a machine is passed over, so that the same ruin is not always rebuilt the same way."""


def ruin(purchases: Purchases, rng: Generator) -> tuple[list[OwnedMachine], Bits]:
    """Choose who loses a machine: all on up to three machines, or a connected set of operators.

    Returns
    -------
    What stays, and the operators that are placed again.
    """
    machines = rng.random() < 0.5
    loose = _machines(purchases, rng) if machines else _connected(purchases.instance, rng)
    kept = []
    for it in purchases.owned.values():
        members = it.group.members & ~loose
        if members == it.group.members:
            kept.append(it)
        elif members:
            kept.append(OwnedMachine(it.type, purchases.instance.group(members)))
    return kept, loose


def rebuild(
    instance: ProvisioningArrays, kept: Iterable[OwnedMachine], loose: Bits, rng: Generator
) -> Purchases | None:
    """Place loose operators in connected pieces, each where it costs least.

    Parameters
    ----------
    kept
        Machines that stay with their groups; what they do not hold any more becomes loose.

    Returns
    -------
    None if some operator fits nowhere.
    """
    purchases = Purchases(instance)
    for it in kept:
        if purchases.in_stock(it.type) and purchases.fits(it.type, it.group):
            purchases.buy(it.type, it.group)
        else:
            loose |= it.group.members
    left = _pieces(instance, loose, rng)
    while left:
        refused = [it for it in left if not _put(purchases, it, rng)]
        single = [1 << operator for it in refused for operator in places_in(it.members)]
        if len(refused) == len(left) == len(single):
            return None
        left = [instance.group(it) for it in single]
    for number in sorted(purchases.owned, key=lambda it: -purchases.owned[it].type):
        has = purchases.owned[number]
        machine_type = purchases.cheapest(has.group, (number,))
        if machine_type is not None and machine_type < has.type:
            purchases.retype(number, machine_type)
    return purchases


def _machines(purchases: Purchases, rng: Generator) -> Bits:
    numbers = list(purchases.owned)
    first = numbers[int(rng.integers(len(numbers)))]
    members = purchases.owned[first].group.members
    near = list(_near(purchases, purchases.owned[first].group))
    for _ in range(int(rng.integers(3))):
        pool = near if near and rng.random() < 0.7 else numbers
        members |= purchases.owned[pool[int(rng.integers(len(pool)))]].group.members
    return members


def _connected(instance: ProvisioningArrays, rng: Generator) -> Bits:
    count = len(instance.operators)
    most = int(rng.integers(1, max(2, count // 3) + 1))
    reached = [int(rng.integers(count))]
    members = 1 << reached[0]
    while len(reached) < most:
        border = [
            partner
            for it in reached
            for partner in instance.partners[it]
            if not members >> partner & 1
        ]
        if not border:
            break
        reached.append(border[int(rng.integers(len(border)))])
        members |= 1 << reached[-1]
    return members


def _pieces(instance: ProvisioningArrays, loose: Bits, rng: Generator) -> list[OperatorGroup]:
    """Cut loose operators into connected pieces in random order."""
    kept_together = (1.0, 0.8, 0.5, 0.0)[int(rng.integers(4))]
    pieces: list[OperatorGroup] = []
    left = loose
    while left:
        members = border = left & -left
        while border:
            operator = next(places_in(border))
            border &= border - 1
            for partner in instance.partners[operator]:
                free = left & ~members & 1 << partner
                if free and rng.random() < kept_together:
                    members |= free
                    border |= free
        left &= ~members
        pieces.append(instance.group(members))
    match int(rng.integers(3)):
        case 0:
            return sorted(pieces, key=lambda it: -it.cpu)
        case 1:
            return sorted(pieces, key=lambda it: -it.card)
        case _:
            return [pieces[it] for it in rng.permutation(len(pieces)).tolist()]


def _put(purchases: Purchases, piece: OperatorGroup, rng: Generator) -> bool:
    """Put a piece where the price rises least, and then where the card is loaded least."""
    instance = purchases.instance
    numbers = list(purchases.owned)
    tried = dict.fromkeys(_near(purchases, piece))
    if numbers:
        tried |= dict.fromkeys(numbers[it] for it in rng.integers(len(numbers), size=OTHERS))
    fresh = purchases.cheapest(piece)
    best = None
    if fresh is not None:
        best = (instance.types[fresh].price, piece.card, -1, fresh, piece)
    for number in tried:
        if rng.random() < SKIPPED:
            continue
        has = purchases.owned[number]
        together = instance.joined(has.group, piece)
        machine_type = purchases.cheapest(together, (number,))
        if machine_type is not None:
            more = instance.types[machine_type].price - instance.types[has.type].price
            added = together.card - has.group.card
            if best is None or (more, added) < best[:2]:
                best = (more, added, number, machine_type, together)
    if best is None:
        return False
    *_, number, machine_type, group = best
    if number >= 0:
        purchases.sell(number)
    purchases.buy(machine_type, group)
    return True


def _near(purchases: Purchases, piece: OperatorGroup) -> Iterable[int]:
    """Machines that exchange data with the piece, or download an object that it uses."""
    for operator in places_in(piece.members):
        for partner in purchases.instance.partners[operator]:
            number = purchases.at.get(partner)
            if number is not None and not piece.members >> partner & 1:
                yield number
    for number, it in purchases.owned.items():
        if it.group.objects & piece.objects and not it.group.members & piece.members:
            yield number
