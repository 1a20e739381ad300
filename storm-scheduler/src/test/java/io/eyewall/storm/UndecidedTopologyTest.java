package io.eyewall.storm;

import static io.eyewall.storm.Fixture.COUNT_A;
import static io.eyewall.storm.Fixture.SPOUT;
import static io.eyewall.storm.Fixture.allOn;
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
import io.eyewall.storm.rpc.ScheduleReply;
import io.eyewall.storm.rpc.TopologyState;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topologies that are left to themselves: declined, without a decision, or with mode off. */
class UndecidedTopologyTest {

    private static final WorkerSlot S1 = slot("s1", 6700);
    private static final WorkerSlot S2_OTHER = slot("s2", 6701);
    private static final String RAN = "eyewall: odp, optimal, R 41 ms";

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void aDeclinedTopologyThatRunsWholeIsKeptOnFewerWorkersThanItAskedFor(String inner) {
        // It asks for four workers, four slots exist, three of them free: Storm would spread it.
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> decline(state, "eyewall.policy is fast")));
                Rounds rounds = rounds(sidecar, inner).with(topology("t", 4))) {
            rounds.running("t", allOn(S1), RAN).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1));
            assertThat(rounds.status("t")).isEqualTo("eyewall: kept; eyewall.policy is fast");
            assertThat(rounds.count("eyewall:declined-topologies")).isEqualTo(1);
        }
    }

    @Test
    void aDeclinedTopologyWithAnExecutorNowhereIsTheInnerSchedulers() {
        // A worker was lost; the default scheduler gives the topology the two workers it asked for.
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> decline(state, "eyewall.policy is fast")));
                Rounds rounds = rounds(sidecar, "default").with(topology("t", 2))) {
            rounds.running("t", placed(S1, SPOUT, COUNT_A), RAN).next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.running.get("t").values().stream().distinct()).hasSize(2);
            assertThat(rounds.status("t"))
                    .isEqualTo("placed by DefaultScheduler: eyewall.policy is fast");
        }
    }

    @Test
    void theReasonOfADeclineStandsNoLongerThanTheDecline() {
        String[] reason = {"eyewall failed"};
        Function<TopologyState, Decision> decide =
                state -> reason[0] == null ? keep(state) : decline(state, reason[0]);
        try (ScriptedSidecar sidecar = answering(deciding(decide));
                Rounds rounds = rounds(sidecar, "resource-aware").with(topology("t", 1))) {
            rounds.running("t", allOn(S1), RAN).next();
            reason[0] = null;
            rounds.next();

            assertThat(rounds.status("t")).isEqualTo("eyewall: kept");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void aTopologyWithoutADecisionStaysAsItRuns(String inner) {
        try (ScriptedSidecar sidecar =
                        answering(request -> ScheduleReply.getDefaultInstance().toByteArray());
                Rounds rounds = rounds(sidecar, inner).with(topology("t", 4))) {
            rounds.running("t", allOn(S1), RAN).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1));
            assertThat(rounds.status("t")).isEqualTo(RAN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource-aware", "default"})
    void aTopologyWithModeOffIsNotDecided(String inner) {
        // YAML reads a bare off as false.
        for (Object off : List.of("off", false)) {
            TopologyDetails own = topology("t", 1, Map.of("eyewall.mode", off));
            try (ScriptedSidecar sidecar =
                            answering(deciding(state -> place(state, allOn(S2_OTHER), RAN)));
                    Rounds rounds = rounds(sidecar, inner).with(own)) {
                rounds.next();

                assertThat(sidecar.requests()).isEmpty();
                assertThat(rounds.running.get("t")).hasSize(4);
                assertThat(rounds.status("t")).satisfiesAnyOf(
                        text -> assertThat(text).isNull(),
                        text -> assertThat(text).doesNotContain("eyewall"));
            }
        }
    }

    @Test
    void theDefaultSchedulerSpreadsARunningTopologyWithModeOff() {
        // Two workers asked for, two workers got, whatever a sidecar says about it.
        TopologyDetails own = topology("t", 2, Map.of("eyewall.mode", "off"));
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> decline(state, "eyewall.mode is off")));
                Rounds rounds = rounds(sidecar, "default").with(own, topology("u", 1))) {
            rounds.running("t", allOn(S1), null).next();

            assertThat(rounds.running.get("t").values().stream().distinct()).hasSize(2);
            assertThat(rounds.status("t")).isNull();
        }
    }

    @Test
    void theSlotsOfATopologyWithModeOffAreShownAsItsOwn() {
        TopologyDetails own = topology("own", 1, Map.of("eyewall.mode", "off"));
        try (ScriptedSidecar sidecar = answering(deciding(state -> keep(state)));
                Rounds rounds = rounds(sidecar, "resource-aware").with(own, topology("t", 1))) {
            rounds.next();
            rounds.next();

            // A keep for what is not the sidecar's to decide changes nothing either.
            assertThat(rounds.running.get("own")).hasSize(4);
            assertThat(sidecar.requests().get(sidecar.requests().size() - 1).getState())
                    .satisfies(
                            shown ->
                                    assertThat(shown.getTopologiesList())
                                            .anySatisfy(
                                                    topology -> {
                                                        assertThat(topology.getTopologyId())
                                                                .isEqualTo("own");
                                                        assertThat(topology.getWorkersList())
                                                                .isNotEmpty();
                                                    }));
        }
    }

    private static Rounds rounds(ScriptedSidecar sidecar, String inner) {
        return new Rounds(
                List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700, 6701)),
                Map.of(
                        "eyewall.sidecar.addresses",
                        List.of(sidecar.address()),
                        "eyewall.scheduler.inner",
                        inner));
    }
}
