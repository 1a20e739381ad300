package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Objects;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.shade.org.apache.zookeeper.KeeperException;
import org.apache.storm.utils.Utils;

/**
 * What workers of a topology say to each other in ZooKeeper, below Storm's own root: in a folder for
 * each thing that is said, an ephemeral node for each worker that says it.
 */
final class WorkerNodes {

    private final WorkerState worker;
    private final IStateStorage storage;

    WorkerNodes(WorkerState worker) {
        this.worker = worker;
        storage = worker.getStateStorage();
    }

    /** Whether something failed as ZooKeeper did not answer. */
    static boolean isAway(Throwable why) {
        return Utils.exceptionCauseIsInstanceOf(KeeperException.class, why)
                && !Utils.exceptionCauseIsInstanceOf(KeeperException.NoNodeException.class, why);
    }

    /** Its own, named after the worker: a node of a dead session goes by itself. */
    void write(String folder, byte[] data) {
        storage.set_ephemeral_node(
                own(folder), data, ClusterUtils.mkTopoReadWriteAcls(worker.getTopologyConf()));
    }

    void delete(String folder) {
        String own = own(folder);
        if (storage.node_exists(own, false)) {
            storage.delete_node(own);
        }
    }

    /** What other workers say. */
    List<byte[]> others(String folder) {
        return otherIds(folder).stream()
                .map(it -> storage.get_data(folder + "/" + it, false))
                .filter(Objects::nonNull) // gone since
                .toList();
    }

    /** Ids of other workers that say something. */
    List<String> otherIds(String folder) {
        if (!storage.node_exists(folder, false)) {
            return List.of();
        }
        return storage.get_children(folder, false).stream()
                .filter(it -> !it.equals(worker.getWorkerId()))
                .toList();
    }

    private String own(String folder) {
        return folder + "/" + worker.getWorkerId();
    }
}
