package io.eyewall.storm;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.storm.scheduler.WorkerSlot;

/**
 * Slots that no assignment has any more and in which old workers serve on: what is sent to a new
 * worker there would reach the old one.
 */
final class ServedSlots {

    /**
     * After which an old worker has ended: the agent's limits, and what Storm takes to hear of the
     * move and to end a worker. The sidecar has the same (old_workers.py).
     */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(200);

    private final LongSupplier nanoTime;
    private final Map<WorkerSlot, Long> since = new HashMap<>();

    ServedSlots(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Workers in these slots begin to serve on. */
    void add(Collection<WorkerSlot> slots) {
        long now = nanoTime.getAsLong();
        slots.forEach(slot -> since.put(slot, now));
    }

    /** Slots in which old workers may serve on now. */
    Set<WorkerSlot> now() {
        long now = nanoTime.getAsLong();
        since.values().removeIf(began -> now - began >= LONGEST_NANOS);
        return Set.copyOf(since.keySet());
    }
}
