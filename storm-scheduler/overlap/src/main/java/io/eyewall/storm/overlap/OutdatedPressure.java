package io.eyewall.storm.overlap;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.generated.NodeInfo;

/**
 * What old workers said of back pressure, which nobody takes back.
 *
 * <p>Storm keeps back pressure by task, and ends it by the worker's next word or by its first on a new
 * connection. Here the connection to the new worker is open before the old one's last word. Threads
 * of connections that close call this, too.
 */
final class OutdatedPressure {

    /** By task: whether nothing may be sent to it. */
    private final AtomicBoolean[] pressed;

    /** Place → tasks that have left it, while its connection is open. */
    private final Map<NodeInfo, Set<Integer>> left = new ConcurrentHashMap<>();

    OutdatedPressure(AtomicBoolean[] pressed) {
        this.pressed = pressed;
    }

    /** Ends that of executors to whose new place tuples go from now on. */
    void switched(Map<List<Long>, NodeInfo> before, Map<List<Long>, NodeInfo> after) {
        before.forEach(
                (executor, place) -> {
                    if (after.containsKey(executor) && !place.equals(after.get(executor))) {
                        Set<Integer> tasks = tasksOf(executor);
                        release(tasks);
                        left.merge(place, tasks, OutdatedPressure::union);
                        left.computeIfPresent(
                                after.get(executor), (to, those) -> without(those, tasks));
                    }
                });
    }

    /** Ends what was said since, by the connection to an old worker. */
    void closed(NodeInfo place) {
        Set<Integer> tasks = left.remove(place);
        if (tasks != null) {
            release(tasks);
        }
    }

    private static Set<Integer> union(Set<Integer> some, Set<Integer> more) {
        Set<Integer> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    private static Set<Integer> without(Set<Integer> some, Set<Integer> those) {
        Set<Integer> rest = new HashSet<>(some);
        rest.removeAll(those);
        return rest;
    }

    private void release(Set<Integer> tasks) {
        tasks.forEach(it -> pressed[it].set(false));
    }

    private static Set<Integer> tasksOf(List<Long> executor) {
        Set<Integer> tasks = new HashSet<>();
        for (long task = executor.get(0); task <= executor.get(1); task++) {
            tasks.add((int) task);
        }
        return tasks;
    }
}
