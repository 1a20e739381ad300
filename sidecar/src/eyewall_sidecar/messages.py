"""Every sentence for people that rounds and requests make: a code, its values, and the wording.

A decision's reason, a log line, Storm UI's status, a refusal and an answer are `Message`s. They may
contain each other. Code compares codes and values; the wording is in `Code` alone.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from functools import cache

from eyewall_sidecar.message_format import SENTENCES


@unique
class Code(Enum):
    """What is said; the value is the sentence, with the names of the values in it.

    Formats beyond Python's own are in `_Formatter`.
    """

    # What lower layers refuse, in their words.
    BAD_SETTINGS = "{settings_error}"
    BAD_DEFINITION = "{definition_error}"
    LEFT_TO_STORM = (
        "left to Storm: topology.scheduler.strategy is {strategy}, which keeps hosts for it alone"
    )
    NO_PROBLEM = "{problem}{doubt:appended}"
    FAILED = "eyewall failed: {error}"

    # One topology in one round.
    MODE_OFF = "eyewall.mode is off"
    MODE_OBSERVE = "eyewall.mode is observe"
    OBSERVED = "eyewall.mode is observe: {found}"
    STILL_SOLVING = "still solving; a later round uses the answer if it still fits"
    SEARCHING = "looking for a better placement"
    FOUND_TOO_OLD = "what was found is too old to move to; it is soon looked for again"
    NOT_SOUGHT = "no improvement sought: {reason}"
    SOLVER_HUNG = "the solver process hung and was replaced"
    SOLVER_DIED = "the solver process died and was replaced"
    POLICY_FAILED = "the policy failed: {error}"
    SOLUTION = "{policy}, {quality}, {worth}"
    MOVING_SOLUTION = "{policy}, {quality}, {worth}, {moves:count executor} moved"
    PLACED = "eyewall: {solution}{remarks:remarks}"
    DECIDED = "{status} ({seconds:.2f} s, {moves:count move}; {search})"
    DECIDED_MOVE = "{decided}; {gap:.0f} s without output cost {cost:.3g} s for each tuple/s{gain}"
    PREDICTED_GAIN = ", tuples should arrive {least:ms} to {greatest:ms} earlier"
    KEPT = "kept as it is"
    STATUS_WITH_HOLD = "{status}; {hold}"
    SLOTS_REUSED = "no fresh slot left, reused {slots:list}"

    # Rules of movement.
    NO_PLACEMENT = "{policy} {status}: {reasons:joined}"
    NO_LONGER_FITS = "the improvement no longer fits: {violation}"
    ALREADY_BEST = "{quality} as it is"
    STILL_BEST = "nothing better was found by the last search"
    NO_SLOTS = "{slot_error}{must_move:remark}"
    FOUND = "{worth}{gain:gain}{must_move:remark}"
    HELD = "{found}, but {hold}"
    UNKNOWN = "not known well enough: {unknown}"
    GAIN_TOO_SMALL = "the minimum gain is {minimum:%}"
    SAVES_TOO_LITTLE_WAITING = (
        "within {horizon:g} s it saves {saved:.3g} s of waiting for each tuple/s and costs "
        "{cost:.3g} s"
    )
    SAVES_TOO_LITTLE_DOWNTIME = (
        "within {horizon:g} s it saves {saved:.3g} s of downtime and costs {cost:.3g} s"
    )
    COSTS_MORE = (
        "within {horizon:g} s it saves at least {saved:.3g} s of lateness for each tuple/s, and "
        "{gap:.0f} s without output cost {cost:.3g} s"
    )
    RELIEF_TOO_SMALL = (
        "what runs is saturated, and a move is expected to carry {expected:.2f} times its "
        "throughput (at least {least:.2f} times); it needs {minimum:g} times (at least "
        "{least_needed:.2f})"
    )
    OVERLOAD_MAY_END = (
        "the overload may end by itself: in {seconds:.0f} s it has cost {lateness:.0f} s of "
        "lateness for each tuple/s, and a move's {gap:.0f} s without output would cost {cost:.0f} s"
    )
    HOST_IS_RELIEVED = "{topology} is leaving {host}, which may end the overload"
    FROZEN_BY_CONFIGURATION = "moves are frozen ([replacement] frozen)"
    FROZEN_BY_OPERATORS = "moves are frozen (the operators' switch)"
    TOPOLOGY_FROZEN = "the topology is frozen (the operators' switch)"
    SWITCHES_UNREAD = "the operators' switches have not been read yet{remark:colon}"
    CATCHING_UP = (
        "what runs is saturated, but for another {seconds:.0f} s it may be making up for its "
        "workers' start"
    )
    COOLING = "the assignment cools down for another {seconds:.0f} s"
    STILL = "the last move was a setback: nothing moves for another {seconds:.0f} s"
    REFUSED_MOVE = (
        "Nimbus does not take this move ({reason}): it is ordered again in {seconds:.0f} s"
    )
    UNSETTLED = "what is measured has not come to rest since its workers started"
    ROUND_BUDGET = (
        "{workers:count worker} would start, {started} started in this round, and "
        "workers_per_round is {limit}"
    )
    HOUR_BUDGET = (
        "{workers:count worker} would start, {started} started in the last hour, and "
        "workers_per_hour is {limit}"
    )
    HOST_STARTS = "workers of {topology} are starting on {host}; topologies take turns there"
    NOT_PINNED_THERE = "{executor} was not where it is pinned"
    DRAINED = "{host} is drained"
    FOREIGN_NODE = "{executor} was on {node}, which serves another topology"
    OVERLOADED = "{node} was overloaded: {needed:.2g} cores needed, {available:.2g} available"

    # Why the workers of a move restart, instead of serving on.
    RESTARTS = "{decided}; its workers restart: {reason}"
    OVERLAPS = "old workers serve on until new ones carry tuples"
    MOVES_RESTART = "moves restart workers: {reason}"
    RESTARTS_AS_SET = "eyewall.moves is restart"
    STATEFUL = "{topology} has stateful bolts, which must not run twice"
    EXCLUSIVE_MOVES = "{components:list} must not run twice (eyewall.exclusive)"
    NO_OVERLAP_AGENT = "the worker in {slot} is not known to have the overlap agent"
    UNKNOWN_STORM = (
        "the overlap agent of {slot} does not know the code of Storm {release}, and leaves it as "
        "it is"
    )
    HOST_NOT_REPORTED = "the monitor agent of {host} does not report"
    OTHER_OVERLAP_AGENT = (
        "the overlap agent of {slot}, {version}, has contract {contract}, not {allowed} as this "
        "sidecar: give both the same release; workers have the jar from their next start"
    )
    WORKERS_NOT_LOOKED_AT = "whether they serve on was not looked at in this round"
    NO_FRESH_SLOTS = "new workers need slots in which old ones run, {slots:list}"
    NO_MEMORY_FOR_BOTH = "{host} has {available:.0f} MB, old and new workers declare {needed:.0f}"
    SLOW_START = (
        "new workers take {seconds:.1f} s to start on the {cores:.2f} cores of {host}; "
        "{longest:.0f} s are the most"
    )
    NO_CPU_FOR_BOTH = (
        "old workers, which use {used:.2f} of the {cores:.2f} cores that others leave them on "
        "{host}, would fall {seconds:.0f} s behind while new ones start there"
    )

    # Looking back on a move.
    MEASURED_MOVE = (
        "throughput {throughput:tuples/s} (was {throughput_before:tuples/s}), latency "
        "{latency:ms} (was {latency_before:ms}), CPU {cpu:cores} (was {cpu_before:cores}){changed}"
    )
    SURROUNDINGS = (
        "; what hosts and delays did since is no fault of the move: {delay:ms} more, "
        "{throughput:.0%} carried"
    )
    RESTARTED_WORKERS = "a worker has been restarted {restarts:count time} since"
    UNDO_NOT_TAKEN = "Nimbus did not take the way back {orders:count time} ({reason})"
    ORIGIN_IS_FULL = "where it was, {part:.0%} of what was carried there would be now"
    UNDO_COSTS_MORE = (
        "the way back would cost {cost:.0f} s of lateness for each tuple/s, and save {saved:.0f} s "
        "within {horizon:.0f} s"
    )
    MOVE_CONFIRMED = "the last move came to rest: {measured}"
    MOVE_UNDONE = "the last move made it worse and is undone: {measured}"
    MOVE_NOT_UNDONE = "the last move made it worse: {measured}; it stays, as {reason}"
    LINK_STAYED_SLOW = (
        "the move that was undone was not why {source} → {target} became slow: it takes "
        "{delay:ms} without the topology, too; nothing is held back any more"
    )
    UNDONE = "eyewall: back to where it ran before"

    # Plans.
    PLAN_PLACED = "eyewall: plan {plan}, {solution}"
    PLAN_APPLIED = "applied plan {plan}: {solution}"
    OTHER_OBJECTIVE = (
        "the topology's own objective is {objective}: the sidecar decides by that one and may move "
        "the topology again"
    )
    TOPOLOGY_GONE = "{topology} no longer exists"
    WORKERS_RESTARTED = "the workers of {topology} were restarted"
    EXECUTORS_MOVED = "{changes:joined}{more:more}"
    EXECUTOR_LOST = "{executor} has no slot now"
    EXECUTOR_PLACED = "{executor} runs on {here} now"
    EXECUTOR_MOVED = "{executor} runs on {here} now, not on {there}"
    SUPERSEDED = "plan {plan} was applied after it"
    NOT_TAKEN = "Nimbus did not apply it{reason:colon}"
    SUPERVISOR_GONE = "supervisor {supervisor} no longer exists"
    PORT_WITHDRAWN = "{slot} is no longer offered"
    SLOT_DRAINED = "{slot} is on a host that is drained"
    SLOT_TAKEN = "{slot} was taken by {topology}"
    NO_ROUND = "no scheduling round for {seconds:.0f} s; the plan waits for one"
    PLAN_MOVED_ON = (
        "plan {plan} was applied, but {topology} no longer runs like that; make another plan"
    )
    PLAN_STALE = "plan {plan} is stale: {reason}; make another plan for {topology}"
    PLAN_CHANGES_NOTHING = "plan {plan} changes nothing: {topology} runs like that"
    PLAN_REFUSED = "plan {plan} cannot be applied: {reason}"

    # Questions without an answer.
    NO_ROUND_YET = "no Nimbus has been heard yet: it asks in its first scheduling round"
    NOBODY_WAITS = "nobody waits for the answer any more"
    NOT_MOVABLE = "{topology}: {reason}"
    NOT_WHOLE = "{topology} does not run whole: {executors:list} without a slot"
    TOO_MANY_PLANS = "{limit} plans and forecasts are being made already; try again in a moment"
    BAD_TIME_LIMIT = (
        "time limit {value:g}: it must be a number of seconds > 0 and at most {limit:g}"
    )
    BAD_SEED = "seed {value}: it must be a whole number from 0 to {limit}"
    BAD_OBJECTIVE = "{objective_error}"
    NO_POLICY = "no policy {name}; policies are {known:all}"
    NO_PLAN = (
        "no plan {name}, or it was forgotten; plans are kept for {minutes:g} minutes, at most "
        "{limit}, until the sidecar ends"
    )
    NO_TOPOLOGY = "no topology {name}; topologies are {known:listed}"
    NO_TOPOLOGIES = "no topology {name}; there are no topologies"
    NO_EXECUTOR = "no executor {name} in {topology}; its components are {known:listed}"
    SEVERAL_EXECUTORS = "{name} has {count} executors: {known:listed}; name one of them"
    NO_TASK = "no task {name} in {topology}; tasks are {first} to {last}"
    NO_TASKS = "no task {name} in {topology}; it has none"
    NO_HOST = "no host {name}; hosts are {known:listed}"
    BAD_RATE = "rate {value:g}x: it must be a multiple > 0 of the present rate, at most {limit:g}x"
    BAD_SHARE = (
        "host {host}={value:g}x: it must be off, or the multiple ≥ 0 of its cores that is left"
    )
    ALL_HOSTS_OFF = "all hosts are off; leave at least one"
    BOUND_TO_HOSTS_OFF = "{executor} may only run on {hosts:list}, and nothing runs there then"
    RATE_NOT_CARRIED = (
        "{rate:.3g} times the present rate is not carried: {bottleneck} saturates at "
        "{sustainable:.2f} times"
    )
    RATE_PERHAPS_NOT_CARRIED = (
        "{rate:.3g} times the present rate is perhaps not carried: {bottleneck} saturates at "
        "about {sustainable:.2f} times"
    )
    CPU_NOT_MEASURED = "utilisation is of declared CPU: nothing was measured"
    UNEXPLAINED = "{topology} cannot be explained: {reason}"
    MISSING_EXECUTORS = "{missing} of its {executors} executors have no slot"
    NOT_REACHED = "the last round did not reach it"
    NOT_RUNNING = "it does not run whole"

    # What forbids an executor a host.
    PINNED = "{component} is pinned to {pins:list}"
    WITHDRAWN_SLOT = (
        "the slot that it runs in is no longer offered: its worker can only stay as it is"
    )
    PLACES_TAKEN = "{taken:g} of {limit:g} places are taken"
    CPU_FULL = "cpu, {needed:.3g} cores with it, {limit:.3g} available, as {source}{headroom}"
    MEMORY_FULL = "memory, {needed:.0f} MB with it, {limit:.0f} available{headroom}"
    VIOLATION = "{violation}"
    RESOURCE_FULL = "{resource}, {needed:g} with it, {limit:g} available"
    BAD_TRAITS = "its supervisor.scheduler.meta cannot be read: {error}"
    CLOSED = "another topology runs there, and with Ecker's score a supervisor serves one at most"
    BLACKLISTED = "Nimbus offers no slot there, as of a blacklisted host"
    GREYLISTED = "it is greylisted: used where the others have no slots"
    NO_CPU_FOR_A_WORKER = (
        "a worker counts {least:g} cores at least (storm.worker.min.cpu.pcore.percent), which are "
        "not free there"
    )
    NO_MEMORY_TO_SHARE = "{component} and the memory that it shares have no room there"
    SLOTS_TAKEN = "all {slots:count slot} there belong to other topologies"
    DELAY_DOUBTED = "delays to and from it are known {doubt}"
    DELAYS_UNKNOWN = "the delay between it and {hosts:list} is unknown"
    SOME_DELAY_UNKNOWN = "delays between it and other hosts are unknown"
    NO_SUPERVISOR = "an agent reports from there, but Nimbus knows no supervisor on it"

    # Why an executor runs where it runs.
    RUNS = "{executor} runs on {host}: {reason}"
    RUNS_ALREADY = "{executor} does run on {host}: {reason}"
    RUNS_NEXT_BEST = "{runs}; {host} would be next best, {worth}"
    RUNS_AS_WELL = "{runs}; {host} would be equally good, {worth}{crossing:and}"
    RUNS_BETTER = "{runs}; {host} would be better, {worth}, but {hold}"
    RUNS_NOWHERE_ELSE = "{runs}; no other host can take it ({constraints:all})"
    RUNS_ALONE = "{runs}; there is no other host"
    CANNOT_GO = "{executor} cannot go to {host}: {reason}"
    WOULD_BE_BETTER = "{executor} would be better off on {host}, {worth}{crossing:and}, but {hold}"
    WOULD_GAIN_NOTHING = (
        "{executor} could go to {host}, but nothing is gained: {worth} as it is{crossing:and}"
    )
    WOULD_BE_WORSE = "{executor} could go to {host}, but {changes}"
    NOT_CERTAIN = (
        "{answer}. Nothing that runs is moved while this is not known well enough: {unknown}"
    )
    NOTHING_FLOWS = "nothing flows to it or from it"
    NEIGHBOUR_THERE = "{flow} there"
    NEIGHBOUR_AWAY = "none of its neighbours is there, {flow} on {host}, {delay} away"
    STILL_SEARCHING = "the search for a better placement is still under way"
    WHOLE_TOPOLOGY = "for the whole topology {policy} found: {verdict}"
    NEXT_ROUND = "the next rounds decide"

    # How well a running topology's problem is known.
    RATES_MEASURED = (
        "rates of {measured} of {streams:count stream} measured{age:ago}, "
        "each within {error:.0f} % (95 %)"
    )
    CPU_MEASURED = "CPU of all executors measured{age:ago}, each within {error:.0f} % (95 %)"
    DELAYS_MEASURED = "delays at most {age:.0f} s old, with confidence {confidence:.2g} or more"
    CPU_DECLARED = "CPU is what each component declares; it was not measured"
    RATES_NOT_MEASURED = "not measured, but hinted, derived or assumed: rates of {streams:list}"
    WITHOUT_SLOT = "without a slot now: {executors:list}"
    SIZES_UNKNOWN = "sizes of tuples are unknown: Storm does not report them"

    # What a problem assumes of a topology's rates and hosts.
    RATES_EQUAL = "rates assumed equal"
    RATE_ASSUMED = "rate of {streams:listed} assumed {rate:g} tuple/s"
    SELECTIVITY_ASSUMED = "selectivity 1 assumed for {components:listed}"
    SPREAD_EVENLY = "taken to spread evenly: {streams:listed}"
    SPREAD_GUESSED = "who sends to whom guessed from the sums: {streams:listed}"
    LOADS_UNKNOWN = "no recent load is known of {hosts:list}"
    RATES_UNKNOWN = "rates not known yet: {streams:list}{doubtful:reasons}"
    CPU_REMEMBERED = "CPU of {tasks:count task} as it was last known"
    LEFT_OUT_DOUBTED = "{count:count host} left out, delay known {doubt}: {hosts:list}"
    LEFT_OUT_UNKNOWN = "{count:count host} left out, delay unknown: {hosts:list}"
    LEFT_OUT_UNREADABLE = "{count:count host} left out: {reasons:first}"
    LEFT_OUT_UNSEEN = "nothing moves to {hosts:list}, of which no recent load is known"
    LEFT_OUT_SHARED = (
        "{hosts:list} left out, another topology runs there (with Ecker's score a supervisor "
        "serves one at most)"
    )

    # Why a topology has no problem, or its executors no slots.
    HEAP_TOO_LARGE = (
        "an executor of {component} wants {wanted} MB of heap, topology.worker.max.heap.size.mb "
        "allows {allowed}"
    )
    SUPERVISOR_UNKNOWN = "executors run on supervisor {supervisor}, which is not there"
    RUNS_UNREADABLE = "executors run on {host}: {reason}"
    NO_FREE_SLOT = "no supervisor has a free slot{unreadable:also}"
    NO_WORKER_FITS = (
        "no supervisor has a free slot and {least:g} free cores, which a worker counts at least "
        "(storm.worker.min.cpu.pcore.percent){unreadable:also}"
    )
    NO_UNSHARED_SLOT = (
        "no supervisor has a free slot and serves no other topology (paper 002, section 4)"
        "{unreadable:also}"
    )
    TOO_FEW_SLOTS = (
        "{host}: {executors} executors do not fit in {slots} slots with {per_slot} each{rule}"
    )
    NO_CPU_FOR_WORKERS = (
        "{host}: {workers} workers need {needed:g} cores of {available:g}, each {least:g} at least "
        "(storm.worker.min.cpu.pcore.percent)"
    )
    NO_MEMORY_FOR_WORKERS = (
        "{host}: executors and the memory they share need {needed:.0f} MB of {available:.0f} in "
        "{workers} workers"
    )
    SOME_APART = ", as some of them may not share a worker"
    WORKER_WITHDRAWN = "{host} no longer offers port {port}: its worker can only stay as it is"
    PIN_FULL = "eyewall.pin of {component}: {reasons:list}"
    PIN_NO_HOST = "eyewall.pin of {component}: no host {name}; hosts are {known:listed}"
    PIN_NO_LABEL = (
        "eyewall.pin of {component}: no host has the label {name}; labels are {known:given}"
    )
    PIN_NO_SITE = (
        "eyewall.pin of {component}: no host is at the site {name}; sites are {known:given}"
    )
    BAD_TRAIT = "supervisor.scheduler.meta {key} is {value!r}; it must be {allowed}"

    # Why a setting cannot be used.
    BAD_SETTING = "{key} is {value}; it must be {allowed}"
    NO_SETTING = "no setting {name}; settings are {known:all}{nearest:guess}"
    NOT_JSON = "{key} is {value}; it must be JSON"
    NESTED_TOO_DEEPLY = "{key} is {value}; it is nested too deeply"
    NO_COMPONENT = "{key}: no component {name}; components are {known:listed}{nearest:guess}"
    NO_STREAM = (
        "{key}: no component subscribes to a stream {stream} of {component}; its streams are "
        "{known:some}"
    )
    HINTS_EXCEED_TOTAL = (
        "{key}: the streams of {component} sum to {sum:g} tuples/s; they must not exceed the "
        "{total:g} given for {component} as a whole"
    )
    OTHER_OBJECTIVES = "{key} is {policy}, which optimises {objectives}; {what} is {objective}"
    NOT_AN_OBJECTIVE = "{key}: {error}"


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said; `str` is its sentence."""

    code: Code
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence."""
        return SENTENCES.vformat(self.code.value, (), self.values)


def message(code: Code, /, **values: object) -> Message:
    """Return a message; ValueError unless the values are exactly those of its sentence."""
    if values.keys() != (names := _names(code)):
        raise ValueError(f"{code}: values are {sorted(values)}; they must be {sorted(names)}")
    return Message(code, values)


@cache
def _names(code: Code) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(code.value) if name)
