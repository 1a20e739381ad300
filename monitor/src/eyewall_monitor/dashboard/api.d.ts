// Generated from the API's OpenAPI document by tools/api_types.py. Do not edit.
// Types for the modules in static/; never served.

/** A host that an executor could go to, or what forbids it. */
export interface AlternativeView {
  host: string;
  current: boolean;
  constraint: string;
  reason: string;
  metrics: MetricView[];
  rate_between_hosts_added: number | null;
  response_time_added: number | null;
}

/** Machine types that can be had. */
export interface CatalogueView {
  name: string;
  currency: string;
  /** What it counts CPU in; topologies' is in cores. */
  unit: string;
  types: number;
}

/** What an event says: fetch these again. Sent as the data of each Server-Sent Event. */
export interface Change {
  revision: number;
  /** cluster, topology/ID, decisions, plans, health. */
  changed: string[];
}

/** The next cheaper platform, and what it sustains. */
export interface CheaperPlatformView {
  price: number;
  throughput: number;
  shopping_list: ShoppingItemView[];
}

/** The whole cluster. */
export interface ClusterView {
  revision: number;
  sidecar: Signal;
  /** Age: since its last round. */
  nimbus: Signal;
  delays: Signal;
  delays_source: string;
  supervisors: SupervisorView[];
  /** Hosts whose agents report though Nimbus has no supervisor there. */
  gone: string[];
  links: LinkView[];
  /** Whether `links` has every pair of hosts; else those that a stream crosses. */
  all_pairs: boolean;
  topologies: TopologySummary[];
  switches: SwitchesView;
  rules: RulesView | null;
  /** What the dashboard was told of none: what it would tell is missing, and nothing is wrong. */
  not_configured: ("zookeeper" | "redis")[];
}

/** A node of the topology's graph. */
export interface ComponentView {
  id: string;
  kind: "spout" | "bolt" | "system";
  executors: ExecutorView[];
  /** tuples/s on all its streams. */
  emitted: number | null;
  /** Storm's share of time spent executing, of its busiest task. */
  capacity: number | null;
}

/** Some decisions, newest first. */
export interface DecisionPage {
  decisions: DecisionSummary[];
  /** Id to go on before; None: that is all there is. */
  older: string | null;
  unreadable: string[];
}

/** A line of the history. */
export interface DecisionSummary {
  id: string;
  at: number;
  topology: string;
  name: string;
  verdict: string;
  said: string;
  policy: string;
  objective: string;
  status: string;
  decided_by: string;
  gap: number | null;
  moves: number;
  workers_started: number | null;
}

/** All of one decision. */
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
  base: string;
  gain: MeasuredGain;
}

/** One executor and where it runs. */
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

/** Why an executor runs where it runs, and why not elsewhere. */
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
  unknown: string;
}

/** Body of a change of a freeze switch. */
export interface Frozen {
  frozen: boolean;
}

/** Every part. */
export interface HealthView {
  revision: number;
  well: boolean;
  parts: PartView[];
}

/** One direction between two hosts. */
export interface LinkView {
  source: string;
  target: string;
  /** One way: what the sidecar decides by. */
  delay: number | null;
  /** Half of the round trip that the two probed. */
  measured: number | null;
  /** By their coordinates. */
  estimated: number | null;
  signal: Signal;
  /** tuples/s that cross it. */
  rate: number | null;
}

/** What a host does, as its agent told last. */
export interface Load {
  cores_busy: number;
  cores: number;
  stolen: number;
  /** Share of the time for which its quota stopped it, 0 to 1. */
  throttled: number;
  memory_used: number;
  memory: number;
}

/** What a decision came to, beside what was predicted. Response time in the mean over the minutes before and after; the move itself left out. */
export interface MeasuredGain {
  predicted_before: number | null;
  predicted_after: number | null;
  measured_before: number | null;
  measured_after: number | null;
  /** Why one is not known (yet). */
  note: string;
}

/** One of R, A, T, N, EE or the objective. */
export interface MetricView {
  name: string;
  unit: string;
  before: number | null;
  after: number | null;
}

/** One executor's change. */
export interface MoveView {
  executor: string;
  source: string | null;
  target: string;
  source_port: number | null;
  target_port: number | null;
}

/** An executor that it exchanges tuples with. */
export interface NeighbourView {
  executor: string;
  host: string;
  upstream: boolean;
  rate: number;
  delay: number;
  system: boolean;
}

/** One part of Eyewall (or of what it stands on) and how it is. */
export interface PartView {
  /** nimbus, sidecar, zookeeper, redis, rates job, latency agent, monitor agent … */
  name: string;
  host: string;
  signal: Signal;
  /** Seconds that it is behind; None: not a matter of it, or unknown. */
  lag: number | null;
  detail: string;
}

/** A step of the slowest path. */
export interface PathStepView {
  executor: string;
  host: string;
  delay: number;
  work: number;
}

/** What to plan; what is left out is the topology's own. */
export interface PlanRequest {
  topology: string;
  policy?: string;
  objective?: string;
  time_limit?: number | null;
  seed?: number | null;
}

/** What a list of plans says of one; its fields mean what PlanView's do. */
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

/** A dry run, and what has become of it. */
export interface PlanView {
  id: string;
  topology: string;
  name: string;
  state: "proposed" | "queued" | "handed_over" | "applied" | "refused" | "stale";
  state_reason: string;
  age: number;
  expires_in: number;
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
  possible: number | null;
  rejected: RejectionView[];
  remarks: string[];
  slowest_path: PathStepView[];
  /** What the rules would say to this move; empty if it would be made unasked. */
  held_back: string;
  delays_age: number | null;
  delays_confidence: number | null;
  rates_age: number | null;
}

/** A policy that can be planned with. */
export interface PolicyView {
  name: string;
  title: string;
  source: string;
  method: string;
  optimises: string[];
  mixes: boolean;
  ecker: boolean;
  take_it: string;
}

/** Where a host is drawn: seconds of round-trip time on both axes, and its height. */
export interface Position {
  x: number;
  y: number;
  height: number;
  /** Its own network coordinate, or scaled from the delays between hosts. */
  source: "coordinates" | "delays";
}

/** An error, in the manner of RFC 9457. */
export interface Problem {
  title: string;
  status: number;
  /** A sentence that names the offender, its value and what is allowed. */
  detail: string;
  /** Names that were perhaps meant. */
  nearest: string[];
}

/** Which platform to look for; what is left out is the sidecar's own. */
export interface ProvisionRequest {
  /** A shipped one's name, or the TOML text of another; empty: the supervisors that are there. */
  catalogue?: string;
  /** In multiples of what the topology carries now. */
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
  /** Supervisors that could be switched off as far as this topology goes. */
  not_needed: string[];
  reasons: string[];
  assumptions: string[];
}

/** One machine, and what it would run. */
export interface ProvisionedMachineView {
  id: string;
  type: string;
  operators: string[];
}

/** A moment at which executors were placed or moved. */
export interface Reassignment {
  at: number;
  decision: string;
  verdict: string;
  said: string;
  moves: number;
}

/** What one constraint forbids, of all moves of one executor. */
export interface RejectionView {
  constraint: string;
  moves: number;
}

/** How full a CPU, a memory, a card or a link would be; cores, bytes or bytes/s. */
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
  predicted: TimePoint[];
  measured: TimePoint[];
  /** Why nothing is measured; empty if something is. */
  measured_note: string;
  reassignments: Reassignment[];
}

/** What governs moves. */
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
  price: number;
  sum: number;
}

/** How old something measured is, and how much it is worth. */
export interface Signal {
  state: "fresh" | "stale" | "missing";
  age: number | null;
  confidence: number | null;
  /** What is wrong with it, as a sentence; empty if nothing is. */
  note: string;
}

/** An edge of the topology's graph. */
export interface StreamView {
  source: string;
  target: string;
  stream: string;
  grouping: string;
  system: boolean;
  /** tuples/s that the model goes by. */
  rate: number | null;
  rate_between_hosts: number | null;
  /** `missing`: the rate is assumed or hinted. */
  signal: Signal;
}

/** A supervisor, with what is known of its host. */
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

/** What operators turn while all runs. */
export interface SwitchesView {
  /** False: there is no ZooKeeper to hold them, or it is away. */
  available: boolean;
  frozen: boolean;
  /** Storm's ids. */
  frozen_topologies: string[];
  /** The sidecar holds the same. */
  in_force: boolean;
  note: string;
}

/** One moment of a series: seconds since the epoch, and seconds of response time. */
export interface TimePoint {
  at: number;
  value: number | null;
}

/** A line for each topology. */
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
  /** By the model. */
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
  /** Seconds until its assignment has cooled down. */
  cooling: number;
  /** What keeps it from being judged; empty if nothing does. */
  unknown: string;
  assumptions: string[];
}

/** What was decided. */
export type Verdict = "placed" | "moved" | "kept" | "declined";

/** What a plan does to one slot. */
export interface WorkerChangeView {
  host: string;
  port: number;
  kind: "unchanged" | "started" | "restarted" | "stopped";
  before: string[];
  after: string[];
}
