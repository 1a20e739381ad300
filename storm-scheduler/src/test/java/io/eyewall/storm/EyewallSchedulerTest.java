package io.eyewall.storm;

import static io.eyewall.storm.Fixture.ACKER;
import static io.eyewall.storm.Fixture.COUNT_A;
import static io.eyewall.storm.Fixture.COUNT_B;
import static io.eyewall.storm.Fixture.SPOUT;
import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.both;
import static io.eyewall.storm.Fixture.placed;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static io.eyewall.storm.ScriptedSidecar.answering;
import static io.eyewall.storm.ScriptedSidecar.deciding;
import static io.eyewall.storm.ScriptedSidecar.decline;
import static io.eyewall.storm.ScriptedSidecar.keep;
import static io.eyewall.storm.ScriptedSidecar.place;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.Decision;
import io.eyewall.storm.rpc.TopologyState;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.apache.storm.Config;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SupervisorDetails;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EyewallSchedulerTest {

    private static final WorkerSlot S1 = slot("s1", 6700);
    private static final WorkerSlot S2 = slot("s2", 6700);
    private static final WorkerSlot S2_OTHER = slot("s2", 6701);
    private static final String RAN = "eyewall: odp, optimal, R 41 ms";

    private final List<SupervisorDetails> supervisors =
            List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700, 6701));

    @Test
    void aTopologyRunsWhereTheSidecarPlacesIt() {
        Map<ExecutorDetails, WorkerSlot> decided =
                both(placed(S2, SPOUT, ACKER), placed(S1, COUNT_A, COUNT_B));
        try (ScriptedSidecar sidecar = answering(deciding(state -> place(state, decided, RAN)));
                Rounds rounds = rounds(sidecar).with(topology("t", 2))) {
            rounds.next();

            assertThat(rounds.running).containsEntry("t", decided);
            assertThat(rounds.status("t")).isEqualTo(RAN);
            assertThat(rounds.count("eyewall:placed-topologies")).isEqualTo(1);
        }
    }

    @Test
    void aStatusTextStandsUntilTheTopologyIsPlacedAnew() {
        try (ScriptedSidecar sidecar =
                        answering(
                                deciding(
                                        state ->
                                                state.getNeedsScheduling()
                                                        ? place(state, allOn(S1), RAN)
                                                        : keep(state)));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.next();
            rounds.next();
            sidecar.die();
            rounds.next();

            assertThat(rounds.status("t")).isEqualTo(RAN);
            assertThat(rounds.running).containsEntry("t", allOn(S1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void aKeptTopologyOnFewerWorkersThanItAskedForIsNotTouched(String inner) {
        // It asks for four workers, four slots exist, three of them free: Storm would spread it.
        try (ScriptedSidecar sidecar = answering(deciding(ScriptedSidecar::keep));
                Rounds rounds = rounds(sidecar, inner).with(topology("t", 4))) {
            rounds.running("t", allOn(S1), RAN).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1));
            assertThat(rounds.status("t")).isEqualTo(RAN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void whatWasPlacedOnFewerWorkersStaysThereWhileTheSidecarIsDown(String inner) {
        try (Rounds rounds = rounds(down(), inner).with(topology("t", 4))) {
            rounds.running("t", allOn(S1), RAN).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1));
            assertThat(rounds.status("t")).isEqualTo(RAN);
        }
    }

    @Test
    void aTopologyThatSomebodyElsePlacedIsSaidToBeKept() {
        try (ScriptedSidecar sidecar = answering(deciding(ScriptedSidecar::keep));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.running("t", allOn(S1), null).next();

            assertThat(rounds.status("t")).isEqualTo("eyewall: kept");
        }
    }

    @Test
    void aPlacementWithoutATextIsSaidToBeEyewalls() {
        try (ScriptedSidecar sidecar = answering(deciding(state -> place(state, allOn(S1))));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.status("t")).isEqualTo("eyewall: placed");
        }
    }

    @Test
    void theDefaultSchedulerTakesNoSlotFromWhatTheSidecarDecided() {
        // t holds s1's only slot by decision; u may only have s2's.
        List<SupervisorDetails> two = List.of(supervisor("s1", 6700), supervisor("s2", 6700));
        Function<TopologyState, Decision> decide =
                state ->
                        state.getTopologyId().equals("t")
                                ? place(state, allOn(S1), RAN)
                                : decline(state, "not mine");
        try (ScriptedSidecar sidecar = answering(deciding(decide));
                Rounds rounds = new Rounds(two, settings(sidecar.address(), "default"))) {
            rounds.with(topology("t", 2), topology("u", 2)).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1)).containsEntry("u", allOn(S2));
            assertThat(rounds.status("u")).isEqualTo("placed by DefaultScheduler: not mine");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void withoutASidecarTheInnerSchedulerPlacesAndSaysWhy(String inner) {
        String name = inner.equals("default") ? "DefaultScheduler" : "ResourceAwareScheduler";
        try (Rounds rounds = rounds(down(), inner).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.status("t"))
                    .isEqualTo("placed by %s: sidecar %s is not reachable", name, down());
            assertThat(rounds.count("eyewall:fallbacks-sidecar-unreachable")).isEqualTo(1);
        }
    }

    @Test
    void aLateSidecarIsNotWaitedForPastTheDeadline() {
        // It answers only after the round is over, so a round that waited would never end.
        CountDownLatch roundIsOver = new CountDownLatch(1);
        Map<String, Object> settings = new HashMap<>();
        settings.put("eyewall.deadline.first.ms", 1000);
        try (ScriptedSidecar sidecar =
                new ScriptedSidecar(
                        0,
                        deciding(state -> place(state, allOn(S1), RAN)),
                        Status.OK,
                        roundIsOver)) {
            settings.put("eyewall.sidecar.addresses", List.of(sidecar.address()));
            try (Rounds rounds = new Rounds(supervisors, settings).with(topology("t", 1))) {
                rounds.next();
                roundIsOver.countDown();

                assertThat(rounds.running.get("t")).hasSize(4);
                assertThat(rounds.status("t"))
                        .isEqualTo(
                                "placed by ResourceAwareScheduler: sidecar did not answer in 1 s");
                assertThat(rounds.count("eyewall:fallbacks-sidecar-late")).isEqualTo(1);
            }
        }
    }

    @Test
    void anAnswerThatIsNoReplyIsAReasonNotAFailure() {
        // Field 0 does not exist in any message.
        try (ScriptedSidecar sidecar = answering(request -> new byte[] {0, 1, 2, 3});
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.status("t"))
                    .startsWith("placed by ResourceAwareScheduler: sidecar " + sidecar.address());
            assertThat(rounds.count("eyewall:fallbacks-sidecar-unusable")).isEqualTo(1);
        }
    }

    @Test
    void aServerThatIsNoSidecarIsAReasonNotAFailure() {
        try (ScriptedSidecar other = ScriptedSidecar.failing(Status.UNIMPLEMENTED);
                Rounds rounds = rounds(other).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.status("t"))
                    .isEqualTo(
                            "placed by ResourceAwareScheduler: sidecar %s answered UNIMPLEMENTED",
                            other.address());
        }
    }

    @Test
    void aTopologyThatTheInnerSchedulerEvictsIsNotSaidToRun() {
        // One slot, and what waits comes first by its priority: RAS takes the slot from what runs.
        Map<String, Object> last = Map.of(Config.TOPOLOGY_PRIORITY, 29);
        Map<String, Object> first = Map.of(Config.TOPOLOGY_PRIORITY, 0);
        try (ScriptedSidecar sidecar =
                        answering(
                                deciding(
                                        state ->
                                                state.getNeedsScheduling()
                                                        ? decline(state, "no room")
                                                        : keep(state).toBuilder().setStatus(RAN).build()));
                Rounds rounds =
                        new Rounds(
                                        List.of(supervisor("s1", 6700)),
                                        settings(sidecar.address(), "resource-aware"))
                                .with(topology("old", 1, last), topology("new", 1, first))) {
            rounds.running("old", allOn(S1), RAN).next();

            assertThat(rounds.running.get("new")).isEqualTo(allOn(S1));
            assertThat(rounds.running.getOrDefault("old", Map.of())).isEmpty();
            assertThat(rounds.status("old"))
                    .startsWith("evicted by ResourceAwareScheduler");
        }
    }

    @Test
    void whereTheInnerSchedulerFailsTooItsMessageIsKept() {
        // RAS finds no host for a worker of 512 MB on one that has 256.
        List<SupervisorDetails> small = List.of(Fixture.sized("s1", 400, 256, 6700));
        try (Rounds rounds = new Rounds(small, settings(down(), "resource-aware"))) {
            rounds.with(topology("t", 1)).next();

            assertThat(rounds.status("t"))
                    .startsWith(
                            "not placed by ResourceAwareScheduler: sidecar "
                                    + down()
                                    + " is not reachable; Not enough resources");
        }
    }

    @Test
    void anErrorInsideNeverEscapesAndTheInnerSchedulerStillPlaces() {
        TopologyDetails poisoned =
                new TopologyDetails(
                        "t",
                        topology("t", 1).getConf(),
                        topology("t", 1).getTopology(),
                        1,
                        topology("t", 1).getExecutorToComponent(),
                        "user") {
                    @Override
                    public String getName() {
                        // Only the snapshot asks for it, before the inner scheduler's turn.
                        for (StackTraceElement frame : new Throwable().getStackTrace()) {
                            if (frame.getClassName().equals(TopologyDefinitions.class.getName())) {
                                throw new LinkageError("planted");
                            }
                        }
                        return super.getName();
                    }
                };
        try (ScriptedSidecar sidecar = answering(deciding(ScriptedSidecar::keep));
                Rounds rounds = rounds(sidecar).with(poisoned)) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.status("t"))
                    .isEqualTo(
                            "placed by ResourceAwareScheduler: eyewall failed, see Nimbus's log");
            assertThat(rounds.count("eyewall:scheduler-errors")).isEqualTo(1);
        }
    }

    @Test
    void whatStormYamlMisspellsReachesNoSidecar() {
        try (ScriptedSidecar sidecar = answering(deciding(ScriptedSidecar::keep));
                Rounds rounds =
                        new Rounds(
                                        supervisors,
                                        Map.of(
                                                "eyewall.sidecar.addresses",
                                                List.of(sidecar.address()),
                                                "eyewall.deadline.first",
                                                3000))
                                .with(topology("t", 1, Map.of("eyewall.deadline.first", 3000L)))) {
            rounds.next();

            assertThat(sidecar.requests().get(0).getDefinitions(0).getSettingsMap()).isEmpty();
        }
    }

    @Test
    void aSchedulerThatWasNeverPreparedDoesNotEndNimbus() {
        new EyewallScheduler()
                .schedule(
                        new Topologies(),
                        Fixture.cluster(supervisors, List.of(), Map.of()));
    }

    @Test
    void badSettingsDoNotKeepNimbusFromStarting() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("eyewall.sidecar.addresses", List.of("nowhere"));
        settings.put("eyewall.scheduler.inner", "fifo");
        settings.put("eyewall.deadline.round.ms", "soon");
        // The default address may be that of a sidecar at work on this machine: it is not asked.
        TopologyDetails off = topology("t", 1, Map.of("eyewall.mode", "off"));
        try (Rounds rounds = new Rounds(supervisors, settings).with(off)) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
        }
    }

    @Test
    void stormUiKeepsItsResourceFigures() {
        // Nimbus shows them only where the scheduler is a ResourceAwareScheduler.
        assertThat(new EyewallScheduler()).isInstanceOf(ResourceAwareScheduler.class);
    }

    @Test
    void resourceLimitsHoldForTheSidecarToo() {
        TopologyDetails limited =
                topology("t", 1, Map.of(Config.TOPOLOGY_WORKER_MAX_HEAP_SIZE_MB, 256.0));
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> place(state, allOn(S1), RAN)));
                Rounds rounds = rounds(sidecar).with(limited)) {
            rounds.next();

            // RAS makes two workers of it: 512 MB of executors, 256 MB a worker.
            assertThat(rounds.running.get("t").values().stream().distinct()).hasSize(2);
            assertThat(rounds.status("t")).contains("topology.worker.max.heap.size.mb is 256");
        }
    }

    private Rounds rounds(ScriptedSidecar sidecar) {
        return rounds(sidecar, "resource-aware");
    }

    private Rounds rounds(ScriptedSidecar sidecar, String inner) {
        return rounds(sidecar.address(), inner);
    }

    private Rounds rounds(String address, String inner) {
        return new Rounds(supervisors, settings(address, inner));
    }

    private static Map<String, Object> settings(String address, String inner) {
        return Map.of(
                "eyewall.sidecar.addresses", List.of(address), "eyewall.scheduler.inner", inner);
    }

    /** Port 1 of loopback: nothing listens there. */
    private static String down() {
        return "127.0.0.1:1";
    }
}
