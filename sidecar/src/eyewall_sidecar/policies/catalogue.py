"""What each policy is: where it comes from, what it optimises, and when to take which."""

from collections.abc import Mapping
from dataclasses import dataclass

from eyewall_sidecar.objective import Objective, Term


@dataclass(frozen=True, slots=True)
class Entry:
    """One policy, for a person who has to choose.

    Parameters
    ----------
    title
        What its authors call it.
    source
        The paper and section, or the software.
    method
        How it places operators, in a sentence.
    optimises
        Terms that it makes good placements for; none if it does not look at the objective.
    mixes
        Whether weighted sums of these terms too.
    ecker
        Whether Ecker's score too (paper 002, section 4.2).
    take_it
        When to, as the end of a sentence that begins with "take it".
    """

    title: str
    source: str
    method: str
    optimises: tuple[Term, ...]
    mixes: bool
    ecker: bool
    take_it: str

    @property
    def objectives(self) -> str:
        """What it optimises, in words."""
        if not self.optimises:
            return "nothing: it takes any objective, and reports its value"
        if not self.mixes:
            return f"{' or '.join(self.optimises)} alone"
        mixes = f"{', '.join(self.optimises)}, mixes of them"
        return f"{mixes}, Ecker's score" if self.ecker else mixes

    def takes(self, objective: Objective) -> bool:
        """Whether it answers for this objective, and does not decline it."""
        if not self.optimises:
            return True
        if objective.ecker:
            return self.ecker
        terms = set(objective.weights)
        return bool(terms) and terms <= {*self.optimises} and (self.mixes or len(terms) == 1)


CATALOGUE: Mapping[str, Entry] = {
    "odp": Entry(
        title="optimal placement (ODP, S-ODP)",
        source="Cardellini et al., paper 000, sections 4 to 6",
        method="proves the optimum, or says how far from it the placement is at most",
        optimises=tuple(Term),
        mixes=True,
        ecker=False,
        take_it="first: it is the default, and the answer comes with its gap",
    ),
    "hill_climbing": Entry(
        title="hill climbing",
        source="Ecker et al., paper 002, section 4.3.1",
        method="takes the best move, swap or move of all from one node, as long as that improves",
        optimises=tuple(Term),
        mixes=True,
        ecker=True,
        take_it="to improve a good placement with few changes, in about a second",
    ),
    "ant_system": Entry(
        title="ant system",
        source="Ecker et al., paper 002, section 4.3.2",
        method="draws placements at random, more and more as the best ones so far",
        optimises=tuple(Term),
        mixes=True,
        ecker=True,
        take_it="where hill climbing gets caught in a local optimum, and to compare with",
    ),
    "hybrid": Entry(
        title="hybrid: ants, then hill climbing",
        source="Ecker et al., paper 002, section 4.3.3",
        method="the ant system for half of the time, then hill climbing from its best placement",
        optimises=tuple(Term),
        mixes=True,
        ecker=True,
        take_it="for Ecker's score: it is what its authors run every 30 s",
    ),
    "rizou": Entry(
        title="MOPA, Rizou's multi-operator placement",
        source="Rizou et al., paper 001, algorithms 1 and 2 and clustering",
        method="moves operators to their Weber points in a cost space, then to the nearest nodes",
        optimises=(Term.N,),
        mixes=False,
        ecker=False,
        take_it="to see what operators find that know their neighbours only, and to compare with",
    ),
    "pietzuch": Entry(
        title="SBON, Pietzuch's spring relaxation",
        source="Pietzuch et al., ICDE 2006, as papers 000 and 001 describe it",
        method="lets streams pull as springs in a cost space, then takes the nearest nodes",
        optimises=(Term.EE, Term.N),
        mixes=False,
        ecker=False,
        take_it="to compare with: it aims at N by way of EE",
    ),
    "bound_guided": Entry(
        title="bound-guided large-neighbourhood search",
        source="ours",
        method="places by beams that know what is still to come at least, then places parts anew",
        optimises=tuple(Term),
        mixes=True,
        ecker=False,
        take_it="where odp is not done in the time there is",
    ),
    "xu": Entry(
        title="Xu's best fit by traffic (T-Storm)",
        source="Xu et al., ICDCS 2014, as paper 000, sections 2 and 7.2, describes it",
        method="in descending order of traffic, each operator joins those it exchanges most with",
        optimises=(Term.T,),
        mixes=False,
        ecker=False,
        take_it="if nodes are about equally far apart and only what leaves a node counts",
    ),
    "greedy": Entry(
        title="greedy",
        source="no paper: the simplest method that looks at the objective",
        method="from sources to sinks, each operator goes where it costs the least at that moment",
        optimises=tuple(Term),
        mixes=True,
        ecker=True,
        take_it="for an answer at once where the rest is too slow, and to compare with",
    ),
    "round_robin": Entry(
        title="round robin",
        source="Apache Storm 2.8, EvenScheduler",
        method="one operator after the other on one node after the other",
        optimises=(),
        mixes=False,
        ecker=False,
        take_it="to compare with: it is what Storm's default scheduler does",
    ),
    "ras": Entry(
        title="Resource Aware Scheduler (RAS)",
        source="Apache Storm 2.8, BaseResourceAwareStrategy and its sorters",
        method="fills the node that holds most of the topology, then the one with most left free",
        optimises=(),
        mixes=False,
        ecker=False,
        take_it="to compare with: it packs tightly and does not know delays",
    ),
}
"""Policy → its entry, in the order of POLICIES."""
