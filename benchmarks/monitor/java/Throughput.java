import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.StormSubmitter;
import org.apache.storm.metric.LoggingMetricsConsumer;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/**
 * Topologies that take what they can: NAME, shape (word-count or three), folder, variant (without,
 * agent or consumer). Its last bolts write "milliseconds count" into the folder every second.
 */
public final class Throughput {
    private static final String[] SENTENCES = {
        "the cow jumped over the moon", "an apple a day keeps the doctor away",
        "four score and seven years ago", "snow white and the seven dwarfs", "i am at two with nature",
    };

    public static class Source extends BaseRichSpout {
        private SpoutOutputCollector collector;
        private long next;

        @Override
        public void open(Map<String, Object> conf, TopologyContext context, SpoutOutputCollector out) {
            collector = out;
        }

        @Override
        public void nextTuple() {
            collector.emit(new Values(SENTENCES[(int) (next % SENTENCES.length)]), next++);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(new Fields("text"));
        }
    }

    /** Passes each word on, or the whole text. */
    public static class Pass extends BaseRichBolt {
        private final boolean words;
        private transient OutputCollector collector;

        Pass(boolean words) {
            this.words = words;
        }

        @Override
        public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector out) {
            collector = out;
        }

        @Override
        public void execute(Tuple tuple) {
            String text = tuple.getString(0);
            for (String word : words ? text.split(" ") : new String[] {text}) {
                collector.emit(tuple, new Values(word));
            }
            collector.ack(tuple);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(new Fields("word"));
        }
    }

    public static class Count extends BaseRichBolt {
        private transient Map<String, Long> counts;
        private transient OutputCollector collector;
        private volatile long total;

        @Override
        public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector out) {
            collector = out;
            counts = new HashMap<>();
            String file = conf.get("throughput.folder") + "/" + context.getThisTaskId();
            Thread writer = new Thread(() -> write(file), "total");
            writer.setDaemon(true);
            writer.start();
        }

        private void write(String file) {
            try (PrintWriter lines = new PrintWriter(new FileWriter(file, true), true)) {
                while (true) {
                    lines.println(System.currentTimeMillis() + " " + total);
                    Thread.sleep(1000);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void execute(Tuple tuple) {
            counts.merge(tuple.getString(0), 1L, Long::sum);
            total++;
            collector.ack(tuple);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
        }
    }

    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        boolean words = arguments[1].equals("word-count");
        int each = words ? 2 : 1;
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("source", new Source(), 1);
        builder.setBolt("pass", new Pass(words), each).shuffleGrouping("source");
        builder.setBolt("count", new Count(), each).fieldsGrouping("pass", new Fields("word"));
        Config conf = new Config();
        conf.put("throughput.folder", arguments[2]);
        conf.setNumWorkers(1);
        conf.setNumAckers(1);
        conf.setMaxSpoutPending(1000);
        if (!arguments[3].equals("agent")) {
            conf.put(Config.TOPOLOGY_METRICS_REPORTERS, Arrays.asList());
        }
        if (arguments[3].equals("consumer")) {
            conf.registerMetricsConsumer(LoggingMetricsConsumer.class, 1);
        }
        StormSubmitter.submitTopology(name, conf, builder.createTopology());
    }

    private Throughput() {
    }
}
