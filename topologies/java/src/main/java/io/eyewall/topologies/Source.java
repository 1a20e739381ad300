package io.eyewall.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Values;

/**
 * Emits tuples by a schedule, whatever becomes of them (an open loop): a tuple's latency begins when
 * it was due, so that a stall shows in the latency of all tuples that were due meanwhile.
 *
 * <p>A tuple that fails is emitted again. A source that is started again, as after a move, emits
 * again from the first tuple that was not acked, as a consumer of a log would.
 */
final class Source extends BaseRichSpout {
    static final Fields FIELDS = new Fields("number", "payload");

    private static final long serialVersionUID = 1L;
    private static final long MOST_SETTLING_MICROS = 1_000_000;

    private final String rate;
    private final int settleSeconds;
    private final int payloadBytes;
    private final int source;
    private final int sources;

    private transient SpoutOutputCollector collector;
    private transient SourceSchedule schedule;
    private transient SecondsFile seconds;
    private transient byte[] payload;
    private transient Deque<Long> failed;
    /** When a pending tuple was due, in microseconds since the epoch. */
    private transient Map<Long, Long> pending;
    private transient SourcePosition position;
    private transient long next;
    private transient volatile long nextDue;
    private transient volatile int pendingNow;

    /**
     * Makes a source.
     *
     * @param settleSeconds from the start of the schedule, in which no work piles up
     * @param source which of the topology's {@code sources} components it is, from 0
     */
    Source(String rate, int settleSeconds, int payloadBytes, int source, int sources) {
        this.rate = rate;
        this.settleSeconds = settleSeconds;
        this.payloadBytes = payloadBytes;
        this.source = source;
        this.sources = sources;
    }

    @Override
    public void open(
            Map<String, Object> configuration, TopologyContext context, SpoutOutputCollector output) {
        collector = output;
        payload = new byte[payloadBytes];
        failed = new ArrayDeque<>();
        pending = new HashMap<>();
        int tasks = context.getComponentTasks(context.getThisComponentId()).size();
        int task = source * tasks + context.getThisTaskIndex();
        try {
            Path folder = SecondsFile.folder(configuration);
            Path start = SecondsFile.start(configuration);
            schedule = new SourceSchedule(rate, start, task, sources * tasks);
            position = new SourcePosition(
                    folder == null ? null : folder.resolve("source-" + task + ".position"));
            seconds = SecondsFile.open(
                    folder, context, Map.of("pending", () -> pendingNow, "behind_ms", this::behindMillis));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        next = position.first();
        nextDue = dueTime(next);
    }

    @Override
    public void activate() {
        position.activate();
    }

    @Override
    public void deactivate() {
        try {
            position.deactivate();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void nextTuple() {
        long now = WallClock.micros();
        try {
            if (schedule.look(now)) {
                nextDue = dueTime(next);
            }
            position.keep(now);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        if (now < schedule.start() + settleSeconds * 1_000_000L) {
            skipLate(now);
        }
        Long again = failed.poll();
        if (again != null) {
            seconds.countReplayed();
            emit(again);
        } else if (nextDue <= now) {
            pending.put(next, schedule.isUnlimited() ? now : nextDue);
            seconds.countEmitted();
            emit(next);
            next++;
            nextDue = dueTime(next);
        }
        pendingNow = pending.size();
    }

    @Override
    public void ack(Object id) {
        long number = (Long) id;
        Long due = pending.remove(number);
        if (due == null) {
            return;
        }
        seconds.countAcked(WallClock.micros() - due);
        settle(number);
    }

    @Override
    public void fail(Object id) {
        if (pending.containsKey(id)) {
            seconds.countFailed();
            failed.add((Long) id);
        }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declare(FIELDS);
    }

    /** By how much the next tuple is late already; the pending limit may hold it back. */
    private long behindMillis() {
        return schedule.isUnlimited() ? 0 : Math.max(0, WallClock.micros() - nextDue) / 1_000;
    }

    /**
     * Leaves out what is due while more than a second of the schedule waits: workers that have just
     * started are slow, and what they could not do is nothing that the topology has to catch up with.
     */
    private void skipLate(long now) {
        while (nextDue <= now && !schedule.isUnlimited()) {
            long oldest = schedule.due(Math.max(0, next - pending.size()));
            if (now - oldest <= MOST_SETTLING_MICROS) {
                return;
            }
            settle(next);
            next++;
            nextDue = dueTime(next);
        }
    }

    /** Notes that nothing is left to do for a tuple. */
    private void settle(long number) {
        try {
            position.settle(number);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void emit(long number) {
        collector.emit(new Values(number, payload), number);
    }

    private long dueTime(long number) {
        return schedule.isUnlimited() ? Long.MIN_VALUE : schedule.due(number);
    }
}
