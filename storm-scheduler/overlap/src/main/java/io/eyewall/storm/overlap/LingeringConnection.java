package io.eyewall.storm.overlap;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.storm.grouping.Load;
import org.apache.storm.messaging.ConnectionWithStatus;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.messaging.TaskMessage;
import org.apache.storm.messaging.netty.BackPressureStatus;

/**
 * A connection to an old worker that stays open for a while after Storm has closed it.
 *
 * <p>Storm closes a connection as soon as it sends nothing there any more. Replies that have not been
 * read make that a reset, and the old worker loses what is on its way.
 */
final class LingeringConnection extends ConnectionWithStatus {

    private static final long LINGER_MILLIS = 5_000;

    private final IConnection connection;
    private final Executor delayed;
    private final Runnable onClosed;

    LingeringConnection(IConnection connection, Runnable onClosed) {
        this(
                connection,
                CompletableFuture.delayedExecutor(LINGER_MILLIS, TimeUnit.MILLISECONDS),
                onClosed);
    }

    LingeringConnection(IConnection connection, Executor delayed, Runnable onClosed) {
        this.connection = connection;
        this.delayed = delayed;
        this.onClosed = onClosed;
    }

    @Override
    public void close() {
        delayed.execute(
                () -> {
                    try {
                        connection.close();
                    } finally {
                        onClosed.run();
                    }
                });
    }

    @Override
    public Status status() {
        return connection instanceof ConnectionWithStatus known ? known.status() : Status.Ready;
    }

    @Override
    public void send(Iterator<TaskMessage> messages) {
        connection.send(messages);
    }

    @Override
    public Map<Integer, Load> getLoad(Collection<Integer> tasks) {
        return connection.getLoad(tasks);
    }

    @Override
    public void sendLoadMetrics(Map<Integer, Double> loads) {
        connection.sendLoadMetrics(loads);
    }

    @Override
    public void sendBackPressureStatus(BackPressureStatus status) {
        connection.sendBackPressureStatus(status);
    }

    @Override
    public int getPort() {
        return connection.getPort();
    }
}
