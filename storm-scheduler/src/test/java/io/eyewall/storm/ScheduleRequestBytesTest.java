package io.eyewall.storm;

import static io.eyewall.storm.Fixture.ACKER;
import static io.eyewall.storm.Fixture.COUNT_A;
import static io.eyewall.storm.Fixture.COUNT_B;
import static io.eyewall.storm.Fixture.SPOUT;
import static io.eyewall.storm.Fixture.both;
import static io.eyewall.storm.Fixture.placed;
import static io.eyewall.storm.Fixture.slot;
import static io.eyewall.storm.Fixture.supervisor;
import static io.eyewall.storm.Fixture.topology;
import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.ScheduleRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.storm.scheduler.TopologyDetails;
import org.junit.jupiter.api.Test;

/**
 * The contract's bytes, which the sidecar's tests read too. After a wanted change of the contract:
 * {@code mvn test -Dtest=ScheduleRequestBytesTest -Dcontracts.write=true}.
 */
class ScheduleRequestBytesTest {

    private static final Path GOLDEN = Path.of("../tests/contracts/schedule_request.binpb");

    @Test
    void aRequestHasTheBytesThatBothSidesAgreedOn() throws IOException {
        byte[] bytes = Digest.bytes(request());
        if (Boolean.getBoolean("contracts.write")) {
            Files.createDirectories(GOLDEN.getParent());
            Files.write(GOLDEN, bytes);
        }

        assertThat(ScheduleRequest.parseFrom(Files.readAllBytes(GOLDEN))).isEqualTo(request());
        assertThat(bytes).isEqualTo(Files.readAllBytes(GOLDEN));
    }

    private static ScheduleRequest request() {
        List<TopologyDetails> topologies =
                List.of(
                        topology("running-1", 2, Map.of("eyewall.pin", Map.of("spout", "host-s1"))),
                        topology("waiting-2", 3));
        ClusterSnapshot snapshot =
                ClusterSnapshot.take(
                        Fixture.cluster(
                                List.of(supervisor("s1", 6700, 6701), supervisor("s2", 6700)),
                                topologies,
                                Map.of(
                                        "running-1",
                                        both(
                                                placed(slot("s1", 6700), SPOUT, ACKER),
                                                placed(slot("s2", 6700), COUNT_A, COUNT_B)))),
                        topologies,
                        new TopologyDefinitions(Map.of()),
                        Map.of());
        return ScheduleRequest.newBuilder()
                .setContractVersion(Sidecar.CONTRACT_VERSION)
                .setNimbusId("nimbus-1")
                .setRound(7)
                .setDeadlineMs(2000)
                .setStateDigest(snapshot.digest())
                .setState(snapshot.state())
                .addAllDefinitions(snapshot.definitions().values())
                .build();
    }
}
