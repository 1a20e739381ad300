package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoutHandoverTest {

    private static final List<Long> SPOUT = List.of(1L, 1L);

    @TempDir Path local;
    private SpoutHandover handover;

    @BeforeEach
    void runsASpoutThatNobodyHolds() throws Exception {
        BareWorker worker = new BareWorker(local, List.of(SPOUT));
        SpoutExecutor executor = BareWorker.bare(SpoutExecutor.class);
        BareWorker.set(Executor.class, executor, "executorId", SPOUT);
        BareWorker.set(Executor.class, executor, "workerData", worker.state);
        handover = new SpoutHandover(executor);
    }

    @Test
    void aSpoutThatNobodyHoldsOpensAtOnce() throws Exception {
        handover.awaitTurn(List.of(), () -> false);
    }

    @Test
    void aSpoutWhoseWorkerHasBeenMovedOnDoesNotOpenAsItsSuccessorMayRunIt() throws Exception {
        Deque<Boolean> hasMoved = new ArrayDeque<>(List.of(true, true, false));
        handover.awaitTurn(List.of(), hasMoved::remove);
        assertThat(hasMoved).isEmpty();
    }
}
