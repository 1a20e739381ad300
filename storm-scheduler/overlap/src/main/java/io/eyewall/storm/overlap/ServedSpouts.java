package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.NodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The spouts of a worker that serves on, and when which of them and their successors emit. */
final class ServedSpouts {

    private static final Logger LOG = LoggerFactory.getLogger(ServedSpouts.class);

    /** From when spouts are to emit no more: one may be about to. */
    private static final long QUIET_MILLIS = 50;

    /** How long acks of what they emitted are waited for. */
    private static final long LONGEST_QUIET_MILLIS = 3_000;

    /** How long spouts that are awaited go on for bolts that are not prepared yet. */
    private static final long LONGEST_AWAITED_MILLIS = 20_000;

    /** From when the last of those bolts is prepared: others send to it a moment later. */
    private static final long SWITCH_MILLIS = 1_000;

    /** From the newest move on, after which they wait for no bolts: time is left to hand over. */
    private static final long LATEST_MILLIS = Overlap.LONGEST_MILLIS - 20_000;

    /** Between two times that it says that it holds its spouts. */
    private static final long REPEAT_MILLIS = 1_000;

    private static final long NEVER = -1;

    private final WorkerState worker;
    private final Successors successors;
    private final SpoutTurns turns;
    private final Supplier<List<SpoutHandover>> allSpouts;
    private final SpoutTurns.Holder holder;

    /** As of this look: a worker that is moved while it loads gets to know them one by one. */
    private List<SpoutHandover> spouts = List.of();

    private long heldSince = NEVER;
    private long awaitedSince = NEVER;
    private long boltsPreparedSince = NEVER;
    private long quietSince = NEVER;
    private boolean isDeactivated;
    private boolean isReleased;

    /** Whether the topology is active, though its spouts are deactivated here. */
    private boolean isTopologyActive;

    /** Whether a successor has had one open: it has emitted what this worker knows nothing of. */
    private boolean wereOpenElsewhere;

    /** Where those are to go that successors have asked for; of all, once they are quiet. */
    private final Map<List<Long>, NodeInfo> askedAt = new HashMap<>();

    /** Of places where somebody has asked, and is not reached since: whether that worker has ended. */
    private final Map<NodeInfo, HeldSpout> unreached = new HashMap<>();

    /** Ids of successors that have ended while they waited: what they wrote stays for their session. */
    private final Set<String> ended = new HashSet<>();

    ServedSpouts(
            WorkerState worker,
            Successors successors,
            Supplier<List<SpoutHandover>> spouts,
            String host) {
        this.worker = worker;
        this.successors = successors;
        allSpouts = spouts;
        turns = new SpoutTurns(worker);
        holder = new SpoutTurns.Holder(host, worker.getPort());
    }

    /** Whether they are to emit no more. */
    boolean areQuiet() {
        return quietSince != NEVER;
    }

    /** Keeps them deactivated after Storm has looked whether the topology is. Called by its thread. */
    synchronized void keepDeactivated() {
        if (isDeactivated) {
            isTopologyActive = worker.getIsTopologyActive().getAndSet(false);
        }
    }

    /** Has their successors open them. */
    void release() {
        if (!isReleased) {
            spouts.forEach(it -> turns.release(it.firstTask()));
            isReleased = true;
        }
    }

    /** Does what is next: holds them, quiets them, hands them over, or takes them back. */
    void turn(Look look) {
        List<SpoutHandover> known = allSpouts.get();
        if (known.size() > spouts.size()) {
            spouts = known;
            heldSince = NEVER;
        }
        if (spouts.isEmpty()) {
            return;
        }
        wereOpenElsewhere |= spouts.stream().anyMatch(it -> isOpenElsewhere(it, look));
        if (!areQuiet()) {
            if (isTurnOfSuccessors(look)) {
                quiet(look);
            }
        } else if (!wereOpenElsewhere
                && askedAt.equals(places(look)) // else those who asked may yet open them
                && haveAllEnded(look)) {
            takeBack(look.now());
        } else if (!isReleased) {
            handOver(look);
        }
    }

    /**
     * Whether successors have asked for them, and the bolts that move with them work elsewhere.
     * Spouts go on until then: they hand over once their last tuples are acked, and the way that is
     * left is often a slow one.
     */
    private boolean isTurnOfSuccessors(Look look) {
        boolean areBoltsPrepared = areBoltsPrepared(look);
        // They have no agent, or have seen nobody hold them. ZooKeeper may be away for this worker.
        if (spouts.stream().allMatch(it -> isOpenElsewhere(it, look))) {
            return true;
        }
        try {
            holdAgain(look.now());
            List<SpoutHandover> here =
                    spouts.stream().filter(it -> !isOpenElsewhere(it, look)).toList();
            here.forEach(it -> noteWhoAsked(it, look));
            boolean areAsked =
                    here.stream()
                            .allMatch(
                                    it ->
                                            askedAt.containsKey(idOf(it))
                                                    && isReached(place(it, look), look));
            awaitedSince = !areAsked ? NEVER : awaitedSince == NEVER ? look.now() : awaitedSince;
            // They may have taken it back, as they do when they are moved on.
            return areAsked
                    && (areBoltsPrepared || !waitForBolts(look))
                    && here.stream().allMatch(this::isAwaited);
        } catch (RuntimeException e) {
            LOG.warn("ZooKeeper does not say who awaits the spouts, which go on", e);
            return false;
        }
    }

    /**
     * Remembers that a spout's successor has asked for it, so that ZooKeeper is not asked at each
     * look; and forgets it once that worker has ended: what it wrote stays, and counts no more.
     */
    private void noteWhoAsked(SpoutHandover spout, Look look) {
        List<Long> executor = idOf(spout);
        NodeInfo place = place(spout, look);
        if (!place.equals(askedAt.get(executor))) {
            askedAt.remove(executor);
        }
        if (isReached(place, look)) {
            unreached.remove(place);
            if (!askedAt.containsKey(executor) && isAwaited(spout)) {
                askedAt.put(executor, place);
            }
        } else if (askedAt.containsKey(executor) && hasEnded(place, look)) {
            forgetWhoAsked(spout);
            askedAt.remove(executor);
        }
    }

    /** Again and again: the session may have ended, and what it wrote with it. */
    private void holdAgain(long now) {
        if (heldSince == NEVER || now - heldSince >= REPEAT_MILLIS) {
            spouts.forEach(it -> turns.hold(it.firstTask(), holder));
            heldSince = now;
        }
    }

    /** Whether all bolts that move have worked elsewhere for a moment. */
    private boolean areBoltsPrepared(Look look) {
        List<List<Long>> bolts =
                look.ordered().keySet().stream()
                        .filter(it -> look.ordered().get(it).equals(look.wanted().get(it)))
                        .filter(it -> !isSpout(it))
                        .toList();
        // Each is asked: the first time connects to its place, which takes a moment.
        if (bolts.stream().filter(look.isPrepared()).count() < bolts.size()) {
            boltsPreparedSince = NEVER;
            return false;
        }
        boltsPreparedSince = boltsPreparedSince == NEVER ? look.now() : boltsPreparedSince;
        return bolts.isEmpty() || look.now() - boltsPreparedSince >= SWITCH_MILLIS;
    }

    /** Whether they go on for bolts that are not prepared: one may never be. */
    private boolean waitForBolts(Look look) {
        return spouts.stream().anyMatch(SpoutHandover::hasTurn) // else none of them emits
                && look.now() - awaitedSince <= LONGEST_AWAITED_MILLIS
                && look.now() - look.since() <= LATEST_MILLIS;
    }

    private void quiet(Look look) {
        quietSince = look.now();
        askedAt.putAll(places(look));
        spouts.forEach(SpoutHandover::quiet);
    }

    private void handOver(Look look) {
        long quiet = look.now() - quietSince;
        boolean isOver = quiet > LONGEST_QUIET_MILLIS;
        if (isOver
                || (quiet > QUIET_MILLIS && spouts.stream().allMatch(SpoutHandover::isDone))) {
            deactivate();
        }
        if (isDeactivated
                && (isOver || spouts.stream().allMatch(SpoutHandover::isDeactivated))) {
            for (SpoutHandover spout : spouts) {
                NodeInfo place = place(spout, look);
                spout.handOver(successors.tasks(place, look.host(place)));
            }
            LOG.info("spouts were quiet for {} ms; their successors may open", quiet);
            release();
        }
    }

    /** Goes on as if nobody had asked: their successors ended before they had opened them. */
    private void takeBack(long now) {
        isReleased = false; // what is held already is released again if the rest cannot be
        try {
            spouts.forEach(this::forgetWhoAsked);
            spouts.forEach(it -> turns.hold(it.firstTask(), holder));
        } catch (RuntimeException e) {
            LOG.warn("spouts stay quiet, as it cannot be said that they go on", e);
            return;
        }
        LOG.info("the workers that asked for the spouts have ended; they go on");
        heldSince = now;
        quietSince = NEVER;
        askedAt.clear();
        spouts.forEach(SpoutHandover::resume);
        reactivate();
    }

    /** Each is asked: one counts from when it was asked first. */
    private boolean haveAllEnded(Look look) {
        Set<NodeInfo> places = Set.copyOf(askedAt.values());
        return places.stream().filter(it -> hasEnded(it, look)).count() == places.size();
    }

    private void forgetWhoAsked(SpoutHandover spout) {
        ended.addAll(turns.awaiting(spout.firstTask()));
    }

    /** Whether a worker that has asked is gone: nobody is connected, and its port refuses. */
    private boolean hasEnded(NodeInfo place, Look look) {
        if (isReached(place, look)) {
            unreached.remove(place);
            return false;
        }
        SpoutTurns.Holder worker = new SpoutTurns.Holder(look.host(place), Successors.port(place));
        return unreached
                .computeIfAbsent(place, it -> new HeldSpout())
                .isVacant(List.of(worker), SpoutTurns.Holder::refuses, look.now());
    }

    private synchronized void deactivate() {
        boolean isActive = worker.getIsTopologyActive().getAndSet(false);
        if (!isDeactivated) {
            isTopologyActive = isActive;
        }
        isDeactivated = true;
    }

    private synchronized void reactivate() {
        if (isDeactivated) {
            isDeactivated = false;
            worker.getIsTopologyActive().set(isTopologyActive);
        }
    }

    private Map<List<Long>, NodeInfo> places(Look look) {
        Map<List<Long>, NodeInfo> places = new HashMap<>();
        spouts.forEach(it -> places.put(idOf(it), place(it, look)));
        return places;
    }

    private boolean isAwaited(SpoutHandover spout) {
        return !ended.containsAll(turns.awaiting(spout.firstTask()));
    }

    private static NodeInfo place(SpoutHandover spout, Look look) {
        return look.wanted().get(idOf(spout));
    }

    /** Whether a worker there is connected. */
    private boolean isReached(NodeInfo place, Look look) {
        return WorkerState.isConnectionReady(successors.connection(place, look.host(place)));
    }

    private boolean isSpout(List<Long> executor) {
        String component = worker.getTaskToComponent().get(executor.get(0).intValue());
        return worker.getTopology().get_spouts().containsKey(component);
    }

    private static boolean isOpenElsewhere(SpoutHandover spout, Look look) {
        return look.isPrepared().test(idOf(spout));
    }

    private static List<Long> idOf(SpoutHandover spout) {
        return spout.executor().getExecutorId();
    }
}
