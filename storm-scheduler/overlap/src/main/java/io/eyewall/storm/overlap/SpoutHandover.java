package io.eyewall.storm.overlap;

import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.Task;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.tuple.AddressedTuple;
import org.apache.storm.tuple.TupleImpl;
import org.apache.storm.utils.JCQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spout executor and its predecessor or successor, of which one emits.
 *
 * <p>Acks reach both, since ackers learn at different times which one runs: the new one sends them
 * back until the old one has let go, and the old one sends them on after that.
 */
final class SpoutHandover {

    private static final Logger LOG = LoggerFactory.getLogger(SpoutHandover.class);

    /** For which a spout waits for its predecessor at most. */
    private static final long LONGEST_MILLIS = 150_000;

    private static final long LOOK_MILLIS = 50;

    /** Between two looks at who runs the spout, before it asks for its turn: nobody lets go unasked. */
    private static final long UNASKED_LOOK_MILLIS = 1_000;

    /** For which a worker, and processes of other languages, may take to become fast at most. */
    private static final long LONGEST_START_MILLIS = 20_000;

    /** Between two times that a waiting spout says so: its session may have ended. */
    private static final long REPEAT_MILLIS = 1_000;

    private static final Set<String> STREAMS =
            Set.of(
                    Acker.ACKER_ACK_STREAM_ID,
                    Acker.ACKER_FAIL_STREAM_ID,
                    Acker.ACKER_RESET_TIMEOUT_STREAM_ID);

    private final SpoutExecutor executor;
    private volatile TupleForwarder successor;
    private volatile boolean hasTurn;

    /** How many unacked tuples it may have, before it was quiet. */
    private Integer mostPending;

    SpoutHandover(SpoutExecutor executor) {
        this.executor = executor;
    }

    SpoutExecutor executor() {
        return executor;
    }

    int firstTask() {
        return executor.getExecutorId().get(0).intValue();
    }

    /** Whether it has waited for its predecessor: it is open, or about to be. */
    boolean hasTurn() {
        return hasTurn;
    }

    /** Says that it need not wait any more. */
    void takeTurn() {
        hasTurn = true;
    }

    /** Has it emit nothing more, and go on with acks and what waits to be sent. */
    void quiet() {
        mostPending = WorkerInternals.mostPending(executor);
        WorkerInternals.allowPending(executor, Integer.MIN_VALUE);
    }

    /** Has it emit again, after it was quiet, and keep the acks that it gets. */
    void resume() {
        successor = null;
        WorkerInternals.allowPending(executor, mostPending);
    }

    /** Whether all of its tuples were sent, and acked where they are. */
    boolean isDone() {
        return executor.getPendingEmits().isEmpty() && WorkerInternals.pending(executor) == 0;
    }

    /** Whether its spouts know that they are not to emit. */
    boolean isDeactivated() {
        return !WorkerInternals.isSpoutActive(executor);
    }

    void handOver(TupleForwarder successor) {
        this.successor = successor;
    }

    /** Whether a tuple was sent on. Called by the executor's own thread. */
    boolean forwards(int task, TupleImpl tuple) {
        TupleForwarder to = successor;
        if (to == null || !isOfAnother(tuple)) {
            return false;
        }
        to.forward(task, tuple);
        return true;
    }

    /**
     * Returns once no old worker runs the spout. Called by the executor's own thread.
     *
     * <p>The predecessor is not asked to let go before this worker is warm and processes of other
     * languages, which are started meanwhile, wait for Storm.
     *
     * @param here where this worker is: one that held the spout there before has died, as nobody else
     *     can listen there; null if unknown
     * @param hasMoved whether this worker's spouts have been assigned elsewhere again: they do not
     *     open here then
     */
    void awaitTurn(List<Task> tasks, SpoutTurns.Holder here, BooleanSupplier hasMoved)
            throws InterruptedException {
        SpoutTurns turns = new SpoutTurns(executor.getWorkerData());
        List<SpoutTurns.Holder> holders = firstHolders(turns, here);
        if (holders.isEmpty()) {
            while (hasMoved.getAsBoolean()) {
                Thread.sleep(LOOK_MILLIS);
            }
            return;
        }
        SpoutTurns.Holder first = holders.get(0);
        LOG.info("spout task {} waits for its predecessor on {}", firstTask(), first);
        executor.getWorkerData().getIsWorkerActive().await();
        EarlyProcesses early = null;
        WarmUp warmUp = new WarmUp();
        HeldSpout spout = new HeldSpout();
        IConnection back =
                Successors.connect(executor.getWorkerData(), first.host(), first.port());
        try {
            TupleForwarder predecessor = new RemoteTasks(executor.getWorkerData(), () -> back);
            long began = System.currentTimeMillis();
            long said = 0;
            long looked = 0;
            boolean asks = false;
            boolean isOver = false;
            for (long now = began;
                    !isOver && (hasMoved.getAsBoolean() || now - began < LONGEST_MILLIS);
                    now = System.currentTimeMillis()) {
                boolean isActive = executor.getWorkerData().getIsTopologyActive().get();
                if (early == null && isActive) {
                    early = EarlyProcesses.start(tasks);
                }
                // Both are asked each time: one counts from when it was asked first.
                boolean isReady = early != null && early.areWaiting() & warmUp.isOver(now);
                // While the topology is deactivated neither of the two emits.
                asks = asks || !isActive || isReady || now - began > LONGEST_START_MILLIS;
                if (asks) {
                    StartingCores.started();
                }
                boolean isSuperseded = hasMoved.getAsBoolean();
                try {
                    if (isSuperseded) {
                        began = now;
                        if (said != 0) {
                            turns.stopWaiting(firstTask());
                            said = 0;
                        }
                    } else if (asks && now - said >= REPEAT_MILLIS) {
                        turns.await(firstTask());
                        said = now;
                    }
                    // One that is connected lives, and would log each try.
                    if (!isSuperseded && (asks || now - looked >= UNASKED_LOOK_MILLIS)) {
                        looked = now;
                        isOver =
                                spout.isVacant(
                                        holders(turns, here),
                                        it -> !(it.equals(first) && isReady(back)) && it.refuses(),
                                        now);
                    }
                } catch (RuntimeException e) {
                    LOG.warn("spout task {} goes on waiting", firstTask(), e); // ZooKeeper is away
                }
                sendBack(back, predecessor);
                Thread.sleep(isOver ? 0 : LOOK_MILLIS);
            }
        } finally {
            // Closing may wait for what is being written.
            new Thread(back::close, "eyewall-close-predecessor").start();
            turns.stopWaiting(firstTask());
        }
    }

    /** Waits for ZooKeeper if it is away: a spout that opened unasked would emit next to the old one. */
    private List<SpoutTurns.Holder> firstHolders(SpoutTurns turns, SpoutTurns.Holder here)
            throws InterruptedException {
        long began = System.currentTimeMillis();
        while (true) {
            try {
                return holders(turns, here);
            } catch (RuntimeException e) {
                boolean isOver = System.currentTimeMillis() - began > LONGEST_MILLIS;
                if (isOver || !WorkerNodes.isAway(e)) {
                    throw e;
                }
                LOG.warn("spout task {} waits until it can be read who runs it", firstTask(), e);
                Thread.sleep(REPEAT_MILLIS);
            }
        }
    }

    private List<SpoutTurns.Holder> holders(SpoutTurns turns, SpoutTurns.Holder here) {
        return turns.holders(firstTask()).stream().filter(it -> !it.equals(here)).toList();
    }

    private static boolean isReady(IConnection connection) {
        return WorkerState.isConnectionReady(connection);
    }

    /** Acks that came already: the predecessor's, as this one has not emitted anything. */
    private void sendBack(IConnection back, TupleForwarder predecessor) {
        if (!isReady(back)) {
            return; // what is sent now would be dropped
        }
        executor.getReceiveQueue()
                .consume(
                        new JCQueue.Consumer() {
                            @Override
                            public void accept(Object event) {
                                AddressedTuple it = (AddressedTuple) event;
                                if (STREAMS.contains(it.getTuple().getSourceStreamId())) {
                                    predecessor.forward(it.getDest(), it.getTuple());
                                }
                            }

                            @Override
                            public void flush() {}
                        });
    }

    private boolean isOfAnother(TupleImpl tuple) {
        return STREAMS.contains(tuple.getSourceStreamId())
                && !WorkerInternals.isPending(executor, tuple.getValue(0));
    }
}
