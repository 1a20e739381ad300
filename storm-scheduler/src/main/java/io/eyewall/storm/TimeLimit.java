package io.eyewall.storm;

import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a round may wait for sidecars, and when that ends.
 *
 * @param allowed from the round's start
 * @param end allowed, after the round's start
 */
record TimeLimit(Duration allowed, Deadline end) {

    static TimeLimit startingNow(Duration allowed) {
        return new TimeLimit(allowed, Deadline.after(allowed.toMillis(), TimeUnit.MILLISECONDS));
    }

    int millisecondsLeft() {
        return (int) Math.max(0, end.timeRemaining(TimeUnit.MILLISECONDS));
    }

    /** For messages: "2 s", "200 ms". */
    @Override
    public String toString() {
        long ms = allowed.toMillis();
        return ms % 1000 == 0 ? ms / 1000 + " s" : ms + " ms";
    }
}
