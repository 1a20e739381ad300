package io.eyewall.storm;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.storm.cluster.ClusterStateContext;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.DaemonType;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.shade.org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells workers in ZooKeeper which executors Eyewall moves, before Nimbus publishes it: their agent
 * (storm-scheduler/overlap) lets them serve on for these moves, and for no others.
 */
final class MoveOrders implements AutoCloseable {

    /** Below Storm's own root. */
    private static final String ROOT = "/eyewall-moves";

    /** Where workers say to each other who serves on and who runs a spout; a folder for a topology. */
    private static final List<String> AMONG_WORKERS = List.of("/eyewall-serving", "/eyewall-spouts");

    private static final Logger LOG = LoggerFactory.getLogger(MoveOrders.class);

    private final Map<String, Object> conf;

    /** Topologies of which something may be in ZooKeeper. */
    private final Set<String> known = new HashSet<>();

    private IStateStorage storage;
    private List<ACL> acls;

    MoveOrders(Map<String, Object> conf) {
        this.conf = conf;
    }

    MoveOrders(IStateStorage storage) {
        this(Map.of());
        this.storage = storage;
    }

    /**
     * Writes the orders, and withdraws those of topologies that change otherwise or are gone: an
     * order is for one move.
     *
     * @param moves topology → its executors that move, each with its new slot
     * @param changed topologies whose assignment changes
     * @param topologies all that there are, each with its configuration
     */
    void write(
            Map<String, Map<ExecutorDetails, WorkerSlot>> moves,
            Collection<String> changed,
            Map<String, Map<String, Object>> topologies)
            throws Exception {
        known.addAll(changed);
        if (changed.isEmpty() && topologies.keySet().containsAll(known)) {
            return;
        }
        boolean isAllForgotten = true;
        if (storage().node_exists(ROOT, false)) {
            List<String> ordered = storage().get_children(ROOT, false);
            for (String id : withdrawn(ordered, moves.keySet(), changed, topologies.keySet())) {
                storage().delete_node(ROOT + "/" + id);
                isAllForgotten = false;
            }
        }
        for (Map.Entry<String, Map<ExecutorDetails, WorkerSlot>> move : moves.entrySet()) {
            String id = move.getKey();
            Map<String, Object> topology = topologies.get(id);
            openToWorkers(id, topology);
            storage().mkdirs(ROOT, acls);
            // Only what is made gets an access list, and an older version made others.
            storage().delete_node(ROOT + "/" + id);
            storage()
                    .set_data(
                            ROOT + "/" + id,
                            encode(move.getValue()),
                            orOwn(ClusterUtils.mkTopoReadOnlyAcls(topology)));
        }
        isAllForgotten &= forgetOthersThan(topologies.keySet());
        if (isAllForgotten) {
            known.retainAll(topologies.keySet());
        }
    }

    /** Where ZooKeeper is secured, workers may make no folder, and read none of another topology. */
    private void openToWorkers(String id, Map<String, Object> topology) throws Exception {
        for (String root : AMONG_WORKERS) {
            storage().mkdirs(root, acls);
            storage().mkdirs(root + "/" + id, orOwn(ClusterUtils.mkTopoReadWriteAcls(topology)));
        }
    }

    private List<ACL> orOwn(List<ACL> ofTopology) {
        return ofTopology == null ? acls : ofTopology;
    }

    /**
     * Removes what workers of topologies that are gone have left. Whether there was nothing: workers
     * that are about to end may write it again.
     */
    private boolean forgetOthersThan(Collection<String> topologies) throws Exception {
        boolean isAllForgotten = true;
        for (String root : AMONG_WORKERS) {
            if (!storage().node_exists(root, false)) {
                continue;
            }
            for (String id : storage().get_children(root, false)) {
                if (!topologies.contains(id)) {
                    isAllForgotten &= !delete(root + "/" + id);
                }
            }
        }
        return isAllForgotten;
    }

    private boolean delete(String folder) throws Exception {
        try {
            storage().delete_node(folder);
            return true;
        } catch (RuntimeException e) {
            LOG.debug("{} stays", folder, e); // not Nimbus's to delete, where ZooKeeper is secured
            return false;
        }
    }

    /** Topologies whose order holds no longer. */
    static List<String> withdrawn(
            Collection<String> ordered,
            Collection<String> moves,
            Collection<String> changed,
            Collection<String> topologies) {
        return ordered.stream()
                .filter(
                        id ->
                                !topologies.contains(id)
                                        || (changed.contains(id) && !moves.contains(id)))
                .toList();
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
