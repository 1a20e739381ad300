package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How long a spout goes on for bolts that move with it. */
class AwaitedBoltsTest extends MovedSpout {

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
}
