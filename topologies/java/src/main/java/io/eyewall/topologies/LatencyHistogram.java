package io.eyewall.topologies;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of latencies in buckets: one microsecond wide up to 64 µs, beyond that 64 buckets for each
 * power of two, so that a bucket is at most 1.6 % wide.
 */
final class LatencyHistogram {
    private static final int BITS = 6;
    private static final int PER_POWER = 1 << BITS;

    private final Map<Integer, Long> counts = new TreeMap<>();

    void add(long micros) {
        counts.merge(bucket(micros), 1L, Long::sum);
    }

    /** Returns the number of a latency's bucket; {@code load_samples.py} has the reverse. */
    static int bucket(long micros) {
        long value = Math.max(0, micros);
        int power = Math.max(0, 63 - Long.numberOfLeadingZeros(value | 1) - BITS);
        return power * PER_POWER + (int) (value >> power);
    }

    /** Returns a JSON object: bucket → count. */
    String toJson() {
        StringBuilder json = new StringBuilder("{");
        counts.forEach((bucket, count) -> json.append(json.length() > 1 ? "," : "")
                .append('"').append(bucket).append("\":").append(count));
        return json.append('}').toString();
    }
}
