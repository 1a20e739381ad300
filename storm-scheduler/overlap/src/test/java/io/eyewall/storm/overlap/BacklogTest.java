package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.ExecutorShutdown;
import org.apache.storm.executor.bolt.BoltExecutor;
import org.apache.storm.shade.org.jctools.queues.MpscChunkedArrayQueue;
import org.apache.storm.tuple.AddressedTuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BacklogTest {

    private static final List<Long> TAG = List.of(2L, 2L);
    private static final AddressedTuple TUPLE = new AddressedTuple(2, null);

    @TempDir Path local;
    private BareWorker worker;

    @BeforeEach
    void runsATag() throws Exception {
        worker = new BareWorker(local, List.of(TAG));
    }

    private boolean isEmpty() {
        return Backlog.isEmpty(worker.state);
    }

    @Test
    void aWorkerThatHasReceivedNothingHasNone() {
        assertThat(isEmpty()).isTrue();
    }

    @Test
    void whatWaitsForAnExecutorIsBacklog() {
        worker.state.getExecutorReceiveQueueMap().get(TAG).tryPublish(TUPLE);
        assertThat(isEmpty()).isFalse();
    }

    @Test
    void whatWaitsToBeSentToAnotherWorkerIsBacklog() {
        worker.state.getTransferQueue().tryPublish(TUPLE);
        assertThat(isEmpty()).isFalse();
    }

    @Test
    void whatBackPressureHoldsBackIsBacklog() throws Exception {
        Queue<AddressedTuple> pending = new MpscChunkedArrayQueue<>(8, 16);
        BoltExecutor bolt = BareWorker.bare(BoltExecutor.class);
        BareWorker.set(Executor.class, bolt, "pendingEmits", pending);
        ExecutorShutdown running = BareWorker.bare(ExecutorShutdown.class);
        BareWorker.set(ExecutorShutdown.class, running, "executor", bolt);
        Backlog.of(List.of(running));
        assertThat(isEmpty()).isTrue();
        pending.add(TUPLE);
        assertThat(isEmpty()).isFalse();
        pending.clear();
        assertThat(isEmpty()).isTrue();
    }
}
