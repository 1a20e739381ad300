package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.storm.daemon.Acker;
import org.apache.storm.tuple.Tuple;

/**
 * An acker that has a successor: it hands over the trees that it knows, and sends on what it still
 * receives.
 *
 * <p>Workers begin to send to the successor at different times, so that parts of a tree reach both.
 * What an acker keeps of a tree is the exclusive or of all that it received, and the order does not
 * matter: the successor completes it from both.
 */
final class AckerHandover {

    private static final Set<String> STREAMS =
            Set.of(
                    Acker.ACKER_INIT_STREAM_ID,
                    Acker.ACKER_ACK_STREAM_ID,
                    Acker.ACKER_FAIL_STREAM_ID,
                    Acker.ACKER_RESET_TIMEOUT_STREAM_ID);

    private final Acker acker;
    private final int task;

    /** Held while the acker works on a tuple, or hands over. */
    private final ReentrantLock turn = new ReentrantLock();

    private TupleForwarder successor;

    AckerHandover(Acker acker, int task) {
        this.acker = acker;
        this.task = task;
    }

    int task() {
        return task;
    }

    /** Begins the acker's turn; true if a tuple was sent on, and is none of its own any more. */
    boolean begins(Tuple tuple) {
        turn.lock();
        if (successor == null || !STREAMS.contains(tuple.getSourceStreamId())) {
            return false;
        }
        successor.forward(task, tuple);
        return true;
    }

    /**
     * Keeps what it receives again, until it is handed over once more: its successor ended, or is not
     * reached. What that knew of trees is lost if it ended.
     */
    void takeBack() {
        turn.lock();
        try {
            successor = null;
        } finally {
            turn.unlock();
        }
    }

    boolean isHandedOver() {
        turn.lock();
        try {
            return successor != null;
        } finally {
            turn.unlock();
        }
    }

    void ends() {
        if (turn.isHeldByCurrentThread()) {
            turn.unlock();
        }
    }

    /**
     * Sends all trees to a successor, and what comes later as well.
     *
     * @param bolt a task whose component acks: trees whose source has not been heard of yet
     */
    void handOver(TupleForwarder successor, int bolt) {
        turn.lock();
        try {
            if (this.successor != null) {
                return;
            }
            for (Map.Entry<Object, AckedTree> tree : WorkerInternals.takeTrees(acker).entrySet()) {
                AckedTree known = tree.getValue();
                Object id = tree.getKey();
                if (known.spoutTask() >= 0) {
                    List<Object> init = List.of(id, known.value(), known.spoutTask());
                    successor.send(task, known.spoutTask(), Acker.ACKER_INIT_STREAM_ID, init);
                } else {
                    successor.send(task, bolt, Acker.ACKER_ACK_STREAM_ID, List.of(id, known.value()));
                }
                if (known.failed()) {
                    successor.send(task, bolt, Acker.ACKER_FAIL_STREAM_ID, List.of(id));
                }
            }
            this.successor = successor;
        } finally {
            turn.unlock();
        }
    }
}
