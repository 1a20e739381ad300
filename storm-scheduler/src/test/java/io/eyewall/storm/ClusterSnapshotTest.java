package io.eyewall.storm;

import static io.eyewall.storm.Fixture.ACKER;
import static io.eyewall.storm.Fixture.COUNT_A;
import static io.eyewall.storm.Fixture.COUNT_B;
import static io.eyewall.storm.Fixture.SPOUT;
import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.both;
import static io.eyewall.storm.Fixture.placed;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.Executor;
import io.eyewall.storm.rpc.Supervisor;
import io.eyewall.storm.rpc.TopologyState;
import io.eyewall.storm.rpc.Worker;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.Config;
import org.apache.storm.DaemonConfig;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.normalization.NormalizedResources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSnapshotTest {

    private final SupervisorDetails s1 = supervisor("s1", 6701, 6700);
    private final SupervisorDetails s2 = supervisor("s2", 6700);

    @Test
    void aSupervisorIsShownInCoresAndBytes() {
        // 400 % CPU are 4 cores; 4096 MB are 4096 · 1024 · 1024 bytes.
        assertThat(snapshot(cluster(List.of(s1), Map.of())).state().getSupervisors(0))
                .isEqualTo(
                        Supervisor.newBuilder()
                                .setId("s1")
                                .setHost("host-s1")
                                .addPorts(6700)
                                .addPorts(6701)
                                .putSchedulerMeta("site", "lab")
                                .putSchedulerMeta("speed", "1")
                                .setCpuCores(4.0)
                                .setMemoryBytes(4_294_967_296L)
                                .build());
    }

    @Test
    void aSupervisorsGenericResourcesAreAllThatIsNeitherCpuNorMemory() {
        Map<String, Double> resources =
                NormalizedResources.RESOURCE_NAME_NORMALIZER.normalizedResourceMap(
                        Map.of(
                                Config.SUPERVISOR_CPU_CAPACITY, 400.0,
                                Config.SUPERVISOR_MEMORY_CAPACITY_MB, 4096.0,
                                "gpu.count", 2.0,
                                "network", Double.NaN));
        SupervisorDetails gpus =
                new SupervisorDetails("s1", "host-s1", Map.of(), List.of(6700), resources);

        Supervisor shown = snapshot(cluster(List.of(gpus), Map.of())).state().getSupervisors(0);

        assertThat(shown.getGenericResourcesMap()).isEqualTo(Map.of("gpu.count", 2.0));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-10, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void whatIsNoAmountIsShownAsNothing(double capacity) {
        SupervisorDetails strange = Fixture.sized("s1", capacity, capacity, 6700);

        Supervisor shown = snapshot(cluster(List.of(strange), Map.of())).state().getSupervisors(0);

        assertThat(shown.getCpuCores()).isZero();
        assertThat(shown.getMemoryBytes()).isZero();
    }

    @Test
    void supervisorsThatStormUsesLastAreShownAsSuch() {
        Cluster cluster =
                Fixture.cluster(
                        List.of(supervisor("s1", 6700), supervisor("s2", 6700)),
                        List.of(),
                        Map.of());
        cluster.setGreyListedSupervisors(Set.of("s2"));

        assertThat(
                        ClusterSnapshot.take(
                                        cluster,
                                        List.of(),
                                        new TopologyDefinitions(Map.of()),
                                        Map.of())
                                .state()
                                .getSupervisorsList())
                .extracting(Supervisor::getGreylisted)
                .containsExactly(false, true);
    }

    @Test
    void theLeastCpuOfAWorkerIsShownInCores() {
        Cluster cluster =
                Fixture.cluster(
                        List.of(supervisor("s1", 6700)),
                        List.of(),
                        Map.of(),
                        Map.of(DaemonConfig.STORM_WORKER_MIN_CPU_PCORE_PERCENT, 50.0));
        ClusterSnapshot snapshot =
                ClusterSnapshot.take(
                        cluster, List.of(), new TopologyDefinitions(Map.of()), Map.of());

        assertThat(snapshot.state().getLeastWorkerCores()).isEqualTo(0.5);
    }

    @Test
    void aBlacklistedHostHasNoPorts() {
        Cluster cluster = cluster(List.of(s1), Map.of());
        cluster.blacklistHost("host-s1");

        assertThat(snapshot(cluster).state().getSupervisors(0).getPortsList()).isEmpty();
    }

    @Test
    void workersAreShownSortedWithTheirExecutors() {
        Map<ExecutorDetails, WorkerSlot> running =
                both(placed(slot("s2", 6700), COUNT_B, COUNT_A),
                        placed(slot("s1", 6701), ACKER, SPOUT));

        TopologyState state =
                snapshot(cluster(List.of(s1, s2), Map.of("t", running))).state().getTopologies(0);

        assertThat(state.getWorkersList())
                .containsExactly(worker("s1", 6701, 1, 4), worker("s2", 6700, 2, 3));
        assertThat(state.getNeedsScheduling()).isFalse();
    }

    @Test
    void aTopologyWithAnExecutorNowhereNeedsScheduling() {
        Map<ExecutorDetails, WorkerSlot> running = placed(slot("s1", 6700), SPOUT, COUNT_A, ACKER);

        assertThat(
                        snapshot(cluster(List.of(s1), Map.of("t", running)))
                                .state()
                                .getTopologies(0)
                                .getNeedsScheduling())
                .isTrue();
    }

    @Test
    void fewerWorkersThanAskedForIsNoNeedForScheduling() {
        Cluster cluster =
                Fixture.cluster(
                        List.of(s1), List.of(topology("t", 4)), Map.of("t", allOn(slot("s1", 6700))));

        assertThat(snapshot(cluster).state().getTopologies(0).getNeedsScheduling()).isFalse();
    }

    @Test
    void theSameClusterHasTheSameDigestInWhateverOrderItIsHeld() {
        Map<ExecutorDetails, WorkerSlot> running = allOn(slot("s1", 6700));

        assertThat(snapshot(cluster(List.of(s1, s2), Map.of("t", running))).digest())
                .isEqualTo(snapshot(cluster(List.of(s2, s1), Map.of("t", running))).digest());
    }

    @Test
    void anExecutorInAnotherSlotIsAnotherDigest() {
        Cluster before = cluster(List.of(s1), Map.of("t", allOn(slot("s1", 6700))));
        Cluster after = cluster(List.of(s1), Map.of("t", allOn(slot("s1", 6701))));

        assertThat(snapshot(before).digest()).isNotEqualTo(snapshot(after).digest());
        assertThat(Workers.digest(before, "t")).isNotEqualTo(Workers.digest(after, "t"));
    }

    @Test
    void takingASnapshotChangesNothing() {
        Cluster cluster = cluster(List.of(s1), Map.of("t", allOn(slot("s1", 6700))));
        Map<String, Object> assignments = Map.copyOf(cluster.getAssignments());

        snapshot(cluster);

        assertThat(cluster.getAssignments()).isEqualTo(assignments);
        assertThat(cluster.getStatusMap()).isEmpty();
    }

    private static Cluster cluster(
            List<SupervisorDetails> supervisors,
            Map<String, Map<ExecutorDetails, WorkerSlot>> running) {
        return Fixture.cluster(supervisors, List.of(topology("t", 1)), running);
    }

    private static ClusterSnapshot snapshot(Cluster cluster) {
        List<TopologyDetails> topologies = List.copyOf(cluster.getTopologies().getTopologies());
        return ClusterSnapshot.take(
                cluster, topologies, new TopologyDefinitions(Map.of()), Map.of());
    }

    private static Worker worker(String supervisor, int port, int... tasks) {
        Worker.Builder worker = Worker.newBuilder().setSupervisorId(supervisor).setPort(port);
        for (int task : tasks) {
            worker.addExecutors(Executor.newBuilder().setFirstTask(task).setLastTask(task));
        }
        return worker.build();
    }
}
