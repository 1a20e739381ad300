"""The links between all nodes as matrices: what makes a thousand nodes affordable."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from eyewall_sidecar.model.errors import (
    ProblemError,
    listed,
    require_amount,
    require_unique,
    unknown,
)
from eyewall_sidecar.model.limits import LONGEST, MOST_OFFERED
from eyewall_sidecar.model.resources import LOOP, Link

Matrix = NDArray[np.float64]
"""One number for each ordered pair of nodes; the diagonal is a node to itself."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkMatrix(Mapping[tuple[str, str], Link]):
    """(u, v) → link, for each ordered pair of different nodes, kept as three matrices of its own.

    Parameters
    ----------
    nodes
        Ids, each once, in the order of rows and columns.
    delays
        d_(u,v): seconds one way, from 0 to LONGEST; 0 on the diagonal.
    availabilities
        A_(u,v) in [0, 1]; 1 on the diagonal.
    bandwidths
        B_(u,v): bytes/s, up to MOST_OFFERED or infinite; infinite on the diagonal.
    """

    nodes: tuple[str, ...]
    delays: Matrix
    availabilities: Matrix
    bandwidths: Matrix
    _place: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_unique("node", self.nodes)
        object.__setattr__(self, "_place", {node: i for i, node in enumerate(self.nodes)})
        for name in ("delays", "availabilities", "bandwidths"):
            # Whoever made the array may change it, or what it is a view of. A copy is nobody
            # else's, and a view of what is read-only cannot be made writable.
            own = np.array(getattr(self, name), dtype=np.float64, order="C")
            own.setflags(write=False)
            object.__setattr__(self, name, own.view())
        self._require("delay", self.delays, LONGEST, diagonal=LOOP.delay)
        self._require("availability", self.availabilities, 1.0, diagonal=LOOP.availability)
        self._require(
            "bandwidth", self.bandwidths, MOST_OFFERED, diagonal=LOOP.bandwidth, unlimited=True
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Be made anew, as pickled arrays forget that they are read-only, which is part of a type.

        Code that was compiled for one type would be compiled again for the other.
        """
        matrices = self.delays, self.availabilities, self.bandwidths
        return type(self), (self.nodes, *matrices)

    @classmethod
    def of(cls, nodes: Sequence[str], links: Mapping[tuple[str, str], Link]) -> Self:
        """Take the links of a mapping; it must name every ordered pair of different nodes."""
        if isinstance(links, cls) and links.nodes == tuple(nodes):
            return links
        place = {node: i for i, node in enumerate(nodes)}
        delays, availabilities, bandwidths = _loops(len(place))
        seen = np.eye(len(place), dtype=bool)
        for (source, target), link in links.items():
            if source not in place or target not in place:
                stranger = source if source not in place else target
                raise ProblemError(
                    f"delay between {source} and {target}: {unknown('node', stranger, place)}"
                )
            if source == target:
                raise ProblemError(
                    f"delay between {source} and {source}: a node reaches itself at once; "
                    "list only pairs of different nodes"
                )
            pair = place[source], place[target]
            seen[pair] = True
            delays[pair], availabilities[pair] = link.delay, link.availability
            bandwidths[pair] = link.bandwidth
        if not seen.all():
            lacking = [f"{nodes[u]} → {nodes[v]}" for u, v in np.argwhere(~seen)]
            raise ProblemError(
                f"no delay for {listed(lacking)}; every ordered pair of nodes needs one"
            )
        return cls(tuple(nodes), delays, availabilities, bandwidths)

    @classmethod
    def from_delays(cls, nodes: Sequence[str], delays: Matrix) -> Self:
        """Make perfect links of unlimited bandwidth with these delays; the diagonal is ignored."""
        _, availabilities, bandwidths = _loops(len(nodes))
        seconds = np.array(delays, dtype=np.float64)
        np.fill_diagonal(seconds, 0.0)
        return cls(tuple(nodes), seconds, availabilities, bandwidths)

    def delay(self, source: str, target: str) -> float:
        """Return d_(u,v) in seconds; 0 from a node to itself."""
        return float(self.delays[self._place[source], self._place[target]])

    def availability(self, source: str, target: str) -> float:
        """Return A_(u,v); 1 from a node to itself."""
        return float(self.availabilities[self._place[source], self._place[target]])

    def bandwidth(self, source: str, target: str) -> float:
        """Return B_(u,v) in bytes/s; infinite from a node to itself."""
        return float(self.bandwidths[self._place[source], self._place[target]])

    def __getitem__(self, pair: tuple[str, str]) -> Link:
        source, target = pair
        if source == target:
            raise KeyError(pair)
        return Link(self.delay(*pair), self.availability(*pair), self.bandwidth(*pair))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((u, v) for u in self.nodes for v in self.nodes if u != v)

    def __len__(self) -> int:
        return len(self.nodes) * (len(self.nodes) - 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinkMatrix):
            return NotImplemented
        return self.nodes == other.nodes and all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.delays, other.delays),
                (self.availabilities, other.availabilities),
                (self.bandwidths, other.bandwidths),
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def _require(
        self, name: str, matrix: Matrix, most: float, *, diagonal: float, unlimited: bool = False
    ) -> None:
        count = len(self.nodes)
        if matrix.shape != (count, count):
            raise ProblemError(
                f"{name}: {matrix.shape} numbers; {count} nodes need {count} × {count}"
            )
        good = (matrix >= 0) & (matrix <= most)
        if unlimited:
            good |= matrix == np.inf
        if not good.all():
            u, v = np.argwhere(~good)[0]
            require_amount(
                f"link {self.nodes[u]} → {self.nodes[v]}",
                name,
                matrix[u, v],
                most,
                unlimited=unlimited,
            )
        if not np.all(matrix.diagonal() == diagonal):
            raise ProblemError(f"{name}: a node reaches itself at once; it must be {diagonal:g}")


def _loops(count: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return delays, availabilities and bandwidths as a node has them to itself."""
    return (
        np.full((count, count), LOOP.delay),
        np.full((count, count), LOOP.availability),
        np.full((count, count), LOOP.bandwidth),
    )
