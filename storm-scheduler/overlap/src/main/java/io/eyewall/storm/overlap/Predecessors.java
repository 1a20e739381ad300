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

    /** After which one that says nothing new has ended: what it said lasts as long as its session. */
    private static final long SILENT_MILLIS = 4_000;

    private record Seen(OldWorker worker, long found, long heard) {
        private boolean isSilent(long now) {
            return now - heard > SILENT_MILLIS;
        }
    }

    private final Map<NodeInfo, Seen> seen = new HashMap<>();

    /** Places where one was once, and is no longer. */
    private final Set<NodeInfo> gone = new HashSet<>();

    /** Places to which a connection was up at some time. */
    private final Set<NodeInfo> connected = new HashSet<>();

    /**
     * Takes up what old workers say now.
     *
     * @param published places in use by the assignment: an old worker that was there has ended
     */
    void hear(Collection<OldWorker> said, Collection<NodeInfo> published, long now) {
        Map<NodeInfo, Seen> before = Map.copyOf(seen);
        seen.clear();
        for (OldWorker worker : said) {
            if (published.contains(worker.place())) {
                continue;
            }
            Seen known = before.get(worker.place());
            boolean isNew = known == null || known.worker().beat() != worker.beat();
            Seen current =
                    new Seen(
                            worker,
                            known == null ? now : known.found(),
                            isNew ? now : known.heard());
            if (!current.isSilent(now)) {
                seen.put(worker.place(), current);
            }
        }
        gone.addAll(before.keySet());
        gone.removeAll(seen.keySet());
    }

    /** Of two that run an executor, moved twice in a row, the first is the one that carries tuples. */
    Map<List<Long>, NodeInfo> places() {
        Map<List<Long>, NodeInfo> places = new HashMap<>();
        seen.values().stream()
                .map(Seen::worker)
                .sorted(Comparator.comparingLong(OldWorker::since))
                .forEach(it -> it.executors().forEach(one -> places.putIfAbsent(one, it.place())));
        return places;
    }

    /** Supervisor → host. */
    Map<String, String> hosts() {
        Map<String, String> hosts = new HashMap<>();
        seen.values().forEach(it -> hosts.put(it.worker().node(), it.worker().host()));
        return hosts;
    }

    /** Whether tuples can be sent to a place, or will be in a moment, given that one was there. */
    boolean isAlive(NodeInfo place, boolean isConnected, long now) {
        if (gone.contains(place)) {
            return false;
        }
        if (isConnected) {
            connected.add(place);
            return true;
        }
        Seen known = seen.get(place);
        return known != null
                && !connected.contains(place)
                && now - known.found() < CONNECT_MILLIS;
    }
}
