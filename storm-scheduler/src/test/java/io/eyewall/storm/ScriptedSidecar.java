package io.eyewall.storm;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import io.eyewall.storm.ShimSettings.Address;
import io.eyewall.storm.rpc.ClusterState;
import io.eyewall.storm.rpc.Decision;
import io.eyewall.storm.rpc.Decline;
import io.eyewall.storm.rpc.Keep;
import io.eyewall.storm.rpc.Place;
import io.eyewall.storm.rpc.ScheduleReply;
import io.eyewall.storm.rpc.ScheduleRequest;
import io.eyewall.storm.rpc.SchedulerGrpc;
import io.eyewall.storm.rpc.TopologyState;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.okhttp.OkHttpServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SchedulerAssignmentImpl;
import org.apache.storm.scheduler.WorkerSlot;

/** A real gRPC server on loopback; what it answers, and when, is said beforehand. */
final class ScriptedSidecar implements AutoCloseable {

    /** What a sidecar does with a request. */
    interface Script {
        byte[] reply(ScheduleRequest request);
    }

    private final Script script;
    private final Status status;
    private final CountDownLatch go;
    private final Server server;
    private final List<ScheduleRequest> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger probes = new AtomicInteger();

    /**
     * Answers on this port (0: any free one) with the script's reply, or with the status where that
     * is not OK, and only once the latch is open. Health is answered at once, whatever the latch.
     */
    ScriptedSidecar(int port, Script script, Status status, CountDownLatch go) {
        this.script = script;
        this.status = status;
        this.go = go;
        MethodDescriptor<ScheduleRequest, byte[]> method =
                SchedulerGrpc.getScheduleMethod().toBuilder(
                                SchedulerGrpc.getScheduleMethod().getRequestMarshaller(), new Bytes())
                        .build();
        try {
            server =
                    OkHttpServerBuilder.forPort(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                    InsecureServerCredentials.create())
                            .addService(
                                    ServerServiceDefinition.builder(SchedulerGrpc.SERVICE_NAME)
                                            .addMethod(method, ServerCalls.asyncUnaryCall(this::answer))
                                            .build())
                            .addService(
                                    ServerServiceDefinition.builder("grpc.health.v1.Health")
                                            .addMethod(
                                                    Sidecar.HEALTH,
                                                    ServerCalls.asyncUnaryCall(this::answerProbe))
                                            .build())
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ScriptedSidecar answering(Script script) {
        return new ScriptedSidecar(0, script, Status.OK, new CountDownLatch(0));
    }

    static ScriptedSidecar keeping() {
        return keepingAt(0);
    }

    static ScriptedSidecar keepingAt(int port) {
        return new ScriptedSidecar(
                port, deciding(ScriptedSidecar::keep), Status.OK, new CountDownLatch(0));
    }

    static ScriptedSidecar waitingFor(CountDownLatch go) {
        return new ScriptedSidecar(0, deciding(ScriptedSidecar::keep), Status.OK, go);
    }

    /** That asks these, in this order. */
    static SidecarClient client(ScriptedSidecar... sidecars) {
        return new SidecarClient(
                Arrays.stream(sidecars)
                        .map(sidecar -> new Address("127.0.0.1", sidecar.port()))
                        .toList(),
                "nimbus");
    }

    static ScriptedSidecar failing(Status status) {
        return new ScriptedSidecar(0, request -> new byte[0], status, new CountDownLatch(0));
    }

    /** Decides on every topology of the newest state it was sent. */
    static Script deciding(Function<TopologyState, Decision> decide) {
        ClusterState[] newest = {ClusterState.getDefaultInstance()};
        return request -> {
            if (request.hasState()) {
                newest[0] = request.getState();
            }
            ScheduleReply.Builder reply = ScheduleReply.newBuilder().setContractVersion(1);
            newest[0].getTopologiesList().forEach(state -> reply.addDecisions(decide.apply(state)));
            return reply.build().toByteArray();
        };
    }

    static Decision place(
            TopologyState state, Map<ExecutorDetails, WorkerSlot> placement, String status) {
        return place(state, placement).toBuilder().setStatus(status).build();
    }

    static Decision place(TopologyState state, Map<ExecutorDetails, WorkerSlot> placement) {
        return Decision.newBuilder()
                .setTopologyId(state.getTopologyId())
                .setBase(state.getAssignmentDigest())
                .setPlace(
                        Place.newBuilder()
                                .addAllWorkers(
                                        Workers.of(
                                                new SchedulerAssignmentImpl(
                                                        state.getTopologyId(), placement, null, null))))
                .build();
    }

    static Decision keep(TopologyState state) {
        return Decision.newBuilder()
                .setTopologyId(state.getTopologyId())
                .setBase(state.getAssignmentDigest())
                .setKeep(Keep.getDefaultInstance())
                .build();
    }

    static Decision decline(TopologyState state, String reason) {
        return Decision.newBuilder()
                .setTopologyId(state.getTopologyId())
                .setDecline(Decline.newBuilder().setReason(reason))
                .build();
    }

    int port() {
        return server.getPort();
    }

    String address() {
        return "127.0.0.1:" + port();
    }

    List<ScheduleRequest> requests() {
        return requests;
    }

    /** Until its health was asked for so often; a client asks once a second. */
    void awaitProbes(int times) throws InterruptedException {
        for (int i = 0; i < 600 && probes.get() < times; i++) {
            Thread.sleep(100);
        }
        assertThat(probes.get()).isGreaterThanOrEqualTo(times);
    }

    @Override
    public void close() {
        die();
    }

    /** Ends without a word, as a killed process does; its port is free again. */
    void die() {
        server.shutdownNow();
        try {
            server.awaitTermination();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(ScheduleRequest request, StreamObserver<byte[]> caller) {
        requests.add(request);
        try {
            go.await();
        } catch (InterruptedException e) {
            return;
        }
        if (status.isOk()) {
            caller.onNext(script.reply(request));
            caller.onCompleted();
        } else {
            caller.onError(status.asRuntimeException());
        }
    }

    private void answerProbe(Empty request, StreamObserver<Empty> caller) {
        probes.incrementAndGet();
        caller.onNext(Empty.getDefaultInstance());
        caller.onCompleted();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            throw new UnsupportedOperationException("only replies are bytes");
        }
    }
}
