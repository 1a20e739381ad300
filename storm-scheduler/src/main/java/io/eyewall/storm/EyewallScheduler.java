package io.eyewall.storm;

import io.eyewall.storm.rpc.Decision;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.apache.storm.utils.ConfigUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nimbus's scheduler: {@code storm.scheduler: io.eyewall.storm.EyewallScheduler}.
 *
 * <p>Nothing that goes wrong here may reach Nimbus, which an exception would end, or hold it up, for
 * it cannot kill, submit or rebalance meanwhile. Being a ResourceAwareScheduler keeps the resource
 * figures in Storm UI.
 */
public class EyewallScheduler extends ResourceAwareScheduler {

    private static final Logger LOG = LoggerFactory.getLogger(EyewallScheduler.class);

    private final TopologyDefinitions definitions = new TopologyDefinitions();

    /** Why each topology's last decision was rejected: the same reason is logged once. */
    private final Map<String, String> rejections = new HashMap<>();

    private ShimSettings settings;
    private ShimMetrics metrics;
    private InnerScheduler inner;
    private SidecarClient sidecars;
    private AssignmentPusher pusher;

    @Override
    public void prepare(Map<String, Object> conf, StormMetricsRegistry metricsRegistry) {
        super.prepare(conf, metricsRegistry);
        settings = ShimSettings.read(conf);
        settings.complaints().forEach(complaint -> LOG.warn("storm.yaml: {}", complaint));
        metrics = new ShimMetrics(metricsRegistry);
        inner =
                switch (settings.inner()) {
                    case RESOURCE_AWARE -> InnerScheduler.resourceAware(super::schedule);
                    case DEFAULT -> InnerScheduler.defaultScheduler();
                };
        shielded(
                "connecting to sidecars",
                () -> sidecars = new SidecarClient(settings.addresses(), UUID.randomUUID().toString()));
        if (settings.pushAssignments() && !ConfigUtils.isLocalMode(conf)) {
            shielded(
                    "preparing to push assignments",
                    () ->
                            pusher =
                                    new AssignmentPusher(
                                            new NimbusPublications(conf),
                                            NimbusPublications.delivery(
                                                    conf, settings.pushTimeout()),
                                            settings.pushTimeout(),
                                            metrics));
        }
        LOG.info(
                "eyewall asks {} in this order; {} places what they do not decide",
                settings.addresses(),
                inner.name());
    }

    @Override
    public void schedule(Topologies topologies, Cluster cluster) {
        shielded("scheduling", () -> metrics.roundTime.time(() -> runRound(topologies, cluster)));
    }

    private void runRound(Topologies topologies, Cluster cluster) {
        metrics.rounds.mark();
        Round round = new Round(topologies.getTopologies(), cluster);
        if (!shielded("following the sidecar", () -> follow(round, cluster))) {
            round.unheard("eyewall failed, see Nimbus's log");
        }
        Map<String, String> said = new HashMap<>(cluster.getStatusMap());
        shielded(inner.name(), () -> inner.schedule(cluster, round.handedOver()));
        shielded("status texts", () -> StatusTexts.write(round, cluster, inner.name(), said));
        if (pusher != null) {
            shielded("pushing assignments", () -> pusher.push(round.changes(cluster)));
        }
    }

    @Override
    public Map<String, Map<String, Double>> config() {
        Map<String, Map<String, Double>> config = super.config();
        return config == null ? Map.of() : config;
    }

    @Override
    public void cleanup() {
        super.cleanup();
        if (sidecars != null) {
            sidecars.close();
        }
        if (pusher != null) {
            pusher.close();
        }
    }

    private void follow(Round round, Cluster cluster) {
        if (round.entrusted().isEmpty()) {
            return;
        }
        if (sidecars == null) {
            round.unheard("eyewall could not start, see Nimbus's log");
            return;
        }
        TimeLimit limit =
                TimeLimit.startingNow(
                        round.awaitsPlacement()
                                ? settings.firstDeadline()
                                : settings.roundDeadline());
        // All topologies: those that are not the sidecar's to decide hold slots that are not free.
        ClusterSnapshot snapshot =
                ClusterSnapshot.take(cluster, cluster.getTopologies().getTopologies(), definitions);
        Answer answer = metrics.sidecarTime.timeSupplier(() -> sidecars.ask(snapshot, limit));
        if (answer instanceof Answer.Failed failed) {
            metrics.fallback(failed.cause()).mark();
            round.unheard(failed.reason());
        } else if (answer instanceof Answer.Decided decided) {
            decided.decisions().forEach(decision -> carryOut(decision, round, cluster));
            round.unheard("the sidecar sent no decision");
            rejections.keySet().removeIf(id -> !round.isEntrusted(id));
        }
    }

    private void carryOut(Decision decision, Round round, Cluster cluster) {
        String id = decision.getTopologyId();
        if (decision.hasDecline() && !round.isEntrusted(id)) {
            return;
        }
        Optional<String> refused =
                round.isEntrusted(id)
                        ? refusal(decision, round, cluster)
                        : Optional.of("it is not this sidecar's to decide");
        if (refused.isPresent()) {
            metrics.rejected.mark();
            round.unheard(id, "decision rejected: " + refused.get());
            if (!refused.get().equals(rejections.put(id, refused.get()))) {
                LOG.warn("topology {}: decision rejected: {}", id, refused.get());
            }
        } else {
            rejections.remove(id);
        }
    }

    /** Does what was decided; if that cannot be done, the reason. */
    private Optional<String> refusal(Decision decision, Round round, Cluster cluster) {
        String id = decision.getTopologyId();
        switch (decision.getVerdictCase()) {
            case PLACE -> {
                Optional<String> reason = AssignmentApplier.apply(decision, cluster);
                if (reason.isEmpty()) {
                    round.decided(id, StatusTexts.placed(decision.getStatus()));
                    if (!decision.getBase().equals(Workers.digest(cluster, id))) {
                        metrics.placed.mark();
                    }
                }
                return reason;
            }
            case KEEP -> {
                if (round.isWaiting(id)) {
                    return Optional.of("it keeps a topology that has executors without a slot");
                }
                round.decided(
                        id, StatusTexts.kept(decision.getStatus(), cluster.getStatus(id)));
            }
            case DECLINE -> {
                metrics.declined.mark();
                round.declined(id, decision.getDecline().getReason());
            }
            case VERDICT_NOT_SET -> {
                return Optional.of("it has no verdict that this scheduler knows");
            }
        }
        return Optional.empty();
    }

    /** Whether the step came to its end; a scheduler in Nimbus survives everything. */
    private boolean shielded(String step, Runnable action) {
        try {
            action.run();
            return true;
        } catch (Throwable t) {
            LOG.error("{} failed; going on without", step, t);
            if (metrics != null) {
                metrics.errors.mark();
            }
            return false;
        }
    }
}
