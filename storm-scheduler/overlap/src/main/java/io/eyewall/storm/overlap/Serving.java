package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.Bolt;
import org.apache.storm.generated.NodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a worker whose executors are assigned elsewhere serves on, and hands over one by one. */
final class Serving {

    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    /** From a worker's last task taken over: others look for successors at their own pace. */
    private static final long LINGER_MILLIS = 3_000;

    /** Where processes of other languages have tuples that no queue shows. */
    private static final long LINGER_MULTILANG_MILLIS = 10_000;

    /** And at most, if it still has something to pass on. */
    private static final long LONGEST_LINGER_MILLIS = 20_000;

    /** From when spouts are to emit no more: one may be about to. */
    private static final long QUIET_MILLIS = 50;

    /** How long acks of what they emitted are waited for. */
    private static final long LONGEST_QUIET_MILLIS = 3_000;

    /** How long spouts that are awaited go on for bolts that are not prepared yet. */
    private static final long LONGEST_AWAITED_MILLIS = 20_000;

    /** From when the last of those bolts is prepared: others send to it a moment later. */
    private static final long SWITCH_MILLIS = 1_000;

    /** Between two times that it says that it holds its spouts. */
    private static final long REPEAT_MILLIS = 1_000;

    private static final long NEVER = -1;

    /** Storm's own spout in a topology with stateful bolts. */
    private static final String CHECKPOINTS = "$checkpointspout";

    private final WorkerState worker;
    private final Successors successors;
    private final SpoutTurns turns;
    private final Supplier<List<AckerHandover>> ackers;
    private final Supplier<List<SpoutHandover>> allSpouts;
    private final SpoutTurns.Holder holder;

    /** As of this look: a worker that is moved while it loads gets to know them one by one. */
    private List<SpoutHandover> spouts = List.of();

    private long heldSince = NEVER;
    private long takenOverSince = NEVER;
    private long awaitedSince = NEVER;
    private long othersPreparedSince = NEVER;
    private long quietSince = NEVER;
    private boolean isDeactivated;
    private boolean isReleased;

    /** Whether the topology is active, though its spouts are deactivated here. */
    private boolean isTopologyActive;

    /** Whether a successor has had one open: it has emitted what this worker knows nothing of. */
    private boolean wereOpenElsewhere;

    /** Where they were to go when they became quiet. */
    private Map<List<Long>, NodeInfo> askedAt = Map.of();

    /** Whether those that asked for the spouts have ended since. */
    private HeldSpout asked = new HeldSpout();

    /** Ids of successors that have ended while they waited: what they wrote stays for their session. */
    private final Set<String> ended = new HashSet<>();

    Serving(
            WorkerState worker,
            Successors successors,
            Supplier<List<AckerHandover>> ackers,
            Supplier<List<SpoutHandover>> spouts,
            String host) {
        this.worker = worker;
        this.successors = successors;
        this.ackers = ackers;
        allSpouts = spouts;
        turns = new SpoutTurns(worker);
        holder = new SpoutTurns.Holder(host, worker.getPort());
    }

    /** Whether spouts are to emit no more. */
    boolean isQuiet() {
        return quietSince != NEVER;
    }

    /** Keeps spouts deactivated after Storm has looked whether the topology is. Called by its thread. */
    synchronized void keepDeactivated() {
        if (isDeactivated) {
            isTopologyActive = worker.getIsTopologyActive().getAndSet(false);
        }
    }

    /**
     * Hands over what can be; false once all is, and nobody needs this worker any more.
     *
     * @param wanted where each executor is assigned to
     * @param moved executors, also of other workers, that move with its own
     */
    boolean goesOn(
            Map<List<Long>, NodeInfo> wanted,
            Set<List<Long>> moved,
            Map<String, String> hosts,
            Predicate<List<Long>> isPrepared,
            long now) {
        List<List<Long>> mine =
                worker.getLocalExecutors().stream().filter(wanted::containsKey).toList();
        for (AckerHandover acker : ackers.get()) {
            List<Long> executor = executorOf(acker.task(), mine);
            if (!isPrepared.test(executor)) {
                acker.takeBack();
            } else if (!acker.isHandedOver()) {
                acker.handOver(forwarder(wanted.get(executor), hosts), anyBolt());
            }
        }
        List<SpoutHandover> known = allSpouts.get();
        if (known.size() > spouts.size()) {
            spouts = known;
            heldSince = NEVER;
        }
        List<List<Long>> others =
                moved.stream().filter(it -> wanted.containsKey(it) && !isSpout(it)).toList();
        turnSpouts(wanted, others, hosts, isPrepared, now);
        if (!mine.stream().allMatch(isPrepared)) {
            takenOverSince = NEVER;
            return true;
        }
        if (takenOverSince == NEVER) {
            takenOverSince = now;
            LOG.info("all of {} are prepared elsewhere; lingering", mine);
        }
        long waited = now - takenOverSince;
        long linger = hasMultilang() ? LINGER_MULTILANG_MILLIS : LINGER_MILLIS;
        return waited < linger || (!Backlog.isEmpty(worker) && waited < LONGEST_LINGER_MILLIS);
    }

    /** Whether others have anything of what it ran: trees, or the word that spouts are to be quiet. */
    boolean hasHandedOver() {
        return isQuiet() || ackers.get().stream().anyMatch(AckerHandover::isHandedOver);
    }

    /** Lets go of what it holds. */
    void end() {
        if (!isReleased) {
            spouts.forEach(it -> turns.release(it.firstTask()));
            isReleased = true;
        }
    }

    private void turnSpouts(
            Map<List<Long>, NodeInfo> wanted,
            List<List<Long>> others,
            Map<String, String> hosts,
            Predicate<List<Long>> isPrepared,
            long now) {
        if (spouts.isEmpty()) {
            return;
        }
        wereOpenElsewhere |= spouts.stream().anyMatch(it -> isPrepared.test(idOf(it)));
        if (!isQuiet()) {
            boolean areOthersDone = arePrepared(others, isPrepared, now);
            if (areOpenElsewhere(isPrepared)
                    || (areAwaited(wanted, hosts, isPrepared, now)
                            && (areOthersDone || now - awaitedSince > LONGEST_AWAITED_MILLIS))) {
                quietSince = now;
                asked = new HeldSpout();
                askedAt = places(wanted);
                spouts.forEach(SpoutHandover::quiet);
            }
            return;
        }
        if (!wereOpenElsewhere
                && askedAt.equals(places(wanted)) // else those who asked may yet open them
                && haveSuccessorsEnded(hosts, now)) {
            takeBackSpouts(now);
            return;
        }
        if (isReleased) {
            return;
        }
        long quiet = now - quietSince;
        boolean isOver = quiet > LONGEST_QUIET_MILLIS;
        if (isOver
                || (quiet > QUIET_MILLIS && spouts.stream().allMatch(SpoutHandover::isDone))) {
            deactivate();
        }
        if (isDeactivated
                && (isOver || spouts.stream().allMatch(SpoutHandover::isDeactivated))) {
            for (SpoutHandover spout : spouts) {
                spout.handOver(forwarder(wanted.get(idOf(spout)), hosts));
            }
            LOG.info("spouts were quiet for {} ms; their successors may open", quiet);
            end();
        }
    }

    /**
     * Whether all bolts that move have worked elsewhere for a moment. Spouts go on until then: they
     * hand over once their last tuples are acked, and the way that is left is often a slow one.
     */
    private boolean arePrepared(
            List<List<Long>> others, Predicate<List<Long>> isPrepared, long now) {
        if (!others.stream().allMatch(isPrepared)) {
            othersPreparedSince = NEVER;
            return false;
        }
        othersPreparedSince = othersPreparedSince == NEVER ? now : othersPreparedSince;
        return others.isEmpty() || now - othersPreparedSince >= SWITCH_MILLIS;
    }

    /**
     * Whether successors run the spouts already: they have no agent, or have seen nobody hold them.
     * Asked before ZooKeeper is, which may be away for this worker alone.
     */
    private boolean areOpenElsewhere(Predicate<List<Long>> isPrepared) {
        return spouts.stream().allMatch(it -> isPrepared.test(idOf(it)));
    }

    private Map<List<Long>, NodeInfo> places(Map<List<Long>, NodeInfo> wanted) {
        Map<List<Long>, NodeInfo> places = new HashMap<>();
        spouts.forEach(it -> places.put(idOf(it), wanted.get(idOf(it))));
        return places;
    }

    private boolean haveSuccessorsEnded(Map<String, String> hosts, long now) {
        Map<SpoutTurns.Holder, NodeInfo> places = new HashMap<>();
        for (NodeInfo place : askedAt.values()) {
            String host = hosts.get(place.get_node());
            places.put(new SpoutTurns.Holder(host, Successors.port(place)), place);
        }
        boolean haveEnded =
                asked.isVacant(
                        List.copyOf(places.keySet()),
                        it -> !isReached(places.get(it), hosts) && it.refuses(),
                        now);
        return haveEnded && places.values().stream().noneMatch(it -> isReached(it, hosts));
    }

    /** Goes on as if nobody had asked: their successors ended before they had opened them. */
    private void takeBackSpouts(long now) {
        isReleased = false; // what is held already is released again if the rest cannot be
        try {
            for (SpoutHandover spout : spouts) {
                ended.addAll(turns.awaiting(spout.firstTask()));
                turns.hold(spout.firstTask(), holder);
            }
        } catch (RuntimeException e) {
            LOG.warn("spouts stay quiet, as it cannot be said that they go on", e);
            return;
        }
        LOG.info("the workers that asked for the spouts have ended; they go on");
        heldSince = now;
        quietSince = NEVER;
        spouts.forEach(SpoutHandover::resume);
        reactivate();
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

    /** Whether a worker there is connected. */
    private boolean isReached(NodeInfo place, Map<String, String> hosts) {
        return WorkerState.isConnectionReady(
                successors.connection(place, hosts.get(place.get_node())));
    }

    private boolean areAwaited(
            Map<List<Long>, NodeInfo> wanted,
            Map<String, String> hosts,
            Predicate<List<Long>> isPrepared,
            long now) {
        try {
            // Again and again: the session may have ended, and what it wrote with it.
            if (heldSince == NEVER || now - heldSince >= REPEAT_MILLIS) {
                spouts.forEach(it -> turns.hold(it.firstTask(), holder));
                heldSince = now;
            }
            boolean areAwaited =
                    spouts.stream()
                            .allMatch(
                                    it ->
                                            isPrepared.test(idOf(it))
                                                    || (isReached(wanted.get(idOf(it)), hosts)
                                                            && isAwaited(it.firstTask())));
            awaitedSince = !areAwaited ? NEVER : awaitedSince == NEVER ? now : awaitedSince;
            return areAwaited;
        } catch (RuntimeException e) {
            LOG.warn("ZooKeeper does not say who awaits the spouts, which go on", e);
            return false;
        }
    }

    private boolean isSpout(List<Long> executor) {
        String component = worker.getTaskToComponent().get(executor.get(0).intValue());
        return worker.getTopology().get_spouts().containsKey(component);
    }

    private static List<Long> idOf(SpoutHandover spout) {
        return spout.executor().getExecutorId();
    }

    private boolean isAwaited(int task) {
        return !ended.containsAll(turns.awaiting(task));
    }

    private TupleForwarder forwarder(NodeInfo place, Map<String, String> hosts) {
        String host = hosts.get(place.get_node());
        return new RemoteTasks(worker, () -> successors.connection(place, host));
    }

    private boolean hasMultilang() {
        return worker.getTopology().get_bolts().values().stream()
                .map(Bolt::get_bolt_object)
                .anyMatch(it -> it.is_set_shell());
    }

    /** A task whose component acks. */
    private int anyBolt() {
        return worker.getTaskToComponent().entrySet().stream()
                .filter(it -> worker.getTopology().get_bolts().containsKey(it.getValue()))
                .mapToInt(Map.Entry::getKey)
                .min()
                .orElseThrow();
    }

    private static List<Long> executorOf(int task, List<List<Long>> executors) {
        return executors.stream()
                .filter(it -> it.get(0) <= task && task <= it.get(1))
                .findFirst()
                .orElseThrow();
    }

    /** Whether two copies of an executor may run: not of what keeps state, nor where code is unknown. */
    static boolean mayRunTwice(WorkerState worker, List<Long> executor) {
        String component = worker.getTaskToComponent().get(executor.get(0).intValue());
        if (worker.getTopology().get_spouts().containsKey(CHECKPOINTS)) {
            return false;
        }
        if (worker.getTopology().get_spouts().containsKey(component)) {
            return WorkerTransformer.isChanged(KnownCode.SPOUT_EXECUTOR_CLASS);
        }
        return !Acker.ACKER_COMPONENT_ID.equals(component)
                || WorkerTransformer.isChanged(KnownCode.ACKER_CLASS);
    }
}
