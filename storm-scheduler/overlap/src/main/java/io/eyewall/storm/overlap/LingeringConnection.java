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

    /** How often it was closed, and whether it is to be open again, or is not any more. */
    private int closes;

    private boolean isWanted = true;
    private boolean isClosed;

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
    public synchronized void close() {
        isWanted = false;
        closes++;
        int close = closes;
        delayed.execute(() -> closeUnlessWanted(close));
    }

    /** Whether it can be used again: Storm's metrics allow no second connection to a place. */
    synchronized boolean reopen() {
        isWanted = !isClosed;
        return isWanted;
    }

    synchronized boolean isClosed() {
        return isClosed;
    }

    private void closeUnlessWanted(int close) {
        synchronized (this) {
            if (isWanted || close != closes) {
                return;
            }
            isClosed = true;
        }
        try {
            connection.close();
        } finally {
            onClosed.run();
        }
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
