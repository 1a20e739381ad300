package io.eyewall.storm.overlap;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.NodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the shim writes to ZooKeeper before Nimbus publishes a move of Eyewall's: the executors that
 * move, each with its new place. A move that is not ordered so is somebody else's, and nobody serves
 * on for it.
 *
 * @param lines one for each executor: first task, last task, supervisor's id and port
 */
record MoveOrder(Set<String> lines) {

    static final String ROOT = "/eyewall-moves";

    private static final Logger LOG = LoggerFactory.getLogger(MoveOrder.class);

    /** Below Storm's own root. */
    static String path(String topologyId) {
        return ROOT + "/" + topologyId;
    }

    static MoveOrder of(Map<List<Long>, NodeInfo> moved) {
        return new MoveOrder(
                moved.entrySet().stream()
                        .map(it -> line(it.getKey(), it.getValue()))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    static MoveOrder decode(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        return new MoveOrder(text.lines().collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Whether a worker finds that all of these executors were ordered to go where they go. */
    static boolean isFor(WorkerState worker, Map<List<Long>, NodeInfo> moved) {
        try {
            String path = path(worker.getTopologyId());
            // A ZooKeeper server that lags may not have it yet: the assignment came by Thrift.
            worker.getStateStorage().sync_path(path);
            byte[] order = worker.getStateStorage().get_data(path, false);
            return order != null && decode(order).covers(moved);
        } catch (RuntimeException e) {
            LOG.warn("no order to be read, so this move is followed at once", e);
            return false;
        }
    }

    byte[] encode() {
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }

    /** Whether all of these executors were ordered to go where they go. */
    boolean covers(Map<List<Long>, NodeInfo> moved) {
        return lines.containsAll(of(moved).lines);
    }

    private static String line(List<Long> executor, NodeInfo place) {
        long port = place.get_port().iterator().next();
        return "%d %d %s %d".formatted(executor.get(0), executor.get(1), place.get_node(), port);
    }
}
