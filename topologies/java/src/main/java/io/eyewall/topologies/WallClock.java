package io.eyewall.topologies;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Microseconds since the epoch; never goes back within a process. */
final class WallClock {
    private static final long OFFSET =
            ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - System.nanoTime() / 1_000;

    private WallClock() {}

    static long micros() {
        return OFFSET + System.nanoTime() / 1_000;
    }
}
