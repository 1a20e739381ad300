package io.eyewall.storm;

import java.util.Map;
import java.util.Objects;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.TopologyDetails;

/**
 * What people read about a topology in Storm UI: who placed it, and why that one.
 *
 * <p>A text stays until the topology is placed again; rounds that change nothing, or without a
 * sidecar, leave it alone.
 */
final class StatusTexts {

    private static final String PLACED = "eyewall: placed";
    private static final String KEPT = "eyewall: kept";

    private StatusTexts() {}

    /** For a topology that was placed with this text from the sidecar, which may be empty. */
    static String placed(String text) {
        return text.isBlank() ? PLACED : text;
    }

    /** For a topology that is kept with this text from the sidecar, which may be empty. */
    static String kept(String text, String before) {
        if (!text.isBlank()) {
            return text;
        }
        return before == null || before.startsWith(KEPT) ? KEPT : before;
    }

    /** For a topology that is kept because the sidecar declined it, for this reason. */
    static String declined(String reason) {
        return KEPT + "; " + reason;
    }

    /**
     * Writes the texts of one round, after the inner scheduler has run.
     *
     * @param before the texts before it ran, to distinguish its own from older ones
     */
    static void write(Round round, Cluster cluster, String inner, Map<String, String> before) {
        round.decided()
                .forEach(
                        (id, text) ->
                                set(
                                        cluster,
                                        id,
                                        isEvicted(cluster, id)
                                                ? evicted(cluster, id, inner, before.get(id))
                                                : text));
        round.undecided()
                .forEach(
                        (id, reason) -> {
                            if (round.isWaiting(id)) {
                                set(cluster, id, undecided(cluster, id, inner, reason, before.get(id)));
                            }
                        });
    }

    /** Whether the inner scheduler took slots of a topology that was decided, which ran whole. */
    private static boolean isEvicted(Cluster cluster, String id) {
        TopologyDetails topology = cluster.getTopologies().getById(id);
        return topology != null && !cluster.getUnassignedExecutors(topology).isEmpty();
    }

    private static String evicted(Cluster cluster, String id, String inner, String before) {
        return withStorms(cluster, id, "evicted by " + inner, before);
    }

    private static String undecided(
            Cluster cluster, String id, String inner, String reason, String before) {
        TopologyDetails topology = cluster.getTopologies().getById(id);
        if (cluster.getUnassignedExecutors(topology).isEmpty()) {
            return "placed by %s: %s".formatted(inner, reason);
        }
        return withStorms(
                cluster, id, "not placed by %s: %s".formatted(inner, reason), before);
    }

    /** The text, and what the inner scheduler said in this round. */
    private static String withStorms(Cluster cluster, String id, String text, String before) {
        String now = cluster.getStatus(id);
        return now == null || now.equals(before) ? text : text + "; " + now;
    }

    /** Storm logs a line each time a status is set. */
    private static void set(Cluster cluster, String id, String text) {
        if (!Objects.equals(cluster.getStatus(id), text)) {
            cluster.setStatus(id, text);
        }
    }
}
