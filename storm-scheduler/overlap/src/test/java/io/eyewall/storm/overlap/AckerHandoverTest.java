package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.storm.Testing;
import org.apache.storm.daemon.Acker;
import org.apache.storm.task.IOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.testing.MkTupleParam;
import org.apache.storm.tuple.Tuple;
import org.junit.jupiter.api.Test;

/** Storm's own ackers, an old one and its successor. */
class AckerHandoverTest {

    private static final int ACKER_TASK = 4;
    private static final int SPOUT_TASK = 1;
    private static final int BOLT_TASK = 2;
    private static final long ID = 7;
    private static final long FIRST = 0x1234;
    private static final long SECOND = 0x9876;

    /** What ackers say to spouts: task, stream and id. */
    private final List<List<Object>> said = new ArrayList<>();

    private final Acker successor = acker();
    private final Acker old = acker();
    private final AckerHandover handover = new AckerHandover(old, ACKER_TASK);

    private Acker acker() {
        Acker acker = new Acker();
        acker.prepare(Map.of(), null, new OutputCollector(new Recorder()));
        return acker;
    }

    private static Tuple tuple(String stream, Object... values) {
        MkTupleParam how = new MkTupleParam();
        how.setStream(stream);
        how.setComponent("any");
        how.setFieldsList(List.of("id", "value", "task").subList(0, values.length));
        return Testing.testTuple(List.of(values), how);
    }

    private static Tuple init(long value) {
        return tuple(Acker.ACKER_INIT_STREAM_ID, ID, value, SPOUT_TASK);
    }

    private static Tuple ack(long value) {
        return tuple(Acker.ACKER_ACK_STREAM_ID, ID, value);
    }

    /** As the advice has it. */
    private void receives(Tuple tuple) {
        if (!handover.begins(tuple)) {
            old.execute(tuple);
        }
        handover.ends();
    }

    private void handOver() {
        handover.handOver(
                new TupleForwarder() {
                    @Override
                    public void forward(int task, Tuple tuple) {
                        assertThat(task).isEqualTo(ACKER_TASK);
                        successor.execute(tuple);
                    }

                    @Override
                    public void send(int task, int source, String stream, List<Object> values) {
                        forward(task, tuple(stream, values.toArray()));
                    }
                },
                BOLT_TASK);
    }

    private static List<Object> acked() {
        return List.of(SPOUT_TASK, Acker.ACKER_ACK_STREAM_ID, ID);
    }

    @Test
    void withoutASuccessorItIsTheAckerThatItWas() {
        receives(init(FIRST ^ SECOND));
        receives(ack(FIRST));
        assertThat(said).isEmpty();
        receives(ack(SECOND));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void aTreeThatTheOldOneKnowsIsCompletedByTheNewOne() {
        receives(init(FIRST ^ SECOND));
        receives(ack(FIRST));
        handOver();
        successor.execute(ack(SECOND));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void whatStillReachesTheOldOneIsSentOn() {
        handOver();
        successor.execute(init(FIRST ^ SECOND));
        receives(ack(FIRST));
        assertThat(said).isEmpty();
        receives(ack(SECOND));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void partsThatReachedTheNewOneBeforeTheTreeDoNotMatter() {
        successor.execute(ack(SECOND));
        receives(init(FIRST ^ SECOND));
        receives(ack(FIRST));
        handOver();
        assertThat(said).containsExactly(acked());
    }

    @Test
    void aTreeWhoseSourceIsNotKnownYetGoesOver() {
        receives(ack(FIRST));
        handOver();
        successor.execute(ack(SECOND));
        successor.execute(init(FIRST ^ SECOND));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void aFailedTreeFails() {
        receives(tuple(Acker.ACKER_FAIL_STREAM_ID, ID));
        handOver();
        successor.execute(init(FIRST));
        assertThat(said).containsExactly(List.of(SPOUT_TASK, Acker.ACKER_FAIL_STREAM_ID, ID));
    }

    @Test
    void itHandsOverOnce() {
        receives(init(FIRST));
        handOver();
        handOver();
        successor.execute(ack(FIRST));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void whatAnAckerReceivesOnceItIsTakenBackItCompletesItself() {
        handOver();
        handover.takeBack();
        receives(init(FIRST));
        successor.execute(ack(FIRST));
        assertThat(said).isEmpty(); // it has not got the tree
        receives(ack(FIRST));
        assertThat(said).containsExactly(acked());
    }

    @Test
    void anAckerThatWasTakenBackIsHandedOverAgain() {
        handOver();
        handover.takeBack();
        receives(init(FIRST ^ SECOND));
        handOver();
        receives(ack(FIRST));
        successor.execute(ack(SECOND));
        assertThat(said).containsExactly(acked());
    }

    private final class Recorder implements IOutputCollector {
        @Override
        public void emitDirect(
                int task, String stream, Collection<Tuple> anchors, List<Object> values) {
            said.add(List.of(task, stream, values.get(0)));
        }

        @Override
        public List<Integer> emit(String stream, Collection<Tuple> anchors, List<Object> values) {
            throw new AssertionError("an acker emits to spouts directly");
        }

        @Override
        public void ack(Tuple input) {}

        @Override
        public void fail(Tuple input) {}

        @Override
        public void resetTimeout(Tuple input) {}

        @Override
        public void flush() {}

        @Override
        public void reportError(Throwable error) {
            throw new AssertionError(error);
        }
    }
}
