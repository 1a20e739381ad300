package io.eyewall.storm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SchedulerAssignment;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;

/** The topologies of one scheduling round, and what is decided for each. */
final class Round {

    private final Map<String, Map<ExecutorDetails, WorkerSlot>> before;
    private final List<TopologyDetails> eligible = new ArrayList<>();
    private final Set<String> waiting = new HashSet<>();
    private final Set<String> delegated = new TreeSet<>();
    private final Set<String> overlapping = new HashSet<>();
    private final Map<String, String> decided = new TreeMap<>();
    private final Map<String, String> undecided = new TreeMap<>();

    /** Before anything is decided, the inner scheduler may schedule every topology. */
    Round(Collection<TopologyDetails> topologies, Cluster cluster) {
        before = placements(cluster);
        for (TopologyDetails topology : topologies) {
            delegated.add(topology.getId());
            if (isOff(topology.getConf().get(SettingKeys.MODE))) {
                continue;
            }
            eligible.add(topology);
            if (!cluster.getUnassignedExecutors(topology).isEmpty()) {
                waiting.add(topology.getId());
            }
        }
    }

    /** Topologies that the sidecar is asked about: all but those with {@code eyewall.mode: off}. */
    List<TopologyDetails> eligible() {
        return eligible;
    }

    boolean isEligible(String topologyId) {
        return eligible.stream().anyMatch(topology -> topology.getId().equals(topologyId));
    }

    /** Whether executors have no slot, new ones or those of a lost worker: a longer wait is worth it. */
    boolean awaitsPlacement() {
        return !waiting.isEmpty();
    }

    boolean isWaiting(String topologyId) {
        return waiting.contains(topologyId);
    }

    /** The topology runs as decided, with this status text; the inner scheduler must not touch it. */
    void decided(String topologyId, String status) {
        decided.put(topologyId, status);
        undecided.remove(topologyId);
        delegated.remove(topologyId);
    }

    /** Workers that the decision ends serve on until their successors carry tuples. */
    void overlaps(String topologyId) {
        overlapping.add(topologyId);
    }

    /**
     * The sidecar declines to decide. The inner scheduler places executors without a slot only; the
     * status of a running topology names the reason.
     */
    void declined(String topologyId, String reason) {
        if (waiting.contains(topologyId)) {
            undecided.put(topologyId, reason);
        } else {
            decided(topologyId, StatusTexts.declined(reason));
        }
    }

    /**
     * There is no usable decision. What runs stays as it is: a topology on fewer workers than it
     * asked for may be so by an earlier decision. The inner scheduler places executors without a slot
     * only.
     */
    void undecided(String topologyId, String reason) {
        if (decided.containsKey(topologyId)) {
            return;
        }
        undecided.put(topologyId, reason);
        if (!waiting.contains(topologyId)) {
            delegated.remove(topologyId);
        }
    }

    /** There is no decision for any eligible topology that is not settled yet. */
    void undecided(String reason) {
        eligible.stream()
                .map(TopologyDetails::getId)
                .filter(id -> !decided.containsKey(id) && !undecided.containsKey(id))
                .forEach(id -> undecided(id, reason));
    }

    /** Ids of the topologies that the inner scheduler may schedule. */
    Set<String> delegated() {
        return delegated;
    }

    /** Status texts of the topologies that the inner scheduler must not touch. */
    Map<String, String> decided() {
        return decided;
    }

    /** Why there is no decision, for each topology without one. */
    Map<String, String> undecided() {
        return undecided;
    }

    /** Topologies whose assignment this round changed, with the assignment they have now. */
    Map<String, Map<ExecutorDetails, WorkerSlot>> changes(Cluster cluster) {
        Map<String, Map<ExecutorDetails, WorkerSlot>> changes = new HashMap<>(placements(cluster));
        before.forEach(
                (id, placement) -> {
                    if (!changes.remove(id, placement)) {
                        changes.putIfAbsent(id, Map.of());
                    }
                });
        return changes;
    }

    /**
     * Executors that the sidecar moves from one slot to another, by topology, with the new one: of
     * topologies whose old workers may serve on meanwhile. They cannot in slots that new ones need,
     * of whichever topology: what is sent there would reach the old ones.
     */
    Map<String, Map<ExecutorDetails, WorkerSlot>> moves(Cluster cluster) {
        Set<WorkerSlot> used = new HashSet<>();
        before.values().forEach(it -> used.addAll(it.values()));
        Map<String, Map<ExecutorDetails, WorkerSlot>> now = placements(cluster);
        Map<String, Map<ExecutorDetails, WorkerSlot>> moves = new HashMap<>();
        changes(cluster)
                .forEach(
                        (id, placement) -> {
                            Map<ExecutorDetails, WorkerSlot> moved = new HashMap<>(placement);
                            Map<ExecutorDetails, WorkerSlot> left = before.getOrDefault(id, Map.of());
                            moved.entrySet().removeIf(it -> it.getValue().equals(left.get(it.getKey())));
                            moved.keySet().retainAll(left.keySet());
                            Map<WorkerSlot, Set<ExecutorDetails>> started = workers(placement);
                            started.entrySet().removeAll(workers(left).entrySet());
                            boolean isFresh = started.keySet().stream().noneMatch(used::contains);
                            boolean isLeftAlone =
                                    now.entrySet().stream()
                                            .filter(it -> !it.getKey().equals(id))
                                            .allMatch(it -> areDisjoint(it.getValue(), left));
                            if (decided.containsKey(id)
                                    && overlapping.contains(id)
                                    && isFresh
                                    && isLeftAlone
                                    && !moved.isEmpty()) {
                                moves.put(id, moved);
                            }
                        });
        return moves;
    }

    /** Slots that these topologies had before this round, and have no more. */
    Set<WorkerSlot> left(Collection<String> topologies, Cluster cluster) {
        Map<String, Map<ExecutorDetails, WorkerSlot>> now = placements(cluster);
        Set<WorkerSlot> left = new HashSet<>();
        for (String id : topologies) {
            left.addAll(before.getOrDefault(id, Map.of()).values());
            left.removeAll(new HashSet<>(now.getOrDefault(id, Map.of()).values()));
        }
        return left;
    }

    /** Topologies that change and may have been ordered to move: their owners ask for it. */
    Set<String> changesWithOrders(Cluster cluster) {
        Set<String> changed = new HashSet<>(changes(cluster).keySet());
        changed.removeIf(
                id -> {
                    TopologyDetails topology = cluster.getTopologies().getById(id);
                    return topology == null
                            || !"overlap".equals(topology.getConf().get(SettingKeys.MOVES));
                });
        return changed;
    }

    private static boolean areDisjoint(
            Map<ExecutorDetails, WorkerSlot> one, Map<ExecutorDetails, WorkerSlot> other) {
        return Collections.disjoint(new HashSet<>(one.values()), new HashSet<>(other.values()));
    }

    private static Map<WorkerSlot, Set<ExecutorDetails>> workers(
            Map<ExecutorDetails, WorkerSlot> placement) {
        Map<WorkerSlot, Set<ExecutorDetails>> workers = new HashMap<>();
        placement.forEach(
                (executor, slot) ->
                        workers.computeIfAbsent(slot, it -> new HashSet<>()).add(executor));
        return workers;
    }

    private static Map<String, Map<ExecutorDetails, WorkerSlot>> placements(Cluster cluster) {
        Map<String, Map<ExecutorDetails, WorkerSlot>> placements = new HashMap<>();
        for (SchedulerAssignment assignment : cluster.getAssignments().values()) {
            if (!assignment.getExecutorToSlot().isEmpty()) {
                placements.put(
                        assignment.getTopologyId(), Map.copyOf(assignment.getExecutorToSlot()));
            }
        }
        return placements;
    }

    /** YAML reads a bare {@code off} as false. */
    private static boolean isOff(Object mode) {
        return "off".equals(mode) || Boolean.FALSE.equals(mode);
    }
}
