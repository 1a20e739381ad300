package io.eyewall.storm;

import java.util.Map;
import java.util.Objects;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.TopologyDetails;

/**
 * What people read about a topology in Storm UI: who placed it, and why that one.
 *
 * <p>A text stands until somebody places the topology anew; rounds that change nothing, or that no
 * sidecar took part in, leave it alone.
 */
final class StatusTexts {

    private static final String PLACED = "placed by eyewall";
    private static final String KEPT = "kept by eyewall";

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

    /** For a topology that is kept as nobody decides on it, for this reason. */
    static String undecided(String reason) {
        return KEPT + ": " + reason;
    }

    /**
     * Writes the texts of one round, after the inner scheduler had its turn.
     *
     * @param said the texts before that turn, to tell the inner scheduler's own from older ones
     */
    static void write(Round round, Cluster cluster, String inner, Map<String, String> said) {
        round.decided().forEach((id, text) -> set(cluster, id, text));
        round.left()
                .forEach(
                        (id, reason) -> {
                            if (round.isWaiting(id)) {
                                set(cluster, id, left(cluster, id, inner, reason, said.get(id)));
                            }
                        });
    }

    private static String left(
            Cluster cluster, String id, String inner, String reason, String before) {
        TopologyDetails topology = cluster.getTopologies().getById(id);
        if (cluster.getUnassignedExecutors(topology).isEmpty()) {
            return "placed by %s: %s".formatted(inner, reason);
        }
        String now = cluster.getStatus(id);
        String failed = "not placed by %s: %s".formatted(inner, reason);
        return now == null || now.equals(before) ? failed : failed + "; " + now;
    }

    /** Storm logs a line each time a status is set. */
    private static void set(Cluster cluster, String id, String text) {
        if (!Objects.equals(cluster.getStatus(id), text)) {
            cluster.setStatus(id, text);
        }
    }
}
