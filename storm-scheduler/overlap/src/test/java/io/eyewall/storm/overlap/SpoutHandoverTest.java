package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoutHandoverTest {

    @TempDir Path local;
    private BareWorker worker;
    private SpoutHandover handover;

    @BeforeEach
    void runsASpoutThatNobodyHolds() throws Exception {
        worker = new BareWorker(local, List.of(BareWorker.SPOUT));
        handover = new SpoutHandover(worker.spout());
    }

    @Test
    void aSpoutThatNobodyHoldsOpensAtOnce() throws Exception {
        handover.awaitTurn(List.of(), null, () -> false);
    }

    @Test
    void aSpoutThatAWorkerHeldWhichDiedInTheSameSlotOpensAtOnce() throws Exception {
        String held = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1/another-worker";
        worker.nodes.put(held, "a 6700".getBytes(StandardCharsets.UTF_8));
        handover.awaitTurn(List.of(), new SpoutTurns.Holder("a", 6700), () -> false);
    }

    @Test
    void aSpoutWaitsForAZooKeeperThatIsAwayAsAnOldWorkerMayRunIt() throws Exception {
        worker.isZooKeeperAway = true;
        FutureTask<Void> turn =
                new FutureTask<>(
                        () -> {
                            handover.awaitTurn(List.of(), null, () -> false);
                            return null;
                        });
        new Thread(turn).start();
        assertThatThrownBy(() -> turn.get(300, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        worker.isZooKeeperAway = false;
        turn.get(60, TimeUnit.SECONDS);
    }

    @Test
    void aSpoutWhoseWorkerHasBeenMovedOnDoesNotOpenAsItsSuccessorMayRunIt() throws Exception {
        Deque<Boolean> hasMoved = new ArrayDeque<>(List.of(true, true, false));
        handover.awaitTurn(List.of(), null, hasMoved::remove);
        assertThat(hasMoved).isEmpty();
    }
}
