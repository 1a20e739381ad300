"""κ and γ of the load model, fitted to the latencies of topologies at rest.

For a given placement the model's latency is linear in both: base + κ · executors + γ · hosts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from eyewall_contracts.wait_fit import WaitObservation

from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays

USUAL_BURSTINESS = 1.0
USUAL_SHARING = 0.25
"""Between 0, where tuples come at regular intervals, and 0.5, where they come at random: work of
constant length waits half as long as exponential work (Pollaczek and Khinchine)."""
PRIOR_ERRORS = (1.0, 0.25)
"""Standard deviations of κ and γ before anything was measured: as wide as they are."""
LATENCY_MODEL = 5
"""Which model an observation was split by: that of another says nothing of κ and γ of this one.
0: a host's wait was that for the next period of its quota. 1: each tuple that crosses took CPU, and
threads looked for tuples on a full host as anywhere. 2: latencies were Storm's figures, without the
way to ackers. 3: executors of a component got the same by a shuffle, wherever they were. 4: what a
source took for a tuple before it emitted it counted."""
FARTHEST_FACTOR = 4.0
"""Between a fitted value and the usual one. Above 0, as an interval around 0 has no width."""
BASE_ERROR = 0.3
"""Standard deviation of a common factor of all bases: what is not modelled takes time, and must not
be taken for waits."""
MODEL_ERROR = 0.15
"""Standard deviation of what the model leaves out, as a part of the latency. It is common to all
latencies of one placement, so these weigh as much as one."""
FARTHEST = 2.0
"""Standard deviations from the fit beyond which an observation counts less (Huber's weight)."""
REWEIGHTINGS = 8
"""Enough for the weights to settle."""
HALF_LIFE_SECONDS = 86_400.0
"""After which an observation counts half: what runs, and on what, changes by the day."""
HELD_PART = 0.1
"""A fit is held while the next one is within such a part of it, or within its own error."""
FEWEST_PLACEMENTS = 4
"""That a fit is used from: each is forecast by a fit to the others."""
FEWEST_OBSERVATIONS = 8
"""That a fit is used from."""
MOST_FOLDS = 10
"""Parts of the placements that are held out in turn."""
LEAST_BETTER = 0.1
"""Part by which a fit has to forecast latencies better than the usual values do."""
MOST_OFF = 1.5
"""Factor by which it may be off on average: where it is more, something else is at work."""

_LEAST_SECONDS = 1e-6
_USUAL = np.array((USUAL_BURSTINESS, USUAL_SHARING))
_ERRORS = np.array(PRIOR_ERRORS)
_BOUNDS = (
    _USUAL * (1 / FARTHEST_FACTOR - 1) / _ERRORS,
    _USUAL * (FARTHEST_FACTOR - 1) / _ERRORS,
)
"""Of κ and γ, as differences from the usual values in the priors' deviations."""


@dataclass(frozen=True, slots=True)
class WaitFit:
    """κ and γ with their standard errors.

    Parameters
    ----------
    burstiness, burstiness_error
        κ.
    sharing, sharing_error
        γ.
    observations
        How many are known.
    is_fitted
        Whether the values come from them; else they are the usual ones.
    """

    burstiness: float = USUAL_BURSTINESS
    burstiness_error: float = PRIOR_ERRORS[0]
    sharing: float = USUAL_SHARING
    sharing_error: float = PRIOR_ERRORS[1]
    observations: int = 0
    is_fitted: bool = False

    @property
    def values(self) -> tuple[float, float]:
        """Return κ and γ."""
        return self.burstiness, self.sharing


UNFITTED = WaitFit()


@dataclass(frozen=True, slots=True)
class LatencyParts:
    """The load model's latency of a placement: base + κ · executors + γ · hosts; seconds."""

    base: float
    executors: float
    hosts: float


def latency_parts(arrays: LoadArrays, places: Places) -> LatencyParts:
    """Split the response time of a placement by what κ and γ multiply."""

    def at(burstiness: float, sharing: float) -> float:
        chosen = replace(arrays, burstiness=burstiness, sharing=sharing)
        return evaluate_load(chosen, places).response_time

    base = at(0.0, 0.0)
    return LatencyParts(base, max(0.0, at(1.0, 0.0) - base), max(0.0, at(0.0, 1.0) - base))


def fit_waits(observed: Iterable[WaitObservation], now: float) -> WaitFit:
    """Fit κ and γ; the usual values where there is too little, or where these forecast as well.

    Whether they do is found by forecasting each placement by what was measured of the others.

    Parameters
    ----------
    now
        Seconds since the epoch; old observations fade.
    """
    rows = tuple(observed)
    placements = sorted({_placement(it) for it in rows})
    unfitted = replace(UNFITTED, observations=len(rows))
    if len(rows) < FEWEST_OBSERVATIONS or len(placements) < FEWEST_PLACEMENTS:
        return unfitted
    fold = {it: number % MOST_FOLDS for number, it in enumerate(placements)}
    fitted = usual = total = 0.0
    for held_out in sorted(set(fold.values())):
        kept = [it for it in rows if fold[_placement(it)] != held_out]
        found = _fit(kept, now)
        for it, weight in zip(rows, _weights(rows, now).tolist(), strict=True):
            if fold[_placement(it)] == held_out:
                fitted += weight * _forecast_error(it, found)
                usual += weight * _forecast_error(it, UNFITTED)
                total += weight
    if fitted >= (1 - LEAST_BETTER) * usual or fitted > log(MOST_OFF) * total:
        return unfitted
    return _fit(rows, now)


def hold_waits(before: WaitFit, now: WaitFit) -> WaitFit:
    """Return the fit that problems are built from: the values before while the new ones are alike.

    Other values are other problems, which are solved again.
    """
    is_alike = (
        before.is_fitted
        and now.is_fitted
        and _is_alike(before.burstiness, now.burstiness, now.burstiness_error)
        and _is_alike(before.sharing, now.sharing, now.sharing_error)
    )
    return replace(now, burstiness=before.burstiness, sharing=before.sharing) if is_alike else now


def _fit(rows: Sequence[WaitObservation], now: float) -> WaitFit:
    """Fit latency = β · base + κ · executors + γ · hosts; β is near 1 and for nothing else.

    Bayesian linear regression with a normal prior at the usual values, as wide as they are, with
    Huber's weights: one wild latency moves it little.
    """
    design, excess = _design(rows)
    fading = _weights(rows, now)
    found, errors = _solve(design, excess, fading)
    for _ in range(REWEIGHTINGS):
        distance = np.abs(excess - design @ found)
        weights = fading * np.minimum(1.0, FARTHEST / np.maximum(distance, 1e-9))
        found, errors = _solve(design, excess, weights)
    burstiness, sharing = (_USUAL + _ERRORS * np.clip(found[:2], *_BOUNDS)).tolist()
    burstiness_error, sharing_error = (_ERRORS * errors[:2]).tolist()
    return WaitFit(burstiness, burstiness_error, sharing, sharing_error, len(rows), is_fitted=True)


def _placement(it: WaitObservation) -> tuple[str, str]:
    return it.topology, it.placement


def _weights(rows: Sequence[WaitObservation], now: float) -> Floats:
    """Return each observation's weight: 1 for all of a placement together, less for old ones."""
    counts = Counter(map(_placement, rows))
    age = np.array([max(0.0, now - it.time) for it in rows])
    share = np.array([1.0 / counts[_placement(it)] for it in rows])
    return np.asarray(share * 0.5 ** (age / HALF_LIFE_SECONDS))


def _forecast_error(it: WaitObservation, fit: WaitFit) -> float:
    """Return the logarithm of the factor by which a forecast is off."""
    forecast = it.base + fit.burstiness * it.executors + fit.sharing * it.hosts
    return abs(log(max(_LEAST_SECONDS, forecast) / max(_LEAST_SECONDS, it.latency)))


def _design(observed: Sequence[WaitObservation]) -> tuple[Floats, Floats]:
    """Return [observation, κ, γ or base] and [observation]: what the usual values leave of it.

    Rows are in multiples of their noise, columns in multiples of the priors' deviations.
    """
    base, executors, hosts, latency, deviation = np.array(
        [(it.base, it.executors, it.hosts, it.latency, it.deviation) for it in observed]
    ).T
    noise = np.maximum(_LEAST_SECONDS, np.hypot(deviation, MODEL_ERROR * latency))
    usual = base + USUAL_BURSTINESS * executors + USUAL_SHARING * hosts
    columns = np.column_stack((executors, hosts, base)) * np.array((*PRIOR_ERRORS, BASE_ERROR))
    return columns / noise[:, None], (latency - usual) / noise


def _solve(design: Floats, excess: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the differences from the usual values and their errors, in the priors' deviations."""
    precision = np.eye(design.shape[1]) + design.T @ (weights[:, None] * design)
    covariance = np.linalg.inv(precision)
    found = covariance @ (design.T @ (weights * excess))
    for column, (least, most) in enumerate(zip(*_BOUNDS, strict=True)):
        nearest = min(max(found[column], least), most)
        if nearest != found[column]:  # what fits best with this one on the border
            shift = (nearest - found[column]) / covariance[column, column]
            found = found + covariance[column] * shift
    return found, np.sqrt(covariance.diagonal())


def _is_alike(before: float, now: float, error: float) -> bool:
    return abs(before - now) <= max(HELD_PART * before, error)
