package io.eyewall.storm;

import io.eyewall.storm.rpc.Component;
import io.eyewall.storm.rpc.Input;
import io.eyewall.storm.rpc.TopologyDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.storm.Config;
import org.apache.storm.daemon.StormCommon;
import org.apache.storm.generated.Bolt;
import org.apache.storm.generated.ComponentCommon;
import org.apache.storm.generated.InvalidTopologyException;
import org.apache.storm.generated.SpoutSpec;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.resource.normalization.NormalizedResourceRequest;
import org.apache.storm.scheduler.resource.strategies.scheduling.ConstraintSolverConfig;
import org.apache.storm.shade.net.minidev.json.JSONValue;
import org.apache.storm.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads topologies' definitions, and each of them again only when something in it changed: a
 * rebalance can change executors, requested workers, resources and settings of a running topology.
 */
final class TopologyDefinitions {

    private static final Logger LOG = LoggerFactory.getLogger(TopologyDefinitions.class);
    private static final String PREFIX = "eyewall.";

    private final Map<String, Read> known = new HashMap<>();

    /** Nimbus's keys that nobody reads, as JSON text: it wrote them into what was submitted. */
    private final Map<String, String> misspelt;

    TopologyDefinitions(Map<String, Object> nimbusConf) {
        misspelt = new TreeMap<>(ours(nimbusConf));
        misspelt.keySet().removeAll(SettingKeys.TOPOLOGY);
    }

    /** Everything that a definition is read from, and the definition. */
    private record Read(
            StormTopology topology,
            Map<String, Object> conf,
            Map<ExecutorDetails, String> executors,
            int workers,
            TopologyDefinition definition) {

        boolean stillHolds(TopologyDetails details) {
            return workers == details.getNumWorkers()
                    && executors.equals(details.getExecutorToComponent())
                    && conf.equals(details.getConf())
                    && topology.equals(details.getTopology());
        }
    }

    /** The definitions of these topologies by id; all others are forgotten. */
    Map<String, TopologyDefinition> of(Collection<TopologyDetails> topologies) {
        Map<String, TopologyDefinition> definitions = new TreeMap<>();
        for (TopologyDetails topology : topologies) {
            Read read = known.get(topology.getId());
            if (read == null || !read.stillHolds(topology)) {
                read =
                        new Read(
                                topology.getTopology(),
                                topology.getConf(),
                                topology.getExecutorToComponent(),
                                topology.getNumWorkers(),
                                define(topology));
                known.put(topology.getId(), read);
            }
            definitions.put(topology.getId(), read.definition());
        }
        known.keySet().retainAll(definitions.keySet());
        return definitions;
    }

    private TopologyDefinition define(TopologyDetails topology) {
        TopologyDefinition.Builder definition =
                TopologyDefinition.newBuilder()
                        .setTopologyId(topology.getId())
                        .setRequestedWorkers(topology.getNumWorkers())
                        .putAllSettings(settings(topology.getConf()))
                        .addAllComponents(components(topology))
                        .addAllSharedMemory(SharedMemories.of(topology));
        if (topology.getName() != null) {
            definition.setName(topology.getName());
        }
        Double maxHeap = topology.getTopologyWorkerMaxHeapSize();
        if (maxHeap != null) {
            definition.setWorkerMaxHeapBytes(ClusterSnapshot.bytes(maxHeap));
        }
        if (topology.getConf().get(Config.TOPOLOGY_MESSAGE_TIMEOUT_SECS) instanceof Number seconds) {
            definition.setMessageTimeoutSeconds(seconds.doubleValue());
        }
        // As Storm reads it: anything but true leaves it on.
        definition.setLoadAwareMessagingDisabled(
                Boolean.TRUE.equals(
                        topology.getConf().get(Config.TOPOLOGY_DISABLE_LOADAWARE_MESSAGING)));
        if (topology.getConf().get(Config.TOPOLOGY_SCHEDULER_STRATEGY) instanceof String strategy) {
            definition.setStrategy(strategy);
        }
        definition
                .setOneExecutorPerWorker(RasConstraints.oneExecutorPerWorker(topology))
                .setOneComponentPerWorker(RasConstraints.oneComponentPerWorker(topology));
        return definition.setDigest(Digest.of(definition.build())).build();
    }

    private Map<String, String> settings(Map<String, Object> conf) {
        Map<String, String> settings = ours(conf);
        settings.entrySet().removeAll(misspelt.entrySet());
        return settings;
    }

    /** The {@code eyewall.*} keys that are not the shim's, with their values as JSON text. */
    private static Map<String, String> ours(Map<String, Object> conf) {
        Map<String, String> settings = new TreeMap<>();
        conf.forEach(
                (key, value) -> {
                    if (key.startsWith(PREFIX) && !SettingKeys.SHIM.contains(key)) {
                        settings.put(key, JSONValue.toJSONString(sorted(value)));
                    }
                });
        return settings;
    }

    /** Maps in the order of their keys, at every depth. */
    private static Object sorted(Object json) {
        if (json instanceof Map<?, ?> map) {
            Map<String, Object> ordered = new TreeMap<>();
            map.forEach((key, value) -> ordered.put(String.valueOf(key), sorted(value)));
            return ordered;
        }
        if (json instanceof Collection<?> items) {
            return items.stream().map(TopologyDefinitions::sorted).toList();
        }
        return json;
    }

    private static List<Component> components(TopologyDetails topology) {
        Map<String, Set<ExecutorDetails>> executors =
                new TreeMap<>(topology.getComponentToExecutors());
        StormTopology whole = withSystemComponents(topology);
        Optional<ConstraintSolverConfig> constraints = constraints(topology);
        List<Component> components = new ArrayList<>();
        executors.forEach(
                (id, ofComponent) -> {
                    Component.Builder component =
                            Component.newBuilder()
                                    .setId(id)
                                    .setKind(kind(id, whole))
                                    .addAllExecutors(Workers.executors(ofComponent))
                                    .addAllInputs(inputs(common(id, whole), executors.keySet()));
                    NormalizedResourceRequest request =
                            topology.getTotalResources(ofComponent.iterator().next());
                    if (request != null) {
                        complain(topology, id, request);
                        component
                                .setCpuCores(ClusterSnapshot.cores(request.getTotalCpu()))
                                .setOnHeapBytes(ClusterSnapshot.bytes(request.getOnHeapMemoryMb()))
                                .setOffHeapBytes(
                                        ClusterSnapshot.bytes(request.getOffHeapMemoryMb()))
                                .putAllGenericResources(
                                        ClusterSnapshot.generic(request.toNormalizedMap()));
                    }
                    constraints.ifPresent(
                            it -> {
                                component.addAllIncompatible(
                                        new TreeSet<>(
                                                it.getIncompatibleComponentSets()
                                                        .getOrDefault(id, Set.of())));
                                component.setMostOnSupervisor(
                                        it.getMaxNodeCoLocationCnts().getOrDefault(id, 0));
                            });
                    components.add(component.build());
                });
        return components;
    }

    private static Optional<ConstraintSolverConfig> constraints(TopologyDetails topology) {
        try {
            return RasConstraints.solverConfig(topology);
        } catch (RuntimeException e) {
            LOG.warn(
                    "topology {}: {} cannot be read, going on without",
                    topology.getId(),
                    Config.TOPOLOGY_RAS_CONSTRAINTS,
                    e);
            return Optional.empty();
        }
    }

    /** Logs requests of a component that are not amounts; the definition has 0 instead. */
    private static void complain(
            TopologyDetails topology, String component, NormalizedResourceRequest request) {
        Map<String, Double> requested = new TreeMap<>();
        requested.put("% CPU", request.getTotalCpu());
        requested.put("MB on heap", request.getOnHeapMemoryMb());
        requested.put("MB off heap", request.getOffHeapMemoryMb());
        requested.values().removeIf(ClusterSnapshot::isAmount);
        requested.forEach(
                (what, amount) ->
                        LOG.warn(
                                "topology {}: {} requests {} {}; allowed are finite amounts from 0 on, it is counted as 0",
                                topology.getId(),
                                component,
                                amount,
                                what));
    }

    /**
     * Nimbus hands over what the user submitted; ackers, event loggers and metrics consumers, and
     * the streams to and from them, are added as workers add them.
     */
    private static StormTopology withSystemComponents(TopologyDetails topology) {
        try {
            return StormCommon.systemTopology(topology.getConf(), topology.getTopology());
        } catch (InvalidTopologyException | RuntimeException e) {
            LOG.warn(
                    "topology {}: streams of its system components cannot be read, going on without",
                    topology.getId(),
                    e);
            return topology.getTopology();
        }
    }

    private static Component.Kind kind(String component, StormTopology topology) {
        if (Utils.isSystemId(component)) {
            return Component.Kind.SYSTEM;
        }
        return topology.get_spouts().containsKey(component)
                ? Component.Kind.SPOUT
                : Component.Kind.BOLT;
    }

    private static ComponentCommon common(String component, StormTopology topology) {
        SpoutSpec spout = topology.get_spouts().get(component);
        if (spout != null) {
            return spout.get_common();
        }
        Bolt bolt = topology.get_bolts().get(component);
        return bolt == null ? null : bolt.get_common();
    }

    /** Sources without executors, such as a worker's own clock, send nothing over a network. */
    private static List<Input> inputs(ComponentCommon component, Set<String> sources) {
        if (component == null || component.get_inputs() == null) {
            return List.of();
        }
        List<Input> inputs = new ArrayList<>();
        component
                .get_inputs()
                .forEach(
                        (stream, grouping) -> {
                            if (sources.contains(stream.get_componentId())) {
                                inputs.add(
                                        Input.newBuilder()
                                                .setSourceComponent(stream.get_componentId())
                                                .setStream(stream.get_streamId())
                                                .setGrouping(Groupings.of(grouping))
                                                .build());
                            }
                        });
        inputs.sort(
                Comparator.comparing(Input::getSourceComponent).thenComparing(Input::getStream));
        return inputs;
    }
}
