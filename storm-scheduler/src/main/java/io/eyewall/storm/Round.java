package io.eyewall.storm;

import java.util.ArrayList;
import java.util.Collection;
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

/** What became of each topology in one round. */
final class Round {

    private static final String MODE = "eyewall.mode";

    private final Map<String, Map<ExecutorDetails, WorkerSlot>> before;
    private final List<TopologyDetails> entrusted = new ArrayList<>();
    private final Set<String> waiting = new HashSet<>();
    private final Set<String> handedOver = new TreeSet<>();
    private final Map<String, String> decided = new TreeMap<>();
    private final Map<String, String> left = new TreeMap<>();

    /** Before anything is decided: every topology is Storm's own matter. */
    Round(Collection<TopologyDetails> topologies, Cluster cluster) {
        before = placements(cluster);
        for (TopologyDetails topology : topologies) {
            handedOver.add(topology.getId());
            if (isOff(topology.getConf().get(MODE))) {
                continue;
            }
            entrusted.add(topology);
            if (!cluster.getUnassignedExecutors(topology).isEmpty()) {
                waiting.add(topology.getId());
            }
        }
    }

    /** Topologies that the sidecar is asked about: all but those with {@code eyewall.mode: off}. */
    List<TopologyDetails> entrusted() {
        return entrusted;
    }

    boolean isEntrusted(String topologyId) {
        return entrusted.stream().anyMatch(topology -> topology.getId().equals(topologyId));
    }

    /** Executors without a slot, new ones or those of a lost worker, are worth waiting for. */
    boolean awaitsPlacement() {
        return !waiting.isEmpty();
    }

    boolean isWaiting(String topologyId) {
        return waiting.contains(topologyId);
    }

    /** Runs as it should, with this status text; the inner scheduler must not touch it. */
    void decided(String topologyId, String status) {
        decided.put(topologyId, status);
        left.remove(topologyId);
        handedOver.remove(topologyId);
    }

    /**
     * The sidecar does not want to decide. As when it is not heard, only executors without a slot are
     * the inner scheduler's; but the reason is news to those who read about a running topology.
     */
    void declined(String topologyId, String reason) {
        if (waiting.contains(topologyId)) {
            left.put(topologyId, reason);
        } else {
            decided(topologyId, StatusTexts.undecided(reason));
        }
    }

    /**
     * The sidecar could not be heard, or not be followed. What runs stays as it is, for a topology
     * on fewer workers than it asked for may be so by decision; only executors without a slot are
     * the inner scheduler's.
     */
    void unheard(String topologyId, String reason) {
        if (decided.containsKey(topologyId)) {
            return;
        }
        left.put(topologyId, reason);
        if (!waiting.contains(topologyId)) {
            handedOver.remove(topologyId);
        }
    }

    /** All about which nothing has been said. */
    void unheard(String reason) {
        entrusted.stream()
                .map(TopologyDetails::getId)
                .filter(id -> !decided.containsKey(id) && !left.containsKey(id))
                .forEach(id -> unheard(id, reason));
    }

    /** What the inner scheduler may schedule. */
    Set<String> handedOver() {
        return handedOver;
    }

    /** Status texts of the topologies that the inner scheduler must not touch. */
    Map<String, String> decided() {
        return decided;
    }

    /** Why topologies were left to the inner scheduler. */
    Map<String, String> left() {
        return left;
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
