package io.eyewall.storm.overlap;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.generated.NodeInfo;
import org.apache.storm.messaging.ConnectionWithStatus.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A worker with a spout, which moves; looks are 250 ms apart. */
abstract class MovedSpout {

    static final List<Long> SPOUT = BareWorker.SPOUT;
    static final List<Long> BOLT = List.of(2L, 2L);
    static final List<Long> SINK = List.of(3L, 3L);
    static final String HELD = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1/";
    static final String AWAITED = "/eyewall-spouts/" + BareWorker.TOPOLOGY + "/1-awaited/";

    /** Where a process that has ended is known to: its port refuses connections. */
    static final String LOOPBACK = "127.0.0.1";

    static final Map<String, String> HOSTS =
            Map.of("sup-a", "a", "sup-b", LOOPBACK, "sup-c", "c");
    static final NodeInfo NEXT = new NodeInfo("sup-c", Set.of(6702L));

    @TempDir Path local;
    final Set<List<Long>> prepared = new HashSet<>();
    final Map<List<Long>, NodeInfo> wanted = new HashMap<>();
    final Map<List<Long>, NodeInfo> ordered = new HashMap<>();
    final List<SpoutHandover> known = new ArrayList<>();
    NodeInfo there;
    SpoutExecutor executor;
    SpoutHandover spout;
    BareWorker worker;
    Successors successors;
    ServedSpouts spouts;
    long since;
    long now;

    @BeforeEach
    void servesOn() throws Exception {
        there = new NodeInfo("sup-b", Set.of((long) portThatNobodyListensOn()));
        move(SPOUT, there);
        worker = new BareWorker(local, List.of(SPOUT));
        executor = worker.spout();
        spout = new SpoutHandover(executor);
        spout.takeTurn();
        known.add(spout);
        successors = new Successors(worker.state);
        spouts = new ServedSpouts(worker.state, successors, () -> known, "a");
    }

    static int portThatNobodyListensOn() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    void move(List<Long> executor, NodeInfo place) {
        wanted.put(executor, place);
        ordered.put(executor, place);
    }

    /** The executor's own thread has seen that the topology is not active. */
    void deactivate() throws Exception {
        BareWorker.set(SpoutExecutor.class, executor, "lastActive", new AtomicBoolean(false));
    }

    void look() {
        now += 250;
        spouts.turn(new Look(wanted, ordered, HOSTS, prepared::contains, since, now));
    }

    void look(int times) {
        for (int time = 0; time < times; time++) {
            look();
        }
    }

    void lookForTwoSeconds() {
        look(8);
    }

    /** The successor's process is connected, and asks for its turn. */
    void ask(NodeInfo place, String successor) {
        connect(place);
        worker.nodes.put(AWAITED + successor, new byte[0]);
    }

    void ask(String successor) {
        ask(there, successor);
    }

    void connect(NodeInfo place) {
        String host = HOSTS.get(place.get_node());
        successors.connection(place, host);
        ScriptedTransport.prepare(host);
    }

    static void end() {
        ScriptedTransport.CONNECTIONS.get(LOOPBACK).status = Status.Connecting;
    }

    boolean isHeld() {
        return worker.nodes.containsKey(HELD + BareWorker.ID);
    }
}
