package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.daemon.Acker;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.messaging.ConnectionWithStatus.Status;
import org.apache.storm.shade.org.jctools.queues.MpscChunkedArrayQueue;
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
    private static final List<Long> BOLT = List.of(2L, 2L);
    private static final List<Long> ACKER = List.of(4L, 4L);
    private static final List<Long> SPOUT = List.of(1L, 1L);
    private static final String HELD = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1/";
    private static final String AWAITED = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1-awaited/";
    private static final NodeInfo THERE = new NodeInfo("sup-b", Set.of(6701L));

    @TempDir Path local;
    private final Set<List<Long>> prepared = new HashSet<>();
    private final Set<List<Long>> moved = new HashSet<>();
    private final Acker acker = new Acker();
    private final AckerHandover handover = new AckerHandover(acker, ACKER_TASK);
    private SpoutExecutor executor;
    private BareWorker worker;
    private final List<SpoutHandover> spouts = new ArrayList<>();
    private Successors successors;
    private Serving serving;
    private long now;

    @BeforeEach
    void servesOn() throws Exception {
        worker = new BareWorker(local, List.of(ACKER, SPOUT));
        executor = BareWorker.bare(SpoutExecutor.class);
        BareWorker.set(Executor.class, executor, "executorId", SPOUT);
        BareWorker.set(Executor.class, executor, "workerData", worker.state);
        BareWorker.set(
                Executor.class, executor, "pendingEmits", new MpscChunkedArrayQueue<>(8, 16));
        BareWorker.set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(true));
        spouts.add(new SpoutHandover(executor));
        acker.prepare(Map.of(), null, new OutputCollector(null));
        successors = new Successors(worker.state);
        serving = new Serving(worker.state, successors, () -> List.of(handover), () -> spouts, "a");
    }

    private boolean goesOn() {
        return goesOn(THERE, BareWorker.HOSTS);
    }

    private boolean goesOn(NodeInfo there, Map<String, String> hosts) {
        Map<List<Long>, NodeInfo> wanted = Map.of(ACKER, there, SPOUT, there, BOLT, there);
        return serving.goesOn(wanted, moved, hosts, prepared::contains, now += 250);
    }

    private void looks(int times) {
        for (int look = 0; look < times; look++) {
            goesOn();
        }
    }

    private void looksForTwoSeconds(NodeInfo there, Map<String, String> hosts) {
        for (int look = 0; look < 8; look++) {
            goesOn(there, hosts);
        }
    }

    /** The successor's process is connected, and asks for its turn. */
    private void asks(NodeInfo there, String host, String successor) {
        successors.connection(there, host);
        ScriptedTransport.prepare(host);
        worker.nodes.put(AWAITED + successor, new byte[0]);
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

    private boolean holdsItsSpout() {
        return worker.nodes.containsKey(HELD + BareWorker.ID);
    }

    private static int portThatNobodyListensOn() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
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
    void aSpoutIsHeldUntilASuccessorAwaitsIt() {
        goesOn();
        assertThat(holdsItsSpout()).isTrue();
        assertThat(serving.isQuiet()).isFalse();
        asks(THERE, "b", "another-worker");
        goesOn();
        assertThat(serving.isQuiet()).isTrue();
        assertThat(serving.hasHandedOver()).isTrue();
    }

    @Test
    void aSpoutGoesOnUntilTheBoltsThatMoveWithItHaveWorkedElsewhereForASecond() {
        moved.addAll(List.of(SPOUT, BOLT));
        asks(THERE, "b", "another-worker");
        looksForTwoSeconds(THERE, BareWorker.HOSTS);
        assertThat(serving.isQuiet()).isFalse();
        prepared.add(BOLT);
        looks(4); // 250 ms apart: for 750 ms
        assertThat(serving.isQuiet()).isFalse();
        goesOn();
        assertThat(serving.isQuiet()).isTrue();
    }

    @Test
    void aSpoutGoesOnForTwentySecondsAtMostWhereABoltDoesNotStart() {
        moved.addAll(List.of(SPOUT, BOLT));
        asks(THERE, "b", "another-worker");
        looks(81); // 250 ms apart: for 20 s
        assertThat(serving.isQuiet()).isFalse();
        goesOn();
        assertThat(serving.isQuiet()).isTrue();
    }

    @Test
    void aSpoutGoesOnIfTheSuccessorThatAskedForItEndsBeforeItHasOpenedIt() throws Exception {
        BareWorker.set(SpoutExecutor.class, executor, "maxSpoutPending", 5);
        Map<String, String> hosts = Map.of("sup-a", "a", "sup-b", "127.0.0.1");
        NodeInfo there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        goesOn(there, hosts);
        asks(there, "127.0.0.1", "first");
        goesOn(there, hosts);
        BareWorker.set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(false));
        goesOn(there, hosts);
        assertThat(holdsItsSpout()).isFalse();
        assertThat(worker.state.getIsTopologyActive()).isFalse();

        ScriptedTransport.CONNECTIONS.get("127.0.0.1").status = Status.Connecting;
        looksForTwoSeconds(there, hosts);
        assertThat(serving.isQuiet()).isFalse();
        assertThat(holdsItsSpout()).isTrue();
        assertThat(worker.state.getIsTopologyActive()).isTrue();
        assertThat(WorkerInternals.mostPending(executor)).isEqualTo(5);

        // What the first wrote is there for as long as its session, also once the next one runs.
        ScriptedTransport.prepare("127.0.0.1");
        goesOn(there, hosts);
        assertThat(serving.isQuiet()).isFalse();
        worker.nodes.put(AWAITED + "second", new byte[0]);
        goesOn(there, hosts);
        assertThat(serving.isQuiet()).isTrue();
    }

    @Test
    void aSpoutThatASuccessorHadOpenStaysQuietThoughThatHasEnded() throws Exception {
        Map<String, String> hosts = Map.of("sup-a", "a", "sup-b", "127.0.0.1");
        NodeInfo there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        prepared.add(SPOUT);
        goesOn(there, hosts);
        prepared.remove(SPOUT);
        looksForTwoSeconds(there, hosts);
        assertThat(serving.isQuiet()).isTrue();
    }

    @Test
    void aSpoutThatIsMovedOnStaysQuietAsTheWorkerThatAskedForItMayOpenIt() throws Exception {
        Map<String, String> hosts = Map.of("sup-b", "b", "sup-c", "127.0.0.1");
        NodeInfo next = new NodeInfo("sup-c", Set.of((long) portThatNobodyListensOn()));
        goesOn(THERE, hosts);
        asks(THERE, "b", "first");
        goesOn(THERE, hosts);
        looksForTwoSeconds(next, hosts);
        assertThat(serving.isQuiet()).isTrue();
    }

    @Test
    void aSpoutThatCannotBeTakenBackIsReleasedAgainForTheNextThatAsks() throws Exception {
        Map<String, String> hosts = Map.of("sup-b", "127.0.0.1");
        NodeInfo there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        goesOn(there, hosts);
        asks(there, "127.0.0.1", "first");
        goesOn(there, hosts);
        BareWorker.set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(false));
        goesOn(there, hosts);
        ScriptedTransport.CONNECTIONS.get("127.0.0.1").status = Status.Connecting;
        worker.isZooKeeperAway = true;
        looksForTwoSeconds(there, hosts);
        assertThat(serving.isQuiet()).isTrue();
        worker.isZooKeeperAway = false;
        worker.nodes.put(HELD + BareWorker.ID, new byte[0]); // it was written, though nobody said so
        ScriptedTransport.prepare("127.0.0.1"); // the next one
        goesOn(there, hosts);
        assertThat(holdsItsSpout()).isFalse();
    }

    @Test
    void aTopologyThatIsDeactivatedMeanwhileIsNotActiveWhenASpoutGoesOn() throws Exception {
        Map<String, String> hosts = Map.of("sup-b", "127.0.0.1");
        NodeInfo there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        goesOn(there, hosts);
        asks(there, "127.0.0.1", "first");
        goesOn(there, hosts);
        goesOn(there, hosts);
        worker.state.getIsTopologyActive().set(false); // as Storm has just read
        serving.keepDeactivated();
        ScriptedTransport.CONNECTIONS.get("127.0.0.1").status = Status.Connecting;
        looksForTwoSeconds(there, hosts);
        assertThat(serving.isQuiet()).isFalse();
        assertThat(worker.state.getIsTopologyActive()).isFalse();
    }

    @Test
    void whatASuccessorWroteThatHasEndedDoesNotMakeASpoutQuiet() {
        goesOn();
        worker.nodes.put(AWAITED + "another-worker", new byte[0]);
        goesOn();
        assertThat(serving.isQuiet()).isFalse();
    }

    @Test
    void aSpoutThatIsHeldIsSaidSoAgainAsTheSessionMayHaveEnded() {
        goesOn();
        worker.nodes.clear();
        for (int look = 0; look < 4; look++) {
            goesOn();
        }
        assertThat(holdsItsSpout()).isTrue();
    }

    @Test
    void aSpoutThatIsMadeAfterTheMoveIsHeldAsWell() {
        List<SpoutHandover> later = List.copyOf(spouts);
        spouts.clear();
        goesOn();
        assertThat(holdsItsSpout()).isFalse();
        spouts.addAll(later);
        goesOn();
        assertThat(holdsItsSpout()).isTrue();
    }

    @Test
    void aSpoutThatIsOpenElsewhereIsQuietAlsoWhileZooKeeperIsAway() {
        goesOn();
        worker.isZooKeeperAway = true;
        assertThat(goesOn()).isTrue();
        assertThat(serving.isQuiet()).isFalse();
        prepared.add(SPOUT);
        now += 1_000; // it would say again that it holds it
        goesOn();
        assertThat(serving.isQuiet()).isTrue();
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
