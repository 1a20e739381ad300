package io.eyewall.storm;

import com.google.protobuf.ByteString;
import io.eyewall.storm.rpc.ClusterState;
import io.eyewall.storm.rpc.Supervisor;
import io.eyewall.storm.rpc.TopologyDefinition;
import io.eyewall.storm.rpc.TopologyState;
import io.eyewall.storm.rpc.Worker;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.resource.normalization.NormalizedResourceRequest;

/**
 * The cluster as the sidecar sees it. Taking it reads Storm and changes nothing; the same cluster
 * gives the same bytes, whatever the order of Storm's maps.
 *
 * @param state what can change from round to round
 * @param digest names the state
 * @param definitions what never changes while a topology lives, by topology id
 */
record ClusterSnapshot(
        ClusterState state, ByteString digest, Map<String, TopologyDefinition> definitions) {

    private static final double PERCENT_PER_CORE = 100;
    private static final double BYTES_PER_MEGABYTE = 1024 * 1024;

    /**
     * @param refusals why decisions of the last round were not applied, by topology id
     */
    static ClusterSnapshot take(
            Cluster cluster,
            Collection<TopologyDetails> topologies,
            TopologyDefinitions definitions,
            Map<String, String> refusals) {
        Map<String, TopologyDefinition> defined = definitions.of(topologies);
        ClusterState.Builder state =
                ClusterState.newBuilder().setLeastWorkerCores(cores(cluster.getMinWorkerCpu()));
        cluster.getSupervisors().values().stream()
                .sorted(Comparator.comparing(SupervisorDetails::getId))
                .forEach(supervisor -> state.addSupervisors(supervisor(supervisor, cluster)));
        topologies.stream()
                .sorted(Comparator.comparing(TopologyDetails::getId))
                .forEach(
                        topology ->
                                state.addTopologies(
                                        topology(topology, defined.get(topology.getId()), cluster)
                                                .setRefusal(
                                                        refusals.getOrDefault(
                                                                topology.getId(), ""))));
        ClusterState built = state.build();
        return new ClusterSnapshot(built, Digest.of(built), defined);
    }

    static double cores(double percent) {
        return orNothing(percent) / PERCENT_PER_CORE;
    }

    static long bytes(double megabytes) {
        return Math.round(orNothing(megabytes) * BYTES_PER_MEGABYTE);
    }

    /**
     * What is neither CPU nor memory, in the order of names. What is no amount is left out, as is 0:
     * Storm lists each name that anything has had, for everything.
     */
    static Map<String, Double> generic(Map<String, Double> normalized) {
        Map<String, Double> generic = new TreeMap<>(normalized);
        NormalizedResourceRequest.removeNonGenericResources(generic);
        generic.values().removeIf(amount -> orNothing(amount) == 0);
        return generic;
    }

    /** Storm accepts configurations without checking that. */
    static boolean isAmount(double given) {
        return given >= 0 && Double.isFinite(given);
    }

    private static double orNothing(double given) {
        return isAmount(given) ? given : 0;
    }

    private static Supervisor supervisor(SupervisorDetails supervisor, Cluster cluster) {
        Supervisor.Builder shown =
                Supervisor.newBuilder()
                        .setId(supervisor.getId())
                        .setCpuCores(cores(supervisor.getTotalCpu()))
                        .setMemoryBytes(bytes(supervisor.getTotalMemory()))
                        .putAllSchedulerMeta(schedulerMeta(supervisor))
                        .putAllGenericResources(generic(supervisor.getTotalGenericResources()))
                        .setGreylisted(
                                cluster.getGreyListedSupervisors().contains(supervisor.getId()));
        if (supervisor.getHost() != null) {
            shown.setHost(supervisor.getHost());
        }
        cluster.getAssignablePorts(supervisor).stream().sorted().forEach(shown::addPorts);
        return shown.build();
    }

    private static Map<String, String> schedulerMeta(SupervisorDetails supervisor) {
        Map<String, String> meta = new TreeMap<>();
        if (supervisor.getSchedulerMeta() instanceof Map<?, ?> entries) {
            entries.forEach((key, value) -> meta.put(String.valueOf(key), String.valueOf(value)));
        }
        return meta;
    }

    private static TopologyState.Builder topology(
            TopologyDetails topology, TopologyDefinition definition, Cluster cluster) {
        List<Worker> workers = Workers.of(cluster.getAssignmentById(topology.getId()));
        return TopologyState.newBuilder()
                .setTopologyId(topology.getId())
                .setDefinitionDigest(definition.getDigest())
                .addAllWorkers(workers)
                .setNeedsScheduling(!cluster.getUnassignedExecutors(topology).isEmpty())
                .setAssignmentDigest(Workers.digest(workers));
    }
}
