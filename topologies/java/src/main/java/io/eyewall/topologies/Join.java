package io.eyewall.topologies;

import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/**
 * Spends CPU time on the tuples of all branches and passes on those of one, so that each tuple of the
 * source leaves once. The source's ack still waits for all branches.
 */
final class Join extends BaseRichBolt {
    private static final long serialVersionUID = 1L;

    private final double cpuMicros;
    private final String passedOn;

    private transient OutputCollector collector;

    Join(double cpuMicros, String passedOn) {
        this.cpuMicros = cpuMicros;
        this.passedOn = passedOn;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
    }

    @Override
    public void execute(Tuple tuple) {
        CpuTime.spend(cpuMicros);
        if (tuple.getSourceComponent().equals(passedOn)) {
            collector.emit(tuple, new Values(tuple.getValue(0), tuple.getValue(1)));
        }
        collector.ack(tuple);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declare(Source.FIELDS);
    }
}
