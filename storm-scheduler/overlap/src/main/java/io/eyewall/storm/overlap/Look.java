package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.storm.generated.NodeInfo;

/**
 * What an old worker knows when it looks how far a move is.
 *
 * @param wanted where each executor is assigned to
 * @param ordered executors that Eyewall moves now, also those of other workers, with their new places
 * @param hosts supervisor → host
 * @param isPrepared whether an executor works on tuples at its new place
 * @param since when the newest move began, by a clock that nobody sets, in milliseconds
 * @param now by the same clock
 */
record Look(
        Map<List<Long>, NodeInfo> wanted,
        Map<List<Long>, NodeInfo> ordered,
        Map<String, String> hosts,
        Predicate<List<Long>> isPrepared,
        long since,
        long now) {

    /** The host of a place. */
    String host(NodeInfo place) {
        return hosts.get(place.get_node());
    }
}
