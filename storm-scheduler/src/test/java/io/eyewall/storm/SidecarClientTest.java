package io.eyewall.storm;

import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.snapshot;
import static io.eyewall.storm.ScriptedSidecar.answering;
import static io.eyewall.storm.ScriptedSidecar.client;
import static io.eyewall.storm.ScriptedSidecar.keeping;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.ShimSettings.Address;
import io.eyewall.storm.rpc.ScheduleReply;
import io.eyewall.storm.rpc.ScheduleRequest;
import io.eyewall.storm.rpc.TopologyDefinition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SidecarClientTest {

    private static final TimeLimit AMPLE = TimeLimit.startingNow(Duration.ofMinutes(5));

    private final ClusterSnapshot first = snapshot(slot("s1", 6700));
    private final ClusterSnapshot moved = snapshot(slot("s1", 6701));

    @Test
    void theFirstRequestHoldsEverything() {
        try (ScriptedSidecar sidecar = keeping();
                SidecarClient client = client(sidecar)) {
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decisions.class);

            ScheduleRequest request = sidecar.requests().get(0);
            assertThat(request.getContractVersion()).isEqualTo(1);
            assertThat(request.getNimbusId()).isEqualTo("nimbus");
            assertThat(request.getRound()).isEqualTo(1);
            assertThat(request.getDeadlineMs()).isPositive();
            assertThat(request.getStateDigest()).isEqualTo(first.digest());
            assertThat(request.getState()).isEqualTo(first.state());
            assertThat(definitionsIn(request)).containsExactly("t");
        }
    }

    @Test
    void anUnchangedStateIsNamedByItsDigestAlone() {
        try (ScriptedSidecar sidecar = keeping();
                SidecarClient client = client(sidecar)) {
            client.ask(first, AMPLE);
            client.ask(first, AMPLE);

            ScheduleRequest second = sidecar.requests().get(1);
            assertThat(second.getStateDigest()).isEqualTo(first.digest());
            assertThat(second.hasState()).isFalse();
            assertThat(second.getDefinitionsList()).isEmpty();
            assertThat(second.getRound()).isEqualTo(2);
        }
    }

    @Test
    void aChangedStateIsSentWithoutDefinitionsThatAreKnown() {
        try (ScriptedSidecar sidecar = keeping();
                SidecarClient client = client(sidecar)) {
            client.ask(first, AMPLE);
            client.ask(moved, AMPLE);

            ScheduleRequest second = sidecar.requests().get(1);
            assertThat(second.getState()).isEqualTo(moved.state());
            assertThat(second.getDefinitionsList()).isEmpty();
        }
    }

    @Test
    void aSidecarThatHasForgottenTheStateGetsItInTheSameRound() {
        try (ScriptedSidecar sidecar = forgetful();
                SidecarClient client = client(sidecar)) {
            client.ask(first, AMPLE);

            Answer answer = client.ask(first, AMPLE);

            // Round 1: everything. Round 2: the digest, then the state, then the definition.
            assertThat(answer).isInstanceOf(Answer.Decisions.class);
            assertThat(sidecar.requests()).extracting(ScheduleRequest::getRound)
                    .containsExactly(1L, 2L, 2L, 2L);
            assertThat(sidecar.requests()).extracting(ScheduleRequest::hasState)
                    .containsExactly(true, false, true, true);
            assertThat(sidecar.requests()).extracting(ScheduleRequest::getDefinitionsCount)
                    .containsExactly(1, 0, 0, 1);
        }
    }

    @Test
    void aSidecarThatNeverHasEnoughIsAnsweredThreeTimesOnly() {
        ScheduleReply more = ScheduleReply.newBuilder().setNeedsState(true).build();
        try (ScriptedSidecar sidecar = answering(request -> more.toByteArray());
                SidecarClient client = client(sidecar)) {
            assertThat(client.ask(first, AMPLE))
                    .isEqualTo(
                            new Answer.Failure(
                                    Answer.Cause.UNUSABLE,
                                    "sidecar %s keeps asking for a state it was sent"
                                            .formatted(sidecar.address())));
            assertThat(sidecar.requests()).hasSize(3);
        }
    }

    @Test
    void aNewerContractIsDeclinedByItsVersion() {
        ScheduleReply newer = ScheduleReply.newBuilder().setContractVersion(2).build();
        try (ScriptedSidecar sidecar = answering(request -> newer.toByteArray());
                SidecarClient client = client(sidecar)) {
            assertThat(client.ask(first, AMPLE))
                    .isEqualTo(
                            new Answer.Failure(
                                    Answer.Cause.UNUSABLE,
                                    "sidecar %s speaks contract version 2, this scheduler 1"
                                            .formatted(sidecar.address())));
        }
    }

    @Test
    void aDeadSidecarsSpareAnswersInTheSameRound() {
        try (ScriptedSidecar spare = keeping();
                SidecarClient client =
                        new SidecarClient(
                                List.of(
                                        new Address("127.0.0.1", 1),
                                        new Address("127.0.0.1", spare.port())),
                                "nimbus")) {
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decisions.class);
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decisions.class);

            assertThat(spare.requests()).hasSize(2);
        }
    }

    @Test
    void theSpareIsLeftAloneWhileTheFirstAnswers() {
        try (ScriptedSidecar one = keeping();
                ScriptedSidecar spare = keeping();
                SidecarClient client = client(one, spare)) {
            client.ask(first, AMPLE);

            assertThat(spare.requests()).isEmpty();
        }
    }

    /** Decides in round 1, and after that only with the state and the definition in the request. */
    private static ScriptedSidecar forgetful() {
        return answering(
                request -> {
                    ScheduleReply.Builder reply = ScheduleReply.newBuilder();
                    if (request.getRound() > 1 && !request.hasState()) {
                        reply.setNeedsState(true);
                    } else if (request.getRound() > 1 && request.getDefinitionsCount() == 0) {
                        reply.addNeedsDefinitions("t").addNeedsDefinitions("unheard of");
                    }
                    return reply.build().toByteArray();
                });
    }

    private static List<String> definitionsIn(ScheduleRequest request) {
        return request.getDefinitionsList().stream()
                .map(TopologyDefinition::getTopologyId)
                .toList();
    }
}
