package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Map;
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

    private static final long NEVER = -1;

    /** Storm's own spout in a topology with stateful bolts. */
    private static final String CHECKPOINTS = "$checkpointspout";

    private final WorkerState worker;
    private final Successors successors;
    private final Supplier<List<AckerHandover>> ackers;
    private final ServedSpouts spouts;

    private long takenOverSince = NEVER;

    Serving(
            WorkerState worker,
            Successors successors,
            Supplier<List<AckerHandover>> ackers,
            Supplier<List<SpoutHandover>> spouts,
            String host) {
        this.worker = worker;
        this.successors = successors;
        this.ackers = ackers;
        this.spouts = new ServedSpouts(worker, successors, spouts, host);
    }

    /** Whether spouts are to emit no more. */
    boolean isQuiet() {
        return spouts.areQuiet();
    }

    /** Keeps spouts deactivated after Storm has looked whether the topology is. Called by its thread. */
    void keepDeactivated() {
        spouts.keepDeactivated();
    }

    /** Hands over what can be; false once all is, and nobody needs this worker any more. */
    boolean goesOn(Look look) {
        List<List<Long>> mine =
                worker.getLocalExecutors().stream().filter(look.wanted()::containsKey).toList();
        for (AckerHandover acker : ackers.get()) {
            List<Long> executor = executorOf(acker.task(), mine);
            if (!look.isPrepared().test(executor)) {
                acker.takeBack();
            } else if (!acker.isHandedOver()) {
                NodeInfo place = look.wanted().get(executor);
                acker.handOver(successors.tasks(place, look.host(place)), anyBolt());
            }
        }
        spouts.turn(look);
        if (!mine.stream().allMatch(look.isPrepared())) {
            takenOverSince = NEVER;
            return true;
        }
        if (takenOverSince == NEVER) {
            takenOverSince = look.now();
            LOG.info("all of {} are prepared elsewhere; lingering", mine);
        }
        long waited = look.now() - takenOverSince;
        long linger = hasMultilang() ? LINGER_MULTILANG_MILLIS : LINGER_MILLIS;
        return waited < linger || (!Backlog.isEmpty(worker) && waited < LONGEST_LINGER_MILLIS);
    }

    /** Whether others have anything of what it ran: trees, or the word that spouts are to be quiet. */
    boolean hasHandedOver() {
        return isQuiet() || ackers.get().stream().anyMatch(AckerHandover::isHandedOver);
    }

    /** Lets go of what it holds. */
    void end() {
        spouts.release();
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
