package io.eyewall.storm;

import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.DefaultScheduler;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;

/**
 * Storm's own scheduler, which runs last.
 *
 * @param name as status texts name it
 * @param schedule what it does to a cluster
 * @param touchesRunning whether it reschedules topologies that run with fewer workers than asked for
 */
record InnerScheduler(
        String name, BiConsumer<Topologies, Cluster> schedule, boolean touchesRunning) {

    /** Looks at executors without a slot only, so it can be given every topology. */
    static InnerScheduler resourceAware(BiConsumer<Topologies, Cluster> schedule) {
        return new InnerScheduler(ResourceAwareScheduler.class.getSimpleName(), schedule, false);
    }

    static InnerScheduler defaultScheduler() {
        return new InnerScheduler(
                DefaultScheduler.class.getSimpleName(), new DefaultScheduler()::schedule, true);
    }

    void schedule(Cluster cluster, Set<String> delegated) {
        if (!touchesRunning) {
            schedule.accept(cluster.getTopologies(), cluster);
            return;
        }
        Cluster restricted = new RestrictedCluster(cluster, delegated);
        schedule.accept(restricted.getTopologies(), restricted);
        cluster.updateFrom(restricted);
    }

    /**
     * The whole cluster, in which only some topologies ask to be scheduled. (A cluster made with
     * fewer topologies would regard the slots of the others as free.)
     */
    private static final class RestrictedCluster extends Cluster {
        private final Set<String> delegated;

        RestrictedCluster(Cluster cluster, Set<String> delegated) {
            super(cluster);
            this.delegated = Set.copyOf(delegated);
        }

        @Override
        public boolean needsScheduling(TopologyDetails topology) {
            return delegated.contains(topology.getId()) && super.needsScheduling(topology);
        }
    }
}
