package io.eyewall.storm;

import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.DefaultScheduler;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;

/**
 * The scheduler of Storm's own that has the last word.
 *
 * @param name as it stands in status texts
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

    void schedule(Cluster cluster, Set<String> handedOver) {
        if (!touchesRunning) {
            schedule.accept(cluster.getTopologies(), cluster);
            return;
        }
        Cluster partly = new Partly(cluster, handedOver);
        schedule.accept(partly.getTopologies(), partly);
        cluster.updateFrom(partly);
    }

    /**
     * The whole cluster, in which only some topologies ask to be scheduled. (A cluster made with
     * fewer topologies would take the slots of the others for free.)
     */
    private static final class Partly extends Cluster {
        private final Set<String> handedOver;

        Partly(Cluster cluster, Set<String> handedOver) {
            super(cluster);
            this.handedOver = Set.copyOf(handedOver);
        }

        @Override
        public boolean needsScheduling(TopologyDetails topology) {
            return handedOver.contains(topology.getId()) && super.needsScheduling(topology);
        }
    }
}
