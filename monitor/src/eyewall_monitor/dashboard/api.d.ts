// Generated from the API's OpenAPI document by tools/api_types.py. Do not edit.
// Types for the modules in static/; never served.

/** A host that the executor could move to, or what forbids it. */
export interface AlternativeView {
  host: string;
  current: boolean;
  constraint: string;
  reason: string;
  metrics: MetricView[];
  rate_between_hosts_added: number | null;
  response_time_added: number | null;
}

/** One point of a forecast with its interval; what has no bound is None, as is the unknown. */
export interface BandPoint {
  /** Seconds since the epoch. */
  at: number;
  value: number | null;
  least: number | null;
  greatest: number | null;
}

/** A catalogue of machine types. */
export interface CatalogueView {
  name: string;
  currency: string;
  /** Of CPU; topologies' is cores. */
  unit: string;
  types: number;
}

/** The next cheaper platform, and the throughput that it sustains. */
export interface CheaperPlatformView {
  price: number;
  throughput: number;
  shopping_list: ShoppingItemView[];
}

/** The whole cluster. */
export interface ClusterView {
  revision: number;
  sidecar: Signal;
  /** Its age is that of the last round. */
  nimbus: Signal;
  delays: Signal;
  delays_source: string;
  supervisors: SupervisorView[];
  /** Hosts whose agents report although Nimbus has no supervisor there. */
  gone: string[];
  links: LinkView[];
  /** Whether `links` has every pair of hosts; else it has those with traffic. */
  all_pairs: boolean;
  topologies: TopologySummary[];
  switches: SwitchesView;
  rules: RulesView | null;
  /** Stores that the dashboard's configuration does not name: their data is missing by intent. */
  not_configured: ("zookeeper" | "redis")[];
}

/** A node of the topology's graph. */
export interface ComponentView {
  id: string;
  kind: "system" | "spout" | "bolt";
  executors: ExecutorView[];
  /** tuples/s on all its streams. */
  emitted: number | null;
  /** The share of time that its busiest task spent executing, by Storm. */
  capacity: number | null;
}

/** Some decisions, newest first. */
export interface DecisionPage {
  decisions: DecisionSummary[];
  /** Value of `before` for the next page; None: there are no older decisions. */
  older: string | null;
  /** Records that were left out, and why. */
  unreadable: string[];
}

/** A decision in the history. */
export interface DecisionSummary {
  id: string;
  /** Seconds since the epoch. */
  at: number;
  topology: string;
  name: string;
  verdict: Verdict;
  /** The message that Storm UI shows. */
  said: string;
  policy: string;
  objective: string;
  status: string;
  decided_by: string;
  gap: number | null;
  moves: number;
  workers_started: number | null;
  /** Old workers of the move serve on until new ones carry tuples. */
  overlaps: boolean;
  /** R of the assignment that ran, and of the one that was found. */
  response_time_before: number | null;
  response_time_after: number | null;
}

/** One decision, whole. */
export interface DecisionView {
  summary: DecisionSummary;
  seed: number | null;
  seconds: number | null;
  evaluated: number | null;
  bound: number | null;
  metrics: MetricView[];
  moves: MoveView[];
  moves_left_out: number;
  /** Whether the moves were made. */
  done: boolean;
  possible: number | null;
  rejected: RejectionView[];
  assumptions: string[];
  delays_age: number | null;
  delays_confidence: number | null;
  rates_age: number | null;
  /** Digest of the assignment that it was computed from. */
  base: string;
  gain: MeasuredGain;
}

/** The share of its thread's time that an executor works: expected now, and then. */
export interface ExecutorUtilisationView {
  executor: string;
  now: IntervalView;
  then: IntervalView;
}

/** One executor, and where it runs. */
export interface ExecutorView {
  executor: string;
  component: string;
  /** First and last. */
  tasks: [number, number];
  host: string | null;
  port: number | null;
  cores: number | null;
  pins: string[];
}

/** Why an executor runs where it runs, and not elsewhere. */
export interface ExplanationView {
  topology: string;
  name: string;
  executor: string;
  host: string;
  objective: string;
  answer: string;
  metrics: MetricView[];
  neighbours: NeighbourView[];
  alternatives: AlternativeView[];
  left_out: number;
  on_slowest_path: boolean;
  assumptions: string[];
  /** What is not known well enough for a decision; empty if everything is. */
  unknown: string;
}

/** What is expected of a topology as it runs, and `then`: with what was asked for. */
export interface ForecastView {
  topology: string;
  name: string;
  /** The multiple of the present rate that `then` is of. */
  rate: number;
  /** Hosts that are off then. */
  off: string[];
  /** What has placed all executors then; empty: only those of hosts that are off are placed. */
  policy: string;
  now: ProspectView;
  then: ProspectView;
  /** Executors that are elsewhere then; nothing is moved. */
  moves: MoveView[];
  /** Highest expected utilisation then first; hosts that are off last. */
  hosts: HostUtilisationView[];
  /** Highest expected utilisation then first. */
  executors: ExecutorUtilisationView[];
  remarks: string[];
  /** What is measured has not come to rest since workers started: values may be far off. */
  unsettled: boolean;
}

/** The body of a change of a switch. */
export interface Frozen {
  frozen: boolean;
}

/** Every part. */
export interface HealthView {
  revision: number;
  well: boolean;
  parts: PartView[];
}

/** The share of a host's cores in use: measured now, expected now, and with the change. */
export interface HostUtilisationView {
  host: string;
  measured: number | null;
  /** Of its monitor agent, which measures. */
  report: Signal;
  now: IntervalView;
  /** None: the host is off. */
  then: IntervalView | null;
}

/** A forecast, and its interval by the errors of the model's inputs; null is without bound. */
export interface IntervalView {
  value: number | null;
  least: number | null;
  greatest: number | null;
}

/** One direction between two hosts. */
export interface LinkView {
  source: string;
  target: string;
  /** One way: the delay that the sidecar uses. */
  delay: number | null;
  /** Half of the round trip that the hosts' agents measured. */
  measured: number | null;
  /** By the hosts' coordinates. */
  estimated: number | null;
  signal: Signal;
  /** tuples/s that cross it. */
  rate: number | null;
}

/** The load of a host, by its agent's last report. */
export interface Load {
  cores_busy: number;
  cores: number;
  /** Cores that other guests of the hypervisor took. */
  stolen: number;
  /** Share of the time for which its quota stopped it, 0 to 1. */
  throttled: number;
  memory_used: number;
  memory: number;
}

/** The predicted and the measured response time before and after a decision. Means over the minutes before and after, without the minute of the move. */
export interface MeasuredGain {
  predicted_before: number | null;
  predicted_after: number | null;
  measured_before: number | null;
  measured_after: number | null;
  /** Why one is unknown or uncertain. */
  note: string;
}

/** A term, or the objective. */
export interface MetricView {
  /** The term's letter, or `objective`. */
  name: string;
  title: string;
  /** Of the values; empty for a probability and for the objective. */
  unit: string;
  display_unit: string;
  /** A value times the factor is in `display_unit`. */
  factor: number;
  /** Null: unknown, as of the objective, which may be a weighted sum. */
  less_is_better: boolean | null;
  before: number | null;
  after: number | null;
}

/** The move of one executor; without a source it had no slot. */
export interface MoveView {
  executor: string;
  source: string | null;
  target: string;
  source_port: number | null;
  target_port: number | null;
}

/** An executor that exchanges tuples with it. */
export interface NeighbourView {
  executor: string;
  host: string;
  upstream: boolean;
  rate: number;
  delay: number;
  system: boolean;
}

/** One part of Eyewall, or something that it needs. */
export interface PartView {
  /** nimbus, sidecar, zookeeper, redis, rates job, latency agent, monitor agent … */
  name: string;
  host: string;
  signal: Signal;
  /** Seconds that it is behind; None: unknown, or not applicable. */
  lag: number | null;
  detail: string;
}

/** A step of the slowest path. */
export interface PathStepView {
  executor: string;
  host: string;
  /** From the step before. */
  delay: number;
  /** Processing time of one tuple. */
  work: number;
}

/** What to plan; empty fields are the topology's own. */
export interface PlanRequest {
  topology: string;
  policy?: string;
  objective?: string;
  time_limit?: number | null;
  seed?: number | null;
}

/** A plan in a list of plans. */
export interface PlanSummaryView {
  id: string;
  topology: string;
  name: string;
  state: "proposed" | "queued" | "handed_over" | "applied" | "refused" | "stale";
  state_reason: string;
  age: number;
  expires_in: number;
  policy: string;
  objective: string;
  status: string;
  gain: number | null;
  executors_moved: number;
  workers_started: number;
}

/** A dry run and its state. */
export interface PlanView {
  id: string;
  topology: string;
  name: string;
  state: "proposed" | "queued" | "handed_over" | "applied" | "refused" | "stale";
  state_reason: string;
  age: number;
  expires_in: number;
  /** Digest of the assignment that it was computed from. */
  base: string;
  policy: string;
  objective: string;
  seed: number;
  status: string;
  decided_by: string;
  seconds: number;
  evaluated: number;
  bound: number | null;
  gap: number | null;
  gain: number | null;
  metrics: MetricView[];
  moves: MoveView[];
  workers: WorkerChangeView[];
  workers_started: number;
  /** Old workers serve on until new ones carry tuples. */
  overlaps: boolean;
  possible: number | null;
  rejected: RejectionView[];
  remarks: string[];
  slowest_path: PathStepView[];
  /** Why the move limits would not allow it; empty if they would. */
  held_back: string;
  delays_age: number | null;
  delays_confidence: number | null;
  rates_age: number | null;
}

/** A policy that plans can be made with. */
export interface PolicyView {
  name: string;
  title: string;
  source: string;
  method: string;
  optimises: string[];
  /** Whether it optimises weighted sums of metrics. */
  mixes: boolean;
  /** Whether it optimises Ecker's score. */
  ecker: boolean;
  /** When to use it. */
  take_it: string;
}

/** Where a host is drawn, in seconds of round-trip time on both axes. */
export interface Position {
  x: number;
  y: number;
  height: number;
  /** Its network coordinate, or multidimensional scaling of the delays between hosts. */
  source: "coordinates" | "delays";
}

/** An error (RFC 9457). */
export interface Problem {
  title: string;
  status: number;
  /** A sentence that names the offender, its value and what is allowed. */
  detail: string;
  /** Names that the request may have meant. */
  nearest: string[];
}

/** What is expected of a placement at one rate. */
export interface ProspectView {
  /** tuples/s that are carried of those that the sources send, copies included. */
  throughput: IntervalView;
  /** Seconds until the source has the ack; from source to sink of what is not acked. */
  response_time: IntervalView;
  /** The multiple of the present rate that is just carried. */
  sustainable: IntervalView;
  /** Host or executor that saturates first. */
  bottleneck: string;
}

/** The platform to look for; empty fields are the sidecar's own. */
export interface ProvisionRequest {
  /** Name of a shipped one, or the TOML text of another; empty: the present supervisors. */
  catalogue?: string;
  /** In multiples of the topology's present throughput. */
  throughput?: number;
  tuple_bytes?: number | null;
  method?: string;
  time_limit?: number | null;
  seed?: number | null;
}

/** The cheapest platform that was found for a topology's throughput. */
export interface ProvisionView {
  topology: string;
  name: string;
  catalogue: string;
  currency: string;
  throughput: number;
  status: string;
  decided_by: string;
  seconds: number;
  price: number | null;
  bound: number | null;
  gap: number | null;
  shopping_list: ShoppingItemView[];
  machines: ProvisionedMachineView[];
  uses: ResourceUseView[];
  breaks_at: number;
  breaks: ResourceUseView[];
  sustained: number | null;
  cheaper: CheaperPlatformView | null;
  /** Supervisors that could be switched off as far as this topology is concerned. */
  not_needed: string[];
  reasons: string[];
  assumptions: string[];
}

/** One machine, and the operators that it would run. */
export interface ProvisionedMachineView {
  id: string;
  type: string;
  operators: string[];
}

/** A decision that placed or moved executors. */
export interface ReassignmentView {
  at: number;
  decision: string;
  verdict: Verdict;
  said: string;
  moves: number;
}

/** The number of single-executor moves that a constraint forbids. */
export interface RejectionView {
  constraint: string;
  moves: number;
}

/** The load of a CPU, a memory, a card or a link, in cores, bytes or bytes/s. */
export interface ResourceUseView {
  /** cpu, memory, card, server, server link or link. */
  constraint: string;
  name: string;
  load: number;
  /** None: unlimited. */
  limit: number | null;
}

/** Response time over time. */
export interface ResponseTimeView {
  topology: string;
  /** R, the papers' model, in which hosts are idle. */
  predicted: TimePoint[];
  /** By the model of load, since the dashboard started. */
  expected: BandPoint[];
  measured: TimePoint[];
  /** Why nothing is measured; empty if something is. */
  measured_note: string;
  reassignments: ReassignmentView[];
}

/** The limits on moves. */
export interface RulesView {
  minimum_gain: number;
  cool_down_seconds: number;
  workers_per_round: number | null;
  workers_per_hour: number | null;
  workers_started_last_hour: number;
  frozen_by_configuration: boolean;
}

/** Machines of one type. */
export interface ShoppingItemView {
  type: string;
  count: number;
  /** Of one. */
  price: number;
  sum: number;
}

/** The age and confidence of something measured. */
export interface Signal {
  state: "fresh" | "stale" | "missing";
  age: number | null;
  confidence: number | null;
  /** What is wrong, as a sentence; empty if nothing is. */
  note: string;
}

/** An edge of the topology's graph. */
export interface StreamView {
  source: string;
  target: string;
  stream: string;
  grouping: string;
  system: boolean;
  /** tuples/s that the model uses. */
  rate: number | null;
  /** Of a measured rate: half the width of its 95 % interval. */
  error: number | null;
  rate_between_hosts: number | null;
  /** `missing`: the rate is assumed, or hinted by the topology. */
  signal: Signal;
}

/** A supervisor and its host. */
export interface SupervisorView {
  id: string;
  host: string;
  site: string;
  labels: string[];
  availability: number | null;
  speed: number | null;
  slots: number;
  slots_used: number;
  executors: number;
  /** Names of those that have an executor there. */
  topologies: string[];
  /** Nothing is placed there, and what runs there leaves. */
  drained: boolean;
  cores: number;
  memory: number;
  cores_requested: number;
  memory_requested: number;
  load: Load | null;
  /** Of its monitor agent. */
  report: Signal;
  /** Of its latency agent. */
  latency: Signal;
  position: Position | null;
}

/** The switches that operators turn while the cluster runs. */
export interface SwitchesView {
  /** False: no ZooKeeper holds them, or it does not answer. */
  available: boolean;
  frozen: boolean;
  /** Storm's ids. */
  frozen_topologies: string[];
  drained_hosts: string[];
  /** The sidecar holds the same values. */
  in_force: boolean;
  note: string;
}

/** A term that an objective may hold. */
export interface TermView {
  letter: string;
  name: string;
  meaning: string;
}

/** Tuples/s that a topology's spouts send, copies included, over time. */
export interface ThroughputView {
  topology: string;
  /** By the model of load, since the dashboard started. */
  expected: BandPoint[];
  measured: TimePoint[];
  /** Why nothing is measured; empty if something is. */
  measured_note: string;
}

/** One point of a series. */
export interface TimePoint {
  /** Seconds since the epoch. */
  at: number;
  /** Seconds or tuples/s; None interrupts the line. */
  value: number | null;
}

/** A topology in a list of topologies. */
export interface TopologySummary {
  id: string;
  name: string;
  mode: string;
  policy: string;
  objective: string;
  status: string;
  verdict: string;
  frozen: boolean;
  executors: number;
  /** Executors that have a slot. */
  placed: number;
  workers: number;
  hosts: number;
  /** Predicted by the model. */
  response_time: number | null;
  /** Storm's complete latency over the last minute. */
  measured_response_time: number | null;
  rates: Signal;
}

/** A topology, whole. */
export interface TopologyView {
  revision: number;
  summary: TopologySummary;
  components: ComponentView[];
  streams: StreamView[];
  metrics: MetricView[];
  slowest_path: PathStepView[];
  /** Seconds until the end of its cool-down. */
  cooling: number;
  /** What keeps it from being evaluated; empty if nothing does. */
  unknown: string;
  assumptions: string[];
}

/** What was decided. */
export type Verdict = "placed" | "moved" | "kept" | "declined";

/** The data of each Server-Sent Event: what to fetch again. */
export interface ViewChange {
  revision: number;
  /** cluster, topology/ID, decisions, plans, health. */
  changed: string[];
}

/** What a plan does to one slot. */
export interface WorkerChangeView {
  host: string;
  port: number;
  kind: "unchanged" | "started" | "restarted" | "stopped";
  before: string[];
  after: string[];
}
