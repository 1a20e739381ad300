package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {

    private final WarmUp warmUp = new WarmUp();

    @Test
    void itIsOverWhenTheCompilersWereIdleForMostOfASecond() {
        assertThat(warmUp.isOver(1_000, 5_000)).isFalse();
        assertThat(warmUp.isOver(1_900, 5_000)).isFalse(); // not yet a second
        assertThat(warmUp.isOver(2_000, 5_301)).isFalse(); // busy for 0.301 of it
        assertThat(warmUp.isOver(2_500, 5_301)).isFalse();
        assertThat(warmUp.isOver(3_000, 5_601)).isTrue();
    }

    @Test
    void onceItIsOverItStaysOver() {
        warmUp.isOver(1_000, 0);
        assertThat(warmUp.isOver(2_000, 0)).isTrue();
        assertThat(warmUp.isOver(3_000, 900)).isTrue();
    }

    @Test
    void itIsOverAtSomeTimeInThisVeryProcess() throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!warmUp.isOver(System.currentTimeMillis())) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(50);
        }
    }
}
