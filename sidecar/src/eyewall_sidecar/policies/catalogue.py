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
