package io.eyewall.storm;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.DefaultScheduler;
import org.apache.storm.scheduler.SchedulerAssignment;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Storm's own scheduler, which runs last.
 *
 * @param name as status texts name it
 * @param schedule what it does to a cluster
 * @param touchesRunning whether it reschedules topologies that run with fewer workers than asked for
 */
record InnerScheduler(
        String name, BiConsumer<Topologies, Cluster> schedule, boolean touchesRunning) {

    private static final Logger LOG = LoggerFactory.getLogger(InnerScheduler.class);

    /** Looks at executors without a slot only, so it can be given every topology. */
    static InnerScheduler resourceAware(BiConsumer<Topologies, Cluster> schedule) {
        return new InnerScheduler(ResourceAwareScheduler.class.getSimpleName(), schedule, false);
    }

    static InnerScheduler defaultScheduler() {
        return new InnerScheduler(
                DefaultScheduler.class.getSimpleName(), new DefaultScheduler()::schedule, true);
    }

    /**
     * Places what has no slot.
     *
     * @param delegated topologies that it may reschedule
     * @param served slots to leave alone as long as there is room for everything without them
     */
    void schedule(Cluster cluster, Set<String> delegated, Set<WorkerSlot> served) {
        Set<WorkerSlot> free = new HashSet<>(served); // others were taken back
        free.removeIf(cluster::isSlotOccupied);
        if (!free.isEmpty() && awaitsPlacement(cluster)) {
            try {
                Cluster others = new RestrictedCluster(cluster, delegated, free);
                schedule.accept(others.getTopologies(), others);
                // With fewer slots RAS may evict a topology that would stay with all of them.
                if (!awaitsPlacement(others) && (touchesRunning || leavesWhatRuns(others, cluster))) {
                    cluster.updateFrom(others);
                    return;
                }
            } catch (RuntimeException e) {
                LOG.warn("{} may take slots in which old workers serve on", name, e);
            }
        }
        if (!touchesRunning) {
            schedule.accept(cluster.getTopologies(), cluster);
            return;
        }
        Cluster restricted = new RestrictedCluster(cluster, delegated, Set.of());
        schedule.accept(restricted.getTopologies(), restricted);
        cluster.updateFrom(restricted);
    }

    private static boolean awaitsPlacement(Cluster cluster) {
        return cluster.getTopologies().getTopologies().stream().anyMatch(cluster::needsSchedulingRas);
    }

    private static boolean leavesWhatRuns(Cluster after, Cluster before) {
        return before.getAssignments().entrySet().stream()
                .allMatch(
                        it -> {
                            SchedulerAssignment now = after.getAssignmentById(it.getKey());
                            return now != null
                                    && now.getExecutorToSlot()
                                            .entrySet()
                                            .containsAll(it.getValue().getExecutorToSlot().entrySet());
                        });
    }

    /**
     * The whole cluster, in which only some topologies ask to be scheduled, and some slots do not
     * exist. (A cluster made with fewer topologies would regard the slots of the others as free.)
     */
    private static final class RestrictedCluster extends Cluster {
        private final Set<String> delegated;

        RestrictedCluster(Cluster cluster, Set<String> delegated, Set<WorkerSlot> hidden) {
            super(cluster);
            this.delegated = Set.copyOf(delegated);
            // The map itself: RAS copies the cluster, and copies of it have what is in there.
            getSupervisors().replaceAll((id, it) -> without(it, hidden));
        }

        @Override
        public boolean needsScheduling(TopologyDetails topology) {
            return delegated.contains(topology.getId()) && super.needsScheduling(topology);
        }

        private static SupervisorDetails without(SupervisorDetails supervisor, Set<WorkerSlot> hidden) {
            Set<Integer> ports = new HashSet<>(supervisor.getAllPorts());
            if (!ports.removeIf(it -> hidden.contains(new WorkerSlot(supervisor.getId(), it)))) {
                return supervisor;
            }
            return new SupervisorDetails(
                    supervisor.getId(),
                    supervisor.getHost(),
                    supervisor.getSchedulerMeta(),
                    ports,
                    supervisor.getTotalResources().toNormalizedMap());
        }
    }
}
