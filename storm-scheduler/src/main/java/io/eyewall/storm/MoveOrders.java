package io.eyewall.storm;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.storm.cluster.ClusterStateContext;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.DaemonType;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.shade.org.apache.zookeeper.data.ACL;

/**
 * Tells workers in ZooKeeper which executors Eyewall moves, before Nimbus publishes it: their agent
 * (storm-scheduler/overlap) lets them serve on for these moves, and for no others.
 */
final class MoveOrders implements AutoCloseable {

    /** Below Storm's own root. */
    private static final String ROOT = "/eyewall-moves";

    private final Map<String, Object> conf;
    private IStateStorage storage;
    private List<ACL> acls;

    MoveOrders(Map<String, Object> conf) {
        this.conf = conf;
    }

    /**
     * Writes the orders, and removes those of topologies that are gone.
     *
     * @param moves topology → its executors that move, each with its new slot
     * @param topologies all that there are
     */
    void write(
            Map<String, Map<ExecutorDetails, WorkerSlot>> moves, Collection<String> topologies)
            throws Exception {
        for (Map.Entry<String, Map<ExecutorDetails, WorkerSlot>> move : moves.entrySet()) {
            storage().set_data(ROOT + "/" + move.getKey(), encode(move.getValue()), acls);
        }
        if (!moves.isEmpty()) {
            for (String id : storage().get_children(ROOT, false)) {
                if (!topologies.contains(id)) {
                    storage().delete_node(ROOT + "/" + id);
                }
            }
        }
    }

    /** One line for each executor: first task, last task, supervisor's id and port. */
    static byte[] encode(Map<ExecutorDetails, WorkerSlot> moved) {
        return moved.entrySet().stream()
                .map(
                        it ->
                                "%d %d %s %d"
                                        .formatted(
                                                it.getKey().getStartTask(),
                                                it.getKey().getEndTask(),
                                                it.getValue().getNodeId(),
                                                it.getValue().getPort()))
                .sorted()
                .collect(Collectors.joining("\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (storage != null) {
            storage.close();
        }
    }

    private IStateStorage storage() throws Exception {
        if (storage == null) {
            ClusterStateContext context = new ClusterStateContext(DaemonType.NIMBUS, conf);
            acls = context.getDefaultZkAcls();
            storage = ClusterUtils.mkStateStorage(conf, new HashMap<>(conf), context);
        }
        return storage;
    }
}
