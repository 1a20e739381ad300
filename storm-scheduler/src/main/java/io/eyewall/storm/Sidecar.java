package io.eyewall.storm;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import io.eyewall.storm.ShimSettings.Address;
import io.eyewall.storm.rpc.ScheduleReply;
import io.eyewall.storm.rpc.ScheduleRequest;
import io.eyewall.storm.rpc.SchedulerGrpc;
import io.eyewall.storm.rpc.SchedulerGrpc.SchedulerBlockingStub;
import io.eyewall.storm.rpc.TopologyDefinition;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.okhttp.OkHttpChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sidecar: the connection to it, and which parts of the state it has. */
final class Sidecar implements AutoCloseable {

    static final int CONTRACT_VERSION = 1;

    private static final Logger LOG = LoggerFactory.getLogger(Sidecar.class);
    private static final int MESSAGE_LIMIT_BYTES = 64 * 1024 * 1024;
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);

    /** A request, a second with the state, a third with definitions: then it has everything. */
    private static final int REQUESTS_PER_ROUND = 3;

    /** gRPC's standard health check; its empty request asks about the server as a whole. */
    static final MethodDescriptor<Empty, Empty> HEALTH =
            MethodDescriptor.<Empty, Empty>newBuilder()
                    .setType(MethodType.UNARY)
                    .setFullMethodName("grpc.health.v1.Health/Check")
                    .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
                    .build();

    private final Address address;
    private final String nimbusId;
    private final ManagedChannel channel;
    private final SchedulerBlockingStub stub;

    private ByteString knownState = ByteString.EMPTY;
    private Set<ByteString> knownDefinitions = Set.of();
    private volatile boolean away;

    /** The last round in which it was late; 0 once it has answered in time. */
    private volatile long lateRound;

    Sidecar(Address address, String nimbusId) {
        this.address = address;
        this.nimbusId = nimbusId;
        channel =
                OkHttpChannelBuilder.forAddress(address.host(), address.port())
                        .usePlaintext()
                        .proxyDetector(target -> null)
                        .maxInboundMessageSize(MESSAGE_LIMIT_BYTES)
                        .build();
        stub = SchedulerGrpc.newBlockingStub(channel);
        channel.getState(true);
    }

    Answer ask(ClusterSnapshot snapshot, long round, TimeLimit limit) {
        ScheduleRequest request = request(snapshot, round);
        try {
            for (int sent = 0; sent < REQUESTS_PER_ROUND; sent++) {
                ScheduleReply reply = send(request, limit);
                if (reply.getContractVersion() > CONTRACT_VERSION) {
                    return unusable(
                            "speaks contract version %d, this scheduler %d"
                                    .formatted(reply.getContractVersion(), CONTRACT_VERSION));
                }
                if (!reply.getNeedsState() && reply.getNeedsDefinitionsCount() == 0) {
                    remember(snapshot);
                    markInTime();
                    return new Answer.Decisions(reply.getDecisionsList());
                }
                request = complete(request, reply, snapshot);
            }
            return unusable("keeps asking for a state it was sent");
        } catch (StatusRuntimeException e) {
            return failed(e.getStatus(), snapshot, round, limit);
        }
    }

    /** It did not answer, and no probe has found it alive since. */
    boolean isAway() {
        return away;
    }

    /** The last round in which it was late; 0 if it has answered in time since. */
    long lateRound() {
        return lateRound;
    }

    Answer.Failure unreachable() {
        return new Answer.Failure(
                Answer.Cause.UNREACHABLE, "sidecar " + address + " is not reachable");
    }

    /** Whether anything that speaks gRPC answers; if so, the sidecar is asked again. */
    boolean probe() {
        channel.resetConnectBackoff();
        CallOptions options =
                CallOptions.DEFAULT.withDeadlineAfter(
                        PROBE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        try {
            ClientCalls.blockingUnaryCall(channel, HEALTH, options, Empty.getDefaultInstance());
            away = false;
        } catch (StatusRuntimeException e) {
            away = isUnanswered(e.getStatus());
        }
        return !away;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    @Override
    public String toString() {
        return address.toString();
    }

    /** A request with the parts of the state that this sidecar does not have yet. */
    private ScheduleRequest request(ClusterSnapshot snapshot, long round) {
        ScheduleRequest.Builder request =
                ScheduleRequest.newBuilder()
                        .setContractVersion(CONTRACT_VERSION)
                        .setNimbusId(nimbusId)
                        .setRound(round)
                        .setStateDigest(snapshot.digest());
        if (!snapshot.digest().equals(knownState)) {
            request.setState(snapshot.state());
        }
        snapshot.definitions().values().stream()
                .filter(definition -> !knownDefinitions.contains(definition.getDigest()))
                .forEach(request::addDefinitions);
        return request.build();
    }

    private static ScheduleRequest complete(
            ScheduleRequest request, ScheduleReply reply, ClusterSnapshot snapshot) {
        ScheduleRequest.Builder completed = request.toBuilder();
        if (reply.getNeedsState()) {
            completed.setState(snapshot.state());
        }
        Set<String> sent =
                request.getDefinitionsList().stream()
                        .map(TopologyDefinition::getTopologyId)
                        .collect(Collectors.toCollection(HashSet::new));
        for (String id : reply.getNeedsDefinitionsList()) {
            TopologyDefinition definition = snapshot.definitions().get(id);
            if (definition != null && sent.add(id)) {
                completed.addDefinitions(definition);
            }
        }
        return completed.build();
    }

    private ScheduleReply send(ScheduleRequest request, TimeLimit limit) {
        return stub.withDeadline(limit.end())
                .schedule(request.toBuilder().setDeadlineMs(limit.millisecondsLeft()).build());
    }

    private void remember(ClusterSnapshot snapshot) {
        knownState = snapshot.digest();
        knownDefinitions =
                snapshot.definitions().values().stream()
                        .map(TopologyDefinition::getDigest)
                        .collect(Collectors.toUnmodifiableSet());
    }

    private void forget() {
        knownState = ByteString.EMPTY;
        knownDefinitions = Set.of();
    }

    private Answer.Failure failed(
            Status status, ClusterSnapshot snapshot, long round, TimeLimit limit) {
        if (!isUnanswered(status)) {
            return unusable("answered " + text(status));
        }
        away = true;
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            markLate(round, limit);
            // It received the state: one too large for the time limit must not be sent for ever.
            remember(snapshot);
            return new Answer.Failure(Answer.Cause.LATE, "sidecar did not answer in " + limit);
        }
        LOG.warn("sidecar {} is left out until it answers again: {}", address, text(status));
        forget();
        return unreachable();
    }

    private void markLate(long round, TimeLimit limit) {
        if (lateRound == 0) {
            LOG.warn(
                    "sidecar {} did not answer in {}; until it answers in time it is asked last",
                    address,
                    limit);
        }
        lateRound = round;
    }

    private void markInTime() {
        if (lateRound != 0) {
            LOG.info("sidecar {} answers in time again", address);
        }
        lateRound = 0;
    }

    private Answer.Failure unusable(String what) {
        forget();
        return new Answer.Failure(Answer.Cause.UNUSABLE, "sidecar " + address + " " + what);
    }

    private static boolean isUnanswered(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                || status.getCode() == Status.Code.DEADLINE_EXCEEDED;
    }

    private static String text(Status status) {
        return status.getDescription() == null
                ? status.getCode().name()
                : status.getCode() + ": " + status.getDescription().lines().findFirst().orElse("");
    }
}
