package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.generated.NodeInfo;
import org.junit.jupiter.api.Test;

class PredecessorsTest {

    private static final List<Long> TAG = List.of(2L, 3L);
    private static final List<Long> SINK = List.of(4L, 4L);
    private static final List<Long> SYSTEM = List.of(-1L, -1L);

    private static final OldWorker FIRST =
            new OldWorker("5f1c-10.0.0.7", "fog-1", 6701, 1_000, Set.of(SYSTEM, TAG));
    private static final OldWorker SECOND =
            new OldWorker("8e2a-10.0.0.9", "fog-2", 6700, 2_000, Set.of(TAG, SINK));
    private static final NodeInfo ELSEWHERE = new NodeInfo("8e2a-10.0.0.9", Set.of(6702L));

    private final Predecessors predecessors = new Predecessors();

    private void hear(long now, OldWorker... said) {
        predecessors.hear(List.of(said), List.of(ELSEWHERE), now);
    }

    @Test
    void whatAWorkerSaysIsUnderstoodByOthers() {
        assertThat(OldWorker.decode(FIRST.encode())).isEqualTo(FIRST);
        assertThat(new String(FIRST.encode(), StandardCharsets.UTF_8))
                .isEqualTo("5f1c-10.0.0.7 fog-1 6701 1000\n-1 -1\n2 3");
    }

    @Test
    void anExecutorThatWasMovedTwiceIsWhereItsWorkerHasServedOnForLongest() {
        // TAG is in both; FIRST has served on since 1,000, SECOND since 2,000.
        hear(0, SECOND, FIRST);
        assertThat(predecessors.places())
                .containsEntry(TAG, FIRST.place())
                .containsEntry(SINK, SECOND.place());
        assertThat(predecessors.hosts())
                .isEqualTo(Map.of("5f1c-10.0.0.7", "fog-1", "8e2a-10.0.0.9", "fog-2"));
    }

    @Test
    void aPlaceThatAnotherWorkerHasNowIsNotSentTo() {
        predecessors.hear(List.of(FIRST), List.of(FIRST.place()), 0);
        assertThat(predecessors.places()).isEmpty();
    }

    @Test
    void aConnectionHasFiveSecondsToBeUp() {
        hear(0, FIRST);
        assertThat(predecessors.isAlive(FIRST.place(), false, 0)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 4_999)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 5_000)).isFalse();
        assertThat(predecessors.isAlive(FIRST.place(), true, 5_000)).isTrue();
    }

    @Test
    void aConnectionThatWasUpAndBreaksHasTwoSecondsToBeUpAgain() {
        hear(0, FIRST);
        assertThat(predecessors.isAlive(FIRST.place(), true, 1_000)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 1_001)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 3_000)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 3_001)).isFalse();
    }

    @Test
    void eachBreakCountsForItself() {
        assertThat(predecessors.isAlive(ELSEWHERE, false, 0)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, true, 1_900)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, false, 2_100)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, false, 4_099)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, false, 4_100)).isFalse();
    }

    @Test
    void oneThatTakesItBackIsSoughtNoMore() {
        hear(0, FIRST, SECOND);
        hear(1_000, SECOND);
        assertThat(predecessors.places().values()).containsOnly(SECOND.place());
        predecessors.isAlive(FIRST.place(), false, 1_000);
        assertThat(predecessors.isAlive(FIRST.place(), false, 3_000)).isFalse();
    }

    @Test
    void afterTheMoveAPlaceIsAsGoodAsAnyOther() {
        hear(0, FIRST);
        predecessors.isAlive(FIRST.place(), true, 1_000);
        predecessors.forget();
        hear(60_000, FIRST);
        assertThat(predecessors.isAlive(FIRST.place(), false, 60_000)).isTrue();
        assertThat(predecessors.isAlive(FIRST.place(), false, 64_999)).isTrue();
    }

    @Test
    void ofPlacesWhereNoneWasTheConnectionDecides() {
        assertThat(predecessors.isAlive(ELSEWHERE, true, 0)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, false, 0)).isTrue();
        assertThat(predecessors.isAlive(ELSEWHERE, false, 2_000)).isFalse();
    }
}
