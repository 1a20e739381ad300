package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.messaging.ConnectionWithStatus.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker with a spout, which moves; looks are 250 ms apart. */
class ServedSpoutsTest {

    private static final List<Long> SPOUT = BareWorker.SPOUT;
    private static final List<Long> BOLT = List.of(2L, 2L);
    private static final List<Long> SINK = List.of(3L, 3L);
    private static final String HELD = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1/";
    private static final String AWAITED = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1-awaited/";

    /** Where a process that has ended is known to: its port refuses connections. */
    private static final String LOOPBACK = "127.0.0.1";

    private static final Map<String, String> HOSTS =
            Map.of("sup-a", "a", "sup-b", LOOPBACK, "sup-c", "c");
    private static final NodeInfo NEXT = new NodeInfo("sup-c", Set.of(6702L));

    @TempDir Path local;
    private final Set<List<Long>> prepared = new HashSet<>();
    private final Map<List<Long>, NodeInfo> wanted = new HashMap<>();
    private final Map<List<Long>, NodeInfo> ordered = new HashMap<>();
    private final List<SpoutHandover> known = new ArrayList<>();
    private NodeInfo there;
    private SpoutExecutor executor;
    private SpoutHandover spout;
    private BareWorker worker;
    private Successors successors;
    private ServedSpouts spouts;
    private long since;
    private long now;

    @BeforeEach
    void servesOn() throws Exception {
        there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        move(SPOUT, there);
        worker = new BareWorker(local, List.of(SPOUT));
        executor = worker.spout();
        spout = new SpoutHandover(executor);
        spout.takeTurn();
        known.add(spout);
        successors = new Successors(worker.state);
        spouts = new ServedSpouts(worker.state, successors, () -> known, "a");
    }

    private static int portThatNobodyListensOn() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void move(List<Long> executor, NodeInfo place) {
        wanted.put(executor, place);
        ordered.put(executor, place);
    }

    /** The executor's own thread has seen that the topology is not active. */
    private void deactivate() throws Exception {
        BareWorker.set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(false));
    }

    private void look() {
        now += 250;
        spouts.turn(new Look(wanted, ordered, HOSTS, prepared::contains, since, now));
    }

    private void look(int times) {
        for (int time = 0; time < times; time++) {
            look();
        }
    }

    private void lookForTwoSeconds() {
        look(8);
    }

    /** The successor's process is connected, and asks for its turn. */
    private void ask(NodeInfo place, String successor) {
        connect(place);
        worker.nodes.put(AWAITED + successor, new byte[0]);
    }

    private void ask(String successor) {
        ask(there, successor);
    }

    private void connect(NodeInfo place) {
        String host = HOSTS.get(place.get_node());
        successors.connection(place, host);
        ScriptedTransport.prepare(host);
    }

    private static void end() {
        ScriptedTransport.CONNECTIONS.get(LOOPBACK).status = Status.Connecting;
    }

    private boolean isHeld() {
        return worker.nodes.containsKey(HELD + BareWorker.ID);
    }

    @Test
    void aSpoutIsHeldUntilASuccessorAwaitsIt() {
        look();
        assertThat(isHeld()).isTrue();
        assertThat(spouts.areQuiet()).isFalse();
        ask("another-worker");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutGoesOnUntilTheBoltsThatMoveWithItHaveWorkedElsewhereForASecond() {
        move(BOLT, there);
        ask("another-worker");
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
        prepared.add(BOLT);
        look(4); // for 750 ms
        assertThat(spouts.areQuiet()).isFalse();
        prepared.remove(BOLT); // it has died, and is back
        look();
        prepared.add(BOLT);
        look(4);
        assertThat(spouts.areQuiet()).isFalse();
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutGoesOnForTwentySecondsAtMostWhereABoltDoesNotStart() {
        move(BOLT, there);
        ask("another-worker");
        look(81); // for 20 s
        assertThat(spouts.areQuiet()).isFalse();
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutThatIsAwaitedLateInAMoveWaitsForNoBolts() {
        move(BOLT, there);
        look();
        ask("another-worker");
        now += 130_000; // 20 s before Storm's way is taken
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutThatIsMovedAgainLateWaitsForBoltsAsLongAsInItsFirstMove() {
        move(BOLT, there);
        look();
        now += 130_000;
        since = now;
        ask("another-worker");
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
    }

    @Test
    void aSpoutThatNeverOpenedWaitsForNoBolts() {
        known.set(0, new SpoutHandover(executor));
        move(BOLT, there);
        ask("another-worker");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aBoltThatWasAssignedElsewhereSinceIsNotWaitedFor() {
        move(BOLT, there);
        wanted.put(BOLT, NEXT); // which nobody ordered
        ask("another-worker");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void allBoltsAreAskedForAtOnceThoughTheFirstIsNotPrepared() {
        move(BOLT, there);
        move(SINK, NEXT);
        Set<List<Long>> asked = new HashSet<>();
        spouts.turn(
                new Look(
                        wanted,
                        ordered,
                        HOSTS,
                        it -> {
                            asked.add(it);
                            return false;
                        },
                        since,
                        now));
        assertThat(asked).contains(BOLT, SINK);
    }

    @Test
    void aSuccessorThatAskedAndDiedWhileBoltsStartHasToAskAgain() {
        move(BOLT, there);
        ask("first");
        look();
        end();
        lookForTwoSeconds();
        prepared.add(BOLT);
        connect(there); // the next one, which has not asked: the first one's node is still there
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
        ask("second");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void twoSpoutsGoOnUntilBothAreAskedForByWorkersThatLive() throws Exception {
        List<Long> other = List.of(5L, 5L);
        SpoutExecutor second = worker.spout();
        BareWorker.set(Executor.class, second, "executorId", other);
        SpoutHandover otherSpout = new SpoutHandover(second);
        otherSpout.takeTurn();
        known.add(otherSpout);
        move(other, NEXT);
        ask("first");
        lookForTwoSeconds();
        end(); // before the other one's successor asks
        lookForTwoSeconds();
        connect(NEXT);
        worker.nodes.put("/eyewall-spouts/" + BareWorker.TOPOLOGY + "/5-awaited/other", new byte[0]);
        connect(there); // the next one, which has not asked
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
        ask("second");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void theTwentySecondsBeginAnewWhereASuccessorWasNotReachedMeanwhile() {
        move(BOLT, there);
        ask("another-worker");
        look(60); // for 15 s
        end(); // for less than it takes to be sure that it has
        look();
        connect(there);
        look(60);
        assertThat(spouts.areQuiet()).isFalse();
        look(21); // 20 s after it was reached again
        assertThat(spouts.areQuiet()).isFalse();
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void theTwentySecondsBeginWhenTheNextAsksWhereTheFirstHasDied() {
        move(BOLT, there);
        ask("first");
        look();
        end();
        lookForTwoSeconds();
        connect(there);
        look(84); // for 21 s
        ask("second");
        look(60);
        assertThat(spouts.areQuiet()).isFalse();
    }

    @Test
    void theTwentySecondsBeginWhenTheNextAsksWhereASpoutIsMovedOn() {
        move(BOLT, there);
        ask("first");
        look(60);
        worker.nodes.remove(AWAITED + "first"); // as it does itself then
        move(SPOUT, NEXT);
        connect(NEXT);
        look(60);
        ask(NEXT, "second");
        look(60);
        assertThat(spouts.areQuiet()).isFalse();
    }

    @Test
    void aSpoutGoesOnIfItsSuccessorAsksForItNoMoreOnceBoltsArePrepared() {
        move(BOLT, there);
        ask("another-worker");
        look();
        worker.nodes.remove(AWAITED + "another-worker");
        prepared.add(BOLT);
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
    }

    @Test
    void aSpoutGoesOnIfTheSuccessorThatAskedForItEndsBeforeItHasOpenedIt() throws Exception {
        look();
        ask("first");
        look();
        deactivate();
        look();
        assertThat(isHeld()).isFalse();
        assertThat(worker.state.getIsTopologyActive()).isFalse();

        end();
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
        assertThat(isHeld()).isTrue();
        assertThat(worker.state.getIsTopologyActive()).isTrue();
        assertThat(WorkerInternals.mostPending(executor)).isEqualTo(5);

        // What the first wrote is there for as long as its session, also once the next one runs.
        connect(there);
        look();
        assertThat(spouts.areQuiet()).isFalse();
        ask("second");
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutThatASuccessorHadOpenStaysQuietThoughThatHasEnded() {
        prepared.add(SPOUT);
        look();
        prepared.remove(SPOUT);
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutThatIsMovedOnStaysQuietThoughWhoAskedForItHasEndedAsTheNextMayOpenIt() {
        look();
        ask("first");
        look();
        move(SPOUT, NEXT);
        end();
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isTrue();
    }

    @Test
    void aSpoutThatCannotBeTakenBackIsReleasedAgainForTheNextThatAsks() throws Exception {
        look();
        ask("first");
        look();
        deactivate();
        look();
        end();
        worker.isZooKeeperAway = true;
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isTrue();
        worker.isZooKeeperAway = false;
        worker.nodes.put(HELD + BareWorker.ID, new byte[0]); // it was written, though nobody said so
        connect(there); // the next one
        look();
        assertThat(isHeld()).isFalse();
    }

    @Test
    void aTopologyThatIsDeactivatedMeanwhileIsNotActiveWhenASpoutGoesOn() {
        look();
        ask("first");
        look();
        look();
        worker.state.getIsTopologyActive().set(false); // as Storm has just read
        spouts.keepDeactivated();
        end();
        lookForTwoSeconds();
        assertThat(spouts.areQuiet()).isFalse();
        assertThat(worker.state.getIsTopologyActive()).isFalse();
    }

    @Test
    void whatASuccessorWroteThatHasEndedDoesNotMakeASpoutQuiet() {
        look();
        worker.nodes.put(AWAITED + "another-worker", new byte[0]);
        look();
        assertThat(spouts.areQuiet()).isFalse();
    }

    @Test
    void aSpoutThatIsHeldIsSaidSoAgainAsTheSessionMayHaveEnded() {
        look();
        worker.nodes.clear();
        look(4);
        assertThat(isHeld()).isTrue();
    }

    @Test
    void aSpoutThatIsMadeAfterTheMoveIsHeldAsWell() {
        known.clear();
        look();
        assertThat(isHeld()).isFalse();
        known.add(spout);
        look();
        assertThat(isHeld()).isTrue();
    }

    @Test
    void aSpoutThatIsOpenElsewhereIsQuietAlsoWhileZooKeeperIsAway() {
        look();
        worker.isZooKeeperAway = true;
        look();
        assertThat(spouts.areQuiet()).isFalse();
        prepared.add(SPOUT);
        now += 1_000; // it would say again that it holds it
        look();
        assertThat(spouts.areQuiet()).isTrue();
    }
}
