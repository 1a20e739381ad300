package io.eyewall.storm.overlap;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Touches a worker's {@link ServingMark} while it serves on. What looks for the assignment waits for
 * ZooKeeper where that is away, for longer than a mark is fresh, so the mark has a thread of its own.
 *
 * <p>It stops with the JVM, and after the longest time for which a worker serves on: one that hangs
 * otherwise does not hold its slot for longer.
 */
final class ServingHeartbeat {

    private static final Logger LOG = LoggerFactory.getLogger(ServingHeartbeat.class);

    private static final long PERIOD_MILLIS = 1_000;

    private final ServingMark mark;
    private final LongSupplier clock;

    /** Null unless the worker serves on. */
    private ScheduledExecutorService beats;

    private long end;

    /**
     * Nothing is touched yet.
     *
     * @param clock monotonic, in milliseconds
     */
    ServingHeartbeat(ServingMark mark, LongSupplier clock) {
        this.mark = mark;
        this.clock = clock;
    }

    /** Touches the mark at once and from now on, for a time at most. */
    synchronized void start(Duration longest) {
        end = clock.getAsLong() + longest.toMillis();
        if (beats == null) {
            beats =
                    Executors.newSingleThreadScheduledExecutor(
                            task -> {
                                Thread thread = new Thread(task, "eyewall-serving-heartbeat");
                                thread.setDaemon(true);
                                return thread;
                            });
            beats.scheduleAtFixedRate(
                    this::beat, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
        beat();
    }

    /** Removes the mark. */
    synchronized void stop() {
        if (beats != null) {
            beats.shutdownNow();
            beats = null;
        }
        mark.remove();
    }

    synchronized void beat() {
        if (beats == null || clock.getAsLong() >= end) {
            return; // a beat that waited while the worker ended must not bring the mark back
        }
        try {
            mark.touch();
        } catch (RuntimeException e) {
            LOG.warn("the supervisor may end this worker, which serves on", e);
        }
    }
}
