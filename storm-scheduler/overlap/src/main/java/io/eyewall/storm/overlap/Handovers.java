package io.eyewall.storm.overlap;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.Task;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ackers and spouts of this JVM's worker, which hand over what they know. Called by {@link
 * WorkerAdvice} from within Storm's own methods.
 */
public final class Handovers {

    private static final Logger LOG = LoggerFactory.getLogger(Handovers.class);

    private static final Map<Acker, AckerHandover> ACKERS = new ConcurrentHashMap<>();
    private static final Map<SpoutExecutor, SpoutHandover> SPOUTS = new ConcurrentHashMap<>();

    private Handovers() {}

    static List<AckerHandover> ackers() {
        return List.copyOf(ACKERS.values());
    }

    static List<SpoutHandover> spouts() {
        return List.copyOf(SPOUTS.values());
    }

    /** Remembers an acker, by its task. */
    public static void prepared(Acker acker, int task) {
        ACKERS.put(acker, new AckerHandover(acker, task));
    }

    /** Whether an acker's tuple was sent on to its successor. */
    public static boolean begins(Acker acker, Tuple tuple) {
        AckerHandover handover = ACKERS.get(acker);
        return handover != null && handover.begins(tuple);
    }

    /** The acker's turn is over. */
    public static void ends(Acker acker) {
        AckerHandover handover = ACKERS.get(acker);
        if (handover != null) {
            handover.ends();
        }
    }

    /** Returns once a spout may open: when no old worker runs it any more. */
    public static void opens(SpoutExecutor executor, List<Task> tasks) {
        SpoutHandover handover = new SpoutHandover(executor);
        SPOUTS.put(executor, handover);
        try {
            handover.awaitTurn(
                    tasks,
                    Overlap.place(executor.getWorkerData()),
                    () -> Overlap.hasMoved(executor.getWorkerData()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the executor ends, as it does by itself then
        } catch (RuntimeException e) {
            // Storm's own code goes on, and this is called from within it.
            LOG.error("spout task {} does not wait for its predecessor", handover.firstTask(), e);
        }
        handover.takeTurn();
    }

    /** Its spouts are open, or could not be opened. */
    public static void opened() {
        EarlyProcesses.end();
    }

    /** Starts a process of another language, unless that was done while its spout waited. */
    public static Process startProcess(ProcessBuilder builder) throws IOException {
        return EarlyProcesses.started(builder);
    }

    /** Whether a spout's tuple was sent on to its successor. */
    public static boolean forwards(SpoutExecutor executor, int task, TupleImpl tuple) {
        SpoutHandover handover = SPOUTS.get(executor);
        return handover != null && handover.forwards(task, tuple);
    }
}
