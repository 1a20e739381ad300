package io.eyewall.topologies;

import java.util.Map;
import java.util.Set;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/**
 * Spends CPU time on each tuple and emits {@code selectivity} tuples for it, on average; none for those
 * that come from components whose tuples end here.
 */
final class Operator extends BaseRichBolt {
    private static final long serialVersionUID = 1L;

    private final double cpuMicros;
    private final double selectivity;
    private final Set<String> absorbed;

    private transient OutputCollector collector;
    private transient long salt;

    Operator(double cpuMicros, double selectivity) {
        this(cpuMicros, selectivity, Set.of());
    }

    Operator(double cpuMicros, double selectivity, Set<String> absorbed) {
        this.cpuMicros = cpuMicros;
        this.selectivity = selectivity;
        this.absorbed = Set.copyOf(absorbed);
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
        salt = context.getThisComponentId().hashCode();
    }

    @Override
    public void execute(Tuple tuple) {
        CpuTime.spend(cpuMicros);
        if (absorbed.contains(tuple.getSourceComponent())) {
            collector.ack(tuple);
            return;
        }
        long number = tuple.getLong(0);
        int copies = (int) (selectivity + Chance.of(number, salt));
        for (int copy = 0; copy < copies; copy++) {
            collector.emit(tuple, new Values(number, tuple.getValue(1)));
        }
        collector.ack(tuple);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declare(Source.FIELDS);
    }
}
