package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.shade.org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker's bolt that moves from {@link BareWorker#HERE} to a new worker. */
class OverlapTest {

    private static final List<Long> TAG = List.of(2L, 2L);
    private static final List<Long> SINK = List.of(3L, 3L);
    private static final NodeInfo ELSEWHERE = new NodeInfo("sup-c", Set.of(6702L));
    private static final NodeInfo HERE = BareWorker.HERE;
    private static final NodeInfo THERE = new NodeInfo("sup-b", Set.of(6701L));
    private static final RuntimeException AWAY =
            new RuntimeException(new KeeperException.ConnectionLossException());

    /** As Storm says it when a topology was killed: only the supervisor's answer is its cause. */
    private static final RuntimeException GONE =
            new RuntimeException("assignment in Zookeeper was null", new Exception("not alive"));

    @TempDir Path local;
    private BareWorker worker;

    @BeforeEach
    void runsATag() throws Exception {
        worker = new BareWorker(local, List.of(TAG));
        worker.follow(Map.of(TAG, HERE));
    }

    @AfterEach
    void ends() {
        worker.isZooKeeperAway = false;
        worker.nodes.clear();
        worker.follow(Map.of()); // nobody ordered that
    }

    private void move() {
        worker.order(Map.of(TAG, THERE));
        assertThat(worker.follow(Map.of(TAG, THERE))).isEqualTo(Map.of(TAG, HERE));
    }

    private boolean servesOn() {
        return worker.nodes.containsKey(OldWorker.folder(BareWorker.TOPOLOGY) + "/" + BareWorker.ID)
                && isMarked();
    }

    private boolean isMarked() {
        return ServingMark.in(worker.folder.toString()).file().toFile().exists();
    }

    @Test
    void aWorkerWhoseExecutorsMoveByOrderServesOn() {
        move();
        assertThat(servesOn()).isTrue();
    }

    @Test
    void aMoveThatNobodyOrderedIsFollowedAtOnce() {
        assertThat(worker.follow(Map.of(TAG, THERE))).isEqualTo(Map.of(TAG, THERE));
        assertThat(isMarked()).isFalse();
    }

    @Test
    void theSupervisorIsToWaitWhileZooKeeperIsAskedForTheOrder() {
        List<Boolean> marked = new ArrayList<>();
        worker.whileItCatchesUp = () -> marked.add(isMarked());
        move();
        worker.follow(Map.of(TAG, ELSEWHERE)); // nobody ordered that
        assertThat(marked).containsExactly(true, true);
        assertThat(isMarked()).isFalse();
    }

    @Test
    void aMoveThatIsTakenBackBeforeAnythingIsHandedOverLeavesTheWorkerAsItWas() {
        move();
        assertThat(worker.follow(Map.of(TAG, HERE))).isEqualTo(Map.of(TAG, HERE));
        assertThat(servesOn()).isFalse();
        move();
        assertThat(servesOn()).isTrue();
    }

    @Test
    void aWorkerThatHasHandedOverEndsWhenItsExecutorsComeBack() {
        move();
        worker.nodes.clear();
        worker.follow(Map.of(TAG, ELSEWHERE)); // nobody ordered that, so it is about to end
        assertThat(worker.follow(Map.of(TAG, HERE, SINK, THERE))).isEqualTo(Map.of(SINK, THERE));
        assertThat(worker.follow(Map.of(TAG, HERE, SINK, THERE))).isEqualTo(Map.of(SINK, THERE));
    }

    @Test
    void aWorkerServesOnWhileTheAssignmentCannotBeRead() {
        move();
        worker.isZooKeeperAway = true;
        Assignment inForce = Overlap.inForceUnread(worker.state, AWAY);
        assertThat(inForce.get_executor_node_port()).isEqualTo(Map.of(TAG, HERE));
    }

    @Test
    void aWorkerWhoseAssignmentIsGoneEndsAsByStorm() {
        move();
        assertThat(Overlap.inForceUnread(worker.state, GONE)).isNull();
    }

    @Test
    void aWorkerThatDoesNotServeOnDoesWithoutItsAssignmentWhatStormDoes() {
        assertThat(Overlap.inForceUnread(worker.state, AWAY)).isNull();
    }
}
