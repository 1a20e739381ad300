package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HeldSpoutTest {

    private static final SpoutTurns.Holder OLD = new SpoutTurns.Holder("fog-1", 6700);
    private static final SpoutTurns.Holder MOVED_AGAIN = new SpoutTurns.Holder("fog-2", 6701);

    private final HeldSpout spout = new HeldSpout();

    private boolean isVacant(long now, Set<SpoutTurns.Holder> refusing, SpoutTurns.Holder... all) {
        return spout.isVacant(List.of(all), refusing::contains, now);
    }

    @Test
    void aSpoutThatNobodyHoldsIsVacant() {
        assertThat(isVacant(1_000, Set.of())).isTrue();
    }

    @Test
    void aHolderWhosePortRefusesTwiceASecondApartHasEnded() {
        assertThat(isVacant(1_000, Set.of(OLD), OLD)).isFalse();
        assertThat(isVacant(1_999, Set.of(OLD), OLD)).isFalse(); // not looked at again yet
        assertThat(isVacant(2_000, Set.of(OLD), OLD)).isTrue();
    }

    @Test
    void aPortThatListensInBetweenIsNotRefused() {
        assertThat(isVacant(1_000, Set.of(OLD), OLD)).isFalse();
        assertThat(isVacant(2_000, Set.of(), OLD)).isFalse();
        assertThat(isVacant(3_000, Set.of(OLD), OLD)).isFalse();
    }

    @Test
    void whileOneOfTwoHoldersRunsItTheSpoutIsNotVacant() {
        for (long now = 1_000; now < 5_000; now += 1_000) {
            assertThat(isVacant(now, Set.of(MOVED_AGAIN), MOVED_AGAIN, OLD)).isFalse();
        }
        assertThat(isVacant(5_000, Set.of(MOVED_AGAIN), MOVED_AGAIN)).isTrue(); // OLD took it back
    }
}
