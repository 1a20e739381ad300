package io.eyewall.storm;

import static io.eyewall.storm.Fixture.ACKER;
import static io.eyewall.storm.Fixture.COUNT_A;
import static io.eyewall.storm.Fixture.COUNT_B;
import static io.eyewall.storm.Fixture.SPOUT;
import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.both;
import static io.eyewall.storm.Fixture.executor;
import static io.eyewall.storm.Fixture.placed;
import static io.eyewall.storm.Fixture.placement;
import static io.eyewall.storm.Fixture.requesting;
import static io.eyewall.storm.Fixture.sharing;
import static io.eyewall.storm.Fixture.sized;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.Decision;
import io.eyewall.storm.rpc.TopologyState;
import io.eyewall.storm.rpc.Worker;
import java.util.List;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.DaemonConfig;
import org.apache.storm.generated.SharedMemory;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.junit.jupiter.api.Test;

class AssignmentApplierTest {

    private static final WorkerSlot S1 = slot("s1", 6700);
    private static final WorkerSlot S1_OTHER = slot("s1", 6701);
    private static final WorkerSlot S2 = slot("s2", 6700);
    private static final WorkerSlot S2_OTHER = slot("s2", 6701);

    private final List<SupervisorDetails> supervisors =
            List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700, 6701));

    @Test
    void anUnplacedTopologyIsPlacedAsDecided() {
        Cluster cluster = cluster(Map.of(), topology("t", 2));
        Map<ExecutorDetails, WorkerSlot> decided =
                both(placed(S1, SPOUT, ACKER), placed(S2, COUNT_A, COUNT_B));

        assertThat(AssignmentApplier.apply(place(cluster, "t", decided), cluster)).isEmpty();

        assertThat(placement(cluster, "t")).isEqualTo(decided);
    }

    @Test
    void aMoveLeavesOtherTopologiesAndTheirWorkersAlone() {
        Cluster cluster =
                cluster(
                        Map.of("t", allOn(S1), "u", allOn(S1_OTHER)),
                        topology("t", 1),
                        topology("u", 1));

        assertThat(AssignmentApplier.apply(place(cluster, "t", allOn(S2)), cluster)).isEmpty();

        assertThat(placement(cluster, "t")).isEqualTo(allOn(S2));
        assertThat(placement(cluster, "u")).isEqualTo(allOn(S1_OTHER));
    }

    @Test
    void aWorkerThatKeepsItsSlotAndExecutorsStaysEvenOnABlacklistedHost() {
        // Storm lets workers on a blacklisted host run and starts no new ones there.
        Map<ExecutorDetails, WorkerSlot> stays = placed(S1, SPOUT, ACKER);
        Cluster cluster =
                cluster(Map.of("t", both(stays, placed(S2, COUNT_A, COUNT_B))), topology("t", 2));
        cluster.blacklistHost("host-s1");
        Map<ExecutorDetails, WorkerSlot> decided =
                both(stays, placed(S2_OTHER, COUNT_A, COUNT_B));

        assertThat(AssignmentApplier.apply(place(cluster, "t", decided), cluster)).isEmpty();

        assertThat(placement(cluster, "t")).isEqualTo(decided);
    }

    @Test
    void aPlacementThatIsAlreadyThereDoesNotTouchTheCluster() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));
        Object assignment = cluster.getAssignmentById("t");

        assertThat(AssignmentApplier.apply(place(cluster, "t", allOn(S1)), cluster)).isEmpty();

        assertThat(cluster.getAssignmentById("t")).isSameAs(assignment);
    }

    @Test
    void aDecisionMadeForAnotherAssignmentIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));
        Decision decision = place(cluster, "t", allOn(S2));
        Cluster movedMeanwhile = cluster(Map.of("t", allOn(S1_OTHER)), topology("t", 1));

        assertRejected(decision, movedMeanwhile, "assignment changed since");
    }

    @Test
    void anUnknownSupervisorIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));

        assertRejected(
                place(cluster, "t", allOn(slot("s9", 6700))), cluster, "there is no supervisor s9");
    }

    @Test
    void aPortThatTheSupervisorLacksIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));

        assertRejected(
                place(cluster, "t", allOn(slot("s2", 6799))),
                cluster,
                "host-s2 has no usable port 6799; its ports are [6700, 6701]");
    }

    @Test
    void aBlacklistedHostIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));
        cluster.blacklistHost("host-s2");

        assertRejected(place(cluster, "t", allOn(S2)), cluster, "host host-s2 is blacklisted");
    }

    @Test
    void aSlotGivenToTwoWorkersIsRejected() {
        Cluster cluster = cluster(Map.of(), topology("t", 2));
        Decision once = place(cluster, "t", placed(S1, SPOUT, ACKER));
        Decision twice = place(cluster, "t", placed(S1, COUNT_A, COUNT_B));
        Decision decision =
                once.toBuilder()
                        .setPlace(once.getPlace().toBuilder().addAllWorkers(workers(twice)))
                        .build();

        assertRejected(decision, cluster, "slot host-s1:6700 is given to two workers");
    }

    @Test
    void aSlotOfAnotherTopologyIsRejected() {
        Cluster cluster =
                cluster(Map.of("t", allOn(S1), "u", allOn(S2)), topology("t", 1), topology("u", 1));

        assertRejected(
                place(cluster, "t", allOn(S2)),
                cluster,
                "slot host-s2:6700 belongs to another topology");
    }

    @Test
    void aMissingExecutorIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));

        assertRejected(
                place(cluster, "t", placed(S2, SPOUT, COUNT_A, ACKER)),
                cluster,
                "executor [3, 3] of count is placed nowhere");
    }

    @Test
    void anInventedExecutorIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));

        assertRejected(
                place(cluster, "t", both(allOn(S2), placed(S2, executor(9)))),
                cluster,
                "the topology has no executor [9, 9]");
    }

    @Test
    void anExecutorPlacedTwiceIsRejected() {
        Cluster cluster = cluster(Map.of(), topology("t", 2));
        Decision once = place(cluster, "t", allOn(S1));
        Decision decision =
                once.toBuilder()
                        .setPlace(
                                once.getPlace().toBuilder()
                                        .addAllWorkers(
                                                workers(place(cluster, "t", placed(S2, SPOUT)))))
                        .build();

        assertRejected(decision, cluster, "executor [1, 1] of spout is placed twice");
    }

    @Test
    void aWorkerWithoutExecutorsIsRejected() {
        Cluster cluster = cluster(Map.of(), topology("t", 2));
        Decision decision = place(cluster, "t", allOn(S1));
        Decision withEmpty =
                decision.toBuilder()
                        .setPlace(
                                decision.getPlace().toBuilder()
                                        .addWorkers(
                                                Worker.newBuilder()
                                                        .setSupervisorId("s2")
                                                        .setPort(6700)))
                        .build();

        assertRejected(withEmpty, cluster, "worker on host-s2:6700 has no executors");
    }

    @Test
    void aWorkerOverItsHeapIsRejected() {
        // Four executors with 128 MB of heap each are 512 MB, 128 more than the topology allows.
        Cluster cluster =
                cluster(
                        Map.of("t", both(placed(S1, SPOUT, ACKER), placed(S2, COUNT_A, COUNT_B))),
                        topology("t", 2, Map.of(Config.TOPOLOGY_WORKER_MAX_HEAP_SIZE_MB, 384.0)));

        assertRejected(
                place(cluster, "t", allOn(S1)),
                cluster,
                "worker on host-s1:6700 needs 512 MB of heap;"
                        + " topology.worker.max.heap.size.mb is 384");
    }

    @Test
    void aHostWithoutEnoughMemoryIsRejected() {
        // u holds 512 of the 1000 MB; another 512 make 1024.
        List<SupervisorDetails> small =
                List.of(supervisor("s1", 6700, 6701), sized("s2", 400, 1000, 6700, 6701));
        Cluster cluster =
                Fixture.cluster(
                        small,
                        List.of(topology("t", 1), topology("u", 1)),
                        Map.of("t", allOn(S1), "u", allOn(S2)));

        assertRejected(
                place(cluster, "t", allOn(S2_OTHER)),
                cluster,
                "host-s2 would need 1024 MB and has 1000");
    }

    @Test
    void aHostWithoutEnoughCpuIsRejected() {
        // Four executors with 10 % each on a host that has 35 %.
        List<SupervisorDetails> weak =
                List.of(supervisor("s1", 6700), sized("s2", 35, 4096, 6700));
        Cluster cluster =
                Fixture.cluster(weak, List.of(topology("t", 1)), Map.of("t", allOn(S1)));

        assertRejected(
                place(cluster, "t", allOn(S2)), cluster, "host-s2 would need 40% CPU and has 35");
    }

    @Test
    void memoryThatExecutorsShareCountsForEachWorkerAndOnceForTheHost() {
        // 4 · 128 MB; count is in two workers, which share 100 MB each, and 7 MB on the host.
        SharedMemory memory = new SharedMemory("table");
        memory.set_off_heap_worker(100);
        memory.set_off_heap_node(7);
        Cluster cluster =
                Fixture.cluster(
                        List.of(supervisor("s1", 6700), sized("s2", 400, 718, 6700, 6701)),
                        List.of(sharing("t", memory)),
                        Map.of("t", allOn(S1)));

        assertRejected(
                place(cluster, "t", inTwoWorkers()),
                cluster,
                "host-s2 would need 719 MB and has 718");
    }

    @Test
    void aWorkerCountsForTheLeastCpuThatStormCountsForOne() {
        // Executors request 20 % in each of two workers, which count for 50 % each.
        Cluster cluster =
                Fixture.cluster(
                        List.of(supervisor("s1", 6700), sized("s2", 99, 4096, 6700, 6701)),
                        List.of(topology("t", 1)),
                        Map.of("t", allOn(S1)),
                        Map.of(DaemonConfig.STORM_WORKER_MIN_CPU_PCORE_PERCENT, 50.0));

        assertRejected(
                place(cluster, "t", inTwoWorkers()),
                cluster,
                "host-s2 would need 100% CPU and has 99");
    }

    @Test
    void aHostThatIsExactlyFullIsFilled() {
        List<SupervisorDetails> exact =
                List.of(supervisor("s1", 6700), sized("s2", 40, 512, 6700));
        Cluster cluster =
                Fixture.cluster(exact, List.of(topology("t", 1)), Map.of("t", allOn(S1)));

        assertThat(AssignmentApplier.apply(place(cluster, "t", allOn(S2)), cluster)).isEmpty();
    }

    @Test
    void aTopologyWhoseRequestIsNoNumberDoesNotShutItsHostToOthers() {
        Cluster cluster =
                cluster(
                        Map.of("u", allOn(S2)),
                        topology("t", 1),
                        requesting("u", "topology.component.cpu.pcore.percent", "NaN"));

        assertThat(AssignmentApplier.apply(place(cluster, "t", allOn(S2_OTHER)), cluster)).isEmpty();
    }

    @Test
    void constraintsOfTheResourceAwareSchedulerHold() {
        Map<ExecutorDetails, WorkerSlot> apart =
                both(placed(S1, SPOUT, ACKER), placed(S2, COUNT_A, COUNT_B));
        assertConstraint(
                Map.of(Config.TOPOLOGY_RAS_ONE_EXECUTOR_PER_WORKER, true),
                apart,
                "topology.ras.one.executor.per.worker is set and a worker holds");
        assertConstraint(
                Map.of(Config.TOPOLOGY_RAS_ONE_COMPONENT_PER_WORKER, true),
                apart,
                "topology.ras.one.component.per.worker is set and a worker holds [__acker, spout]");
        assertConstraint(
                Map.of(
                        Config.TOPOLOGY_RAS_CONSTRAINTS,
                        Map.of("spout", Map.of("incompatibleComponents", List.of("__acker")))),
                apart,
                "__acker and spout must not share a worker (topology.ras.constraints)");
        assertConstraint(
                Map.of(
                        Config.TOPOLOGY_RAS_CONSTRAINTS,
                        Map.of("count", Map.of("maxNodeCoLocationCnt", 1))),
                apart,
                "a host would hold 2 executors of count; topology.ras.constraints allows 1");
    }

    @Test
    void aComponentThatIsIncompatibleWithItselfMayBeAloneInAWorker() {
        Map<String, Object> settings =
                Map.of(
                        Config.TOPOLOGY_RAS_CONSTRAINTS,
                        Map.of("count", Map.of("incompatibleComponents", List.of("count"))));
        Map<ExecutorDetails, WorkerSlot> apart =
                both(placed(S1, SPOUT, COUNT_A, ACKER), placed(S2, COUNT_B));
        Cluster cluster = cluster(Map.of(), topology("t", 2, settings));

        assertThat(AssignmentApplier.apply(place(cluster, "t", apart), cluster)).isEmpty();
        assertConstraint(
                settings,
                both(placed(S1, SPOUT, ACKER), placed(S2, COUNT_A, COUNT_B)),
                "count and count must not share a worker (topology.ras.constraints)");
    }

    @Test
    void constraintsThatCannotBeReadRejectThePlacementOfTheirTopologyAlone() {
        assertConstraint(
                Map.of(Config.TOPOLOGY_RAS_CONSTRAINTS, 7),
                allOn(S1),
                "topology.ras.constraints cannot be read");
    }

    @Test
    void aTopologyThatIsGoneIsRejected() {
        Cluster cluster = cluster(Map.of("t", allOn(S1)), topology("t", 1));
        Decision decision =
                place(cluster, "t", allOn(S2)).toBuilder().setTopologyId("gone").build();

        assertRejected(decision, cluster, "there is no topology gone");
    }

    private static Map<ExecutorDetails, WorkerSlot> inTwoWorkers() {
        return both(placed(S2, SPOUT, COUNT_A), placed(S2_OTHER, COUNT_B, ACKER));
    }

    private void assertConstraint(
            Map<String, Object> settings,
            Map<ExecutorDetails, WorkerSlot> placement,
            String reason) {
        Cluster cluster = cluster(Map.of(), topology("t", 2, settings));

        assertThat(AssignmentApplier.apply(place(cluster, "t", placement), cluster))
                .hasValueSatisfying(said -> assertThat(said).startsWith(reason));
        assertThat(placement(cluster, "t")).isEmpty();
    }

    private static void assertRejected(Decision decision, Cluster cluster, String reason) {
        Map<String, Object> before = Map.copyOf(cluster.getAssignments());

        assertThat(AssignmentApplier.apply(decision, cluster)).contains(reason);

        assertThat(cluster.getAssignments()).isEqualTo(before);
    }

    private Cluster cluster(
            Map<String, Map<ExecutorDetails, WorkerSlot>> running, TopologyDetails... topologies) {
        return Fixture.cluster(supervisors, List.of(topologies), running);
    }

    private static Decision place(
            Cluster cluster, String id, Map<ExecutorDetails, WorkerSlot> placement) {
        TopologyState state =
                TopologyState.newBuilder()
                        .setTopologyId(id)
                        .setAssignmentDigest(Workers.digest(cluster, id))
                        .build();
        return ScriptedSidecar.place(state, placement);
    }

    private static List<Worker> workers(Decision decision) {
        return decision.getPlace().getWorkersList();
    }
}
