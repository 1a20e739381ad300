package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.storm.Config;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.messaging.IContext;
import org.apache.storm.messaging.TransportFactory;

/**
 * Connections to workers that are to take executors over, before Storm itself connects to them.
 *
 * <p>A worker reports the load of an executor to those that are connected to it, and with this agent
 * only once the executor is prepared: that is how it says so.
 */
final class Successors {

    /** From when on a worker that never reports load, as settings may have it, is taken as prepared. */
    private static final long SILENT_MILLIS = 15_000;

    /**
     * What makes the agent's connections. Storm's own refuses a second one to a place, as that would
     * have the same name in its metrics; this one has none. Null until one is needed.
     */
    private static IContext context;

    private final WorkerState worker;
    private final boolean isSilent;

    /** Also asked by the threads of ackers and spouts that hand over. */
    private final Map<NodeInfo, IConnection> connections = new ConcurrentHashMap<>();

    /** Storm's own, also those that it has closed. */
    private final Map<NodeInfo, LingeringConnection> lingering = new HashMap<>();
    private final Map<NodeInfo, Long> readySince = new HashMap<>();

    Successors(WorkerState worker) {
        this.worker = worker;
        isSilent =
                Boolean.TRUE.equals(
                        worker.getTopologyConf().get(Config.TOPOLOGY_DISABLE_LOADAWARE_MESSAGING));
        if (isSilent) {
            StartingCores.started(); // Storm does not call what says when it has
        }
    }

    /**
     * Whether an executor works on tuples at its new place.
     *
     * @param isActive whether the topology is: nothing is prepared before it is
     */
    boolean isPrepared(
            List<Long> executor, NodeInfo place, String host, boolean isActive, long now) {
        IConnection connection = connection(place, host);
        if (!WorkerState.isConnectionReady(connection)) {
            if (readySince.remove(place) != null) {
                forget(place); // it knows the load of a worker that is gone
            }
            return false;
        }
        long since = readySince.computeIfAbsent(place, it -> now);
        if (!isActive || (isSilent && now - since > SILENT_MILLIS)) {
            return true;
        }
        return !connection.getLoad(Set.of(executor.get(0).intValue())).isEmpty();
    }

    /** Whether Storm is connected to a place where it sends to. */
    boolean isAlive(NodeInfo place) {
        IConnection connection = worker.getCachedNodeToPortSocket().get().get(place);
        return connection != null && WorkerState.isConnectionReady(connection);
    }

    /**
     * Has Storm's connections stay open for a while after it has closed them.
     *
     * @param onClosed hears of each that is closed
     */
    void keepOpen(Consumer<NodeInfo> onClosed) {
        lingering.values().removeIf(LingeringConnection::isClosed);
        worker.getCachedNodeToPortSocket()
                .get()
                .forEach(
                        (place, it) -> {
                            if (!(it instanceof LingeringConnection)) {
                                LingeringConnection own =
                                        new LingeringConnection(it, () -> onClosed.accept(place));
                                lingering.put(place, own);
                                giveStorm(place, own);
                            }
                        });
    }

    /** Gives Storm the connections to places where it is to send from now on, as far as there are. */
    void handOver(Set<NodeInfo> places, Map<String, String> hosts) {
        Set<NodeInfo> known = worker.getCachedNodeToPortSocket().get().keySet();
        for (NodeInfo place : places) {
            if (known.contains(place)) {
                continue;
            }
            LingeringConnection closed = lingering.get(place);
            IConnection own = connections.get(place);
            if (own != null) {
                giveStorm(place, own);
                connections.remove(place); // once Storm has it: who asks meanwhile would make another
            } else if (closed != null && closed.reopen()) {
                giveStorm(place, closed);
            } else if (closed != null && !closed.isClosed()) {
                // Until it is, its name in Storm's metrics is taken.
                giveStorm(place, connect(worker, hosts.get(place.get_node()), port(place)));
            }
        }
    }

    private void giveStorm(NodeInfo place, IConnection connection) {
        worker.getCachedNodeToPortSocket()
                .getAndUpdate(
                        before -> {
                            Map<NodeInfo, IConnection> after = new HashMap<>(before);
                            after.put(place, connection);
                            return after;
                        });
    }

    /** Closes what was not handed over. */
    void close() {
        new HashSet<>(connections.keySet()).forEach(this::forget);
        readySince.clear();
    }

    /** A connection to a place, Storm's own if it has one. */
    IConnection connection(NodeInfo place, String host) {
        IConnection known = worker.getCachedNodeToPortSocket().get().get(place);
        if (known != null) {
            return known;
        }
        return connections.computeIfAbsent(place, it -> connect(worker, host, port(it)));
    }

    /** Tasks of a place, by the connection that there is when something is sent. */
    TupleForwarder tasks(NodeInfo place, String host) {
        return new RemoteTasks(worker, () -> connection(place, host));
    }

    static IConnection connect(WorkerState worker, String host, int port) {
        return context(worker)
                .connect(
                        worker.getTopologyId(),
                        host,
                        port,
                        WorkerInternals.remoteBackPressure(worker));
    }

    private static synchronized IContext context(WorkerState worker) {
        if (context == null) {
            context = TransportFactory.makeContext(worker.getTopologyConf(), null);
        }
        return context;
    }

    private void forget(NodeInfo place) {
        IConnection connection = connections.remove(place);
        if (connection != null) {
            connection.close();
        }
    }

    static int port(NodeInfo place) {
        return place.get_port().iterator().next().intValue();
    }
}
