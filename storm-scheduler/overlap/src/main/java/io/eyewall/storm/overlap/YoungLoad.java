package io.eyewall.storm.overlap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.executor.IRunningExecutor;

/**
 * The load that a young worker reports: each second, and of the executors that work on tuples alone,
 * which is how others know that. Called by {@link WorkerAdvice} from within Storm's own methods.
 */
public final class YoungLoad {

    /** As long as an old worker may wait for it. */
    private static final int YOUNG_SECONDS = (int) (Overlap.LONGEST_MILLIS / 1_000);

    private YoungLoad() {}

    /** Has Storm leave it to {@link #report}. */
    public static void holdBack(WorkerState worker) {
        AtomicLong next = WorkerInternals.nextLoadUpdate(worker);
        if (isYoung(worker) || Overlap.isSpent(worker)) {
            next.set(Long.MAX_VALUE);
        } else {
            next.compareAndSet(Long.MAX_VALUE, 0);
        }
    }

    /** Sends it to all who are connected. */
    public static void report(WorkerState worker, List<IRunningExecutor> executors) {
        if (isYoung(worker)) {
            Map<Integer, Double> loads = new HashMap<>();
            executors.stream()
                    .filter(WorkerInternals::isPrepared)
                    .forEach(
                            it ->
                                    loads.put(
                                            it.getExecutorId().get(0).intValue(),
                                            it.getReceiveQueue().getQueueLoad()));
            if (loads.size() == executors.size()) {
                StartingCores.started();
            }
            worker.getReceiver().sendLoadMetrics(loads);
        }
    }

    private static boolean isYoung(WorkerState worker) {
        return worker.getUptime().upTime() < YOUNG_SECONDS;
    }
}
