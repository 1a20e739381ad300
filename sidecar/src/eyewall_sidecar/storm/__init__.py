"""Storm's nouns, and the only bridge between them and problems: `placement_problem`, `slots`."""

from eyewall_sidecar.storm.capacity import Capacities, SupervisorCapacity, supervisor_capacities
from eyewall_sidecar.storm.changes import (
    ChangeKind,
    LostSlot,
    SlotLoss,
    SlotMove,
    WorkerChange,
    find_lost_slot,
    slot_moves,
    slots_of,
    worker_changes,
    workers_started,
)
from eyewall_sidecar.storm.cluster import (
    MESSAGE_TIMEOUT,
    Assignment,
    ClusterState,
    Component,
    ComponentKind,
    Executor,
    Grouping,
    Input,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
    Worker,
)
from eyewall_sidecar.storm.delay_table import DelayTable
from eyewall_sidecar.storm.host_load import HostHistory, HostLoad, update_host
from eyewall_sidecar.storm.known_delays import KnownDelays, KnownDelaysCache
from eyewall_sidecar.storm.placement_problem import (
    operator_id,
    problem_of_missing,
    problem_of_moving,
)
from eyewall_sidecar.storm.rates import ComponentStream, component_streams
from eyewall_sidecar.storm.settings import (
    Mode,
    SettingsError,
    TopologySettings,
    mode_of,
    read_settings,
)
from eyewall_sidecar.storm.slots import SlotChoice, choose_slots
from eyewall_sidecar.storm.topology_estimates import (
    MeasuredTopology,
    hold_estimates,
    measured_topology,
)
from eyewall_sidecar.storm.topology_problem import Signals, TopologyProblem
from eyewall_sidecar.storm.wait_fit import (
    LATENCY_MODEL,
    UNFITTED,
    LatencyParts,
    WaitFit,
    fit_waits,
    hold_waits,
    latency_parts,
)
from eyewall_sidecar.storm.worker_overhead import (
    USUAL_COST,
    CrossingCost,
    Overheads,
    WorkerAddress,
    update_overheads,
)

__all__ = [
    "LATENCY_MODEL",
    "MESSAGE_TIMEOUT",
    "UNFITTED",
    "USUAL_COST",
    "Assignment",
    "Capacities",
    "ChangeKind",
    "ClusterState",
    "Component",
    "ComponentKind",
    "ComponentStream",
    "CrossingCost",
    "DelayTable",
    "Executor",
    "Grouping",
    "HostHistory",
    "HostLoad",
    "Input",
    "KnownDelays",
    "KnownDelaysCache",
    "LatencyParts",
    "LostSlot",
    "MeasuredTopology",
    "Mode",
    "Overheads",
    "SettingsError",
    "Signals",
    "Slot",
    "SlotChoice",
    "SlotLoss",
    "SlotMove",
    "Supervisor",
    "SupervisorCapacity",
    "Topology",
    "TopologyProblem",
    "TopologySettings",
    "TopologyState",
    "WaitFit",
    "Worker",
    "WorkerAddress",
    "WorkerChange",
    "choose_slots",
    "component_streams",
    "find_lost_slot",
    "fit_waits",
    "hold_estimates",
    "hold_waits",
    "latency_parts",
    "measured_topology",
    "mode_of",
    "operator_id",
    "problem_of_missing",
    "problem_of_moving",
    "read_settings",
    "slot_moves",
    "slots_of",
    "supervisor_capacities",
    "update_host",
    "update_overheads",
    "worker_changes",
    "workers_started",
]
