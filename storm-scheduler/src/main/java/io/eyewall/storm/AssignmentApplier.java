package io.eyewall.storm;

import io.eyewall.storm.rpc.Decision;
import io.eyewall.storm.rpc.Executor;
import io.eyewall.storm.rpc.Worker;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.normalization.NormalizedResourceRequest;

/**
 * Applies a decided placement of one topology to the cluster: all of it or, with a reason, nothing.
 *
 * <p>The sidecar is not trusted. Each check below is a way in which Storm would lose executors,
 * start workers that cannot run, or end Nimbus, if the placement were applied unchecked.
 */
final class AssignmentApplier {

    /** Sums of requests differ from their limit by rounding. */
    private static final double ROUNDING = 1e-6;

    private AssignmentApplier() {}

    /** Empty if the placement was applied; otherwise the reason, and the cluster is unchanged. */
    static Optional<String> apply(Decision decision, Cluster cluster) {
        TopologyDetails topology = cluster.getTopologies().getById(decision.getTopologyId());
        if (topology == null) {
            return Optional.of("there is no topology " + decision.getTopologyId());
        }
        Trial trial = new Trial(decision, topology, cluster);
        Optional<String> reason =
                trial.assignmentHasChanged()
                        .or(trial::slotIsGivenTwice)
                        .or(trial::workerIsEmpty)
                        .or(trial::executorIsUnknown)
                        .or(trial::executorIsPlacedTwice)
                        .or(trial::executorIsMissing)
                        .or(trial::slotIsUnavailable)
                        .or(trial::workerIsTooBig)
                        .or(trial::hostIsTooFull)
                        .or(trial::constraintIsBroken);
        if (reason.isEmpty() && trial.changesSomething()) {
            cluster.updateFrom(trial.outcome);
        }
        return reason;
    }

    /** One placement, tried on a copy of the cluster. The checks rely on those before them. */
    private static final class Trial {

        private final Decision decision;
        private final TopologyDetails topology;
        private final List<Worker> workers;
        private final List<ExecutorDetails> placed;
        private final Cluster outcome;

        /** Workers whose slot or executors are new; all others keep running untouched. */
        private final Map<WorkerSlot, Set<ExecutorDetails>> started = new HashMap<>();

        /** Slots of workers that stop, or restart with other executors. */
        private final Set<WorkerSlot> ended = new HashSet<>();

        Trial(Decision decision, TopologyDetails topology, Cluster cluster) {
            this.decision = decision;
            this.topology = topology;
            workers = decision.getPlace().getWorkersList();
            placed =
                    workers.stream()
                            .flatMap(worker -> worker.getExecutorsList().stream())
                            .map(Workers::executor)
                            .toList();
            outcome = new Cluster(cluster);

            Map<WorkerSlot, Set<ExecutorDetails>> running =
                    Workers.bySlot(cluster.getAssignmentById(topology.getId()));
            ended.addAll(running.keySet());
            for (Worker worker : workers) {
                WorkerSlot slot = Workers.slot(worker);
                Set<ExecutorDetails> executors = executors(worker.getExecutorsList());
                if (executors.equals(running.get(slot))) {
                    ended.remove(slot);
                } else {
                    started.put(slot, executors);
                }
            }
        }

        boolean changesSomething() {
            return !started.isEmpty() || !ended.isEmpty();
        }

        Optional<String> assignmentHasChanged() {
            return decision.getBase().equals(Workers.digest(outcome, topology.getId()))
                    ? Optional.empty()
                    : Optional.of("assignment changed since");
        }

        Optional<String> slotIsGivenTwice() {
            return firstRepeated(workers.stream().map(Workers::slot).toList())
                    .map(slot -> "slot " + name(slot) + " is given to two workers");
        }

        Optional<String> workerIsEmpty() {
            return workers.stream()
                    .filter(worker -> worker.getExecutorsCount() == 0)
                    .findFirst()
                    .map(worker -> "worker on " + name(Workers.slot(worker)) + " has no executors");
        }

        Optional<String> executorIsUnknown() {
            return placed.stream()
                    .filter(executor -> !topology.getExecutors().contains(executor))
                    .findFirst()
                    .map(executor -> "the topology has no executor " + executor);
        }

        Optional<String> executorIsPlacedTwice() {
            return firstRepeated(placed).map(executor -> name(executor) + " is placed twice");
        }

        Optional<String> executorIsMissing() {
            Set<ExecutorDetails> missing = new HashSet<>(topology.getExecutors());
            missing.removeAll(new HashSet<>(placed));
            return missing.stream()
                    .findFirst()
                    .map(
                            one ->
                                    missing.size() == 1
                                            ? name(one) + " is placed nowhere"
                                            : missing.size() + " executors are placed nowhere");
        }

        /** Assigns the new workers in the outcome. */
        Optional<String> slotIsUnavailable() {
            outcome.freeSlots(ended);
            Optional<String> reason =
                    started.keySet().stream().map(this::unavailability).flatMap(Optional::stream).findFirst();
            if (reason.isEmpty()) {
                started.forEach(
                        (slot, executors) -> outcome.assign(slot, topology.getId(), executors));
            }
            return reason;
        }

        Optional<String> workerIsTooBig() {
            Double limit = topology.getTopologyWorkerMaxHeapSize();
            if (limit == null) {
                return Optional.empty();
            }
            return started.keySet().stream()
                    .filter(slot -> heap(slot) > limit + ROUNDING)
                    .findFirst()
                    .map(
                            slot ->
                                    "worker on %s needs %.0f MB of heap; topology.worker.max.heap.size.mb is %.0f"
                                            .formatted(name(slot), heap(slot), limit));
        }

        Optional<String> hostIsTooFull() {
            return started.keySet().stream()
                    .map(WorkerSlot::getNodeId)
                    .distinct()
                    .map(outcome::getSupervisorById)
                    .map(this::overload)
                    .flatMap(Optional::stream)
                    .findFirst();
        }

        Optional<String> constraintIsBroken() {
            return RasConstraints.broken(
                    topology, Workers.bySlot(outcome.getAssignmentById(topology.getId())));
        }

        private Optional<String> unavailability(WorkerSlot slot) {
            SupervisorDetails supervisor = outcome.getSupervisorById(slot.getNodeId());
            if (supervisor == null) {
                return Optional.of("there is no supervisor " + slot.getNodeId());
            }
            if (outcome.isBlackListed(slot.getNodeId())) {
                return Optional.of("host " + supervisor.getHost() + " is blacklisted");
            }
            if (!supervisor.getAllPorts().contains(slot.getPort())) {
                return Optional.of(
                        "%s has no usable port %d; its ports are %s"
                                .formatted(
                                        supervisor.getHost(),
                                        slot.getPort(),
                                        new TreeSet<>(supervisor.getAllPorts())));
            }
            return outcome.isSlotOccupied(slot)
                    ? Optional.of("slot " + name(slot) + " belongs to another topology")
                    : Optional.empty();
        }

        private Optional<String> overload(SupervisorDetails host) {
            NormalizedResourceRequest used = outcome.getAllScheduledResourcesForNode(host.getId());
            Map<String, Double> generic = used.toNormalizedMap();
            NormalizedResourceRequest.removeNonGenericResources(generic);
            Map<String, Double> offered = host.getTotalGenericResources();
            return over(host, "% CPU", used.getTotalCpu(), host.getTotalCpu())
                    .or(() -> over(host, " MB", used.getTotalMemoryMb(), host.getTotalMemory()))
                    .or(
                            () ->
                                    generic.keySet().stream()
                                            .map(
                                                    name ->
                                                            over(
                                                                    host,
                                                                    " " + name,
                                                                    generic.get(name),
                                                                    offered.getOrDefault(name, 0.0)))
                                            .flatMap(Optional::stream)
                                            .findFirst());
        }

        private static Optional<String> over(
                SupervisorDetails host, String unit, double needed, double offered) {
            // A sum with NaN in it is NaN, which exceeds nothing.
            return needed > offered + ROUNDING
                    ? Optional.of(
                            "%s would need %.0f%s and has %.0f"
                                    .formatted(host.getHost(), needed, unit, offered))
                    : Optional.empty();
        }

        private double heap(WorkerSlot slot) {
            return outcome.getAssignmentById(topology.getId())
                    .getScheduledResources()
                    .get(slot)
                    .get_mem_on_heap();
        }

        private String name(WorkerSlot slot) {
            SupervisorDetails supervisor = outcome.getSupervisorById(slot.getNodeId());
            return (supervisor == null ? slot.getNodeId() : supervisor.getHost())
                    + ":"
                    + slot.getPort();
        }

        private String name(ExecutorDetails executor) {
            return "executor %s of %s"
                    .formatted(executor, topology.getComponentFromExecutor(executor));
        }

        private static Set<ExecutorDetails> executors(Collection<Executor> executors) {
            return executors.stream().map(Workers::executor).collect(Collectors.toSet());
        }

        private static <T> Optional<T> firstRepeated(List<T> items) {
            Set<T> seen = new HashSet<>();
            return items.stream().filter(item -> !seen.add(item)).findFirst();
        }
    }
}
