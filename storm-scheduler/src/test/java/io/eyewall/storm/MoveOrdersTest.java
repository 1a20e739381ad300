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

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.junit.jupiter.api.Test;

class MoveOrdersTest {

    private static final List<SupervisorDetails> HOSTS =
            List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700, 6701));
    private static final Map<ExecutorDetails, WorkerSlot> TOGETHER = allOn(slot("s1", 6700));
    private static final Map<ExecutorDetails, WorkerSlot> APART =
            both(
                    placed(slot("s1", 6701), SPOUT, COUNT_A),
                    placed(slot("s2", 6701), COUNT_B, ACKER));

    /** What is ordered when the topology, which ran so before, is placed apart. */
    private static Map<String, Map<ExecutorDetails, WorkerSlot>> ordered(
            boolean overlaps, Map<String, Map<ExecutorDetails, WorkerSlot>> before, boolean byTheSidecar) {
        TopologyDetails own = topology("t", 1);
        Cluster then = Fixture.cluster(HOSTS, List.of(own, topology("u", 1)), before);
        Round round = new Round(List.of(own), then);
        if (byTheSidecar) {
            round.decided("t", "placed");
        }
        if (overlaps) {
            round.overlaps("t");
        }
        return round.moves(Fixture.cluster(HOSTS, List.of(own), Map.of("t", APART)));
    }

    @Test
    void theExecutorsThatMoveAreOrderedWithTheirNewSlots() {
        assertThat(ordered(true, Map.of("t", TOGETHER), true))
                .isEqualTo(Map.of("t", APART));
    }

    @Test
    void anExecutorThatStaysInItsWorkerIsNotOrdered() {
        Map<ExecutorDetails, WorkerSlot> before =
                both(
                        placed(slot("s1", 6701), SPOUT, COUNT_A),
                        placed(slot("s1", 6700), COUNT_B, ACKER));
        assertThat(ordered(true, Map.of("t", before), true))
                .isEqualTo(Map.of("t", placed(slot("s2", 6701), COUNT_B, ACKER)));
    }

    @Test
    void nothingIsOrderedWhereANewWorkerNeedsTheSlotOfAnOldOne() {
        assertThat(ordered(true, Map.of("t", allOn(slot("s2", 6701))), true)).isEmpty();
        Map<ExecutorDetails, WorkerSlot> others = allOn(slot("s2", 6701));
        assertThat(ordered(true, Map.of("t", TOGETHER, "u", others), true)).isEmpty();
    }

    @Test
    void nothingIsOrderedWhereAnotherTopologyGetsTheSlotThatIsLeft() {
        TopologyDetails own = topology("t", 1);
        List<TopologyDetails> both = List.of(own, topology("u", 1));
        Round round = new Round(both, Fixture.cluster(HOSTS, both, Map.of("t", TOGETHER)));
        round.decided("t", "placed");
        round.overlaps("t");
        Map<ExecutorDetails, WorkerSlot> elsewhere = allOn(slot("s2", 6700));
        assertThat(round.moves(Fixture.cluster(HOSTS, both, Map.of("t", APART, "u", elsewhere))))
                .containsOnlyKeys("t");
        assertThat(round.moves(Fixture.cluster(HOSTS, both, Map.of("t", APART, "u", TOGETHER))))
                .isEmpty();
    }

    @Test
    void nothingIsOrderedWhereWorkersRestart() {
        assertThat(ordered(false, Map.of("t", TOGETHER), true)).isEmpty();
    }

    @Test
    void nothingIsOrderedForAFirstPlacement() {
        assertThat(ordered(true, Map.of(), true)).isEmpty();
    }

    @Test
    void nothingIsOrderedForWhatSomebodyElseMoved() {
        assertThat(ordered(true, Map.of("t", TOGETHER), false)).isEmpty();
    }

    @Test
    void onlyTopologiesThatAskForItCanHaveAnOrder() {
        TopologyDetails own = topology("t", 1, Map.of("eyewall.moves", "overlap"));
        List<TopologyDetails> both = List.of(own, topology("u", 1));
        Map<ExecutorDetails, WorkerSlot> others = allOn(slot("s2", 6700));
        Round round =
                new Round(both, Fixture.cluster(HOSTS, both, Map.of("t", TOGETHER, "u", others)));
        Cluster then =
                Fixture.cluster(HOSTS, both, Map.of("t", APART, "u", allOn(slot("s2", 6700))));
        assertThat(round.changesWithOrders(then)).containsExactly("t");
        assertThat(round.changesWithOrders(Fixture.cluster(HOSTS, both, Map.of("t", TOGETHER))))
                .isEmpty();
    }

    @Test
    void anOrderIsWithdrawnWhereTheTopologyChangesOtherwiseOrIsGone() {
        List<String> withdrawn =
                MoveOrders.withdrawn(
                        List.of("moves", "restarts", "stays", "gone"),
                        List.of("moves"),
                        List.of("moves", "restarts"),
                        List.of("moves", "restarts", "stays"));
        assertThat(withdrawn).containsExactly("restarts", "gone");
    }

    private static final Map<String, Map<String, Object>> TOPOLOGY = Map.of("t", Map.of());

    /** ZooKeeper with these paths. */
    private static IStateStorage storage(Set<String> paths) {
        return (IStateStorage)
                Proxy.newProxyInstance(
                        IStateStorage.class.getClassLoader(),
                        new Class<?>[] {IStateStorage.class},
                        (proxy, method, arguments) -> {
                            String path = (String) arguments[0];
                            return switch (method.getName()) {
                                case "node_exists" ->
                                        paths.stream().anyMatch(it -> it.startsWith(path));
                                case "get_children" ->
                                        paths.stream()
                                                .filter(it -> it.startsWith(path + "/"))
                                                .map(it -> it.split("/")[2])
                                                .distinct()
                                                .toList();
                                case "delete_node" -> paths.removeIf(it -> it.startsWith(path));
                                case "set_data" -> paths.add(path);
                                case "mkdirs" -> null;
                                default -> throw new AssertionError(method);
                            };
                        });
    }

    @Test
    void nothingStaysOfTheLastTopologyThatIsKilled() throws Exception {
        Set<String> paths = new HashSet<>();
        MoveOrders orders = new MoveOrders(storage(paths));
        orders.write(Map.of("t", APART), List.of("t"), TOPOLOGY);
        assertThat(paths).containsExactly("/eyewall-moves/t");
        paths.addAll(List.of("/eyewall-serving/t/worker", "/eyewall-spouts/t/1/worker"));
        orders.write(Map.of(), List.of(), TOPOLOGY);
        assertThat(paths).hasSize(3);
        orders.write(Map.of(), List.of(), Map.of());
        assertThat(paths).isEmpty();
        paths.add("/eyewall-spouts/t/1/worker"); // by a worker that was about to end
        orders.write(Map.of(), List.of(), Map.of());
        assertThat(paths).isEmpty();
        orders.write(Map.of(), List.of(), Map.of()); // there is nothing any more
        paths.add("/eyewall-spouts/t/1/worker");
        orders.write(Map.of(), List.of(), Map.of());
        assertThat(paths).as("it is not asked again and again").isNotEmpty();
    }

    /** MoveOrderTest of storm-scheduler/overlap reads the same bytes. */
    @Test
    void anOrderIsALineForEachExecutor() {
        WorkerSlot there = slot("5f1c-10.0.0.7", 6701);
        byte[] written =
                MoveOrders.encode(
                        Map.of(
                                new ExecutorDetails(4, 4), there,
                                new ExecutorDetails(2, 3), there));
        assertThat(new String(written, StandardCharsets.UTF_8))
                .isEqualTo("2 3 5f1c-10.0.0.7 6701\n4 4 5f1c-10.0.0.7 6701");
    }
}
