package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.junit.jupiter.api.Test;

/** Which of a spout and its successor emits. */
class ServedSpoutsTest extends MovedSpout {

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
