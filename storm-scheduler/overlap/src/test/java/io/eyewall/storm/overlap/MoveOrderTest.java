package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.generated.NodeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MoveOrderTest {

    private static final List<Long> TAG = List.of(2L, 3L);
    private static final List<Long> SINK = List.of(4L, 4L);
    private static final NodeInfo THERE = new NodeInfo("5f1c-10.0.0.7", Set.of(6701L));

    /** Bytes as MoveOrders of the shim writes them; its test has the same. */
    private static final String WRITTEN = "2 3 5f1c-10.0.0.7 6701\n4 4 5f1c-10.0.0.7 6701";

    private final MoveOrder order =
            MoveOrder.decode(WRITTEN.getBytes(StandardCharsets.UTF_8));

    @Test
    void whatTheShimWritesIsUnderstood() {
        assertThat(order).isEqualTo(MoveOrder.of(Map.of(TAG, THERE, SINK, THERE)));
        assertThat(new String(order.encode(), StandardCharsets.UTF_8)).isEqualTo(WRITTEN);
    }

    @Test
    void itCoversAMoveWhoseExecutorsAllGoWhereItSays() {
        assertThat(order.covers(Map.of(SINK, THERE))).isTrue();
        assertThat(order.covers(Map.of(SINK, THERE, TAG, THERE))).isTrue();
    }

    @Test
    void anOrderThatALaggingZooKeeperServerDoesNotHaveYetIsFound(@TempDir Path local)
            throws Exception {
        BareWorker worker = new BareWorker(local, List.of(TAG));
        assertThat(MoveOrder.isFor(worker.state, Map.of(TAG, THERE))).isFalse();
        worker.orderElsewhere(Map.of(TAG, THERE));
        assertThat(MoveOrder.isFor(worker.state, Map.of(TAG, THERE))).isTrue();
    }

    @Test
    void itDoesNotCoverAMoveElsewhereOrOfOthers() {
        NodeInfo elsewhere = new NodeInfo("5f1c-10.0.0.7", Set.of(6702L));
        assertThat(order.covers(Map.of(SINK, THERE, TAG, elsewhere))).isFalse();
        assertThat(order.covers(Map.of(List.of(5L, 5L), THERE))).isFalse();
    }
}
