package io.eyewall.storm.overlap;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.SuperMethodCall;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.shade.org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a method of Storm's returns with the advice for it. */
class WorkerAdviceTest {

    private static final List<Long> TAG = List.of(2L, 2L);
    private static final NodeInfo THERE = new NodeInfo("sup-b", Set.of(6701L));
    private static final RuntimeException AWAY =
            new RuntimeException(new KeeperException.ConnectionLossException());

    @TempDir Path local;

    /** A worker that cannot read its assignment. */
    public abstract static class Reader extends WorkerState implements Callable<Assignment> {

        protected Reader() throws Exception {
            super(null, null, null, null, null, 0, null, null, null, null, null, null, null);
        }

        @Override
        public Assignment call() {
            throw AWAY;
        }
    }

    private static Class<? extends Reader> advised() {
        return new ByteBuddy()
                .subclass(Reader.class)
                .method(named("call"))
                .intercept(
                        Advice.to(WorkerAdvice.LocalAssignment.class)
                                .wrap(SuperMethodCall.INSTANCE))
                .make()
                .load(
                        WorkerAdviceTest.class.getClassLoader(),
                        ClassLoadingStrategy.Default.INJECTION)
                .getLoaded();
    }

    @Test
    void anAssignmentThatCannotBeReadIsReplacedWhileTheWorkerServesOnAlone() throws Exception {
        BareWorker worker = new BareWorker(local, List.of(TAG), advised());
        Reader reader = (Reader) worker.state;
        worker.follow(Map.of(TAG, BareWorker.HERE));
        assertThatThrownBy(reader::call).isSameAs(AWAY);
        worker.order(Map.of(TAG, THERE));
        worker.follow(Map.of(TAG, THERE));
        assertThat(reader.call().get_executor_node_port())
                .isEqualTo(Map.of(TAG, BareWorker.HERE));
        worker.nodes.clear();
        worker.follow(Map.of());
        assertThatThrownBy(reader::call).isSameAs(AWAY);
    }
}
