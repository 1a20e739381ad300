"""All policies: the sidecar's own, and those that other distributions register."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from eyewall_contracts.objective_terms import PAPER_TERMS, Term

from eyewall_sidecar.plugins import FaultKind, PluginError, PluginFault, described, find_plugins
from eyewall_sidecar.policies.entry import Policy, PolicyEntry

GROUP = "eyewall.policies"
"""Entry points of this group name a `PolicyEntry` each."""

OWN: Mapping[str, PolicyEntry] = {
    "odp": PolicyEntry(
        title="optimal placement (ODP, S-ODP)",
        source="Cardellini et al., paper 000, sections 4 to 6",
        method="proves the optimum, or bounds the distance to it",
        optimises=tuple(Term),
        mixes=True,
        take_it="first: it is the default, and the answer has a gap",
        implementation="eyewall_sidecar.policies.odp:OptimalPlacement",
    ),
    "hill_climbing": PolicyEntry(
        title="hill climbing",
        source="Ecker et al., paper 002, section 4.3.1",
        method="makes the best move, swap or move of all from one node while that improves",
        optimises=PAPER_TERMS,
        mixes=True,
        ecker=True,
        take_it="to improve a good placement with few changes, in about a second",
        implementation="eyewall_sidecar.policies.hill_climbing:HillClimbing",
    ),
    "ant_system": PolicyEntry(
        title="ant system",
        source="Ecker et al., paper 002, section 4.3.2",
        method="draws placements at random, more and more like the best so far",
        optimises=PAPER_TERMS,
        mixes=True,
        ecker=True,
        take_it="where hill climbing ends in a local optimum, and to compare with",
        implementation="eyewall_sidecar.policies.ant_system:AntSystem",
    ),
    "hybrid": PolicyEntry(
        title="hybrid: ants, then hill climbing",
        source="Ecker et al., paper 002, section 4.3.3",
        method="the ant system for half of the time, then hill climbing from its best placement",
        optimises=PAPER_TERMS,
        mixes=True,
        ecker=True,
        take_it="for Ecker's score: its authors run it every 30 s",
        implementation="eyewall_sidecar.policies.hybrid:Hybrid",
    ),
    "bound_guided": PolicyEntry(
        title="bound-guided large-neighbourhood search",
        source="ours",
        method="builds placements by beam search with a bound of the rest, then rebuilds parts",
        optimises=tuple(Term),
        mixes=True,
        take_it="where odp does not finish in time",
        implementation="eyewall_sidecar.policies.bound_guided:BoundGuided",
    ),
    "greedy": PolicyEntry(
        title="greedy",
        source="no paper: the simplest method that uses the objective",
        method="from sources to sinks, each operator goes where it costs least",
        optimises=PAPER_TERMS,
        mixes=True,
        ecker=True,
        take_it="for an immediate answer, and to compare with",
        implementation="eyewall_sidecar.policies.greedy:Greedy",
    ),
    "round_robin": PolicyEntry(
        title="round robin",
        source="Apache Storm 2.8, EvenScheduler",
        method="one operator after the other on one node after the other",
        optimises=(),
        take_it="to compare with: Storm's default scheduler does this",
        implementation="eyewall_sidecar.policies.round_robin:RoundRobin",
    ),
    "ras": PolicyEntry(
        title="Resource Aware Scheduler (RAS)",
        source="Apache Storm 2.8, BaseResourceAwareStrategy and its sorters",
        method="fills the node that holds most of the topology, then the one with most room",
        optimises=(),
        take_it="to compare with: it packs tightly and ignores delays",
        implementation="eyewall_sidecar.policies.ras:ResourceAware",
    ),
}
"""Policy → its entry."""


@dataclass(frozen=True, slots=True)
class PolicyCatalogue:
    """The policies that can be chosen.

    Parameters
    ----------
    entries
        Policy → its entry: the sidecar's own first, then by distribution.
    faults
        Policies that other distributions register and that cannot be used.
    """

    entries: Mapping[str, PolicyEntry]
    faults: tuple[PluginFault, ...]


def policy_catalogue() -> Mapping[str, PolicyEntry]:
    """Return policy → entry in this process; policies are installed before it starts."""
    return _catalogue().entries


def policy_faults() -> tuple[PluginFault, ...]:
    """Return what is wrong with policies that are installed and not in the catalogue."""
    return _catalogue().faults


def read_catalogue() -> PolicyCatalogue:
    """Read which policies the installed distributions have. No solver is imported."""
    plugins = find_plugins(GROUP, reserved=OWN)
    entries, faults = dict(OWN), list(plugins.faults)
    for name, plugin in plugins.usable.items():
        try:
            entry = plugin.load()
        except PluginError as error:
            faults.append(error.fault)
            continue
        if isinstance(entry, PolicyEntry):
            entries[name] = entry
        else:
            detail = f"{plugin.entry_point.value} is of type {type(entry).__name__}; it must be a "
            faults.append(plugin.fault(FaultKind.CONTENT, f"{detail}PolicyEntry"))
    return PolicyCatalogue(entries, tuple(faults))


class PolicyError(Exception):
    """A policy that is listed and cannot be loaded; says which and why."""


def load_policy(name: str) -> Policy:
    """Import a policy of the catalogue; KeyError if it has none of that name."""
    entry = policy_catalogue()[name]
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        reason = f"{entry.implementation} cannot be loaded: {described(error)}"
        raise PolicyError(f"policy {name}: {reason}") from error


@cache
def _catalogue() -> PolicyCatalogue:
    return read_catalogue()
