package io.eyewall.storm;

import com.google.protobuf.ByteString;
import io.eyewall.storm.rpc.Executor;
import io.eyewall.storm.rpc.TopologyState;
import io.eyewall.storm.rpc.Worker;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.storm.scheduler.Cluster;
import org.apache.storm.scheduler.ExecutorDetails;
import org.apache.storm.scheduler.SchedulerAssignment;
import org.apache.storm.scheduler.WorkerSlot;

/** The workers of a topology, in Storm's words and in the contract's. */
final class Workers {

    private static final Comparator<ExecutorDetails> BY_TASK =
            Comparator.comparingInt(ExecutorDetails::getStartTask)
                    .thenComparingInt(ExecutorDetails::getEndTask);

    private static final Comparator<WorkerSlot> BY_PLACE =
            Comparator.comparing(WorkerSlot::getNodeId).thenComparingInt(WorkerSlot::getPort);

    private Workers() {}

    /** What runs in each slot; empty where there is no assignment. */
    static Map<WorkerSlot, Set<ExecutorDetails>> bySlot(SchedulerAssignment assignment) {
        Map<WorkerSlot, Set<ExecutorDetails>> workers = new HashMap<>();
        if (assignment != null) {
            assignment
                    .getExecutorToSlot()
                    .forEach(
                            (executor, slot) ->
                                    workers.computeIfAbsent(slot, s -> new HashSet<>()).add(executor));
        }
        return workers;
    }

    /** The same in the contract's words, sorted: equal assignments are equal messages. */
    static List<Worker> of(SchedulerAssignment assignment) {
        Map<WorkerSlot, Set<ExecutorDetails>> workers = bySlot(assignment);
        return workers.keySet().stream()
                .sorted(BY_PLACE)
                .map(
                        slot ->
                                Worker.newBuilder()
                                        .setSupervisorId(slot.getNodeId())
                                        .setPort(slot.getPort())
                                        .addAllExecutors(executors(workers.get(slot)))
                                        .build())
                .toList();
    }

    /** Names an assignment: two are equal if and only if their digests are. */
    static ByteString digest(List<Worker> workers) {
        return Digest.of(TopologyState.newBuilder().addAllWorkers(workers).build());
    }

    /** Names the assignment that a topology has on this cluster. */
    static ByteString digest(Cluster cluster, String topologyId) {
        return digest(of(cluster.getAssignmentById(topologyId)));
    }

    /** Sorted by task. */
    static List<Executor> executors(Collection<ExecutorDetails> executors) {
        return executors.stream()
                .sorted(BY_TASK)
                .map(
                        executor ->
                                Executor.newBuilder()
                                        .setFirstTask(executor.getStartTask())
                                        .setLastTask(executor.getEndTask())
                                        .build())
                .toList();
    }

    static ExecutorDetails executor(Executor executor) {
        return new ExecutorDetails(executor.getFirstTask(), executor.getLastTask());
    }

    static WorkerSlot slot(Worker worker) {
        return new WorkerSlot(worker.getSupervisorId(), worker.getPort());
    }
}
