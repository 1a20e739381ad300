package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateProfileTest {
    @Test
    void aConstantRateSpacesTuplesEvenly() {
        RateProfile profile = RateProfile.parse("25");
        assertThat(profile.timeOf(0)).isZero();
        assertThat(profile.timeOf(50)).isEqualTo(2.0); // 50 / 25
    }

    @Test
    void afterAStepTuplesComeAtTheNewRate() {
        // 10/s for 6 s are 60 tuples; the 90 after them take 3 s at 30/s.
        RateProfile profile = RateProfile.parse("0:10,6:10,6:30");
        assertThat(profile.timeOf(60)).isEqualTo(6.0);
        assertThat(profile.timeOf(150)).isEqualTo(9.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0:10,6:10,6:30", "0:10,0:10,6:10,6:30", "0:10,6:10,6:30,9:30,9:5"})
    void theTupleThatIsDueAtAStepIsDueThen(String text) {
        RateProfile profile = RateProfile.parse(text); // 10/s for 6 s, 30/s for 3 s
        assertThat(profile.timeOf(60)).isEqualTo(6.0);
        assertThat(profile.timeOf(150)).isCloseTo(9.0, within(1e-9));
    }

    @Test
    void onARampTheCountGrowsWithTheSquareOfTheTime() {
        // From 0 to 10/s within 10 s: t²/2 tuples until t, so the eighth comes at 4 s.
        RateProfile profile = RateProfile.parse("0:0 10:10");
        assertThat(profile.timeOf(8)).isCloseTo(4.0, within(1e-9));
        assertThat(profile.timeOf(60)).isCloseTo(11.0, within(1e-9)); // 50 until 10 s, then 10/s
    }

    @Test
    void nothingIsDueWhileTheRateIsZero() {
        RateProfile profile = RateProfile.parse("0:10,1:10,1:0,5:0,5:10");
        assertThat(profile.timeOf(11)).isCloseTo(5.1, within(1e-9));
        assertThat(RateProfile.parse("0:10,1:10,1:0").timeOf(11)).isInfinite();
    }

    @Test
    void pointsAddedLaterChangeNoEarlierTuple() {
        RateProfile before = RateProfile.parse("0:10,6:10,6:30");
        RateProfile after = RateProfile.parse("0:10,6:10,6:30,20:30,20:5");
        for (int count = 0; count < 400; count += 7) { // 60 until 6 s, 480 until 20 s
            assertThat(after.timeOf(count)).isEqualTo(before.timeOf(count));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fast", "-1", "0:10,5:x", "1:2:3", "NaN", "0:10,60:20,30:20"})
    void whatIsNoProfileIsRefusedWithTheOffender(String text) {
        String offender = text.substring(text.lastIndexOf(',') + 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateProfile.parse(text))
                .withMessageContaining("rate point " + offender)
                .withMessageContaining("allowed");
    }
}
