package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Optional;
import org.apache.storm.daemon.worker.WorkerState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What old workers that serve on say to workers that start, in ZooKeeper. */
final class ServingNotice {

    private static final Logger LOG = LoggerFactory.getLogger(ServingNotice.class);

    private static final long PAUSE_MILLIS = 1_000;

    private final WorkerNodes nodes;
    private final String folder;
    private long read = -PAUSE_MILLIS;

    ServingNotice(WorkerState worker) {
        nodes = new WorkerNodes(worker);
        folder = OldWorker.folder(worker.getTopologyId());
    }

    void write(OldWorker own) {
        try {
            nodes.write(folder, own.encode());
        } catch (RuntimeException e) {
            LOG.warn("workers that start do not know that this one serves on", e);
        }
    }

    void withdraw() {
        try {
            nodes.delete(folder);
        } catch (RuntimeException e) {
            LOG.warn("workers that start may think for some seconds that this one serves on", e);
        }
    }

    /** What others say, asked once a second; empty meanwhile, and if it is not known. */
    Optional<List<OldWorker>> others(long now) {
        if (now - read < PAUSE_MILLIS) {
            return Optional.empty();
        }
        read = now;
        try {
            return Optional.of(nodes.others(folder).stream().map(OldWorker::decode).toList());
        } catch (RuntimeException e) {
            LOG.warn("which old workers serve on is not known", e);
            return Optional.empty();
        }
    }
}
