package io.eyewall.topologies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.storm.task.TopologyContext;

/**
 * What one executor did, a JSON line for each second, in a file of its own in the folder that the
 * topology's configuration names.
 *
 * <p>An event counts in the second in which it happened, however late the line is written. A line
 * that is written is complete; a worker that is killed loses less than two seconds.
 */
final class SecondsFile {
    private static final String FOLDER = "measure.dir";
    private static final String START = "measure.start";

    private static final long MICROS = 1_000_000;

    /** A second has 20 of them: fine enough to see a gap, and those of several sinks can be joined. */
    private static final long SLOT_MICROS = 50_000;

    private final Path file;
    private final Map<String, LongSupplier> gauges;
    private final List<String> lines = new ArrayList<>();
    private long second = WallClock.micros() / MICROS;
    private long emitted;
    private long acked;
    private long failed;
    private long replayed;
    private long out;
    private int outSlots;
    private LatencyHistogram latency = new LatencyHistogram();

    private SecondsFile(Path file, Map<String, LongSupplier> gauges) {
        this.file = file;
        this.gauges = gauges;
    }

    /** Returns the folder of the topology's files; null if it is not measured. */
    static Path folder(Map<String, Object> configuration) throws IOException {
        Object folder = configuration.get(FOLDER);
        return folder == null ? null : Files.createDirectories(Path.of(folder.toString()));
    }

    /** Returns the file with the start of the schedule, which several topologies may share. */
    static Path start(Map<String, Object> configuration) throws IOException {
        Object file = configuration.get(START);
        Path folder = folder(configuration);
        if (file != null) {
            return Path.of(file.toString());
        }
        return folder == null ? null : folder.resolve("start");
    }

    /**
     * Opens the file of an executor and writes to it every second.
     *
     * @param folder null for none: counts then go nowhere
     * @param gauges values that each line has as they are when it is made
     */
    static SecondsFile open(Path folder, TopologyContext context, Map<String, LongSupplier> gauges) {
        String name = context.getThisComponentId() + "-" + context.getThisTaskId();
        Path file = folder == null
                ? null
                : folder.resolve(name + "." + System.currentTimeMillis() + ".jsonl");
        SecondsFile seconds = new SecondsFile(file, gauges);
        if (file != null) {
            EverySecond.append(file, "seconds-" + name, seconds::takeLines);
        }
        return seconds;
    }

    synchronized void countEmitted() {
        advance();
        emitted++;
    }

    synchronized void countAcked(long latencyMicros) {
        advance();
        acked++;
        latency.add(latencyMicros);
    }

    synchronized void countFailed() {
        advance();
        failed++;
    }

    synchronized void countReplayed() {
        advance();
        replayed++;
    }

    synchronized void countOut() {
        long micros = advance();
        out++;
        outSlots |= 1 << (micros % MICROS / SLOT_MICROS);
    }

    /**
     * Closes the second that has ended, and returns the time; the lines of seconds without events
     * have zeros.
     */
    private long advance() {
        long micros = WallClock.micros();
        long now = micros / MICROS;
        if (now == second) {
            return micros;
        }
        if (file != null) {
            lines.add(line());
        }
        second = now;
        emitted = 0;
        acked = 0;
        failed = 0;
        replayed = 0;
        out = 0;
        outSlots = 0;
        latency = new LatencyHistogram();
        return micros;
    }

    private String line() {
        StringBuilder json = new StringBuilder("{\"at\":").append(second)
                .append(",\"emitted\":").append(emitted)
                .append(",\"acked\":").append(acked)
                .append(",\"failed\":").append(failed)
                .append(",\"replayed\":").append(replayed)
                .append(",\"out\":").append(out)
                .append(",\"out_slots\":").append(outSlots);
        gauges.forEach((name, value) ->
                json.append(",\"").append(name).append("\":").append(value.getAsLong()));
        return json.append(",\"latency\":").append(latency.toJson()).append("}\n").toString();
    }

    private synchronized String takeLines() {
        advance();
        String text = String.join("", lines);
        lines.clear();
        return text;
    }
}
