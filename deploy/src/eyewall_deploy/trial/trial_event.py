"""What happens while a trial is measured: `[[events]]` of its file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from eyewall_deploy.failure import name_choices
from eyewall_deploy.lifecycle.programs import host_programs
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.nimbus import StormCommand  # noqa: TC001 - pydantic reads it
from eyewall_deploy.validation import Number, Text, toml_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.trial.trial_file import Trial

_KINDS: Final = (
    ({"delay", "add"}, "delay = [A, B] and add_ms"),
    ({"cpu", "factor"}, "cpu = HOST and factor"),
    ({"drain"}, "drain = HOST"),
    ({"busy", "share"}, "busy = HOST and share"),
    ({"crash_starts"}, "crash_starts = HOST"),
    ({"fail"}, "fail = HOST"),
    ({"kill"}, "kill = PROGRAM"),
    ({"storm"}, "storm = COMMAND"),
)
"""Keys that belong together, and how they are given."""
_KILLED: Final = ("nimbus", "sidecar", "zookeeper", "redis", "rates")


@toml_table
@dataclass(frozen=True, slots=True)
class TrialEvent:
    """One `[[events]]`: something changes, and back, or dies.

    Parameters
    ----------
    at, until
        Seconds from the start of the measurement; without `until` it stays.
    delay, add
        Two hosts or sites, and by how many milliseconds the one-way delay rises.
    cpu, factor
        A host, and what its CPU is multiplied with.
    drain
        A host that Eyewall is to empty.
    fail
        A host that fails: its workers, its supervisor and its agents end by SIGKILL, and start
        again at `until`.
    kill
        A program of the cluster that ends by SIGKILL, and is started again at once.
    busy, share
        A host, and the share of its cores that something else uses.
    crash_starts
        A host on which workers that start end by SIGKILL.
    storm
        A command about each of the topologies: see `StormCommand`.
    """

    at: Annotated[Number, Field(ge=0)]
    until: Annotated[Number | None, Field(gt=0)] = None
    delay: Annotated[tuple[Text, Text] | None, Field(description="two hosts or sites")] = None
    add: Annotated[Number | None, Field(alias="add_ms", gt=0, le=60_000)] = None
    cpu: Text | None = None
    factor: Annotated[Number | None, Field(gt=0, le=100)] = None
    drain: Text | None = None
    fail: Text | None = None
    kill: Text | None = None
    busy: Text | None = None
    share: Annotated[Number | None, Field(gt=0, le=1)] = None
    crash_starts: Text | None = None
    storm: StormCommand | None = None

    @property
    def is_emulated(self) -> bool:
        """Whether only an emulated network or host can make it happen."""
        return all(it is None for it in (self.drain, self.kill, self.storm))

    @property
    def happens_once(self) -> bool:
        """Whether there is nothing to be undone."""
        return self.kill is not None or self.storm is not None

    @property
    def label(self) -> str:
        """What a picture calls it."""
        if self.delay is not None:
            return f"{self.delay[0]} ↔ {self.delay[1]} +{self.add:g} ms"
        if self.drain is not None:
            return f"{self.drain} drained"
        if self.fail is not None:
            return f"{self.fail} fails"
        if self.kill is not None:
            return f"{self.kill} killed"
        if self.busy is not None:
            return f"{self.busy} {self.share:.0%} busy"
        if self.crash_starts is not None:
            return f"{self.crash_starts} starts crash"
        if self.storm is not None:
            return f"storm {self.storm}"
        return f"{self.cpu} CPU × {self.factor:.3g}"


def event_problems(event: TrialEvent, trial: Trial) -> Iterator[str]:
    """Yield what is wrong with an event, each beginning with the key below it."""
    keys = set[str]().union(*(own for own, _ in _KINDS))
    given = {key for key in keys if getattr(event, key) is not None}
    if given not in [own for own, _ in _KINDS]:
        yield f": give either {', or '.join(form for _, form in _KINDS)}"
        return
    if event.kill is not None:
        programs = [
            *_KILLED,
            *(it for host in trial.cluster.hosts for it in host_programs(host)),
        ]
        if event.kill not in programs:
            choices = name_choices("allowed", programs, event.kill)
            yield f".kill = {event.kill!r}: no such program; {choices}"
    if event.happens_once and event.until is not None:
        yield f".until = {event.until:g}: what happens at once is not undone; omit it"
    others = [it.label for it in trial.schedulers if it.scheduler != SchedulerChoice.EYEWALL]
    if event.drain is not None and others:
        yield f".drain = {event.drain!r}: only Eyewall drains hosts, and schedulers has {others[0]}"
    if event.at >= trial.seconds:
        yield f".at = {event.at:g}: the measurement ends after {trial.seconds:g} s"
    if event.until is not None and event.until <= event.at:
        yield f".until = {event.until:g}: goes back in time; allowed is after at = {event.at:g}"
    hosts = trial.cluster.host_names
    places = (*hosts, *trial.cluster.site_names)
    of_hosts = (event.cpu, event.drain, event.fail, event.busy, event.crash_starts)
    for name, allowed in [(it, places) for it in event.delay or ()] + [
        (it, hosts) for it in of_hosts if it
    ]:
        if name not in allowed:
            choices = name_choices("allowed", allowed, name)
            yield f": {name}: {trial.cluster.name} has no such host; {choices}"
    if event.delay is not None and not host_pairs(trial.cluster, *event.delay):
        yield (
            f".delay = {list(event.delay)}: there is no link; allowed are two different hosts or "
            "sites, or a site of several hosts twice"
        )


def host_pairs(cluster: Cluster, a: str, b: str) -> list[tuple[str, str]]:
    """Return the different hosts between which a delay between two hosts or sites is."""
    ends = [[it.name for it in cluster.hosts if end in (it.name, it.site)] for end in (a, b)]
    return [(u, v) for u, v in product(*ends) if u != v]
