package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OldWorkersTest {

    private static final List<Long> TAG = List.of(2L, 3L);
    private static final List<Long> SINK = List.of(4L, 4L);
    private static final List<Long> SYSTEM = List.of(-1L, -1L);

    private static final OldWorker FIRST =
            new OldWorker("5f1c-10.0.0.7", "fog-1", 6701, 1_000, Set.of(SYSTEM, TAG));
    private static final OldWorker SECOND =
            new OldWorker("8e2a-10.0.0.9", "fog-2", 6700, 2_000, Set.of(TAG, SINK));

    @Test
    void whatAWorkerSaysIsUnderstoodByOthers() {
        assertThat(OldWorker.decode(FIRST.encode())).isEqualTo(FIRST);
        assertThat(new String(FIRST.encode(), StandardCharsets.UTF_8))
                .isEqualTo("5f1c-10.0.0.7 fog-1 6701 1000\n-1 -1\n2 3");
    }

    @Test
    void anExecutorThatWasMovedTwiceIsWhereItsWorkerHasServedOnForLongest() {
        // TAG is in both; FIRST has served on since 1,000, SECOND since 2,000.
        assertThat(new OldWorkers(List.of(SECOND, FIRST)).placeByExecutor())
                .containsEntry(TAG, FIRST.place())
                .containsEntry(SINK, SECOND.place());
    }

    @Test
    void theHostOfEachPlaceIsKnown() {
        OldWorkers both = new OldWorkers(List.of(FIRST, SECOND));
        assertThat(both.hosts())
                .isEqualTo(Map.of("5f1c-10.0.0.7", "fog-1", "8e2a-10.0.0.9", "fog-2"));
        assertThat(both.places()).isEqualTo(Set.of(FIRST.place(), SECOND.place()));
    }
}
