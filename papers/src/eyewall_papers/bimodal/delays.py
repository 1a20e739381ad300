"""The least delay between any two nodes of a network with two kinds of links."""

import numpy as np
from eyewall_sidecar.model.limits import LONGEST
from eyewall_sidecar.model.links import Matrix

from eyewall_papers.bimodal.network import TwoKindNetwork


def least_delays(network: TwoKindNetwork) -> Matrix:
    """Seconds one way by dedicated links in a row or by one public link, [sender, receiver].

    Floyd and Warshall's algorithm over the dedicated links; LONGEST where nothing leads.
    """
    place = {node.id: at for at, node in enumerate(network.nodes)}
    delays: Matrix = np.full((len(place), len(place)), np.inf)
    np.fill_diagonal(delays, 0.0)
    for link in network.dedicated:
        for sender, receiver in link.directions:
            delays[place[sender], place[receiver]] = link.delay
    for middle in range(len(place)):
        np.minimum(delays, delays[:, [middle]] + delays[[middle], :], out=delays)
    if network.public is not None:
        np.minimum(delays, network.public.delays, out=delays)
    np.minimum(delays, LONGEST, out=delays)
    return delays
