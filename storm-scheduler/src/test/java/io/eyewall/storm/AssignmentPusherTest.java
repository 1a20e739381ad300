package io.eyewall.storm;

import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.slot;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.generated.SupervisorInfo;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.junit.jupiter.api.Test;

class AssignmentPusherTest {

    private static final Map<ExecutorDetails, WorkerSlot> ON_S1 = allOn(slot("s1", 6700));
    private static final Map<ExecutorDetails, WorkerSlot> ON_S2 = allOn(slot("s2", 6700));

    private final StormMetricsRegistry registry = new StormMetricsRegistry();
    private final FakeNimbus nimbus = new FakeNimbus();
    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
    private final Set<String> dead = ConcurrentHashMap.newKeySet();

    /** A supervisor's host and the topologies that were pushed to it. */
    private record Sent(String host, Set<String> topologies) {}

    @Test
    void everySupervisorIsToldThoseWithoutAChangedSlotToo() throws InterruptedException {
        nimbus.publish("t", ON_S2);
        nimbus.publish("u", ON_S1);
        try (AssignmentPusher pusher = pusher()) {
            pusher.push(Map.of("t", ON_S2));

            assertThat(Set.of(next(), next(), next()))
                    .containsExactlyInAnyOrder(
                            new Sent("host-s1", Set.of("u")),
                            new Sent("host-s2", Set.of("t")),
                            new Sent("host-s3", Set.of()));
        }
    }

    @Test
    void nothingIsSentBeforeNimbusHasPublishedWhatTheRoundDecided() throws InterruptedException {
        nimbus.publish("t", ON_S1);
        try (AssignmentPusher pusher = pusher()) {
            pusher.push(Map.of("t", ON_S2));
            nimbus.asked.take();
            nimbus.asked.take();
            assertThat(sent).isEmpty();

            nimbus.publish("t", ON_S2);

            assertThat(Set.of(next(), next(), next()))
                    .containsExactlyInAnyOrder(
                            new Sent("host-s1", Set.of()),
                            new Sent("host-s2", Set.of("t")),
                            new Sent("host-s3", Set.of()));
        }
    }

    @Test
    void aSupervisorThatCannotBeReachedDoesNotKeepTheOthersFromBeingTold()
            throws InterruptedException {
        nimbus.publish("t", ON_S2);
        dead.add("host-s1");
        try (AssignmentPusher pusher = pusher()) {
            pusher.push(Map.of("t", ON_S2));

            assertThat(Set.of(next(), next()))
                    .extracting(Sent::host)
                    .containsExactlyInAnyOrder("host-s2", "host-s3");
        }
    }

    @Test
    void theNextRoundIsPushedAfterOneThatFailed() throws InterruptedException {
        nimbus.failing = true;
        try (AssignmentPusher pusher = pusher()) {
            pusher.push(Map.of("t", ON_S1));
            nimbus.asked.take();
            nimbus.failing = false;
            nimbus.publish("t", ON_S2);
            pusher.push(Map.of("t", ON_S2));

            assertThat(next()).isNotNull();
        }
    }

    @Test
    void aRoundThatChangedNothingIsNotPushed() throws InterruptedException {
        nimbus.publish("t", ON_S1);
        try (AssignmentPusher pusher = pusher()) {
            pusher.push(Map.of());
            pusher.push(Map.of("t", ON_S1));

            // One push to each of the three, for the second round alone.
            next();
            next();
            next();
            assertThat(sent).isEmpty();
        }
    }

    private Sent next() throws InterruptedException {
        Sent next = sent.poll(1, TimeUnit.MINUTES);
        assertThat(next).as("sent within a minute").isNotNull();
        return next;
    }

    private AssignmentPusher pusher() {
        return new AssignmentPusher(
                nimbus,
                (supervisor, assignments) -> {
                    if (dead.contains(supervisor.get_hostname())) {
                        throw new ConnectException("planted");
                    }
                    sent.add(
                            new Sent(
                                    supervisor.get_hostname(),
                                    Set.copyOf(assignments.get_storm_assignment().keySet())));
                },
                Duration.ofMinutes(1),
                new ShimMetrics(registry));
    }

    /** What ZooKeeper would hold: three supervisors, s1 to s3, and what the test publishes. */
    private static final class FakeNimbus implements AssignmentPusher.Published {
        private final Map<String, Assignment> assignments = new ConcurrentHashMap<>();
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        private volatile boolean failing;

        void publish(String topologyId, Map<ExecutorDetails, WorkerSlot> placement) {
            Map<List<Long>, NodeInfo> executors = new HashMap<>();
            Map<String, String> hosts = new HashMap<>();
            placement.forEach(
                    (executor, slot) -> {
                        executors.put(
                                executor.toList(),
                                new NodeInfo(slot.getNodeId(), Set.of((long) slot.getPort())));
                        hosts.put(slot.getNodeId(), "host-" + slot.getNodeId());
                    });
            Assignment assignment = new Assignment("dir");
            assignment.set_executor_node_port(executors);
            assignment.set_node_host(hosts);
            assignments.put(topologyId, assignment);
        }

        @Override
        public Collection<String> topologies() {
            return assignments.keySet();
        }

        @Override
        public Optional<Assignment> assignment(String topologyId) {
            asked.add(topologyId);
            if (failing) {
                throw new IllegalStateException("planted");
            }
            return Optional.ofNullable(assignments.get(topologyId));
        }

        @Override
        public Collection<SupervisorInfo> supervisors() {
            return List.of(supervisor("s1"), supervisor("s2"), supervisor("s3"));
        }

        private static SupervisorInfo supervisor(String id) {
            SupervisorInfo supervisor = new SupervisorInfo(0, "host-" + id);
            supervisor.set_server_port(6628);
            return supervisor;
        }
    }
}
