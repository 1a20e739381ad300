package io.eyewall.topologies;

import java.util.HashMap;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.StormSubmitter;
import org.apache.storm.topology.BoltDeclarer;
import org.apache.storm.topology.IRichBolt;
import org.apache.storm.topology.IRichSpout;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.tuple.Fields;
import org.apache.storm.utils.Utils;

/**
 * Builds and submits a topology of one shape.
 *
 * <ul>
 *   <li>chain: source → operators in a row → sink
 *   <li>fan-out: source → operator → branches, each with a sink of its own
 *   <li>fan-in: sources → operator → sink
 *   <li>diamond: source → operator → branches → join → sink
 *   <li>word-count: source → split → count by word
 *   <li>mix: source → route → heavy and light operators → sink
 *   <li>graph: what {@code --graph} says, see {@link OperationGraph}
 * </ul>
 */
public final class LoadTopology {
    private static final String SOURCE = "source";
    private static final String OPERATOR = "operator";
    private static final String SINK = "sink";

    private final LoadOptions options;
    private final TopologyBuilder builder = new TopologyBuilder();

    private LoadTopology(LoadOptions options) {
        this.options = options;
    }

    /** Submits the topology that the arguments describe; see {@code topologies/README.md}. */
    public static void main(String[] arguments) throws Exception {
        LoadOptions options;
        try {
            options = LoadOptions.parse(arguments);
        } catch (IllegalArgumentException error) {
            System.err.println(error.getMessage());
            System.exit(2);
            return;
        }
        Object name = Utils.readCommandLineOpts().getOrDefault(Config.TOPOLOGY_NAME, options.name());
        StormSubmitter.submitTopology(
                name.toString(), configuration(options), builder(options).createTopology());
    }

    static Map<String, Object> configuration(LoadOptions options) {
        Config configuration = new Config();
        configuration.setNumAckers(options.ackers());
        configuration.setMaxSpoutPending(options.pending());
        configuration.setMessageTimeoutSecs(options.timeoutSeconds());
        if (options.workers() > 0) {
            configuration.setNumWorkers(options.workers());
        }
        return configuration;
    }

    static TopologyBuilder builder(LoadOptions options) {
        LoadTopology topology = new LoadTopology(options);
        switch (options.shape()) {
            case "chain" -> topology.addChain();
            case "fan-out" -> topology.addFanOut();
            case "fan-in" -> topology.addFanIn();
            case "diamond" -> topology.addDiamond();
            case "word-count" -> topology.addWordCount();
            case "mix" -> topology.addMix();
            default -> topology.addGraph();
        }
        return topology.builder;
    }

    private void addChain() {
        String last = addSource(SOURCE, 0, 1);
        for (int stage = 1; stage <= options.stages(); stage++) {
            String name = OPERATOR + "-" + stage;
            addOperator(name).shuffleGrouping(last);
            last = name;
        }
        addBolt(SINK, new Sink(0, options.selectivity() == 1), 1).shuffleGrouping(last);
    }

    private void addFanOut() {
        addOperator(OPERATOR).shuffleGrouping(addSource(SOURCE, 0, 1));
        for (int branch = 1; branch <= options.stages(); branch++) {
            String name = "branch-" + branch;
            addOperator(name).shuffleGrouping(OPERATOR);
            addBolt(SINK + "-" + branch, new Sink(0, false), 1).shuffleGrouping(name);
        }
    }

    private void addFanIn() {
        BoltDeclarer operator = addOperator(OPERATOR);
        for (int source = 0; source < options.stages(); source++) {
            String name = SOURCE + "-" + (source + 1);
            operator.shuffleGrouping(addSource(name, source, options.stages()));
        }
        addBolt(SINK, new Sink(0, false), 1).shuffleGrouping(OPERATOR);
    }

    private void addDiamond() {
        addOperator(OPERATOR).shuffleGrouping(addSource(SOURCE, 0, 1));
        Join join = new Join(options.cpuMicros(), "branch-1");
        BoltDeclarer joined = addBolt("join", join, options.parallelism());
        for (int branch = 1; branch <= options.stages(); branch++) {
            String name = "branch-" + branch;
            addOperator(name).shuffleGrouping(OPERATOR);
            joined.shuffleGrouping(name);
        }
        addBolt(SINK, new Sink(0, false), 1).shuffleGrouping("join");
    }

    private void addWordCount() {
        SplitWords split = new SplitWords(
                options.cpuMicros(), options.words(), options.vocabulary(), options.skew());
        addBolt("split", split, options.parallelism()).shuffleGrouping(addSource(SOURCE, 0, 1));
        addBolt("count", new Sink(options.cpuMicros(), false), options.parallelism())
                .fieldsGrouping("split", new Fields(SplitWords.WORD));
    }

    private void addMix() {
        addBolt("route", new Route(options.heavyShare()), 1)
                .shuffleGrouping(addSource(SOURCE, 0, 1));
        Operator heavy =
                new Operator(options.cpuMicros() * options.heavyFactor(), options.selectivity());
        addBolt(Route.HEAVY, heavy, options.parallelism()).shuffleGrouping("route", Route.HEAVY);
        addOperator(Route.LIGHT).shuffleGrouping("route", Route.LIGHT);
        addBolt(SINK, new Sink(0, false), 1).shuffleGrouping(Route.HEAVY).shuffleGrouping(Route.LIGHT);
    }

    private void addGraph() {
        OperationGraph graph = options.graph();
        Map<String, BoltDeclarer> bolts = new HashMap<>();
        for (String name : graph.operations()) {
            double selectivity = graph.selectivities().getOrDefault(name, options.selectivity());
            Operator operator =
                    new Operator(options.cpuMicros(), selectivity, graph.absorbed(name));
            bolts.put(name, addBolt(name, operator, options.parallelism()));
        }
        addSource(OperationGraph.SOURCE, 0, 1);
        String driver = options.driver();
        IRichBolt sink = driver.isEmpty() ? new Sink(0, false) : new DriverSink(driver);
        bolts.put(OperationGraph.SINK, addBolt(OperationGraph.SINK, sink, 1));
        for (OperationGraph.Stream stream : graph.streams()) {
            bolts.get(stream.to()).shuffleGrouping(stream.from());
        }
        for (OperationGraph.Stream stream : graph.back()) {
            bolts.get(stream.to()).shuffleGrouping(stream.from());
        }
    }

    private String addSource(String name, int source, int sources) {
        IRichSpout spout = options.driver().isEmpty()
                ? new Source(
                        options.rate(),
                        options.settleSeconds(),
                        options.payloadBytes(),
                        source,
                        sources)
                : new DriverSource(options.driver(), options.payloadBytes());
        var declarer = builder.setSpout(name, spout, 1).setMemoryLoad(options.memoryMegabytes());
        if (options.declared() > 0) {
            declarer.setCPULoad(options.declared());
        }
        return name;
    }

    private BoltDeclarer addOperator(String name) {
        Operator operator = new Operator(options.cpuMicros(), options.selectivity());
        return addBolt(name, operator, options.parallelism());
    }

    private BoltDeclarer addBolt(String name, IRichBolt bolt, int parallelism) {
        BoltDeclarer declarer = builder.setBolt(name, bolt, parallelism);
        declarer.setMemoryLoad(options.memoryMegabytes());
        if (options.declared() > 0) {
            declarer.setCPULoad(options.declared());
        }
        return declarer;
    }
}
