package io.eyewall.storm.overlap;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.generated.NodeInfo;

/**
 * What a worker that has just started knows of old ones that serve on. It did not see where
 * executors were before, and where they are published they may not be prepared for a while.
 */
final class Predecessors {

    /** In which a connection to one of them is up. */
    private static final long CONNECT_MILLIS = 5_000;

    /** In which a connection that broke is up again, if the worker lives: Storm connects again. */
    private static final long RECONNECT_MILLIS = 2_000;

    private record Heard(OldWorker worker, long at) {}

    private final Map<NodeInfo, Heard> heard = new HashMap<>();

    /** Places to which a connection was up at some time. */
    private final Set<NodeInfo> connected = new HashSet<>();

    /** Places to which it is down, each with when that was first seen. */
    private final Map<NodeInfo, Long> down = new HashMap<>();

    /**
     * Takes up what old workers say now.
     *
     * @param published places in use by the assignment: an old worker that was there has ended
     */
    void hear(Collection<OldWorker> said, Collection<NodeInfo> published, long now) {
        Map<NodeInfo, Heard> before = Map.copyOf(heard);
        heard.clear();
        for (OldWorker worker : said) {
            NodeInfo place = worker.place();
            if (!published.contains(place)) {
                long at = before.containsKey(place) ? before.get(place).at() : now;
                heard.put(place, new Heard(worker, at));
            }
        }
    }

    /** Of two that run an executor, moved twice in a row, the first is the one that carries tuples. */
    Map<List<Long>, NodeInfo> places() {
        Map<List<Long>, NodeInfo> places = new HashMap<>();
        heard.values().stream()
                .map(Heard::worker)
                .sorted(Comparator.comparingLong(OldWorker::since))
                .forEach(it -> it.executors().forEach(one -> places.putIfAbsent(one, it.place())));
        return places;
    }

    /** Supervisor → host. */
    Map<String, String> hosts() {
        Map<String, String> hosts = new HashMap<>();
        heard.values().forEach(it -> hosts.put(it.worker().node(), it.worker().host()));
        return hosts;
    }

    /**
     * Whether tuples can be sent to a place, or will be in a moment.
     *
     * @param now of a clock that nobody sets
     */
    boolean isAlive(NodeInfo place, boolean isConnected, long now) {
        if (isConnected) {
            connected.add(place);
            down.remove(place);
            return true;
        }
        // What has switched does not go back, so a break alone must not switch to where nothing runs yet.
        if (now - down.computeIfAbsent(place, it -> now) < RECONNECT_MILLIS) {
            return true;
        }
        Heard known = heard.get(place);
        // Its znode lasts as long as its session: a connection that stays down says sooner that it ended.
        return known != null
                && !connected.contains(place)
                && now - known.at() < CONNECT_MILLIS;
    }

    /** Forgets all of it: places may be used again. */
    void forget() {
        heard.clear();
        connected.clear();
        down.clear();
    }
}
