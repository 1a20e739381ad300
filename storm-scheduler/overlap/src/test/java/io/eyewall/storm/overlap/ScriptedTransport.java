package io.eyewall.storm.overlap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.storm.grouping.Load;
import org.apache.storm.messaging.ConnectionWithStatus;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.messaging.IConnectionCallback;
import org.apache.storm.messaging.IContext;
import org.apache.storm.messaging.TaskMessage;
import org.apache.storm.messaging.netty.BackPressureStatus;

/** Connections whose state and loads a test sets. Storm makes it by its name. */
public final class ScriptedTransport implements IContext {

    /** Host → the connection that was made last. */
    static final Map<String, Connection> CONNECTIONS = new ConcurrentHashMap<>();

    @Override
    @Deprecated
    public void prepare(Map<String, Object> conf) {}

    @Override
    public void term() {}

    @Override
    public IConnection bind(
            String topology, int port, IConnectionCallback callback, Supplier<Object> response) {
        throw new AssertionError("workers of these tests have no port");
    }

    @Override
    public IConnection connect(String topology, String host, int port, AtomicBoolean[] pressure) {
        Connection connection = new Connection(port);
        CONNECTIONS.put(host, connection);
        return connection;
    }

    /** The worker there is connected, and says that it has prepared these. */
    static void prepare(String host, Integer... tasks) {
        Connection connection = CONNECTIONS.get(host);
        connection.status = ConnectionWithStatus.Status.Ready;
        connection.prepared.addAll(List.of(tasks));
    }

    /** A connection, broken until a test connects it. */
    static final class Connection extends ConnectionWithStatus {

        final Set<Integer> prepared = new HashSet<>();
        final List<Integer> sentTo = new ArrayList<>();
        Status status = Status.Connecting;
        private final int port;

        Connection(int port) {
            this.port = port;
        }

        @Override
        public Status status() {
            return status;
        }

        @Override
        public void send(Iterator<TaskMessage> messages) {
            if (status == Status.Ready) {
                messages.forEachRemaining(it -> sentTo.add(it.task()));
            }
        }

        @Override
        public Map<Integer, Load> getLoad(Collection<Integer> tasks) {
            Map<Integer, Load> loads = new HashMap<>();
            tasks.stream()
                    .filter(prepared::contains)
                    .forEach(it -> loads.put(it, new Load(true, 0, 0)));
            return loads;
        }

        @Override
        public void sendLoadMetrics(Map<Integer, Double> loads) {}

        @Override
        public void sendBackPressureStatus(BackPressureStatus status) {}

        @Override
        public int getPort() {
            return port;
        }

        @Override
        public void close() {
            status = Status.Closed;
        }
    }
}
