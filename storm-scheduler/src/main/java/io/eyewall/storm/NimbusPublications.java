package io.eyewall.storm;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.storm.Config;
import org.apache.storm.cluster.ClusterStateContext;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.DaemonType;
import org.apache.storm.cluster.IStormClusterState;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.SupervisorInfo;
import org.apache.storm.utils.SupervisorClient;

/**
 * What Nimbus has published, read from ZooKeeper (the supervisors that a scheduler is shown lack
 * their Thrift port), over a connection that is made when it is first needed.
 */
final class NimbusPublications implements AssignmentPusher.Published {

    private final Map<String, Object> conf;
    private IStormClusterState state;
    private boolean closed;

    NimbusPublications(Map<String, Object> conf) {
        this.conf = conf;
    }

    /** Sends to supervisors as Nimbus does, but tries each only once. */
    static AssignmentPusher.Delivery delivery(Map<String, Object> conf, Duration timeout) {
        Map<String, Object> once = new HashMap<>(conf);
        once.put(Config.STORM_NIMBUS_RETRY_TIMES, 0);
        once.put(Config.SUPERVISOR_THRIFT_SOCKET_TIMEOUT_MS, Math.toIntExact(timeout.toMillis()));
        return (supervisor, assignments) -> {
            try (SupervisorClient client =
                    SupervisorClient.Builder.withConf(once)
                            .withHostName(supervisor.get_hostname())
                            .withPort(supervisor.get_server_port())
                            .build()) {
                client.getIface().sendSupervisorAssignments(assignments);
            }
        };
    }

    @Override
    public Collection<String> topologies() throws Exception {
        return state().activeStorms();
    }

    @Override
    public Optional<Assignment> assignment(String topologyId) throws Exception {
        return Optional.ofNullable(state().remoteAssignmentInfo(topologyId, null));
    }

    @Override
    public Collection<SupervisorInfo> supervisors() throws Exception {
        return state().allSupervisorInfo().values();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (state != null) {
            state.disconnect();
        }
    }

    private synchronized IStormClusterState state() throws Exception {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        if (state == null) {
            state =
                    ClusterUtils.mkStormClusterState(
                            conf, new ClusterStateContext(DaemonType.NIMBUS, conf));
        }
        return state;
    }
}
