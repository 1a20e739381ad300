package io.eyewall.storm;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.SupervisorAssignments;
import org.apache.storm.generated.SupervisorInfo;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends every supervisor its assignments as soon as a round changes any.
 *
 * <p>Nimbus notifies only supervisors whose own slots changed; every other one asks every 10 s, and
 * until then its workers send to where a moved executor no longer is. Pushing is an optimisation: it
 * runs on its own threads, and where it fails the supervisors ask as without it.
 */
final class AssignmentPusher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AssignmentPusher.class);

    private static final Duration PUBLICATION_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL_PERIOD = Duration.ofMillis(20);
    private static final int SENDERS = 8;

    /** A push that overtakes a newer assignment is repeated: the older one must not arrive last. */
    private static final int REPEATS = 3;

    /** What Nimbus has published. */
    interface Published extends AutoCloseable {
        /** Ids of the topologies that run. */
        Collection<String> topologies() throws Exception;

        Optional<Assignment> assignment(String topologyId) throws Exception;

        Collection<SupervisorInfo> supervisors() throws Exception;

        @Override
        default void close() {}
    }

    /** Sends a supervisor its assignments. */
    interface Delivery {
        void send(SupervisorInfo supervisor, SupervisorAssignments assignments) throws Exception;
    }

    private final Published published;
    private final Delivery delivery;
    private final Duration timeout;
    private final ShimMetrics metrics;

    /** The newest changes only: a late push sends what is current by then. */
    private final BlockingQueue<Map<String, Map<ExecutorDetails, WorkerSlot>>> changes =
            new LinkedBlockingQueue<>(1);

    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final ExecutorService senders;
    private final Thread thread;

    AssignmentPusher(
            Published published, Delivery delivery, Duration timeout, ShimMetrics metrics) {
        this.published = published;
        this.delivery = delivery;
        this.timeout = timeout;
        this.metrics = metrics;
        ThreadFactory daemons =
                task -> {
                    Thread daemon = new Thread(task, "eyewall-push");
                    daemon.setDaemon(true);
                    return daemon;
                };
        senders = Executors.newFixedThreadPool(SENDERS, daemons);
        thread = daemons.newThread(this::run);
        thread.start();
    }

    /** Returns at once. Called before Nimbus publishes what the round decided. */
    void push(Map<String, Map<ExecutorDetails, WorkerSlot>> changed) {
        if (changed.isEmpty()) {
            return;
        }
        while (!changes.offer(changed)) {
            changes.poll();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        senders.shutdownNow();
        published.close();
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                if (awaitPublished(changes.take())) {
                    sendToAll();
                }
            } catch (InterruptedException e) {
                return;
            } catch (Throwable t) {
                LOG.warn("pushing assignments failed; supervisors will ask for them", t);
            }
        }
    }

    /** False if there is a newer change, or what was expected was not published. */
    private boolean awaitPublished(Map<String, Map<ExecutorDetails, WorkerSlot>> expected)
            throws Exception {
        long end = System.nanoTime() + PUBLICATION_TIMEOUT.toNanos();
        while (changes.isEmpty() && System.nanoTime() < end) {
            Map<String, Map<ExecutorDetails, WorkerSlot>> now = new HashMap<>();
            for (Map.Entry<String, Assignment> entry : assignments(expected.keySet()).entrySet()) {
                now.put(entry.getKey(), placement(entry.getValue()));
            }
            expected.keySet().forEach(id -> now.putIfAbsent(id, Map.of()));
            if (now.equals(expected)) {
                return true;
            }
            Thread.sleep(POLL_PERIOD.toMillis());
        }
        return false;
    }

    private void sendToAll() throws Exception {
        Collection<SupervisorInfo> supervisors = published.supervisors();
        Map<String, Assignment> sent = Map.of();
        for (int i = 0; i < REPEATS; i++) {
            Map<String, Assignment> now = assignments(published.topologies());
            if (now.equals(sent)) {
                return;
            }
            sent = now;
            List<Callable<Void>> sends =
                    supervisors.stream()
                            .filter(SupervisorInfo::is_set_server_port)
                            .<Callable<Void>>map(supervisor -> () -> send(supervisor, now))
                            .toList();
            senders.invokeAll(sends, 2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private Map<String, Assignment> assignments(Collection<String> topologyIds) throws Exception {
        Map<String, Assignment> assignments = new HashMap<>();
        for (String id : topologyIds) {
            published.assignment(id).ifPresent(assignment -> assignments.put(id, assignment));
        }
        return assignments;
    }

    /** Sends what Nimbus sends: all topologies with a worker on the supervisor's host. */
    private Void send(SupervisorInfo supervisor, Map<String, Assignment> assignments) {
        String host = supervisor.get_hostname();
        SupervisorAssignments ofHost = new SupervisorAssignments();
        ofHost.set_storm_assignment(
                assignments.entrySet().stream()
                        .filter(entry -> entry.getValue().get_node_host().containsValue(host))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        String name = host + ":" + supervisor.get_server_port();
        try {
            delivery.send(supervisor, ofHost);
            metrics.pushes.mark();
            if (failing.remove(name)) {
                LOG.info("supervisor {} accepts assignments again", name);
            }
        } catch (Exception e) {
            metrics.pushFailures.mark();
            if (failing.add(name)) {
                LOG.warn("supervisor {} could not be sent its assignments: {}", name, e.toString());
            }
        }
        return null;
    }

    private static Map<ExecutorDetails, WorkerSlot> placement(Assignment assignment) {
        Map<ExecutorDetails, WorkerSlot> placement = new HashMap<>();
        assignment
                .get_executor_node_port()
                .forEach(
                        (tasks, node) ->
                                placement.put(
                                        new ExecutorDetails(
                                                tasks.get(0).intValue(), tasks.get(1).intValue()),
                                        new WorkerSlot(
                                                node.get_node(),
                                                node.get_port_iterator().next())));
        return placement;
    }
}
