package io.eyewall.storm;

import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static io.eyewall.storm.ScriptedSidecar.answering;
import static io.eyewall.storm.ScriptedSidecar.deciding;
import static io.eyewall.storm.ScriptedSidecar.keep;
import static io.eyewall.storm.ScriptedSidecar.place;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.Decision;
import io.eyewall.storm.rpc.TopologyState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.storm.scheduler.WorkerSlot;
import org.junit.jupiter.api.Test;

/** Decisions that cannot be applied: what runs stays, and the reason is reported. */
class RejectedDecisionTest {

    private static final WorkerSlot S1 = slot("s1", 6700);
    private static final WorkerSlot S2 = slot("s2", 6700);
    private static final String RAN = "eyewall: odp, optimal, R 41 ms";

    @Test
    void aRejectedDecisionLeavesTheRunningTopologyAndItsStatusAlone() {
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> place(state, allOn(slot("s9", 1)), "moved")));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.running("t", allOn(S1), RAN).next();

            assertThat(rounds.running).containsEntry("t", allOn(S1));
            assertThat(rounds.status("t")).isEqualTo(RAN);
            assertThat(rounds.count("eyewall:rejected-decisions")).isEqualTo(1);
        }
    }

    @Test
    void theNextRequestAloneReportsWhyADecisionWasRejected() {
        List<String> refusals = new ArrayList<>();
        try (ScriptedSidecar sidecar =
                        answering(
                                deciding(
                                        state -> {
                                            refusals.add(state.getRefusal());
                                            return refusals.size() == 1
                                                    ? place(state, allOn(slot("s9", 1)), "moved")
                                                    : keep(state);
                                        }));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.running("t", allOn(S1), RAN).next();
            rounds.next();
            rounds.next();

            assertThat(refusals).containsExactly("", "there is no supervisor s9", "");
        }
    }

    @Test
    void aRejectedFirstPlacementIsMadeByTheInnerSchedulerAndSaysWhy() {
        try (ScriptedSidecar sidecar =
                        answering(deciding(state -> place(state, allOn(slot("s9", 1)), "moved")));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.status("t"))
                    .isEqualTo(
                            "placed by ResourceAwareScheduler:"
                                    + " decision rejected: there is no supervisor s9");
        }
    }

    @Test
    void oneBadDecisionDoesNotHoldBackTheOthers() {
        Function<TopologyState, Decision> decide =
                state ->
                        place(state, state.getTopologyId().equals("t") ? Map.of() : allOn(S2), RAN);
        try (ScriptedSidecar sidecar = answering(deciding(decide));
                Rounds rounds = rounds(sidecar).with(topology("t", 1), topology("u", 1))) {
            rounds.next();

            assertThat(rounds.running).containsEntry("u", allOn(S2));
            assertThat(rounds.status("t"))
                    .isEqualTo(
                            "placed by ResourceAwareScheduler:"
                                    + " decision rejected: 4 executors are placed nowhere");
        }
    }

    @Test
    void keepingATopologyWithExecutorsNowhereIsRejected() {
        try (ScriptedSidecar sidecar = answering(deciding(ScriptedSidecar::keep));
                Rounds rounds = rounds(sidecar).with(topology("t", 1))) {
            rounds.next();

            assertThat(rounds.running.get("t")).hasSize(4);
            assertThat(rounds.count("eyewall:rejected-decisions")).isEqualTo(1);
        }
    }

    private static Rounds rounds(ScriptedSidecar sidecar) {
        return new Rounds(
                List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700, 6701)),
                Map.of("eyewall.sidecar.addresses", List.of(sidecar.address())));
    }
}
