package io.eyewall.storm;

import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static io.eyewall.storm.ScriptedSidecar.answering;
import static io.eyewall.storm.ScriptedSidecar.deciding;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.ShimSettings.Address;
import io.eyewall.storm.rpc.ScheduleReply;
import io.eyewall.storm.rpc.ScheduleRequest;
import io.eyewall.storm.rpc.TopologyDefinition;
import io.grpc.Status;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.storm.scheduler.TopologyDetails;
import org.junit.jupiter.api.Test;

class SidecarClientTest {

    private static final TimeLimit AMPLE = TimeLimit.startingNow(Duration.ofMinutes(5));

    private final TopologyDefinitions definitions = new TopologyDefinitions();
    private final ClusterSnapshot first = snapshot(6700);
    private final ClusterSnapshot moved = snapshot(6701);

    @Test
    void theFirstRequestHoldsEverything() {
        try (ScriptedSidecar sidecar = keeping();
                SidecarClient client = client(sidecar)) {
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decided.class);

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
            assertThat(answer).isInstanceOf(Answer.Decided.class);
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
                            new Answer.Failed(
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
                            new Answer.Failed(
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
                                List.of(new Address("127.0.0.1", 1), address(spare)), "nimbus")) {
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decided.class);
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decided.class);

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

    @Test
    void aSilentSidecarCostsOneRoundItsDeadlineAndThenTheSpareIsAsked() {
        CountDownLatch never = new CountDownLatch(1);
        try (ScriptedSidecar silent =
                        new ScriptedSidecar(0, request -> new byte[0], Status.OK, never);
                ScriptedSidecar spare = keeping();
                SidecarClient client = client(silent, spare)) {
            assertThat(client.ask(first, TimeLimit.startingNow(Duration.ofMillis(300))))
                    .isEqualTo(
                            new Answer.Failed(
                                    Answer.Cause.LATE, "sidecar did not answer in 300 ms"));
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decided.class);
            assertThat(silent.requests()).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void aSidecarThatIsBackIsUsedAgain() throws InterruptedException {
        ScriptedSidecar killed = keeping();
        int port = killed.port();
        try (SidecarClient client = client(killed)) {
            client.ask(first, AMPLE);
            killed.die();
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Failed.class);

            try (ScriptedSidecar back =
                    new ScriptedSidecar(
                            port,
                            deciding(ScriptedSidecar::keep),
                            Status.OK,
                            new CountDownLatch(0))) {
                assertThat(askUntilAnswered(client, first)).isInstanceOf(Answer.Decided.class);
                // It is another process: nothing counts as known to it.
                assertThat(back.requests().get(0).hasState()).isTrue();
                assertThat(definitionsIn(back.requests().get(0))).containsExactly("t");
            }
        }
    }

    @Test
    void aStateThatASlowSidecarHasReceivedIsNotSentAgain() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        ScriptedSidecar.Script decide = deciding(ScriptedSidecar::keep);
        ScriptedSidecar.Script slowInRoundTwo =
                request -> {
                    if (request.getRound() == 2) {
                        awaitQuietly(done);
                    }
                    return decide.reply(request);
                };
        try (ScriptedSidecar slow = answering(slowInRoundTwo);
                SidecarClient client = client(slow)) {
            client.ask(first, AMPLE);
            // Time enough for a request to arrive over a connection that is there.
            client.ask(moved, TimeLimit.startingNow(Duration.ofSeconds(2)));
            done.countDown();

            assertThat(askUntilAnswered(client, moved)).isInstanceOf(Answer.Decided.class);
            assertThat(slow.requests())
                    .extracting(ScheduleRequest::hasState)
                    .containsExactly(true, true, false);
        }
    }

    @Test
    void aSidecarThatLivesButIsLateIsAskedAfterItsSpare() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        try (ScriptedSidecar slow = waitingFor(never);
                ScriptedSidecar spare = keeping();
                SidecarClient client = client(slow, spare)) {
            client.ask(first, brief());
            awaitProbes(slow, 1);

            for (int round = 0; round < 20; round++) {
                assertThat(client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(10))))
                        .isInstanceOf(Answer.Decided.class);
                Thread.sleep(50);
            }
            assertThat(spare.requests()).hasSize(20);
            assertThat(slow.requests()).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void ofTwoLateSidecarsTheOneThatWasLateLongerAgoIsAsked() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch spareIsQuickAgain = new CountDownLatch(1);
        try (ScriptedSidecar slow = waitingFor(never);
                ScriptedSidecar spare = waitingFor(spareIsQuickAgain);
                SidecarClient client = client(slow, spare)) {
            client.ask(first, brief());
            awaitProbes(slow, 1);
            client.ask(first, brief());
            awaitProbes(spare, 1);
            spareIsQuickAgain.countDown();

            // Both live. The first is late once more, then it is the spare's turn; a round more for
            // a client that has not noticed its last probe's answer yet.
            Answer answer = client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(2)));
            for (int late = 2; late <= 3 && answer instanceof Answer.Failed; late++) {
                awaitProbes(slow, late);
                Thread.sleep(100);
                answer = client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(2)));
            }
            assertThat(answer).isInstanceOf(Answer.Decided.class);
        }
    }

    @Test
    void aSidecarThatIsInTimeAgainIsAskedBeforeItsSpareAgain() throws InterruptedException {
        CountDownLatch quickAgain = new CountDownLatch(1);
        ScriptedSidecar spare = keeping();
        int port = spare.port();
        try (ScriptedSidecar slow = waitingFor(quickAgain);
                SidecarClient client = client(slow, spare)) {
            client.ask(first, brief());
            quickAgain.countDown();
            spare.die();
            assertThat(askUntilAnswered(client, first)).isInstanceOf(Answer.Decided.class);

            try (ScriptedSidecar back =
                    new ScriptedSidecar(
                            port,
                            deciding(ScriptedSidecar::keep),
                            Status.OK,
                            new CountDownLatch(0))) {
                awaitProbes(back, 1);
                for (int round = 0; round < 20; round++) {
                    client.ask(first, AMPLE);
                    Thread.sleep(50);
                }
                assertThat(back.requests()).isEmpty();
            }
        }
    }

    @Test
    void theOnlySidecarIsAskedThoughItIsAlwaysLateAndThatIsSaidOnce() throws InterruptedException {
        CountDownLatch quickAgain = new CountDownLatch(1);
        try (Logged log = new Logged();
                ScriptedSidecar slow = waitingFor(quickAgain);
                SidecarClient client = client(slow)) {
            for (int i = 0; i < 600 && slow.requests().size() < 3; i++) {
                client.ask(first, brief());
                Thread.sleep(100);
            }
            assertThat(slow.requests()).hasSizeGreaterThanOrEqualTo(3);
            quickAgain.countDown();
            askUntilAnswered(client, first);

            assertThat(log.lines())
                    .containsExactly(
                            "WARN sidecar %s did not answer in 300 ms; until it answers in time it is asked last"
                                    .formatted(slow.address()),
                            "INFO sidecar %s answers in time again".formatted(slow.address()));
        }
    }

    @Test
    void aSidecarThatGoesAndComesBackIsSaidToDoSo() throws InterruptedException {
        ScriptedSidecar killed = keeping();
        int port = killed.port();
        try (Logged log = new Logged();
                SidecarClient client = client(killed)) {
            client.ask(first, AMPLE);
            killed.die();
            client.ask(first, AMPLE);

            try (ScriptedSidecar back =
                    new ScriptedSidecar(
                            port,
                            deciding(ScriptedSidecar::keep),
                            Status.OK,
                            new CountDownLatch(0))) {
                askUntilAnswered(client, first);

                assertThat(log.lines()).hasSize(2);
                assertThat(log.lines().get(0))
                        .startsWith(
                                "WARN sidecar %s is left out until it answers again: UNAVAILABLE"
                                        .formatted(back.address()));
                assertThat(log.lines().get(1))
                        .isEqualTo("INFO sidecar %s is back".formatted(back.address()));
            }
        }
    }

    /** Long enough for a request to arrive over a connection that is there. */
    private static TimeLimit brief() {
        return TimeLimit.startingNow(Duration.ofMillis(300));
    }

    private static ScriptedSidecar waitingFor(CountDownLatch go) {
        return new ScriptedSidecar(0, deciding(ScriptedSidecar::keep), Status.OK, go);
    }

    private static void awaitProbes(ScriptedSidecar sidecar, int probes)
            throws InterruptedException {
        for (int i = 0; i < 600 && sidecar.probes() < probes; i++) {
            Thread.sleep(100);
        }
        assertThat(sidecar.probes()).isGreaterThanOrEqualTo(probes);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A probe each second; far more rounds than it can need on a busy machine. */
    private static Answer askUntilAnswered(SidecarClient client, ClusterSnapshot snapshot)
            throws InterruptedException {
        Answer answer = client.ask(snapshot, AMPLE);
        for (int i = 0; i < 600 && answer instanceof Answer.Failed; i++) {
            Thread.sleep(100);
            answer = client.ask(snapshot, AMPLE);
        }
        return answer;
    }

    private static ScriptedSidecar keeping() {
        return answering(deciding(ScriptedSidecar::keep));
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

    private static SidecarClient client(ScriptedSidecar... sidecars) {
        return new SidecarClient(
                Arrays.stream(sidecars).map(SidecarClientTest::address).toList(), "nimbus");
    }

    private static Address address(ScriptedSidecar sidecar) {
        return new Address("127.0.0.1", sidecar.port());
    }

    private static List<String> definitionsIn(ScheduleRequest request) {
        return request.getDefinitionsList().stream()
                .map(TopologyDefinition::getTopologyId)
                .toList();
    }

    private ClusterSnapshot snapshot(int port) {
        List<TopologyDetails> topologies = List.of(topology("t", 1));
        return ClusterSnapshot.take(
                Fixture.cluster(
                        List.of(supervisor("s1", 6700, 6701)),
                        topologies,
                        Map.of("t", allOn(slot("s1", port)))),
                topologies,
                definitions);
    }
}
