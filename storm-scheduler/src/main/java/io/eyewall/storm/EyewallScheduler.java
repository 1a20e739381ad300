package io.eyewall.storm;

import io.eyewall.storm.rpc.Decision;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.Optional;
import java.util.UUID;
import org.apache.storm.metric.StormMetricsRegistry;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.Topologies;
import org.apache.storm.scheduler.TopologyDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.scheduler.resource.ResourceAwareScheduler;
import org.apache.storm.utils.ConfigUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nimbus's scheduler: {@code storm.scheduler: io.eyewall.storm.EyewallScheduler}.
 *
 * <p>No failure here may reach Nimbus, which an exception would end, or delay it: it cannot kill,
 * submit or rebalance meanwhile. Being a ResourceAwareScheduler keeps the resource
 * figures in Storm UI.
 */
public class EyewallScheduler extends ResourceAwareScheduler {

    private static final Logger LOG = LoggerFactory.getLogger(EyewallScheduler.class);

    /** Why each topology's last decision was rejected: the same reason is logged once. */
    private final Map<String, String> rejections = new HashMap<>();

    /** Why decisions of the last round were rejected: the next request reports it. */
    private Map<String, String> refusals = Map.of();

    private final ServedSlots served = new ServedSlots(System::nanoTime);

    private ShimSettings settings;
    private TopologyDefinitions definitions;
    private ShimMetrics metrics;
    private InnerScheduler inner;
    private SidecarClient sidecars;
    private AssignmentPusher pusher;
    private MoveOrders orders;

    @Override
    public void prepare(Map<String, Object> conf, StormMetricsRegistry metricsRegistry) {
        super.prepare(conf, metricsRegistry);
        settings = ShimSettings.read(conf);
        settings.complaints().forEach(complaint -> LOG.warn("storm.yaml: {}", complaint));
        definitions = new TopologyDefinitions(conf);
        metrics = new ShimMetrics(metricsRegistry);
        inner =
                switch (settings.inner()) {
                    case RESOURCE_AWARE -> InnerScheduler.resourceAware(super::schedule);
                    case DEFAULT -> InnerScheduler.defaultScheduler();
                };
        guarded(
                "connecting to sidecars",
                () -> sidecars = new SidecarClient(settings.addresses(), UUID.randomUUID().toString()));
        if (!ConfigUtils.isLocalMode(conf)) {
            orders = new MoveOrders(conf);
        }
        if (settings.pushAssignments() && !ConfigUtils.isLocalMode(conf)) {
            guarded(
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
        guarded("scheduling", () -> metrics.roundTime.time(() -> runRound(topologies, cluster)));
    }

    private void runRound(Topologies topologies, Cluster cluster) {
        metrics.rounds.mark();
        Round round = new Round(topologies.getTopologies(), cluster);
        if (!guarded("asking the sidecar", () -> decide(round, cluster))) {
            round.undecided("eyewall failed, see Nimbus's log");
        }
        Map<String, String> statuses = new HashMap<>(cluster.getStatusMap());
        guarded(inner.name(), () -> inner.schedule(cluster, round.delegated(), served.now()));
        guarded("ordering moves", () -> order(round, cluster));
        guarded("status texts", () -> StatusTexts.write(round, cluster, inner.name(), statuses));
        if (pusher != null) {
            guarded("pushing assignments", () -> pusher.push(round.changes(cluster)));
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
        if (orders != null) {
            orders.close();
        }
    }

    private void order(Round round, Cluster cluster) throws Exception {
        if (orders != null) {
            Map<String, Map<ExecutorDetails, WorkerSlot>> moves = round.moves(cluster);
            served.add(round.left(moves.keySet(), cluster));
            orders.write(
                    moves,
                    round.changesWithOrders(cluster),
                    cluster.getTopologies().getTopologies().stream()
                            .collect(
                                    Collectors.toMap(
                                            TopologyDetails::getId, TopologyDetails::getConf)));
        }
    }

    private void decide(Round round, Cluster cluster) {
        if (round.eligible().isEmpty()) {
            return;
        }
        if (sidecars == null) {
            round.undecided("eyewall could not start, see Nimbus's log");
            return;
        }
        TimeLimit limit =
                TimeLimit.startingNow(
                        round.awaitsPlacement()
                                ? settings.firstDeadline()
                                : settings.roundDeadline());
        // All topologies: those that the sidecar must not decide hold slots, too.
        ClusterSnapshot snapshot =
                ClusterSnapshot.take(
                        cluster,
                        cluster.getTopologies().getTopologies(),
                        definitions,
                        refusals);
        // Each is reported once, also where no answer comes in this round.
        refusals = new HashMap<>();
        Answer answer = metrics.sidecarTime.timeSupplier(() -> sidecars.ask(snapshot, limit));
        if (answer instanceof Answer.Failure failure) {
            metrics.fallback(failure.cause()).mark();
            round.undecided(failure.reason());
        } else if (answer instanceof Answer.Decisions decisions) {
            decisions.list().forEach(decision -> apply(decision, round, cluster));
            round.undecided("the sidecar sent no decision");
            rejections.keySet().removeIf(id -> !round.isEligible(id));
        }
    }

    private void apply(Decision decision, Round round, Cluster cluster) {
        String id = decision.getTopologyId();
        if (decision.hasDecline() && !round.isEligible(id)) {
            return;
        }
        Optional<String> refused =
                round.isEligible(id)
                        ? refusal(decision, round, cluster)
                        : Optional.of("the sidecar must not decide it");
        if (refused.isPresent()) {
            metrics.rejected.mark();
            refusals.put(id, refused.get());
            round.undecided(id, "decision rejected: " + refused.get());
            if (!refused.get().equals(rejections.put(id, refused.get()))) {
                LOG.warn("topology {}: decision rejected: {}", id, refused.get());
            }
        } else {
            rejections.remove(id);
        }
    }

    /** Applies a decision; returns the reason if it cannot be applied. */
    private Optional<String> refusal(Decision decision, Round round, Cluster cluster) {
        String id = decision.getTopologyId();
        switch (decision.getVerdictCase()) {
            case PLACE -> {
                Optional<String> reason = AssignmentApplier.apply(decision, cluster);
                if (reason.isEmpty()) {
                    round.decided(id, StatusTexts.placed(decision.getStatus()));
                    if (decision.getPlace().getOverlaps()) {
                        round.overlaps(id);
                    }
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
                return Optional.of("its verdict is unknown to this scheduler");
            }
        }
        return Optional.empty();
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Runs a step of which no error may reach Nimbus; false if it failed. */
    private boolean guarded(String step, Step action) {
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
