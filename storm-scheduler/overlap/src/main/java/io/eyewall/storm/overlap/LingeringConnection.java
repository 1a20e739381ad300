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
 * A connection that stays open for a while after Storm has closed it: it may be to an old worker.
 *
 * <p>Storm closes a connection as soon as it sends nothing there any more. Replies that have not been
 * read make that a reset, and the old worker loses what is on its way.
 */
final class LingeringConnection extends ConnectionWithStatus {

    private static final long LINGER_MILLIS = 5_000;

    private final IConnection connection;
    private final Executor delayed;
    private final Runnable onClosed;

    private enum State {
        OPEN,
        LINGERS,
        CLOSES,
        CLOSED
    }

    private State state = State.OPEN;

    /** How often Storm closed it. */
    private int closes;

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
        state = State.LINGERS;
        closes++;
        int close = closes;
        delayed.execute(() -> closeUnlessWanted(close));
    }

    /** Whether Storm can use it again: a second one to the same place it could not have yet. */
    synchronized boolean reopen() {
        if (state == State.LINGERS) {
            state = State.OPEN;
        }
        return state == State.OPEN;
    }

    synchronized boolean isClosed() {
        return state == State.CLOSED;
    }

    private void closeUnlessWanted(int close) {
        synchronized (this) {
            if (state != State.LINGERS || close != closes) {
                return;
            }
            state = State.CLOSES;
        }
        try {
            connection.close(); // may wait for what is to be written
        } finally {
            synchronized (this) {
                state = State.CLOSED;
            }
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
