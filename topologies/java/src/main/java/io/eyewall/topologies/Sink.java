package io.eyewall.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;

/** Spends CPU time on each tuple and counts it as the topology's output. */
final class Sink extends BaseRichBolt {
    private static final long serialVersionUID = 1L;

    private final double cpuMicros;

    private transient OutputCollector collector;
    private transient SecondsFile seconds;

    Sink(double cpuMicros) {
        this.cpuMicros = cpuMicros;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
        try {
            seconds = SecondsFile.open(SecondsFile.folder(configuration), context, Map.of());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void execute(Tuple tuple) {
        CpuTime.spend(cpuMicros);
        seconds.countOut();
        collector.ack(tuple);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // It emits nothing.
    }
}
