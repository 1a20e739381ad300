package io.eyewall.storm;

import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.snapshot;
import static io.eyewall.storm.ScriptedSidecar.answering;
import static io.eyewall.storm.ScriptedSidecar.client;
import static io.eyewall.storm.ScriptedSidecar.deciding;
import static io.eyewall.storm.ScriptedSidecar.keeping;
import static io.eyewall.storm.ScriptedSidecar.keepingAt;
import static io.eyewall.storm.ScriptedSidecar.waitingFor;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.ScheduleRequest;
import io.eyewall.storm.rpc.TopologyDefinition;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Sidecars that are late, that die, and that come back. */
class LostSidecarTest {

    private static final TimeLimit AMPLE = TimeLimit.startingNow(Duration.ofMinutes(5));

    private final ClusterSnapshot first = snapshot(slot("s1", 6700));
    private final ClusterSnapshot moved = snapshot(slot("s1", 6701));

    @Test
    void aSilentSidecarCostsOneRoundItsDeadlineAndThenTheSpareIsAsked() {
        CountDownLatch never = new CountDownLatch(1);
        try (ScriptedSidecar silent = waitingFor(never);
                ScriptedSidecar spare = keeping();
                SidecarClient client = client(silent, spare)) {
            assertThat(client.ask(first, brief()))
                    .isEqualTo(
                            new Answer.Failure(
                                    Answer.Cause.LATE, "sidecar did not answer in 300 ms"));
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Decisions.class);
            assertThat(silent.requests()).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void aSidecarThatLivesButIsLateIsAskedAfterItsSpare() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        try (ScriptedSidecar slow = waitingFor(never);
                ScriptedSidecar spare = keeping();
                SidecarClient client = client(slow, spare)) {
            client.ask(first, brief());
            slow.awaitProbes(1);

            for (int round = 0; round < 20; round++) {
                assertThat(client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(10))))
                        .isInstanceOf(Answer.Decisions.class);
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
            slow.awaitProbes(1);
            client.ask(first, brief());
            spare.awaitProbes(1);
            spareIsQuickAgain.countDown();

            // Both live. The first is late once more, then it is the spare's turn; a round more for
            // a client that has not noticed its last probe's answer yet.
            Answer answer = client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(2)));
            for (int late = 2; late <= 3 && answer instanceof Answer.Failure; late++) {
                slow.awaitProbes(late);
                Thread.sleep(100);
                answer = client.ask(first, TimeLimit.startingNow(Duration.ofSeconds(2)));
            }
            assertThat(answer).isInstanceOf(Answer.Decisions.class);
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
            assertThat(askUntilAnswered(client, first)).isInstanceOf(Answer.Decisions.class);

            try (ScriptedSidecar back = keepingAt(port)) {
                back.awaitProbes(1);
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

            assertThat(askUntilAnswered(client, moved)).isInstanceOf(Answer.Decisions.class);
            assertThat(slow.requests())
                    .extracting(ScheduleRequest::hasState)
                    .containsExactly(true, true, false);
        }
    }

    @Test
    void aSidecarThatIsBackIsUsedAgain() throws InterruptedException {
        ScriptedSidecar killed = keeping();
        int port = killed.port();
        try (SidecarClient client = client(killed)) {
            client.ask(first, AMPLE);
            killed.die();
            assertThat(client.ask(first, AMPLE)).isInstanceOf(Answer.Failure.class);

            try (ScriptedSidecar back = keepingAt(port)) {
                assertThat(askUntilAnswered(client, first)).isInstanceOf(Answer.Decisions.class);
                // It is another process: nothing counts as known to it.
                assertThat(back.requests().get(0).hasState()).isTrue();
                assertThat(back.requests().get(0).getDefinitionsList())
                        .extracting(TopologyDefinition::getTopologyId)
                        .containsExactly("t");
            }
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

            try (ScriptedSidecar back = keepingAt(port)) {
                log.awaitLines(2);

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
        for (int i = 0; i < 600 && answer instanceof Answer.Failure; i++) {
            Thread.sleep(100);
            answer = client.ask(snapshot, AMPLE);
        }
        return answer;
    }
}
