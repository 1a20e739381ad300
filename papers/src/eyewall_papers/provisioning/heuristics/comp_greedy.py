"""Comp-Greedy: most demanding operators first (paper 003, section 6.1.2)."""

from numpy.random import Generator

from eyewall_papers.provisioning.groups import Instance
from eyewall_papers.provisioning.heuristics.failure import Failure
from eyewall_papers.provisioning.heuristics.purchasing import buy_and_fill, heaviest_first
from eyewall_papers.provisioning.purchases import Purchases


def comp_greedy(instance: Instance, _: Generator) -> Purchases | Failure:
    """Fill most expensive machines with operators, those of the largest w_i first.

    Child and parent are whoever an operator exchanges data with, so any graph is taken.
    """
    purchases = Purchases(instance)
    failure = buy_and_fill(purchases, heaviest_first(purchases, instance.operators))
    return failure or purchases
