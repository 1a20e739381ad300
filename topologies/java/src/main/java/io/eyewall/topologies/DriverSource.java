package io.eyewall.topologies;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Values;

/**
 * Emits what a test driver sends, {@code NUMBER TIMESTAMP}, and sends a number back once it is
 * acked. The timestamp goes through the topology unchanged, at the head of the payload.
 *
 * <p>An event that fails is emitted again. After a restart the driver sends again what was not acked.
 */
final class DriverSource extends BaseRichSpout {
    private static final long serialVersionUID = 1L;
    /** Events that are read ahead; beyond it they wait in the socket and in the driver. */
    private static final int READ_AHEAD = 1_000;

    private final String socket;
    private final int payloadBytes;

    private transient SpoutOutputCollector collector;
    private transient DriverConnection driver;
    private transient BlockingQueue<Event> events;
    private transient Map<Long, Event> pending;
    private transient Deque<Event> failed;

    private record Event(long number, long timestamp) {
        static Event parse(String line) {
            int space = line.indexOf(' ');
            return new Event(
                    Long.parseLong(line.substring(0, space)), Long.parseLong(line.substring(space + 1)));
        }
    }

    DriverSource(String socket, int payloadBytes) {
        this.socket = socket;
        this.payloadBytes = Math.max(Long.BYTES, payloadBytes);
    }

    @Override
    public void open(
            Map<String, Object> configuration, TopologyContext context, SpoutOutputCollector output) {
        collector = output;
        events = new ArrayBlockingQueue<>(READ_AHEAD);
        pending = new HashMap<>();
        failed = new ArrayDeque<>();
        driver = new DriverConnection(socket, "source");
        Thread reader = new Thread(this::read, "driver");
        reader.setDaemon(true);
        reader.start();
    }

    @Override
    public void nextTuple() {
        Event event = failed.isEmpty() ? events.poll() : failed.poll();
        if (event == null) {
            return;
        }
        pending.put(event.number(), event);
        byte[] payload = ByteBuffer.allocate(payloadBytes).putLong(event.timestamp()).array();
        collector.emit(new Values(event.number(), payload), event.number());
    }

    @Override
    public void ack(Object id) {
        if (pending.remove(id) != null) {
            driver.send(id.toString());
        }
    }

    @Override
    public void fail(Object id) {
        Event event = pending.remove(id);
        if (event != null) {
            failed.add(event);
        }
    }

    @Override
    public void close() {
        driver.close();
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declare(Source.FIELDS);
    }

    /** Takes what the driver sends, until either has ended. */
    private void read() {
        try {
            for (String line = driver.receive(); line != null; line = driver.receive()) {
                events.put(Event.parse(line));
            }
        } catch (IOException error) {
            // Closed: by this source's end, or with the driver, which sends no more either way.
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
