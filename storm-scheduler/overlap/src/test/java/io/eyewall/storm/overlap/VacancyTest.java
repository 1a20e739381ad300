package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VacancyTest {

    private static final SpoutTurns.Holder OLD = new SpoutTurns.Holder("fog-1", 6700);
    private static final SpoutTurns.Holder MOVED_AGAIN = new SpoutTurns.Holder("fog-2", 6701);

    private final Vacancy vacancy = new Vacancy();

    private boolean isThere(long now, Set<SpoutTurns.Holder> refusing, SpoutTurns.Holder... all) {
        return vacancy.isThere(List.of(all), refusing::contains, now);
    }

    @Test
    void aSpoutThatNobodyHoldsIsVacant() {
        assertThat(isThere(1_000, Set.of())).isTrue();
    }

    @Test
    void aHolderWhosePortRefusesTwiceASecondApartHasEnded() {
        assertThat(isThere(1_000, Set.of(OLD), OLD)).isFalse();
        assertThat(isThere(1_999, Set.of(OLD), OLD)).isFalse(); // not looked at again yet
        assertThat(isThere(2_000, Set.of(OLD), OLD)).isTrue();
    }

    @Test
    void aPortThatListensInBetweenIsNotRefused() {
        assertThat(isThere(1_000, Set.of(OLD), OLD)).isFalse();
        assertThat(isThere(2_000, Set.of(), OLD)).isFalse();
        assertThat(isThere(3_000, Set.of(OLD), OLD)).isFalse();
    }

    @Test
    void whileOneOfTwoHoldersRunsItTheSpoutIsNotVacant() {
        for (long now = 1_000; now < 5_000; now += 1_000) {
            assertThat(isThere(now, Set.of(MOVED_AGAIN), MOVED_AGAIN, OLD)).isFalse();
        }
        assertThat(isThere(5_000, Set.of(MOVED_AGAIN), MOVED_AGAIN)).isTrue(); // OLD took it back
    }
}
