// What the JSON API answers, as views/ says it: types for the modules in static/, never served.

export interface Signal {
  state: "fresh" | "stale" | "missing";
  age: number | null;
  confidence: number | null;
  note: string;
}

export interface Problem {
  title: string;
  status: number;
  detail: string;
  nearest: string[];
}

export interface Load {
  cores_busy: number;
  cores: number;
  stolen: number;
  throttled: number;
  memory_used: number;
  memory: number;
}

export interface Position {
  x: number;
  y: number;
  height: number;
  source: "coordinates" | "delays";
}

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
  topologies: string[];
  cores: number;
  memory: number;
  cores_requested: number;
  memory_requested: number;
  load: Load | null;
  report: Signal;
  latency: Signal;
  position: Position | null;
}

export interface LinkView {
  source: string;
  target: string;
  delay: number | null;
  measured: number | null;
  estimated: number | null;
  signal: Signal;
  rate: number | null;
}

export interface SwitchesView {
  available: boolean;
  frozen: boolean;
  frozen_topologies: string[];
  in_force: boolean;
  note: string;
}

export interface RulesView {
  minimum_gain: number;
  cool_down_seconds: number;
  workers_per_round: number | null;
  workers_per_hour: number | null;
  workers_started_last_hour: number;
  frozen_by_configuration: boolean;
}

export interface ClusterView {
  revision: number;
  sidecar: Signal;
  nimbus: Signal;
  delays: Signal;
  delays_source: string;
  supervisors: SupervisorView[];
  gone: string[];
  links: LinkView[];
  all_pairs: boolean;
  topologies: TopologySummary[];
  switches: SwitchesView;
  rules: RulesView | null;
  not_configured: ("zookeeper"|"redis")[];
}

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
  placed: number;
  workers: number;
  hosts: number;
  response_time: number | null;
  measured_response_time: number | null;
  rates: Signal;
}

export interface MetricView {
  name: string;
  unit: string;
  before: number | null;
  after: number | null;
}

export interface ExecutorView {
  executor: string;
  component: string;
  tasks: [number, number];
  host: string | null;
  port: number | null;
  cores: number | null;
  pins: string[];
}

export interface ComponentView {
  id: string;
  kind: "spout" | "bolt" | "system";
  executors: ExecutorView[];
  emitted: number | null;
  capacity: number | null;
}

export interface StreamView {
  source: string;
  target: string;
  stream: string;
  grouping: string;
  system: boolean;
  rate: number | null;
  rate_between_hosts: number | null;
  signal: Signal;
}

export interface PathStepView {
  executor: string;
  host: string;
  delay: number;
  work: number;
}

export interface TopologyView {
  revision: number;
  summary: TopologySummary;
  components: ComponentView[];
  streams: StreamView[];
  metrics: MetricView[];
  slowest_path: PathStepView[];
  cooling: number;
  unknown: string;
  assumptions: string[];
}

export interface TimePoint {
  at: number;
  value: number | null;
}

export interface Reassignment {
  at: number;
  decision: string;
  verdict: string;
  said: string;
  moves: number;
}

export interface ResponseTimeView {
  topology: string;
  predicted: TimePoint[];
  measured: TimePoint[];
  measured_note: string;
  reassignments: Reassignment[];
}

export interface MoveView {
  executor: string;
  source: string | null;
  target: string;
  source_port: number | null;
  target_port: number | null;
}

export interface RejectionView {
  constraint: string;
  moves: number;
}

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

export interface MeasuredGain {
  predicted_before: number | null;
  predicted_after: number | null;
  measured_before: number | null;
  measured_after: number | null;
  note: string;
}

export interface DecisionView {
  summary: DecisionSummary;
  seed: number | null;
  seconds: number | null;
  evaluated: number | null;
  bound: number | null;
  metrics: MetricView[];
  moves: MoveView[];
  moves_left_out: number;
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

export interface DecisionPage {
  decisions: DecisionSummary[];
  older: string | null;
  unreadable: string[];
}

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

export interface PlanRequest {
  topology: string;
  policy: string;
  objective: string;
  time_limit: number | null;
  seed: number | null;
}

export interface WorkerChangeView {
  host: string;
  port: number;
  kind: "unchanged" | "started" | "restarted" | "stopped";
  before: string[];
  after: string[];
}

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
  held_back: string;
  delays_age: number | null;
  delays_confidence: number | null;
  rates_age: number | null;
}

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

export interface CatalogueView {
  name: string;
  currency: string;
  unit: string;
  types: number;
}

export interface ProvisionRequest {
  catalogue: string;
  throughput: number;
  tuple_bytes: number | null;
  method: string;
  time_limit: number | null;
  seed: number | null;
}

export interface ShoppingItemView {
  type: string;
  count: number;
  price: number;
  sum: number;
}

export interface ProvisionedMachineView {
  id: string;
  type: string;
  operators: string[];
}

export interface ResourceUseView {
  constraint: string;
  name: string;
  load: number;
  limit: number | null;
}

export interface CheaperPlatformView {
  price: number;
  throughput: number;
  shopping_list: ShoppingItemView[];
}

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
  not_needed: string[];
  reasons: string[];
  assumptions: string[];
}

export interface NeighbourView {
  executor: string;
  host: string;
  upstream: boolean;
  rate: number;
  delay: number;
  system: boolean;
}

export interface AlternativeView {
  host: string;
  current: boolean;
  constraint: string;
  reason: string;
  metrics: MetricView[];
  rate_between_hosts_added: number | null;
  response_time_added: number | null;
}

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

export interface PartView {
  name: string;
  host: string;
  signal: Signal;
  lag: number | null;
  detail: string;
}

export interface HealthView {
  revision: number;
  well: boolean;
  parts: PartView[];
}

export interface Frozen {
  frozen: boolean;
}

export interface Change {
  revision: number;
  changed: string[];
}
