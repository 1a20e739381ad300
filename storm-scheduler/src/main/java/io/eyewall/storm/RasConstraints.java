package io.eyewall.storm;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.storm.Config;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.strategies.scheduling.ConstraintSolverConfig;

/** Executors that must not share a worker or a host, by ResourceAwareScheduler's settings. */
final class RasConstraints {

    /** Deprecated in Storm, and still in force. */
    private static final String SPREAD = "topology.spread.components";

    private RasConstraints() {}

    static boolean oneExecutorPerWorker(TopologyDetails topology) {
        return isSet(topology, Config.TOPOLOGY_RAS_ONE_EXECUTOR_PER_WORKER);
    }

    static boolean oneComponentPerWorker(TopologyDetails topology) {
        return isSet(topology, Config.TOPOLOGY_RAS_ONE_COMPONENT_PER_WORKER);
    }

    /**
     * What topology.ras.constraints says, as Storm reads it; empty if nothing is set.
     *
     * @throws RuntimeException if it is not written as Storm wants it: nothing checks that before
     */
    static Optional<ConstraintSolverConfig> solverConfig(TopologyDetails topology) {
        return topology.getConf().get(Config.TOPOLOGY_RAS_CONSTRAINTS) == null
                        && topology.getConf().get(SPREAD) == null
                ? Optional.empty()
                : Optional.of(new ConstraintSolverConfig(topology));
    }

    private static boolean isSet(TopologyDetails topology, String setting) {
        return Boolean.TRUE.equals(topology.getConf().get(setting));
    }

    /** The first constraint that these workers, all of the topology's, break. */
    static Optional<String> broken(
            TopologyDetails topology, Map<WorkerSlot, ? extends Collection<ExecutorDetails>> workers) {
        Map<WorkerSlot, Map<String, Long>> counts = new HashMap<>();
        workers.forEach(
                (slot, executors) ->
                        counts.put(
                                slot,
                                executors.stream()
                                        .collect(
                                                Collectors.groupingBy(
                                                        topology::getComponentFromExecutor,
                                                        Collectors.counting()))));
        return crowdedWorker(topology, counts).or(() -> solverConstraint(topology, counts));
    }

    private static Optional<String> crowdedWorker(
            TopologyDetails topology, Map<WorkerSlot, Map<String, Long>> counts) {
        if (oneExecutorPerWorker(topology)) {
            return first(
                    counts,
                    components -> components.values().stream().mapToLong(n -> n).sum() > 1,
                    Config.TOPOLOGY_RAS_ONE_EXECUTOR_PER_WORKER);
        }
        if (oneComponentPerWorker(topology)) {
            return first(
                    counts,
                    components -> components.size() > 1,
                    Config.TOPOLOGY_RAS_ONE_COMPONENT_PER_WORKER);
        }
        return Optional.empty();
    }

    private static Optional<String> first(
            Map<WorkerSlot, Map<String, Long>> counts,
            Predicate<Map<String, Long>> breaks,
            String setting) {
        return counts.values().stream()
                .filter(breaks)
                .findFirst()
                .map(c -> "%s is set and a worker holds %s".formatted(setting, new TreeSet<>(c.keySet())));
    }

    private static Optional<String> solverConstraint(
            TopologyDetails topology, Map<WorkerSlot, Map<String, Long>> counts) {
        try {
            return solverConfig(topology)
                    .flatMap(
                            config ->
                                    incompatible(config.getIncompatibleComponentSets(), counts)
                                            .or(
                                                    () ->
                                                            tooManyOnAHost(
                                                                    config.getMaxNodeCoLocationCnts(),
                                                                    counts)));
        } catch (RuntimeException e) {
            return Optional.of(
                    "%s cannot be read: %s".formatted(Config.TOPOLOGY_RAS_CONSTRAINTS, e));
        }
    }

    private static Optional<String> incompatible(
            Map<String, Set<String>> incompatible, Map<WorkerSlot, Map<String, Long>> counts) {
        for (Map<String, Long> components : counts.values()) {
            for (String one : new TreeSet<>(components.keySet())) {
                for (String other : new TreeSet<>(incompatible.getOrDefault(one, Set.of()))) {
                    // Listed as incompatible with itself, it may be alone in a worker.
                    long most = other.equals(one) ? 1 : 0;
                    if (components.getOrDefault(other, 0L) > most) {
                        return Optional.of(
                                "%s and %s must not share a worker (%s)"
                                        .formatted(one, other, Config.TOPOLOGY_RAS_CONSTRAINTS));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> tooManyOnAHost(
            Map<String, Integer> limits, Map<WorkerSlot, Map<String, Long>> counts) {
        for (Map.Entry<String, Integer> limit : limits.entrySet()) {
            Map<String, Long> perHost = new HashMap<>();
            counts.forEach(
                    (slot, components) ->
                            perHost.merge(
                                    slot.getNodeId(),
                                    components.getOrDefault(limit.getKey(), 0L),
                                    Long::sum));
            for (long count : perHost.values()) {
                if (count > limit.getValue()) {
                    return Optional.of(
                            "a host would hold %d executors of %s; %s allows %d"
                                    .formatted(
                                            count,
                                            limit.getKey(),
                                            Config.TOPOLOGY_RAS_CONSTRAINTS,
                                            limit.getValue()));
                }
            }
        }
        return Optional.empty();
    }
}
