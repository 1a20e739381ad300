"""How often tuples wake threads: those that follow from one tuple come together."""

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices


def burst_rates(
    sources: Indices, targets: Indices, rates: Floats, system: Flags, operators: int
) -> Floats:
    """Return the bursts/s of each stream.

    What an operator emits for one tuple on a stream is one burst however many tuples it is, and
    what follows from one tuple of a source is worked on at about the same time: no stream has more
    bursts than its operator gets tuples, nor than sources emit tuples.

    Parameters
    ----------
    sources, targets, rates, system
        [stream]: its ends, tuples/s, and whether it is Storm's own.
    operators
        How many there are.
    """
    own = ~system
    begins = np.bincount(sources[own], minlength=operators) > 0
    begins &= np.bincount(targets[own], minlength=operators) == 0
    # Where nothing is known to be emitted, what each operator gets is all that limits it.
    emitted = float(rates[own & begins[sources]].sum()) or np.inf
    received = np.bincount(targets, rates, operators)
    most = np.where(begins, emitted, np.minimum(received, emitted))
    return np.minimum(rates, most[sources])
