package io.eyewall.storm;

import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.placement;
import static io.eyewall.storm.Fixture.sized;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.storm.Config;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.apache.storm.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Storm's own scheduler does with slots in which old workers serve on. */
class InnerSchedulerTest {

    private static final List<SupervisorDetails> HOSTS = List.of(supervisor("s1", 6700, 6701));
    private static final WorkerSlot ONE = slot("s1", 6700);
    private static final WorkerSlot OTHER = slot("s1", 6701);

    private final ResourceAwareScheduler resourceAware = new ResourceAwareScheduler();

    @BeforeEach
    void prepare() {
        resourceAware.prepare(
                new HashMap<>(Utils.readDefaultConfig()), new StormMetricsRegistry());
    }

    @AfterEach
    void cleanup() {
        resourceAware.cleanup();
    }

    private InnerScheduler inner(String name) {
        return name.equals("default")
                ? InnerScheduler.defaultScheduler()
                : InnerScheduler.resourceAware(resourceAware::schedule);
    }

    /** Where a new topology gets its one worker. */
    private Set<WorkerSlot> slots(String inner, Set<WorkerSlot> served) {
        Cluster cluster = Fixture.cluster(HOSTS, List.of(topology("new", 1)), Map.of());
        inner(inner).schedule(cluster, Set.of("new"), served);
        return Set.copyOf(placement(cluster, "new").values());
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "resource-aware"})
    void aNewWorkerIsPlacedWhereNoOldOneServesOn(String inner) {
        assertThat(slots(inner, Set.of(ONE))).containsExactly(OTHER);
        assertThat(slots(inner, Set.of(OTHER))).containsExactly(ONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "resource-aware"})
    void whereAllSlotsAreServedInANewWorkerGetsOne(String inner) {
        assertThat(slots(inner, Set.of(ONE, OTHER))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "resource-aware"})
    void whatRunsStaysWhileANewWorkerIsPlacedBesideAnOldOne(String inner) {
        List<SupervisorDetails> hosts = List.of(supervisor("s1", 6700, 6701, 6702));
        Map<ExecutorDetails, WorkerSlot> before = allOn(slot("s1", 6702));
        for (WorkerSlot served : List.of(ONE, OTHER)) {
            Cluster cluster =
                    Fixture.cluster(
                            hosts,
                            List.of(topology("new", 1), topology("old", 1)),
                            Map.of("old", before));
            // Of a slot that has been taken back nothing is hidden.
            inner(inner).schedule(cluster, Set.of("new"), Set.of(served, slot("s1", 6702)));
            assertThat(placement(cluster, "old")).isEqualTo(before);
            assertThat(placement(cluster, "new")).isEqualTo(allOn(served == ONE ? OTHER : ONE));
        }
    }

    @Test
    void noTopologyIsEvictedForTheSakeOfAnOldWorker() {
        TopologyDetails low = topology("low", 1, Map.of(Config.TOPOLOGY_PRIORITY, 29));
        TopologyDetails high = topology("high", 1, Map.of(Config.TOPOLOGY_PRIORITY, 0));
        Map<ExecutorDetails, WorkerSlot> before = allOn(OTHER);
        Cluster cluster = Fixture.cluster(HOSTS, List.of(low, high), Map.of("low", before));
        inner("resource-aware").schedule(cluster, Set.of("high"), Set.of(ONE));
        assertThat(placement(cluster, "low")).isEqualTo(before);
        assertThat(placement(cluster, "high")).isEqualTo(allOn(ONE));
    }

    @Test
    void noTopologyIsPlacedElsewhereForTheSakeOfAnOldWorker() {
        // The new one needs 4 times 50 % of a core, so only s1; what it evicts there fits on s2.
        List<SupervisorDetails> hosts =
                List.of(supervisor("s1", 6700, 6701), sized("s2", 60, 4096, 6700));
        TopologyDetails low = topology("low", 1, Map.of(Config.TOPOLOGY_PRIORITY, 29));
        Map<String, Object> large = new HashMap<>(Map.of(Config.TOPOLOGY_PRIORITY, 0));
        large.put(Config.TOPOLOGY_COMPONENT_CPU_PCORE_PERCENT, 50.0);
        TopologyDetails high = topology("high", 1, large);
        Map<ExecutorDetails, WorkerSlot> before = allOn(OTHER);
        Cluster cluster = Fixture.cluster(hosts, List.of(low, high), Map.of("low", before));
        inner("resource-aware").schedule(cluster, Set.of("high"), Set.of(ONE));
        assertThat(placement(cluster, "low")).isEqualTo(before);
        assertThat(placement(cluster, "high")).isEqualTo(allOn(ONE));
    }

    @Test
    void aSlotIsServedInUntilItsOldWorkerMustHaveEnded() {
        AtomicLong seconds = new AtomicLong();
        ServedSlots served = new ServedSlots(() -> seconds.get() * 1_000_000_000L);
        served.add(List.of(ONE));
        seconds.set(199);
        served.add(List.of(OTHER));
        assertThat(served.now()).containsExactlyInAnyOrder(ONE, OTHER);
        seconds.set(200);
        assertThat(served.now()).containsExactly(OTHER);
    }

    @Test
    void theSlotsThatAMoveLeavesAreThoseThatItsTopologyHasNoMore() {
        TopologyDetails own = topology("t", 1);
        Cluster now = Fixture.cluster(HOSTS, List.of(own), Map.of("t", allOn(ONE)));
        Round round = new Round(List.of(own), now);
        Cluster then = Fixture.cluster(HOSTS, List.of(own), Map.of("t", allOn(OTHER)));
        assertThat(round.left(Set.of("t"), then)).containsExactly(ONE);
        assertThat(round.left(Set.of(), then)).isEmpty();
    }
}
