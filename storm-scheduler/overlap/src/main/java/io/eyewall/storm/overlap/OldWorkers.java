package io.eyewall.storm.overlap;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.NodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Old workers that serve on, for those that start meanwhile: these know only the published places,
 * where executors may not be prepared for a while.
 */
record OldWorkers(List<OldWorker> all) {

    private static final Logger LOG = LoggerFactory.getLogger(OldWorkers.class);

    /** Below Storm's own root. */
    private static final String ROOT = "/eyewall-serving";

    static OldWorkers none() {
        return new OldWorkers(List.of());
    }

    /** Those of a worker's topology. */
    static OldWorkers of(WorkerState worker) {
        try {
            List<byte[]> said = new WorkerNodes(worker).others(folder(worker));
            return new OldWorkers(said.stream().map(OldWorker::decode).toList());
        } catch (RuntimeException e) {
            LOG.warn("which old workers serve on is not known, so none is sent to", e);
            return none();
        }
    }

    /** Says that a worker serves on from now on. */
    static void announce(WorkerState worker, OldWorker own) {
        try {
            new WorkerNodes(worker).create(folder(worker), own.encode());
        } catch (RuntimeException e) {
            LOG.warn("workers that start will not know that this one serves on", e);
        }
    }

    static void withdraw(WorkerState worker) {
        try {
            new WorkerNodes(worker).delete(folder(worker));
        } catch (RuntimeException e) {
            LOG.warn("workers that start may think for a while that this one serves on", e);
        }
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    Map<String, String> hosts() {
        return all.stream()
                .collect(Collectors.toMap(OldWorker::node, OldWorker::host, (a, b) -> a));
    }

    Set<NodeInfo> places() {
        return all.stream().map(OldWorker::place).collect(Collectors.toSet());
    }

    /** Of two that run an executor, moved twice in a row, the first is the one that carries tuples. */
    Map<List<Long>, NodeInfo> placeByExecutor() {
        Map<List<Long>, NodeInfo> places = new HashMap<>();
        all.stream()
                .sorted(Comparator.comparingLong(OldWorker::since))
                .forEach(it -> it.executors().forEach(its -> places.putIfAbsent(its, it.place())));
        return places;
    }

    private static String folder(WorkerState worker) {
        return ROOT + "/" + worker.getTopologyId();
    }
}
