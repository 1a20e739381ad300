package io.eyewall.storm;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.storm.Config;
import org.apache.storm.daemon.nimbus.Nimbus;
import org.apache.storm.generated.SharedMemory;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SchedulerAssignment;
import org.apache.storm.scheduler.SchedulerAssignmentImpl;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.normalization.NormalizedResources;
import org.apache.storm.scheduler.resource.normalization.ResourceMetrics;
import org.apache.storm.testing.TestWordCounter;
import org.apache.storm.testing.TestWordSpout;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.tuple.Fields;
import org.apache.storm.utils.Utils;

/** Storm's own objects, built by hand as Nimbus builds them for each round. */
final class Fixture {

    static final ExecutorDetails SPOUT = executor(1);
    static final ExecutorDetails COUNT_A = executor(2);
    static final ExecutorDetails COUNT_B = executor(3);
    static final ExecutorDetails ACKER = executor(4);

    private Fixture() {}

    static ExecutorDetails executor(int task) {
        return new ExecutorDetails(task, task);
    }

    static WorkerSlot slot(String supervisor, int port) {
        return new WorkerSlot(supervisor, port);
    }

    /** 4 cores, 4096 MB; its host is named after it: "s1" is on "host-s1". */
    static SupervisorDetails supervisor(String id, Integer... ports) {
        return sized(id, 400, 4096, ports);
    }

    static SupervisorDetails sized(String id, double cpu, double memory, Integer... ports) {
        Map<String, Double> resources =
                NormalizedResources.RESOURCE_NAME_NORMALIZER.normalizedResourceMap(
                        Map.of(
                                Config.SUPERVISOR_CPU_CAPACITY,
                                cpu,
                                Config.SUPERVISOR_MEMORY_CAPACITY_MB,
                                memory));
        return new SupervisorDetails(
                id, "host-" + id, Map.of("site", "lab", "speed", "1"), List.of(ports), resources);
    }

    /**
     * spout 1 → count 2, 3 (fields), acker 4; 10 % CPU and 128 MB of heap each, so 512 MB in all; a
     * worker may have 768 MB.
     */
    static TopologyDetails topology(String id, int workers, Map<String, Object> settings) {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("spout", new TestWordSpout(), 1);
        builder.setBolt("count", new TestWordCounter(), 2).fieldsGrouping("spout", new Fields("word"));
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.put(Config.TOPOLOGY_NAME, id.toUpperCase(Locale.ROOT));
        conf.put(Config.TOPOLOGY_WORKERS, workers);
        conf.put(Config.TOPOLOGY_ACKER_EXECUTORS, 1);
        conf.put(Config.TOPOLOGY_EVENTLOGGER_EXECUTORS, 0);
        conf.putAll(settings);
        Map<ExecutorDetails, String> components = new LinkedHashMap<>();
        components.put(SPOUT, "spout");
        components.put(COUNT_A, "count");
        components.put(COUNT_B, "count");
        components.put(ACKER, "__acker");
        return new TopologyDetails(id, conf, builder.createTopology(), workers, components, "user");
    }

    static TopologyDetails topology(String id, int workers) {
        return topology(id, workers, Map.of());
    }

    /** With this in the configuration of component count alone, as JSON, which Storm leaves unchecked. */
    static TopologyDetails requesting(String id, String key, String value) {
        TopologyDetails plain = topology(id, 1);
        plain.getTopology()
                .get_bolts()
                .get("count")
                .get_common()
                .set_json_conf("{\"%s\": %s}".formatted(key, value));
        return new TopologyDetails(
                id,
                plain.getConf(),
                plain.getTopology(),
                1,
                plain.getExecutorToComponent(),
                "user");
    }

    /** The executors of count share this. */
    static TopologyDetails sharing(String id, SharedMemory memory) {
        TopologyDetails plain = topology(id, 1);
        plain.getTopology().put_to_shared_memory(memory.get_name(), memory);
        plain.getTopology().put_to_component_to_shared_memory("count", Set.of(memory.get_name()));
        return plain;
    }

    /** All four executors in one worker. */
    static Map<ExecutorDetails, WorkerSlot> allOn(WorkerSlot slot) {
        return placed(slot, SPOUT, COUNT_A, COUNT_B, ACKER);
    }

    static Map<ExecutorDetails, WorkerSlot> placed(WorkerSlot slot, ExecutorDetails... executors) {
        return Arrays.stream(executors).collect(Collectors.toMap(Function.identity(), e -> slot));
    }

    @SafeVarargs
    static Map<ExecutorDetails, WorkerSlot> both(Map<ExecutorDetails, WorkerSlot>... parts) {
        Map<ExecutorDetails, WorkerSlot> all = new HashMap<>();
        for (Map<ExecutorDetails, WorkerSlot> part : parts) {
            all.putAll(part);
        }
        return all;
    }

    static Cluster cluster(
            List<SupervisorDetails> supervisors,
            List<TopologyDetails> topologies,
            Map<String, Map<ExecutorDetails, WorkerSlot>> running) {
        return cluster(supervisors, topologies, running, Map.of());
    }

    /** With this in Nimbus's storm.yaml. */
    static Cluster cluster(
            List<SupervisorDetails> supervisors,
            List<TopologyDetails> topologies,
            Map<String, Map<ExecutorDetails, WorkerSlot>> running,
            Map<String, Object> settings) {
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.putAll(settings);
        Map<String, SchedulerAssignmentImpl> assignments = new HashMap<>();
        running.forEach(
                (id, placement) ->
                        assignments.put(id, new SchedulerAssignmentImpl(id, placement, null, null)));
        return new Cluster(
                new Nimbus.StandaloneINimbus(),
                new ResourceMetrics(new StormMetricsRegistry()),
                supervisors.stream()
                        .collect(Collectors.toMap(SupervisorDetails::getId, Function.identity())),
                assignments,
                new Topologies(topologies.toArray(TopologyDetails[]::new)),
                conf);
    }

    /** Of topology t alone, all in this slot. */
    static ClusterSnapshot snapshot(WorkerSlot slot) {
        List<TopologyDetails> topologies = List.of(topology("t", 1));
        return ClusterSnapshot.take(
                cluster(
                        List.of(supervisor("s1", 6700, 6701)),
                        topologies,
                        Map.of("t", allOn(slot))),
                topologies,
                new TopologyDefinitions(Map.of()),
                Map.of());
    }

    static Map<ExecutorDetails, WorkerSlot> placement(Cluster cluster, String topologyId) {
        SchedulerAssignment assignment = cluster.getAssignmentById(topologyId);
        return assignment == null ? Map.of() : Map.copyOf(assignment.getExecutorToSlot());
    }

    static Set<String> hosts(Cluster cluster, String topologyId) {
        return placement(cluster, topologyId).values().stream()
                .map(slot -> cluster.getHost(slot.getNodeId()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
