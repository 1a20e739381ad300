package io.eyewall.topologies;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;

/** Sends the timestamp of each tuple to a test driver. */
final class DriverSink extends BaseRichBolt {
    private static final long serialVersionUID = 1L;

    private final String socket;

    private transient OutputCollector collector;
    private transient DriverConnection driver;

    DriverSink(String socket) {
        this.socket = socket;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
        driver = new DriverConnection(socket, "sink");
    }

    @Override
    public void execute(Tuple tuple) {
        driver.send(Long.toString(ByteBuffer.wrap(tuple.getBinary(1)).getLong()));
        collector.ack(tuple);
    }

    @Override
    public void cleanup() {
        driver.close();
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // It emits nothing.
    }
}
