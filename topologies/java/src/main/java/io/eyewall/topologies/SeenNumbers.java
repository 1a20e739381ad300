package io.eyewall.topologies;

import java.nio.file.Path;
import java.util.Arrays;
import org.apache.storm.task.TopologyContext;

/**
 * Which tuples a sink has seen: their numbers, a line for each second, in a file of its own. They
 * distinguish a lost tuple from one that was seen twice, whichever worker had the sink.
 */
final class SeenNumbers {
    private final Path file;
    private long[] seen = new long[1_024];
    private int count;

    SeenNumbers(Path file) {
        this.file = file;
    }

    /**
     * Opens the file of an executor and writes to it every second.
     *
     * @param folder null for none
     */
    static SeenNumbers open(Path folder, TopologyContext context) {
        String name = context.getThisComponentId() + "-" + context.getThisTaskId();
        Path file = folder == null
                ? null
                : folder.resolve(name + "." + System.currentTimeMillis() + ".numbers");
        SeenNumbers numbers = new SeenNumbers(file);
        if (file != null) {
            EverySecond.append(file, "numbers-" + name, numbers::takeLine);
        }
        return numbers;
    }

    synchronized void add(long number) {
        if (file == null) {
            return;
        }
        if (count == seen.length) {
            seen = Arrays.copyOf(seen, 2 * count);
        }
        seen[count++] = number;
    }

    /** Writes what is not written yet. */
    void end() {
        if (file != null) {
            EverySecond.appendNow(file, this::takeLine);
        }
    }

    private synchronized String takeLine() {
        if (count == 0) {
            return "";
        }
        Arrays.sort(seen, 0, count);
        String line = System.currentTimeMillis() / 1_000 + ranges(Arrays.copyOf(seen, count)) + "\n";
        count = 0;
        return line;
    }

    /** Returns sorted numbers as ranges, each after a space; one that is there twice begins another. */
    static String ranges(long... sorted) {
        StringBuilder text = new StringBuilder();
        int first = 0;
        for (int place = 1; place <= sorted.length; place++) {
            if (place < sorted.length && sorted[place] == sorted[place - 1] + 1) {
                continue;
            }
            text.append(' ').append(sorted[first]);
            if (place - first > 1) {
                text.append('-').append(sorted[place - 1]);
            }
            first = place;
        }
        return text.toString();
    }
}
