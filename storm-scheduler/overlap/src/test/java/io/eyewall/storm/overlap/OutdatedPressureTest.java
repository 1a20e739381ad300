package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.storm.generated.NodeInfo;
import org.junit.jupiter.api.Test;

class OutdatedPressureTest {

    private static final List<Long> FIRST = List.of(1L, 2L);
    private static final List<Long> SECOND = List.of(3L, 3L);
    private static final NodeInfo OLD = new NodeInfo("s1", Set.of(6700L));
    private static final NodeInfo NEW = new NodeInfo("s2", Set.of(6700L));

    private final AtomicBoolean[] pressed =
            Stream.generate(AtomicBoolean::new).limit(5).toArray(AtomicBoolean[]::new);
    private final OutdatedPressure outdated = new OutdatedPressure(pressed);

    private void press() {
        for (AtomicBoolean it : pressed) {
            it.set(true);
        }
    }

    private List<Integer> held() {
        return IntStream.range(1, 4).filter(it -> pressed[it].get()).boxed().toList();
    }

    @Test
    void onlyTasksThatTuplesGoElsewhereForAreReleased() {
        press();
        outdated.switched(Map.of(FIRST, OLD, SECOND, OLD), Map.of(FIRST, NEW, SECOND, OLD));
        assertThat(held()).containsExactly(3);
    }

    @Test
    void whatTheOldWorkerSaysUntilItsConnectionIsClosedEndsWithIt() {
        outdated.switched(Map.of(FIRST, OLD, SECOND, OLD), Map.of(FIRST, NEW, SECOND, OLD));
        press();
        outdated.closed(NEW);
        assertThat(held()).containsExactly(1, 2, 3);
        outdated.closed(OLD);
        assertThat(held()).containsExactly(3);
    }

    @Test
    void whoReturnsToAPlaceIsNotReleasedWhenAnEarlierConnectionToItIsClosed() {
        outdated.switched(Map.of(FIRST, OLD), Map.of(FIRST, NEW));
        outdated.switched(Map.of(FIRST, NEW), Map.of(FIRST, OLD));
        press();
        outdated.closed(OLD);
        assertThat(held()).containsExactly(1, 2, 3);
    }

    @Test
    void aConnectionThatIsClosedLaterReleasesNothingMore() {
        outdated.switched(Map.of(FIRST, OLD), Map.of(FIRST, NEW));
        outdated.closed(OLD);
        press();
        outdated.closed(OLD);
        assertThat(held()).containsExactly(1, 2, 3);
    }
}
