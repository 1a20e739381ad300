package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.storm.generated.NodeInfo;

/** Where one worker takes each executor to run while some of them move. Not thread-safe. */
final class Routes {

    /** What is known of the places that executors move between. */
    interface Places {
        /** Whether the executor's successor works on tuples there. */
        boolean isPrepared(List<Long> executor, NodeInfo place);

        /** Whether tuples can be sent there, will be in a moment, or it is this worker. */
        boolean isAlive(NodeInfo place);
    }

    private final Map<List<Long>, NodeInfo> inForce = new HashMap<>();

    /** Executors that were sought at old workers, each with its successor. */
    private final Map<List<Long>, NodeInfo> sought = new HashMap<>();

    /** Whether an executor is published elsewhere than it is taken to run. */
    boolean differFrom(Map<List<Long>, NodeInfo> published) {
        return !moved(published).isEmpty();
    }

    /** Those executors, each with its published place. */
    Map<List<Long>, NodeInfo> moved(Map<List<Long>, NodeInfo> published) {
        return published.entrySet().stream()
                .filter(it -> hasMoved(it.getKey(), it.getValue()))
                .collect(
                        Collectors.toMap(
                                Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, HashMap::new));
    }

    /**
     * Takes an executor to run where its old worker serves on, once until it is moved again: what has
     * switched does not go back.
     *
     * @param successor where it is published
     * @return whether it does
     */
    boolean seek(List<Long> executor, NodeInfo place, NodeInfo successor) {
        boolean isNew = !successor.equals(sought.put(executor, successor));
        if (isNew) {
            inForce.put(executor, place);
        }
        return isNew;
    }

    /** Follows at once. */
    void replace(Map<List<Long>, NodeInfo> published) {
        inForce.clear();
        inForce.putAll(published);
    }

    /** Follows executor by executor: to where its successor is prepared, or if the old one is gone. */
    Map<List<Long>, NodeInfo> follow(Map<List<Long>, NodeInfo> published, Places places) {
        inForce.keySet().retainAll(published.keySet());
        published.forEach(
                (executor, place) -> {
                    if (!hasMoved(executor, place)
                            || places.isPrepared(executor, place)
                            || !places.isAlive(inForce.get(executor))) {
                        inForce.put(executor, place);
                    }
                });
        return Map.copyOf(inForce);
    }

    private boolean hasMoved(List<Long> executor, NodeInfo place) {
        NodeInfo before = inForce.get(executor);
        return before != null && !before.equals(place);
    }
}
