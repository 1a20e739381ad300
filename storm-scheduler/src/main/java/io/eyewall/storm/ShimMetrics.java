package io.eyewall.storm;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.storm.metric.StormMetricsRegistry;

/** Counters in addition to Nimbus's own, reported where those are ({@code storm.daemon.metrics.*}). */
final class ShimMetrics {

    /** Rounds of scheduling. */
    final Meter rounds;

    /** A whole round, the inner scheduler's part included. */
    final Timer roundTime;

    /** Waiting for the sidecar. */
    final Timer sidecarTime;

    /** Placements that were applied. */
    final Meter placed;

    /** Decisions that could not be applied. */
    final Meter rejected;

    /** Topologies that the sidecar left to the inner scheduler. */
    final Meter declined;

    /** Rounds that failed inside the scheduler itself. */
    final Meter errors;

    /** Assignments sent to a supervisor. */
    final Meter pushes;

    /** Supervisors that could not be sent their assignment. */
    final Meter pushFailures;

    private final Map<Answer.Cause, Meter> fallbacks = new EnumMap<>(Answer.Cause.class);

    ShimMetrics(StormMetricsRegistry registry) {
        rounds = registry.registerMeter("eyewall:rounds");
        roundTime = registry.registerTimer("eyewall:round-time");
        sidecarTime = registry.registerTimer("eyewall:sidecar-time");
        placed = registry.registerMeter("eyewall:placed-topologies");
        rejected = registry.registerMeter("eyewall:rejected-decisions");
        declined = registry.registerMeter("eyewall:declined-topologies");
        errors = registry.registerMeter("eyewall:scheduler-errors");
        pushes = registry.registerMeter("eyewall:assignment-pushes");
        pushFailures = registry.registerMeter("eyewall:assignment-push-failures");
        for (Answer.Cause cause : Answer.Cause.values()) {
            String name = cause.name().toLowerCase(Locale.ROOT);
            fallbacks.put(cause, registry.registerMeter("eyewall:fallbacks-sidecar-" + name));
        }
    }

    /** Rounds without a usable answer. */
    Meter fallback(Answer.Cause cause) {
        return fallbacks.get(cause);
    }
}
