package io.eyewall.storm.overlap;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.generated.NodeInfo;

/**
 * A worker that serves on while its executors start elsewhere, as it says in ZooKeeper.
 *
 * @param node Storm's id of its supervisor
 * @param since when it began to, in milliseconds of its host's clock
 */
record OldWorker(String node, String host, int port, long since, Set<List<Long>> executors) {

    /** Below Storm's own root: a folder for each topology. */
    static String folder(String topologyId) {
        return "/eyewall-serving/" + topologyId;
    }

    static OldWorker of(WorkerState worker, NodeInfo here, String host, long now) {
        Set<List<Long>> executors = Set.copyOf(worker.getLocalExecutors());
        return new OldWorker(here.get_node(), host, worker.getPort(), now, executors);
    }

    NodeInfo place() {
        return new NodeInfo(node, Set.of((long) port));
    }

    /** A line with where it is and since when, and one with first and last task for each executor. */
    byte[] encode() {
        String tasks =
                executors.stream()
                        .map(it -> "%d %d".formatted(it.get(0), it.get(1)))
                        .sorted()
                        .collect(Collectors.joining("\n"));
        return "%s %s %d %d\n%s"
                .formatted(node, host, port, since, tasks)
                .getBytes(StandardCharsets.UTF_8);
    }

    static OldWorker decode(byte[] data) {
        List<String> lines = new String(data, StandardCharsets.UTF_8).lines().toList();
        String[] first = lines.get(0).split(" ");
        Set<List<Long>> executors = new HashSet<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] tasks = line.split(" ");
            executors.add(List.of(Long.valueOf(tasks[0]), Long.valueOf(tasks[1])));
        }
        return new OldWorker(
                first[0],
                first[1],
                Integer.parseInt(first[2]),
                Long.parseLong(first[3]),
                Set.copyOf(executors));
    }
}
