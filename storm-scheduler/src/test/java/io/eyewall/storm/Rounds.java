package io.eyewall.storm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.utils.Utils;

/** A Nimbus that does nothing but scheduling rounds, each on what the one before left. */
final class Rounds implements AutoCloseable {

    final StormMetricsRegistry registry = new StormMetricsRegistry();
    final Map<String, Map<ExecutorDetails, WorkerSlot>> running = new HashMap<>();
    final List<TopologyDetails> topologies = new ArrayList<>();
    private final EyewallScheduler scheduler = new EyewallScheduler();
    private final List<SupervisorDetails> supervisors;
    private final Map<String, String> statuses = new HashMap<>();

    /** The settings go on top of Storm's defaults and of deadlines that a busy machine can keep. */
    Rounds(List<SupervisorDetails> supervisors, Map<String, Object> settings) {
        this.supervisors = supervisors;
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.put("eyewall.push.assignments", false);
        conf.put("eyewall.deadline.first.ms", 30_000);
        conf.put("eyewall.deadline.round.ms", 30_000);
        conf.putAll(settings);
        scheduler.prepare(conf, registry);
    }

    Rounds with(TopologyDetails... added) {
        topologies.addAll(List.of(added));
        return this;
    }

    /** As it runs when the first round begins. */
    Rounds running(String id, Map<ExecutorDetails, WorkerSlot> placement, String status) {
        running.put(id, placement);
        statuses.put(id, status);
        return this;
    }

    Cluster next() {
        Cluster cluster = Fixture.cluster(supervisors, topologies, running);
        cluster.setStatusMap(statuses);
        scheduler.schedule(cluster.getTopologies(), cluster);
        running.clear();
        cluster.getAssignments().keySet().forEach(id -> running.put(id, placement(cluster, id)));
        statuses.putAll(cluster.getStatusMap());
        return cluster;
    }

    long count(String meter) {
        return registry.getMeter(meter).getCount();
    }

    String status(String id) {
        return statuses.get(id);
    }

    @Override
    public void close() {
        scheduler.cleanup();
    }

    private static Map<ExecutorDetails, WorkerSlot> placement(Cluster cluster, String id) {
        return Fixture.placement(cluster, id);
    }
}
