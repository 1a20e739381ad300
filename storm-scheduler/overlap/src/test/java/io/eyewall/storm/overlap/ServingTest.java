package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.daemon.Acker;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.messaging.ConnectionWithStatus.Status;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker with an acker and a spout, which moves. */
class ServingTest {

    private static final int BOLT_TASK = 2;
    private static final int ACKER_TASK = 4;
    private static final List<Long> ACKER = List.of(4L, 4L);
    private static final NodeInfo THERE = new NodeInfo("sup-b", Set.of(6701L));

    @TempDir Path local;
    private final Set<List<Long>> prepared = new HashSet<>();
    private final Acker acker = new Acker();
    private final AckerHandover handover = new AckerHandover(acker, ACKER_TASK);
    private BareWorker worker;
    private Successors successors;
    private Serving serving;
    private long now;

    @BeforeEach
    void servesOn() throws Exception {
        worker = new BareWorker(local, List.of(ACKER, BareWorker.SPOUT));
        SpoutHandover spout = new SpoutHandover(worker.spout());
        acker.prepare(Map.of(), null, new OutputCollector(null));
        successors = new Successors(worker.state);
        serving =
                new Serving(
                        worker.state,
                        successors,
                        () -> List.of(handover),
                        () -> List.of(spout),
                        "a");
    }

    private boolean goesOn() {
        Map<List<Long>, NodeInfo> moved = Map.of(ACKER, THERE, BareWorker.SPOUT, THERE);
        now += 250;
        return serving.goesOn(new Look(moved, moved, BareWorker.HOSTS, prepared::contains, 0, now));
    }

    /** Whether an ack was sent on. */
    private boolean sendsOn() {
        Tuple ack =
                new TupleImpl(
                        worker.state.getWorkerTopologyContext(),
                        List.of(7L, 8L),
                        "tag",
                        BOLT_TASK,
                        Acker.ACKER_ACK_STREAM_ID);
        boolean isSentOn = handover.begins(ack);
        handover.ends();
        return isSentOn;
    }

    private static ScriptedTransport.Connection connection() {
        return ScriptedTransport.CONNECTIONS.get("b");
    }

    @Test
    void anAckerIsHandedOverToWhereItIsPreparedAndTakenBackWhereThatIsGone() {
        goesOn();
        assertThat(sendsOn()).isFalse();
        prepared.add(ACKER);
        assertThat(serving.hasHandedOver()).isFalse();
        goesOn();
        assertThat(sendsOn()).isTrue();
        assertThat(serving.hasHandedOver()).isTrue();
        prepared.remove(ACKER); // its new worker has died
        goesOn();
        assertThat(sendsOn()).isFalse();
    }

    @Test
    void aWorkerWhoseSpoutIsOpenElsewhereHasHandedOver() {
        goesOn();
        assertThat(serving.isQuiet()).isFalse();
        assertThat(serving.hasHandedOver()).isFalse();
        prepared.add(BareWorker.SPOUT);
        goesOn();
        assertThat(serving.isQuiet()).isTrue();
        assertThat(serving.hasHandedOver()).isTrue();
    }

    @Test
    void aWorkerEndsThreeSecondsAfterAllThatItRanIsPreparedElsewhere() {
        assertThat(goesOn()).isTrue();
        prepared.addAll(List.of(ACKER, BareWorker.SPOUT));
        for (int look = 0; look < 12; look++) { // 250 ms apart: for 2,750 ms
            assertThat(goesOn()).isTrue();
        }
        assertThat(goesOn()).isFalse();
    }

    @Test
    void whatIsSentOnGoesByTheConnectionThatThereIs() {
        successors.connection(THERE, "b");
        ScriptedTransport.prepare("b", ACKER_TASK);
        assertThat(successors.isPrepared(ACKER, THERE, "b", true, now)).isTrue();
        prepared.add(ACKER);
        goesOn();
        sendsOn();
        ScriptedTransport.Connection first = connection();
        assertThat(first.sentTo).containsExactly(ACKER_TASK);
        first.status = Status.Connecting;
        assertThat(successors.isPrepared(ACKER, THERE, "b", true, now)).isFalse(); // and closes it
        successors.connection(THERE, "b");
        ScriptedTransport.prepare("b", ACKER_TASK);
        sendsOn();
        assertThat(connection()).isNotSameAs(first);
        assertThat(connection().sentTo).containsExactly(ACKER_TASK);
    }
}
