package io.eyewall.storm.overlap;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.storm.daemon.worker.WorkerState;

/**
 * Who of an old worker and its successor runs a spout: in ZooKeeper, since the two have no
 * connection to each other.
 *
 * <p>The old one holds an ephemeral node for as long as it emits, which says where it is. The new
 * one creates another to say that it waits, and opens its spout once the first is gone, or the old
 * worker is.
 */
final class SpoutTurns {

    private static final String ROOT = "/eyewall-spouts";

    private final WorkerNodes nodes;
    private final String topologyId;

    SpoutTurns(WorkerState worker) {
        nodes = new WorkerNodes(worker);
        topologyId = worker.getTopologyId();
    }

    /** Where an old worker is that runs a spout. */
    record Holder(String host, int port) {

        private static final int CONNECT_MILLIS = 1_000;

        /** Whether nothing listens there. A firewall that rejects what it does not let through looks the same. */
        boolean refuses() {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
                return false;
            } catch (ConnectException e) {
                return true;
            } catch (IOException e) {
                return false; // not known
            }
        }

        private static Holder decode(byte[] data) {
            String[] words = new String(data, StandardCharsets.UTF_8).split(" ");
            return new Holder(words[0], Integer.parseInt(words[1]));
        }

        private byte[] encode() {
            return (host + " " + port).getBytes(StandardCharsets.UTF_8);
        }
    }

    void hold(int task, Holder here) {
        nodes.write(held(task), here.encode());
    }

    void release(int task) {
        nodes.delete(held(task));
    }

    /** Other workers that hold a spout: two, if it is moved again before it was handed over. */
    List<Holder> holders(int task) {
        return nodes.others(held(task)).stream().map(Holder::decode).toList();
    }

    void await(int task) {
        nodes.write(awaited(task), new byte[0]);
    }

    void stopWaiting(int task) {
        nodes.delete(awaited(task));
    }

    /** Ids of the workers that wait for a spout. */
    List<String> awaiting(int task) {
        return nodes.otherIds(awaited(task));
    }

    private String held(int task) {
        return "%s/%s/%d".formatted(ROOT, topologyId, task);
    }

    private String awaited(int task) {
        return held(task) + "-awaited";
    }
}
