package io.eyewall.storm;

import static io.eyewall.storm.Fixture.allOn;
import static io.eyewall.storm.Fixture.slot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.cluster.ClusterStateContext;
import org.apache.storm.cluster.ClusterUtils;
import org.apache.storm.cluster.DaemonType;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.WorkerSlot;
import org.apache.storm.shade.org.apache.zookeeper.ZooDefs;
import org.apache.storm.shade.org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.apache.storm.testing.InProcessZookeeper;
import org.apache.storm.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a ZooKeeper in which Nimbus and each topology have passwords of their own. */
class SecuredMoveOrdersTest {

    private static final byte[] SAID = "said".getBytes(StandardCharsets.UTF_8);

    private static final String NIMBUS = "nimbus:secret";

    private static InProcessZookeeper zookeeper;

    @BeforeAll
    static void start() throws Exception {
        zookeeper = new InProcessZookeeper();
    }

    @AfterAll
    static void stop() throws Exception {
        zookeeper.close();
    }

    private static Map<String, Object> nimbus() throws Exception {
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.put(Config.STORM_ZOOKEEPER_SERVERS, List.of("localhost"));
        conf.put(Config.STORM_ZOOKEEPER_PORT, zookeeper.getPort());
        conf.put(Config.STORM_ZOOKEEPER_ROOT, "/secured");
        conf.put(Config.STORM_ZOOKEEPER_AUTH_SCHEME, "digest");
        conf.put(Config.STORM_ZOOKEEPER_AUTH_PAYLOAD, NIMBUS);
        conf.put(
                Config.STORM_ZOOKEEPER_SUPERACL,
                "digest:" + DigestAuthenticationProvider.generateDigest(NIMBUS));
        return conf;
    }

    private static Map<String, Object> topology(String password) throws Exception {
        Map<String, Object> conf = nimbus();
        conf.remove(Config.STORM_ZOOKEEPER_AUTH_SCHEME);
        conf.remove(Config.STORM_ZOOKEEPER_AUTH_PAYLOAD);
        conf.put(Config.STORM_ZOOKEEPER_TOPOLOGY_AUTH_SCHEME, "digest");
        conf.put(Config.STORM_ZOOKEEPER_TOPOLOGY_AUTH_PAYLOAD, password);
        return conf;
    }

    /** As a worker reaches ZooKeeper. */
    private static IStateStorage worker(Map<String, Object> topology) throws Exception {
        return ClusterUtils.mkStateStorage(
                nimbus(), topology, new ClusterStateContext(DaemonType.WORKER, topology));
    }

    @Test
    void workersReadTheirOrderAndSpeakToEachOtherAndNotToThoseOfOtherTopologies() throws Exception {
        Map<String, Object> own = topology("t:1");
        Map<String, Object> other = topology("u:2");
        order(Map.of("t", own));
        order(Map.of("t", own, "u", other));
        IStateStorage first = worker(own);
        IStateStorage second = worker(own);
        IStateStorage stranger = worker(other);
        assertThat(first.get_data("/eyewall-moves/t", false))
                .isEqualTo(MoveOrders.encode(allOn(slot("s", 6700))));
        assertThatThrownBy(() -> first.set_data("/eyewall-moves/t", SAID, null))
                .hasMessageContaining("NoAuth");
        for (String folder : List.of("/eyewall-serving/t", "/eyewall-spouts/t")) {
            String node = folder + "/w1";
            first.set_ephemeral_node(node, SAID, ClusterUtils.mkTopoReadWriteAcls(own));
            assertThat(second.get_children(folder, false)).containsExactly("w1");
            assertThat(second.get_data(node, false)).isEqualTo(SAID);
            assertThatThrownBy(() -> stranger.get_children(folder, false))
                    .hasMessageContaining("NoAuth");
        }
        first.close();
        second.close();
        stranger.close();
    }

    @Test
    void whatATopologyThatIsGoneHasLeftIsRemoved() throws Exception {
        Map<String, Object> gone = topology("g:1");
        Map<String, Object> other = topology("u:2");
        order(Map.of("gone", gone));
        order(Map.of("u", other));
        IStateStorage found = asNimbus();
        for (String folder : List.of("/eyewall-moves", "/eyewall-serving", "/eyewall-spouts")) {
            assertThat(found.get_children(folder, false)).contains("u").doesNotContain("gone");
        }
        found.close();
    }

    @Test
    void anOrderThatAnOlderVersionLeftToNimbusAloneIsReadableOnceThereIsAnother() throws Exception {
        Map<String, Object> own = topology("t:1");
        order(Map.of("t", own));
        IStateStorage nimbus = asNimbus();
        nimbus.delete_node("/eyewall-moves/t");
        ClusterStateContext context = new ClusterStateContext(DaemonType.NIMBUS, nimbus());
        nimbus.set_data("/eyewall-moves/t", SAID, context.getDefaultZkAcls());
        nimbus.close();
        IStateStorage worker = worker(own);
        assertThatThrownBy(() -> worker.get_data("/eyewall-moves/t", false))
                .hasMessageContaining("NoAuth");
        order(Map.of("t", own));
        assertThat(worker.get_data("/eyewall-moves/t", false))
                .isEqualTo(MoveOrders.encode(allOn(slot("s", 6700))));
        worker.close();
    }

    /** Orders a move of each of these topologies, which are all that there are. */
    private static void order(Map<String, Map<String, Object>> topologies) throws Exception {
        makeRoot();
        Map<String, Map<ExecutorDetails, WorkerSlot>> moves = new HashMap<>();
        topologies.keySet().forEach(id -> moves.put(id, allOn(slot("s", 6700))));
        try (MoveOrders orders = new MoveOrders(nimbus())) {
            orders.write(moves, topologies.keySet(), topologies);
        }
    }

    private static IStateStorage asNimbus() throws Exception {
        return ClusterUtils.mkStateStorage(
                nimbus(), nimbus(), new ClusterStateContext(DaemonType.NIMBUS, nimbus()));
    }

    /** Storm's root, which workers look at when they start. */
    private static void makeRoot() throws Exception {
        ClusterStateContext context = new ClusterStateContext(DaemonType.UNKNOWN, nimbus());
        Map<String, Object> conf = nimbus();
        conf.put(Config.STORM_ZOOKEEPER_ROOT, "/");
        IStateStorage storage = ClusterUtils.mkStateStorage(conf, conf, context);
        storage.mkdirs("/secured", ZooDefs.Ids.OPEN_ACL_UNSAFE);
        storage.close();
    }
}
