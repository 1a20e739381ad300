package io.eyewall.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;

/**
 * Spends CPU time on each tuple and counts it as the topology's output. It keeps numbers where each
 * comes once.
 */
final class Sink extends BaseRichBolt {
    private static final long serialVersionUID = 1L;

    private final double cpuMicros;
    private final boolean keepsNumbers;

    private transient OutputCollector collector;
    private transient SecondsFile seconds;
    private transient SeenNumbers numbers;

    Sink(double cpuMicros, boolean keepsNumbers) {
        this.cpuMicros = cpuMicros;
        this.keepsNumbers = keepsNumbers;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
        try {
            Path folder = SecondsFile.folder(configuration);
            seconds = SecondsFile.open(folder, context, Map.of());
            numbers = SeenNumbers.open(keepsNumbers ? folder : null, context);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void execute(Tuple tuple) {
        CpuTime.spend(cpuMicros);
        seconds.countOut();
        if (keepsNumbers) {
            numbers.add(tuple.getLong(0));
        }
        collector.ack(tuple);
    }

    @Override
    public void cleanup() {
        numbers.end();
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // It emits nothing.
    }
}
