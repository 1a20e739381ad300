package io.eyewall.storm.overlap;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.storm.Config;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.daemon.StormCommon;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.daemon.worker.WorkerTransfer;
import org.apache.storm.executor.Executor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.generated.Assignment;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.metrics2.StormMetricRegistry;
import org.apache.storm.policy.IWaitStrategy;
import org.apache.storm.policy.WaitStrategyPark;
import org.apache.storm.shade.org.apache.zookeeper.KeeperException;
import org.apache.storm.shade.org.jctools.queues.MpscChunkedArrayQueue;
import org.apache.storm.testing.TestWordCounter;
import org.apache.storm.testing.TestWordSpout;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.tuple.Fields;
import org.apache.storm.utils.JCQueue;
import org.apache.storm.utils.ThriftTopologyUtils;
import org.apache.storm.utils.Utils;

/**
 * Storm's worker with what moves need of it, made without its constructor: it has no threads, and
 * instead of ZooKeeper a map. Its topology has a spout (tasks 1 and 5), two bolts (2 and 3) and an acker (4),
 * of which it runs those that it is given.
 */
final class BareWorker {

    static final String TOPOLOGY = "wc-1-1000";
    static final String ID = "0f1e2d3c";
    static final List<Long> SPOUT = List.of(1L, 1L);
    static final NodeInfo HERE = new NodeInfo("sup-a", Set.of(6700L));
    static final Map<String, String> HOSTS = Map.of("sup-a", "a", "sup-b", "b", "sup-c", "c");

    /** Path → data, as ZooKeeper has it. */
    final TreeMap<String, byte[]> nodes = new TreeMap<>();

    /** What this worker's ZooKeeper server has only once it is asked to catch up. */
    final TreeMap<String, byte[]> unseen = new TreeMap<>();

    /** Whether ZooKeeper does not answer. */
    volatile boolean isZooKeeperAway;

    /** Run while ZooKeeper is asked to catch up. */
    Runnable whileItCatchesUp = () -> {};

    final WorkerState state;
    final Path folder;

    BareWorker(Path local, List<List<Long>> executors) throws Exception {
        this(local, executors, WorkerState.class);
    }

    BareWorker(Path local, List<List<Long>> executors, Class<? extends WorkerState> type)
            throws Exception {
        state = bare(type);
        folder = local.resolve("workers").resolve(ID);
        Files.createDirectories(folder);
        Map<String, Object> conf = Utils.readDefaultConfig();
        conf.put(Config.STORM_LOCAL_DIR, local.toString());
        conf.put(Config.STORM_MESSAGING_TRANSPORT, ScriptedTransport.class.getName());
        set("conf", conf);
        set("topologyConf", conf);
        set("topologyId", TOPOLOGY);
        set("assignmentId", HERE.get_node());
        set("port", 6700);
        set("workerId", ID);
        set("stateStorage", storage());
        set("localExecutors", new HashSet<>(executors));
        set("isWorkerActive", new CountDownLatch(0));
        set("isTopologyActive", new AtomicBoolean(true));
        set("cachedNodeToPortSocket", new AtomicReference<>(new HashMap<>()));
        set("executorReceiveQueueMap", Map.of(executors.get(0), queue("received")));
        TopologyBuilder components = new TopologyBuilder();
        components.setSpout("source", new TestWordSpout());
        components.setBolt("tag", new TestWordCounter()).shuffleGrouping("source");
        components.setBolt("sink", new TestWordCounter()).shuffleGrouping("tag");
        StormTopology topology = components.createTopology();
        set("topology", topology);
        StormTopology withAckers = StormCommon.systemTopology(conf, topology);
        set("systemTopology", withAckers);
        set("componentToSortedTasks", Map.of());
        set("componentToStreamToFields", fields(withAckers));
        set("taskToComponent", Map.of(1, "source", 2, "tag", 3, "sink", 4, "__acker", 5, "source"));
        set("outboundTasks", Set.of(2, 3));
        WorkerTransfer transfer = bare(WorkerTransfer.class);
        AtomicBoolean[] pressure = new AtomicBoolean[5];
        for (int task = 0; task < pressure.length; task++) {
            pressure[task] = new AtomicBoolean();
        }
        set(WorkerTransfer.class, transfer, "remoteBackPressureStatus", pressure);
        set(WorkerTransfer.class, transfer, "transferQueue", queue("transfer"));
        set("workerTransfer", transfer);
        ScriptedTransport.CONNECTIONS.clear();
    }

    /** An executor of its spout, active, with five pending tuples at most; it has no thread. */
    SpoutExecutor spout() throws Exception {
        SpoutExecutor executor = bare(SpoutExecutor.class);
        set(Executor.class, executor, "executorId", SPOUT);
        set(Executor.class, executor, "workerData", state);
        set(Executor.class, executor, "pendingEmits", new MpscChunkedArrayQueue<>(8, 16));
        set(SpoutExecutor.class, executor, "maxSpoutPending", 5);
        set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(true));
        return executor;
    }

    /** What Nimbus publishes. */
    static Assignment assignment(Map<List<Long>, NodeInfo> places) {
        Assignment assignment = new Assignment("/code");
        assignment.set_executor_node_port(new HashMap<>(places));
        assignment.set_node_host(new HashMap<>(HOSTS));
        return assignment;
    }

    /** Follows it, as at a look. */
    Map<List<Long>, NodeInfo> follow(Map<List<Long>, NodeInfo> places) {
        return Overlap.inForce(state, assignment(places)).get_executor_node_port();
    }

    /** As the shim does, by another ZooKeeper server than this worker's, which lags. */
    void orderElsewhere(Map<List<Long>, NodeInfo> moved) {
        unseen.put(MoveOrder.path(TOPOLOGY), MoveOrder.of(moved).encode());
    }

    /** As the shim does. */
    void order(Map<List<Long>, NodeInfo> moved) {
        nodes.put(MoveOrder.path(TOPOLOGY), MoveOrder.of(moved).encode());
    }

    private static JCQueue queue(String name) {
        IWaitStrategy wait = new WaitStrategyPark(1);
        StormMetricRegistry metrics = new StormMetricRegistry();
        return new JCQueue(name, name, 8, 0, 1, wait, TOPOLOGY, "tag", List.of(2), 6700, metrics);
    }

    private static Map<String, Map<String, Fields>> fields(StormTopology topology) {
        Map<String, Map<String, Fields>> fields = new HashMap<>();
        for (String component : ThriftTopologyUtils.getComponentIds(topology)) {
            Map<String, Fields> streams = new HashMap<>();
            ThriftTopologyUtils.getComponentCommon(topology, component)
                    .get_streams()
                    .forEach((id, it) -> streams.put(id, new Fields(it.get_output_fields())));
            fields.put(component, streams);
        }
        return fields;
    }

    private IStateStorage storage() {
        return (IStateStorage)
                Proxy.newProxyInstance(
                        IStateStorage.class.getClassLoader(),
                        new Class<?>[] {IStateStorage.class},
                        (proxy, method, arguments) -> {
                            if (isZooKeeperAway) {
                                throw new RuntimeException(
                                        new KeeperException.ConnectionLossException());
                            }
                            String path = (String) arguments[0];
                            return switch (method.getName()) {
                                case "sync_path" -> {
                                    whileItCatchesUp.run();
                                    nodes.putAll(unseen);
                                    unseen.clear();
                                    yield null;
                                }
                                case "get_data" -> nodes.get(path);
                                case "node_exists" ->
                                        !children(path).isEmpty() || nodes.containsKey(path);
                                case "get_children" -> children(path);
                                case "delete_node" ->
                                        nodes.keySet()
                                                .removeIf(it -> (it + "/").startsWith(path + "/"));
                                case "set_ephemeral_node" -> nodes.put(path, (byte[]) arguments[1]);
                                default -> throw new AssertionError(method);
                            };
                        });
    }

    private List<String> children(String folder) {
        List<String> children = new ArrayList<>();
        for (String path : nodes.tailMap(folder + "/").keySet()) {
            if (path.startsWith(folder + "/")) {
                children.add(path.substring(folder.length() + 1));
            }
        }
        return children;
    }

    private void set(String field, Object value) throws Exception {
        set(WorkerState.class, state, field, value);
    }

    static void set(Class<?> type, Object of, String name, Object value) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        field.set(of, value);
    }

    /** An object of a class whose constructor is not run, as after deserialization. */
    static <T> T bare(Class<T> type) {
        try {
            // By its name, as javac warns of this package.
            Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
            Object made = factory.getMethod("getReflectionFactory").invoke(null);
            Constructor<?> constructor =
                    (Constructor<?>)
                            factory.getMethod(
                                            "newConstructorForSerialization",
                                            Class.class,
                                            Constructor.class)
                                    .invoke(made, type, Object.class.getDeclaredConstructor());
            return type.cast(constructor.newInstance());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
