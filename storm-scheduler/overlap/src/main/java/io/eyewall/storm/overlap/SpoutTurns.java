package io.eyewall.storm.overlap;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.daemon.worker.WorkerState;

/**
 * Who of an old worker and its successor runs a spout: in ZooKeeper, since the two have no
 * connection to each other.
 *
 * <p>The old one holds an ephemeral node for as long as it emits, which says where it is. The new
 * one creates another to say that it waits, and opens its spout once the first is gone, as it also
 * is some time after the old worker has died.
 */
final class SpoutTurns {

    private static final String ROOT = "/eyewall-spouts";

    private final IStateStorage storage;
    private final WorkerState worker;

    SpoutTurns(WorkerState worker) {
        this.worker = worker;
        storage = worker.getStateStorage();
    }

    /** Where an old worker is that runs a spout. */
    record Holder(String host, int port) {
        private static Holder decode(byte[] data) {
            String[] words = new String(data, StandardCharsets.UTF_8).split(" ");
            return new Holder(words[0], Integer.parseInt(words[1]));
        }

        private byte[] encode() {
            return (host + " " + port).getBytes(StandardCharsets.UTF_8);
        }
    }

    void hold(int task, Holder here) {
        create(held(task), here.encode());
    }

    void release(int task) {
        delete(held(task));
    }

    /** The other worker that holds a spout, if there is one. */
    Optional<Holder> holder(int task) {
        return other(held(task)).map(Holder::decode);
    }

    void await(int task) {
        create(awaited(task), new byte[0]);
    }

    void stopWaiting(int task) {
        delete(awaited(task));
    }

    boolean isAwaited(int task) {
        return other(awaited(task)).isPresent();
    }

    /** Its own, named after the worker: a node of a dead session goes by itself. */
    private void create(String folder, byte[] data) {
        String own = folder + "/" + worker.getWorkerId();
        if (!storage.node_exists(own, false)) {
            storage.set_ephemeral_node(
                    own, data, ClusterUtils.mkTopoReadWriteAcls(worker.getTopologyConf()));
        }
    }

    private void delete(String folder) {
        String own = folder + "/" + worker.getWorkerId();
        if (storage.node_exists(own, false)) {
            storage.delete_node(own);
        }
    }

    private Optional<byte[]> other(String folder) {
        if (!storage.node_exists(folder, false)) {
            return Optional.empty();
        }
        List<String> names = storage.get_children(folder, false);
        return names.stream()
                .filter(it -> !it.equals(worker.getWorkerId()))
                .map(it -> storage.get_data(folder + "/" + it, false))
                .filter(it -> it != null)
                .findFirst();
    }

    private String held(int task) {
        return "%s/%s/%d".formatted(ROOT, worker.getTopologyId(), task);
    }

    private String awaited(int task) {
        return held(task) + "-awaited";
    }
}
