package io.eyewall.storm;

import io.eyewall.storm.ShimSettings.Address;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the sidecars in the order of their addresses; the first answer counts.
 *
 * <p>A sidecar that was late or unreachable is not asked again until a probe in the background has
 * found it alive, about a second after its return. One that was late is then asked after the others
 * until it has answered in time: a slow sidecar costs one round its deadline, and every round only
 * where there is no better one. Not for several threads at once; Nimbus holds its scheduling lock.
 */
final class SidecarClient implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SidecarClient.class);
    private static final long PROBE_PERIOD_MS = 1000;

    private final List<Sidecar> sidecars;
    private final ScheduledExecutorService prober;
    private long round;

    SidecarClient(List<Address> addresses, String nimbusId) {
        sidecars = addresses.stream().map(address -> new Sidecar(address, nimbusId)).toList();
        prober =
                Executors.newSingleThreadScheduledExecutor(
                        task -> {
                            Thread thread = new Thread(task, "eyewall-sidecar-probe");
                            thread.setDaemon(true);
                            return thread;
                        });
        prober.scheduleWithFixedDelay(
                this::probe, PROBE_PERIOD_MS, PROBE_PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    /** Returns by the limit, whatever the sidecars do. */
    Answer ask(ClusterSnapshot snapshot, TimeLimit limit) {
        round++;
        List<Answer.Failure> failures = new ArrayList<>();
        for (Sidecar sidecar : inOrder()) {
            if (sidecar.isAway()) {
                failures.add(sidecar.unreachable());
                continue;
            }
            if (limit.end().isExpired() && !failures.isEmpty()) {
                break;
            }
            Answer answer = sidecar.ask(snapshot, round, limit);
            if (!(answer instanceof Answer.Failure failed)) {
                return answer;
            }
            failures.add(failed);
        }
        return first(failures);
    }

    @Override
    public void close() {
        prober.shutdownNow();
        sidecars.forEach(Sidecar::close);
    }

    /** Those that were late come last, among them the one that was late longest ago first. */
    private List<Sidecar> inOrder() {
        return sidecars.stream().sorted(Comparator.comparingLong(Sidecar::lateRound)).toList();
    }

    /** The failure of the sidecar that comes first; the others are spares. */
    private static Answer first(List<Answer.Failure> failures) {
        return failures.get(0);
    }

    private void probe() {
        for (Sidecar sidecar : sidecars) {
            try {
                // Only a round shows whether a late one is in time again.
                if (sidecar.isAway() && sidecar.probe() && sidecar.lateRound() == 0) {
                    LOG.info("sidecar {} is back", sidecar);
                }
            } catch (RuntimeException e) {
                LOG.warn("probing sidecar {} failed", sidecar, e);
            }
        }
    }
}
