package io.eyewall.topologies;

import java.util.Arrays;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/**
 * Emits the words of each sentence: word number k of the vocabulary with a probability in proportion
 * to 1/k^skew (Zipf's law), so that some executors of what counts them have more to do than others.
 */
final class SplitWords extends BaseRichBolt {
    static final String WORD = "word";

    private static final long serialVersionUID = 1L;

    private final double cpuMicros;
    private final int words;
    private final int vocabulary;
    private final double skew;

    private transient OutputCollector collector;
    private transient double[] cumulative;

    SplitWords(double cpuMicros, int words, int vocabulary, double skew) {
        this.cpuMicros = cpuMicros;
        this.words = words;
        this.vocabulary = vocabulary;
        this.skew = skew;
    }

    @Override
    public void prepare(
            Map<String, Object> configuration, TopologyContext context, OutputCollector output) {
        collector = output;
        cumulative = cumulative(vocabulary, skew);
    }

    @Override
    public void execute(Tuple tuple) {
        CpuTime.spend(cpuMicros);
        long number = tuple.getLong(0);
        for (int place = 1; place <= words; place++) {
            int word = word(cumulative, Chance.of(number, place));
            collector.emit(tuple, new Values("word-" + word));
        }
        collector.ack(tuple);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declare(new Fields(WORD));
    }

    /** Returns for each word the probability of it or one before it. */
    static double[] cumulative(int vocabulary, double skew) {
        double[] sums = new double[vocabulary];
        double sum = 0;
        for (int word = 0; word < vocabulary; word++) {
            sum += Math.pow(word + 1, -skew);
            sums[word] = sum;
        }
        for (int word = 0; word < vocabulary; word++) {
            sums[word] /= sum;
        }
        return sums;
    }

    static int word(double[] cumulative, double chance) {
        int found = Arrays.binarySearch(cumulative, chance);
        return found < 0 ? -found - 1 : Math.min(found + 1, cumulative.length - 1);
    }
}
