package io.eyewall.topologies;

import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/** Sends a share of the tuples to the heavy operator and the others to the light one. */
final class Route extends BaseRichBolt {
    static final String HEAVY = "heavy";
    static final String LIGHT = "light";

    private static final long serialVersionUID = 1L;

    private final double heavyShare;

    private transient OutputCollector collector;

    Route(double heavyShare) {
        this.heavyShare = heavyShare;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
    }

    @Override
    public void execute(Tuple tuple) {
        long number = tuple.getLong(0);
        String stream = Chance.of(number, 0) < heavyShare ? HEAVY : LIGHT;
        collector.emit(stream, tuple, new Values(number, tuple.getValue(1)));
        collector.ack(tuple);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declareStream(HEAVY, Source.FIELDS);
        declarer.declareStream(LIGHT, Source.FIELDS);
    }
}
