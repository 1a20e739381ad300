package io.eyewall.storm.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.Config;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.apache.storm.utils.ReflectionUtils;

/**
 * What Storm's tests take for its ResourceAwareScheduler: the class of property {@code
 * eyewall.scheduler}, whose texts are put into ResourceAwareScheduler's words, as the tests read them.
 */
public class SchedulerUnderTest extends ResourceAwareScheduler {

    private static final Set<String> HOSTS_SEEN = new HashSet<>();

    private final ResourceAwareScheduler tested =
            ReflectionUtils.newInstance(System.getProperty("eyewall.scheduler"));

    @Override
    public void prepare(Map<String, Object> conf, StormMetricsRegistry registry) {
        Map<String, Object> settings = new HashMap<>(conf);
        settings.put("eyewall.sidecar.addresses", List.of(System.getProperty("eyewall.sidecar")));
        // There are no supervisors to push assignments to, and there is no ZooKeeper.
        settings.put(Config.STORM_CLUSTER_MODE, "local");
        tested.prepare(settings, registry);
    }

    @Override
    public void schedule(Topologies topologies, Cluster cluster) {
        noteHosts(cluster);
        Set<String> waiting = new HashSet<>();
        for (TopologyDetails topology : topologies.getTopologies()) {
            if (!cluster.getUnassignedExecutors(topology).isEmpty()) {
                waiting.add(topology.getId());
            }
        }
        tested.schedule(topologies, cluster);
        for (TopologyDetails topology : topologies.getTopologies()) {
            String text = cluster.getStatusMap().get(topology.getId());
            if (text != null && !text.isEmpty()) {
                cluster.setStatus(
                        topology.getId(),
                        inStormsWords(text, topology, cluster, waiting.contains(topology.getId())));
            }
        }
    }

    @Override
    public Map<String, Map<String, Double>> config() {
        return tested.config();
    }

    @Override
    public Map<String, Set<String>> getEvictedTopologiesMap() {
        return tested.getEvictedTopologiesMap();
    }

    @Override
    public void cleanup() {
        tested.cleanup();
    }

    /** A sidecar that decides needs to know delays between them. */
    private static void noteHosts(Cluster cluster) {
        for (SupervisorDetails supervisor : cluster.getSupervisors().values()) {
            if (HOSTS_SEEN.add(supervisor.getHost())) {
                try {
                    Files.writeString(
                            Path.of(System.getProperty("eyewall.hosts")),
                            supervisor.getHost() + "\n",
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static String inStormsWords(
            String text, TopologyDetails topology, Cluster cluster, boolean waited) {
        if (!cluster.getUnassignedExecutors(topology).isEmpty()) {
            // What Storm's scheduler said is after ours.
            return text.substring(text.lastIndexOf("; ") + 1).strip();
        }
        if (text.contains("Fully Scheduled")) {
            return text;
        }
        String strategy = (String) topology.getConf().get(Config.TOPOLOGY_SCHEDULER_STRATEGY);
        return waited
                ? "Running - Fully Scheduled by " + strategy.substring(strategy.lastIndexOf('.') + 1)
                : "Fully Scheduled";
    }
}
