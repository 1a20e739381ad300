package io.eyewall.storm.overlap;

import java.util.List;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.IRunningExecutor;
import org.apache.storm.executor.bolt.BoltExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this JVM's worker has received and not passed on yet: tuples that wait for its executors, what
 * its bolts emitted while back pressure held them back, and what waits to be sent to other workers.
 */
public final class Backlog {

    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

    /** Empty without load-aware messaging, where Storm does not name them; then queues alone count. */
    private static volatile List<Executor> bolts = List.of();

    private Backlog() {}

    /** Learns which executors the worker has. Called by {@link WorkerAdvice} once a second. */
    public static void of(List<IRunningExecutor> executors) {
        if (bolts.isEmpty()) {
            bolts =
                    executors.stream()
                            .flatMap(it -> WorkerInternals.executor(it).stream())
                            // A spout that was deactivated does not send what it emitted before.
                            .filter(BoltExecutor.class::isInstance)
                            .toList();
        }
    }

    static boolean isEmpty(WorkerState worker) {
        boolean hasReceivedNothing =
                worker.getExecutorReceiveQueueMap().values().stream()
                        .allMatch(it -> it.size() == 0 && it.getOverflowCount() == 0);
        return hasReceivedNothing && isSent(worker);
    }

    private static boolean isSent(WorkerState worker) {
        try {
            return bolts.stream().allMatch(it -> it.getPendingEmits().isEmpty())
                    && worker.getTransferQueue().size() == 0;
        } catch (RuntimeException e) {
            LOG.warn("what waits to be sent is not known", e);
            return true;
        }
    }
}
