package io.eyewall.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.storm.Config;
import org.apache.storm.generated.GlobalStreamId;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.grouping.LoadAwareShuffleGrouping;
import org.apache.storm.grouping.LoadMapping;
import org.apache.storm.networktopography.DefaultRackDNSToSwitchMapping;
import org.apache.storm.task.WorkerTopologyContext;
import org.junit.jupiter.api.Test;

/**
 * What the sidecar's load model takes Storm's shuffle for (docs/design/load.md, "What executors
 * get").
 */
class StormShuffleTest {
    private static final int TUPLES = 1_000;
    private static final int IN_WORKER = 1;
    private static final int ON_HOST = 2;
    private static final int ELSEWHERE = 3;
    private static final int FAR = 4;

    private final Map<Integer, Double> queues =
            new TreeMap<>(Map.of(IN_WORKER, 0.0, ON_HOST, 0.0, ELSEWHERE, 0.0, FAR, 0.0));

    @Test
    void tasksInTheSendersOwnWorkerGetAllTuples() {
        assertThat(sent(IN_WORKER, ON_HOST, ELSEWHERE)).isEqualTo(Map.of(IN_WORKER, TUPLES));
    }

    @Test
    void withoutOnesInItsWorkerThoseOnItsHostGetAll() {
        assertThat(sent(ON_HOST, ELSEWHERE, FAR)).isEqualTo(Map.of(ON_HOST, TUPLES));
    }

    @Test
    void withoutOnesNearbyAllGetAlike() {
        assertThat(sent(ELSEWHERE, FAR)).isEqualTo(Map.of(ELSEWHERE, TUPLES / 2, FAR, TUPLES / 2));
    }

    @Test
    void whatIsNearbyIsLeftOnlyOnceItsQueueIsNearlyFull() {
        queues.put(IN_WORKER, 0.75);
        assertThat(sent(IN_WORKER, ON_HOST)).isEqualTo(Map.of(IN_WORKER, TUPLES));
        queues.put(IN_WORKER, 0.85);
        assertThat(sent(IN_WORKER, ON_HOST)).containsKey(ON_HOST);
    }

    /** Task → how many of so many tuples a source on host a, port 6700 sends it. */
    private Map<Integer, Integer> sent(Integer... targets) {
        LoadAwareShuffleGrouping shuffle = new LoadAwareShuffleGrouping();
        LoadMapping load = new LoadMapping();
        load.setLocal(queues);
        shuffle.prepare(context(), new GlobalStreamId("source", "default"), List.of(targets));
        shuffle.refreshLoad(load);
        Map<Integer, Integer> counts = new TreeMap<>();
        for (int it = 0; it < TUPLES; it++) {
            shuffle.chooseTasks(0, List.of()).forEach(task -> counts.merge(task, 1, Integer::sum));
        }
        return counts;
    }

    private static WorkerTopologyContext context() {
        Map<String, Object> conf = new HashMap<>();
        conf.put(
                Config.STORM_NETWORK_TOPOGRAPHY_PLUGIN,
                DefaultRackDNSToSwitchMapping.class.getName());
        conf.put(Config.TOPOLOGY_LOCALITYAWARE_HIGHER_BOUND, 0.8);
        conf.put(Config.TOPOLOGY_LOCALITYAWARE_LOWER_BOUND, 0.2);
        Map<Integer, NodeInfo> places =
                Map.of(
                        IN_WORKER, slot("a", 6700),
                        ON_HOST, slot("a", 6701),
                        ELSEWHERE, slot("b", 6700),
                        FAR, slot("c", 6700));
        return new WorkerTopologyContext(
                null,
                conf,
                Map.of(),
                Map.of(),
                Map.of(),
                "t-1",
                null,
                null,
                6700,
                List.of(),
                Map.of(),
                Map.of(),
                new AtomicReference<>(places),
                "a",
                new AtomicReference<>(Map.of("a", "a", "b", "b", "c", "c")));
    }

    private static NodeInfo slot(String node, long port) {
        return new NodeInfo(node, Set.of(port));
    }
}
