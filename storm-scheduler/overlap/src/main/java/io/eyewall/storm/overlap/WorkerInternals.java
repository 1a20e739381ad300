package io.eyewall.storm.overlap;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.storm.StormTimer;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.ExecutorShutdown;
import org.apache.storm.executor.IRunningExecutor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.spout.ShellSpout;
import org.apache.storm.utils.RotatingMap;

/**
 * The one place that reaches into Storm's classes. {@link KnownCode} names the releases that have
 * these fields.
 */
final class WorkerInternals {

    private WorkerInternals() {}

    /** Storm's id of the supervisor. */
    static String node(WorkerState worker) {
        return (String) field(WorkerState.class, "assignmentId", worker);
    }

    static StormTimer connectionTimer(WorkerState worker) {
        return (StormTimer) field(WorkerState.class, "refreshConnectionsTimer", worker);
    }

    /** When the load of executors is sent to other workers next. */
    static AtomicLong nextLoadUpdate(WorkerState worker) {
        return (AtomicLong) field(WorkerState.class, "nextLoadUpdate", worker);
    }

    /** What a connection needs to know of back pressure, by task. */
    static AtomicBoolean[] remoteBackPressure(WorkerState worker) {
        Object transfer = field(WorkerState.class, "workerTransfer", worker);
        try {
            Method method = transfer.getClass().getDeclaredMethod("getRemoteBackPressureStatus");
            method.setAccessible(true);
            return (AtomicBoolean[]) method.invoke(transfer);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether an executor's bolts were prepared, or its spouts opened. */
    static boolean isPrepared(IRunningExecutor executor) {
        return executor(executor).map(it -> it.getOpenOrPrepareWasCalled().get()).orElse(true);
    }

    /** What runs, by what stops it; empty in local mode. */
    static Optional<Executor> executor(IRunningExecutor executor) {
        return executor instanceof ExecutorShutdown
                ? Optional.of((Executor) field(ExecutorShutdown.class, "executor", executor))
                : Optional.empty();
    }

    /** What starts the process of a spout in another language. */
    static List<String> command(ShellSpout spout) {
        return List.of((String[]) field(ShellSpout.class, "command", spout));
    }

    /** Removes what an acker knows of trees, and returns it. */
    static Map<Object, AckedTree> takeTrees(Acker acker) {
        Map<Object, AckedTree> trees = new HashMap<>();
        for (Map<?, ?> bucket : buckets(field(Acker.class, "pending", acker))) {
            bucket.forEach(
                    (id, tree) -> {
                        Class<?> type = tree.getClass();
                        trees.put(
                                id,
                                new AckedTree(
                                        (Long) field(type, "val", tree),
                                        (Integer) field(type, "spoutTask", tree),
                                        (Boolean) field(type, "failed", tree)));
                    });
            bucket.clear();
        }
        return trees;
    }

    /** How many tuples of a spout have not been acked; 0 before it is open. */
    static int pending(SpoutExecutor executor) {
        Object pending = field(SpoutExecutor.class, "pending", executor);
        return pending == null ? 0 : ((RotatingMap<?, ?>) pending).size();
    }

    /** Tasks that a worker's own executors send to. */
    static Set<?> outboundTasks(WorkerState worker) {
        return (Set<?>) field(WorkerState.class, "outboundTasks", worker);
    }

    /** How many unacked tuples a spout executor may have to emit more; null before it is open. */
    static Integer mostPending(SpoutExecutor executor) {
        return (Integer) field(SpoutExecutor.class, "maxSpoutPending", executor);
    }

    /** Sets how many unacked tuples a spout executor may have to emit more. */
    static void allowPending(SpoutExecutor executor, Integer most) {
        try {
            Field field = SpoutExecutor.class.getDeclaredField("maxSpoutPending");
            field.setAccessible(true);
            field.set(executor, most);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a spout executor has activated its spouts, and not deactivated them since. */
    static boolean isSpoutActive(SpoutExecutor executor) {
        return ((AtomicBoolean) field(SpoutExecutor.class, "lastActive", executor)).get();
    }

    /** Called by the executor's own thread. */
    static boolean isPending(SpoutExecutor executor, Object id) {
        Object pending = field(SpoutExecutor.class, "pending", executor);
        return buckets(pending).stream().anyMatch(it -> it.containsKey(id));
    }

    private static List<Map<?, ?>> buckets(Object rotatingMap) {
        List<Map<?, ?>> buckets = new ArrayList<>();
        for (Object bucket : (Iterable<?>) field(RotatingMap.class, "buckets", rotatingMap)) {
            buckets.add((Map<?, ?>) bucket);
        }
        return buckets;
    }

    private static Object field(Class<?> type, String name, Object of) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
