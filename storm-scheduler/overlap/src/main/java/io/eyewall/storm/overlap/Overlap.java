package io.eyewall.storm.overlap;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.storm.Config;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.utils.ConfigUtils;
import org.apache.storm.utils.ObjectReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker while executors move: which assignment it follows, and until when it serves on.
 *
 * <p>The static methods are called by {@link WorkerAdvice} from within Storm's own.
 */
public final class Overlap {

    private static final Logger LOG = LoggerFactory.getLogger(Overlap.class);

    /** After which a move is followed as without an agent: its successor does not start. */
    static final long LONGEST_MILLIS = 150_000;

    /** Storm's own setting may be 10 s, in which a supervisor does not wait for this worker. */
    private static final long LOOK_IDLE_MILLIS = 1_000;

    /** For which a worker that has just started listens: old ones may look later at the move. */
    private static final long LISTEN_MILLIS = 20_000;

    private static final long LOOK_MILLIS = 250;
    private static final long LOOK_QUIET_MILLIS = 50;
    private static final long ORIGIN = System.nanoTime();

    private static final Map<WorkerState, Overlap> WORKERS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final WorkerState worker;
    private final NodeInfo here;
    private final Routes routes = new Routes();

    /** Executors that Eyewall moves now, each with its new place. */
    private final Map<List<Long>, NodeInfo> ordered = new HashMap<>();

    private final Successors successors;
    private final OutdatedPressure outdated;
    private final ServingHeartbeat heartbeat;
    private final Predecessors predecessors = new Predecessors();
    private final ServingNotice notice;
    private final long began = now();

    private Map<List<Long>, NodeInfo> followed = Map.of();
    private Map<List<Long>, NodeInfo> routedBefore = Map.of();
    private volatile Map<String, String> hosts = Map.of();
    private Assignment inForce;

    /** As it was read last. */
    private volatile Assignment read;

    private long since;
    private boolean overlaps;
    private boolean looksAgain;

    /** Whether it has read whether the topology is active: a worker begins with no. */
    private volatile boolean knowsActivity;

    /** Null unless this worker's executors are assigned elsewhere. */
    private volatile Serving serving;

    /** Whether it served on and others may run what it ran: it is not to run that again. */
    private volatile boolean isSpent;

    private Overlap(WorkerState worker) {
        this.worker = worker;
        here = new NodeInfo(WorkerInternals.node(worker), Set.of((long) worker.getPort()));
        successors = new Successors(worker);
        outdated = new OutdatedPressure(WorkerInternals.remoteBackPressure(worker));
        notice = new ServingNotice(worker);
        ServingMark mark =
                ServingMark.in(ConfigUtils.workerRoot(worker.getConf(), worker.getWorkerId()));
        heartbeat = new ServingHeartbeat(mark, Overlap::now);
        // Moves are planned for what a worker can do as a whole.
        if (KnownCode.isStormKnown(WorkerState.class.getClassLoader())) {
            mark.announce();
        }
    }

    /** The assignment that a worker is to follow now, given the one that is published. */
    public static Assignment inForce(WorkerState worker, Assignment published) {
        // The constructor asks, too, and has no executors before it has the answer.
        if (published == null || worker.getLocalExecutors() == null) {
            return published;
        }
        Overlap overlap = of(worker);
        return overlap.unlessSpent(overlap.follow(published, now()));
    }

    /**
     * The assignment that a worker is to follow while the published one cannot be read, as Storm's
     * worker would end then. Null where it is to do so: where it does not serve on, and where there
     * is none any more, as after {@code storm kill}.
     */
    public static Assignment inForceUnread(WorkerState worker, Throwable why) {
        Overlap overlap = WORKERS.get(worker);
        if (overlap == null || overlap.serving == null || !WorkerNodes.isAway(why)) {
            return null;
        }
        LOG.warn("the assignment could not be read; serving on as before", why);
        return overlap.unlessSpent(overlap.follow(overlap.read, now()));
    }

    /** Looks again soon, sooner while executors move. */
    public static void refreshed(WorkerState worker) {
        of(worker).lookAgain();
    }

    /**
     * Whether a worker's executors have been assigned elsewhere. Its spouts that are not open yet are
     * not to open: their successors elsewhere know nothing of them.
     */
    static boolean hasMoved(WorkerState worker) {
        Overlap overlap = WORKERS.get(worker);
        return overlap != null && (overlap.serving != null || overlap.isSpent);
    }

    /** Whether a worker is about to end: nobody is to take it for prepared. */
    static boolean isSpent(WorkerState worker) {
        Overlap overlap = WORKERS.get(worker);
        return overlap != null && overlap.isSpent;
    }

    /** Where a worker is, as others know it; null before it has read its assignment. */
    static SpoutTurns.Holder place(WorkerState worker) {
        Overlap overlap = WORKERS.get(worker);
        String host = overlap == null ? null : overlap.hosts.get(overlap.here.get_node());
        return host == null ? null : new SpoutTurns.Holder(host, worker.getPort());
    }

    /** Keeps spouts quiet that are to emit no more. */
    public static void activated(WorkerState worker) {
        Overlap overlap = of(worker);
        overlap.knowsActivity = true;
        Serving serving = overlap.serving;
        if (serving != null) {
            serving.keepDeactivated();
        }
    }

    /** Of a clock that nobody sets, in milliseconds. */
    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ORIGIN);
    }

    private static Overlap of(WorkerState worker) {
        return WORKERS.computeIfAbsent(worker, Overlap::new);
    }

    private synchronized Assignment follow(Assignment published, long now) {
        read = published;
        Map<List<Long>, NodeInfo> wanted = published.get_executor_node_port();
        if (!wanted.equals(followed)) {
            begin(published, now);
        }
        boolean listens = now - began < LISTEN_MILLIS;
        if (listens) {
            notice.others(now).ifPresent(it -> seek(it, wanted, now));
        }
        boolean overlapped = overlaps;
        overlaps = !ordered.isEmpty() && now - since < LONGEST_MILLIS && routes.differFrom(wanted);
        if (!overlaps) {
            if (overlapped) {
                outdated.switched(routedBefore, wanted);
            }
            routedBefore = Map.copyOf(wanted);
            routes.replace(wanted);
            hosts = published.get_node_host();
            ordered.clear();
            predecessors.forget();
            endServing();
            handOverConnections(wanted);
            if (!listens) { // one to an old worker may be about to be ready
                successors.close();
            }
            return published;
        }
        try {
            inForce = overlapping(published, now);
        } catch (RuntimeException e) {
            LOG.warn("going on as before", e);
        }
        return inForce;
    }

    private Assignment overlapping(Assignment published, long now) {
        Map<List<Long>, NodeInfo> wanted = published.get_executor_node_port();
        Predicate<List<Long>> isPrepared = it -> isPrepared(it, wanted.get(it), now);
        Look look = new Look(wanted, ordered, hosts, isPrepared, since, now);
        if (serving != null && !serving.goesOn(look)) {
            LOG.info("ends {} ms after the move", now - since);
            endServing();
        }
        // Storm may have connected to old workers since.
        successors.keepOpen(outdated::closed);
        Map<List<Long>, NodeInfo> routed = routes.follow(wanted, places(now));
        outdated.switched(routedBefore, routed);
        routedBefore = routed;
        handOverConnections(routed);
        Assignment effective = new Assignment(published);
        effective.set_executor_node_port(routed);
        effective.set_node_host(hosts);
        return effective;
    }

    /** Without this worker's executors if it is not to run them: it ends then, and restarts. */
    private synchronized Assignment unlessSpent(Assignment assignment) {
        if (!isSpent || !assignment.get_executor_node_port().containsValue(here)) {
            return assignment;
        }
        LOG.info("its move was taken back, but it has handed over; it ends, and restarts");
        Assignment others = new Assignment(assignment);
        others.get_executor_node_port().values().removeIf(here::equals);
        return others;
    }

    private void handOverConnections(Map<List<Long>, NodeInfo> routed) {
        successors.handOver(
                routed.entrySet().stream()
                        .filter(it -> isSentTo(it.getKey()))
                        .map(Map.Entry::getValue)
                        .collect(Collectors.toSet()),
                hosts);
    }

    private void begin(Assignment published, long now) {
        Map<List<Long>, NodeInfo> wanted = published.get_executor_node_port();
        Map<List<Long>, NodeInfo> moved = routes.moved(wanted);
        // What an earlier move is still about to do stays ordered.
        moved.entrySet().removeIf(it -> it.getValue().equals(ordered.get(it.getKey())));
        if (!moved.isEmpty()) {
            since = now;
            if (canServe(wanted)) {
                // ZooKeeper may take longer to say whether there is an order than a supervisor waits.
                heartbeat.start(Duration.ofMillis(LONGEST_MILLIS));
            }
            if (MoveOrder.isFor(worker, moved)) {
                ordered.putAll(moved);
            } else {
                ordered.clear();
            }
        }
        followed = Map.copyOf(wanted);
        Map<String, String> known = new HashMap<>(hosts);
        known.putAll(published.get_node_host());
        hosts = known;
        inForce = published;
        boolean serves = !ordered.isEmpty() && canServe(wanted);
        if (!serves) {
            boolean isTakenBack = areAll(wanted, it -> here.equals(wanted.get(it)));
            // Its spouts go on, so that it holds them as before.
            if (serving != null && isTakenBack && !serving.hasHandedOver()) {
                leaveServing();
            }
            endServing();
            heartbeat.stop();
        } else {
            heartbeat.start(Duration.ofMillis(LONGEST_MILLIS - (now - since)));
        }
        if (serves && serving == null) {
            String host = hosts.get(here.get_node());
            notice.write(OldWorker.of(worker, here, host, System.currentTimeMillis()));
            serving = new Serving(worker, successors, Handovers::ackers, Handovers::spouts, host);
        }
        if (!ordered.isEmpty()) {
            LOG.info(
                    "{} executors move; {}", moved.size(),
                    serves ? "serving on" : "their old places are kept meanwhile");
        }
    }

    /** Has a worker that has just started send to where old ones serve on. */
    private void seek(List<OldWorker> old, Map<List<Long>, NodeInfo> wanted, long now) {
        predecessors.hear(old, wanted.values(), now);
        Map<String, String> known = new HashMap<>(hosts);
        known.putAll(predecessors.hosts());
        hosts = known;
        predecessors.places().forEach((executor, place) -> seek(executor, place, wanted, now));
    }

    private void seek(
            List<Long> executor, NodeInfo place, Map<List<Long>, NodeInfo> wanted, long now) {
        NodeInfo successor = wanted.get(executor);
        if (successor != null
                && isSentTo(executor)
                && canBeSentTo(place)
                && !isPrepared(executor, successor, now)
                && routes.seek(executor, place, successor)) {
            LOG.info("{} is served on at {}", executor, place);
            since = ordered.isEmpty() ? now : since;
            ordered.put(executor, successor);
        }
    }

    /** Whether nothing is sent yet, or could be there at once. */
    private boolean canBeSentTo(NodeInfo place) {
        return worker.getIsWorkerActive().getCount() > 0
                || WorkerState.isConnectionReady(
                        successors.connection(place, hosts.get(place.get_node())));
    }

    /** Whether all of this worker's executors are assigned elsewhere, and may run in two workers. */
    private boolean canServe(Map<List<Long>, NodeInfo> wanted) {
        return areAll(
                wanted, it -> !here.equals(wanted.get(it)) && Serving.mayRunTwice(worker, it));
    }

    /** Whether something is true of all executors that it runs and that are assigned; not of none. */
    private boolean areAll(Map<List<Long>, NodeInfo> wanted, Predicate<List<Long>> condition) {
        List<List<Long>> mine =
                worker.getLocalExecutors().stream().filter(wanted::containsKey).toList();
        return !mine.isEmpty() && mine.stream().allMatch(condition);
    }

    private boolean isPrepared(List<Long> executor, NodeInfo place, long now) {
        // While its spouts are quiet this worker is not active, and the topology is.
        boolean isActive =
                !knowsActivity
                        || worker.getIsTopologyActive().get()
                        || (serving != null && serving.isQuiet());
        String host = hosts.get(place.get_node());
        return successors.isPrepared(executor, place, host, isActive, now);
    }

    private boolean isSentTo(List<Long> executor) {
        return !worker.getLocalExecutors().contains(executor)
                && WorkerInternals.outboundTasks(worker).contains(executor.get(0).intValue());
    }

    private void endServing() {
        if (serving != null) {
            isSpent = true;
            try {
                serving.end();
            } catch (RuntimeException e) {
                LOG.warn("what this worker holds in ZooKeeper goes with its session", e);
            }
            leaveServing();
        }
    }

    private void leaveServing() {
        serving = null;
        notice.withdraw(); // before the mark, without which the supervisor ends this worker
        heartbeat.stop();
    }

    private Routes.Places places(long now) {
        return new Routes.Places() {
            @Override
            public boolean isPrepared(List<Long> executor, NodeInfo place) {
                if (worker.getLocalExecutors().contains(executor)) {
                    return serving == null;
                }
                return !isSentTo(executor) || Overlap.this.isPrepared(executor, place, now);
            }

            @Override
            public boolean isAlive(NodeInfo place) {
                return here.equals(place)
                        || predecessors.isAlive(place, successors.isAlive(place), now);
            }
        };
    }

    private synchronized void lookAgain() {
        boolean isSlow = ObjectReader.getInt(worker.getConf().get(Config.TASK_REFRESH_POLL_SECS)) > 1;
        if (!looksAgain && (overlaps || isSlow)) {
            looksAgain = true;
            boolean isQuiet = serving != null && serving.isQuiet();
            long pause = isQuiet ? LOOK_QUIET_MILLIS : overlaps ? LOOK_MILLIS : LOOK_IDLE_MILLIS;
            WorkerInternals.connectionTimer(worker).scheduleMs(pause, this::look);
        }
    }

    private void look() {
        synchronized (this) {
            looksAgain = false;
        }
        worker.refreshConnections();
    }
}
