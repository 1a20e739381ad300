package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.generated.NodeInfo;
import org.junit.jupiter.api.Test;

class RoutesTest {

    private static final List<Long> TAG = List.of(2L, 3L);
    private static final List<Long> SINK = List.of(4L, 4L);
    private static final NodeInfo OLD = new NodeInfo("sup-a", Set.of(6700L));
    private static final NodeInfo NEW = new NodeInfo("sup-b", Set.of(6701L));

    private final Routes routes = new Routes();
    private final Set<List<Long>> prepared = new HashSet<>();
    private final Set<NodeInfo> alive = new HashSet<>(Set.of(OLD));

    private Map<List<Long>, NodeInfo> follow(Map<List<Long>, NodeInfo> published) {
        return routes.follow(
                published,
                new Routes.Places() {
                    @Override
                    public boolean isPrepared(List<Long> executor, NodeInfo place) {
                        return prepared.contains(executor) && place.equals(NEW);
                    }

                    @Override
                    public boolean isAlive(NodeInfo place) {
                        return alive.contains(place);
                    }
                });
    }

    @Test
    void whatIsPublishedFirstIsFollowedAtOnce() {
        assertThat(follow(Map.of(TAG, OLD))).isEqualTo(Map.of(TAG, OLD));
    }

    @Test
    void anExecutorIsSoughtWhereItWasUntilItsSuccessorIsPrepared() {
        routes.replace(Map.of(TAG, OLD, SINK, OLD));
        Map<List<Long>, NodeInfo> published = Map.of(TAG, NEW, SINK, NEW);
        assertThat(follow(published)).isEqualTo(Map.of(TAG, OLD, SINK, OLD));
        prepared.add(SINK);
        assertThat(follow(published)).isEqualTo(Map.of(TAG, OLD, SINK, NEW));
        prepared.add(TAG);
        assertThat(follow(published)).isEqualTo(published);
        assertThat(routes.differFrom(published)).isFalse();
    }

    @Test
    void anExecutorIsSoughtWhereItIsServedOnUntilItHasSwitched() {
        Map<List<Long>, NodeInfo> published = Map.of(TAG, NEW, SINK, NEW);
        routes.replace(published);
        assertThat(routes.seek(TAG, OLD, NEW)).isTrue();
        assertThat(routes.moved(published)).isEqualTo(Map.of(TAG, NEW));
        assertThat(follow(published)).isEqualTo(Map.of(TAG, OLD, SINK, NEW));
        prepared.add(TAG);
        assertThat(follow(published)).isEqualTo(published);
        // Its old worker still says that it serves on.
        assertThat(routes.seek(TAG, OLD, NEW)).isFalse();
        assertThat(follow(published)).isEqualTo(published);
    }

    @Test
    void anExecutorThatIsMovedAgainIsSoughtAgain() {
        NodeInfo newer = new NodeInfo("sup-c", Set.of(6700L));
        routes.replace(Map.of(TAG, newer));
        routes.seek(TAG, OLD, NEW);
        assertThat(routes.seek(TAG, OLD, newer)).isTrue();
        assertThat(follow(Map.of(TAG, newer))).isEqualTo(Map.of(TAG, OLD));
    }

    @Test
    void whereTheOldOneIsGoneTheNewOneIsSoughtAtOnce() {
        routes.replace(Map.of(TAG, OLD));
        alive.remove(OLD);
        assertThat(follow(Map.of(TAG, NEW))).isEqualTo(Map.of(TAG, NEW));
    }

    @Test
    void whatWasFollowedOnceIsNotLeftAgainForWhereItWas() {
        routes.replace(Map.of(TAG, OLD));
        prepared.add(TAG);
        follow(Map.of(TAG, NEW));
        prepared.remove(TAG);
        assertThat(follow(Map.of(TAG, NEW))).isEqualTo(Map.of(TAG, NEW));
    }

    @Test
    void aMoveThatIsTakenBackIsNone() {
        routes.replace(Map.of(TAG, OLD));
        follow(Map.of(TAG, NEW));
        assertThat(routes.differFrom(Map.of(TAG, OLD))).isFalse();
        assertThat(follow(Map.of(TAG, OLD))).isEqualTo(Map.of(TAG, OLD));
    }

    @Test
    void anExecutorThatIsAssignedNowhereIsForgotten() {
        routes.replace(Map.of(TAG, OLD, SINK, OLD));
        assertThat(follow(Map.of(SINK, OLD))).isEqualTo(Map.of(SINK, OLD));
    }
}
