package io.eyewall.storm;

import io.eyewall.storm.rpc.SharedMemory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.scheduler.TopologyDetails;

/** Memory that executors of a topology share, as its components declare it. */
final class SharedMemories {

    private SharedMemories() {}

    /** In the order of names. What no component declares is left out, as Storm does. */
    static List<SharedMemory> of(TopologyDetails topology) {
        StormTopology declared = topology.getTopology();
        if (!declared.is_set_shared_memory() || !declared.is_set_component_to_shared_memory()) {
            return List.of();
        }
        Map<String, Set<String>> components = new TreeMap<>();
        declared.get_component_to_shared_memory()
                .forEach(
                        (component, names) ->
                                names.forEach(
                                        name ->
                                                components
                                                        .computeIfAbsent(
                                                                name, it -> new TreeSet<>())
                                                        .add(component)));
        components.keySet().retainAll(declared.get_shared_memory().keySet());
        return components.entrySet().stream()
                .map(it -> memory(declared.get_shared_memory().get(it.getKey()), it))
                .toList();
    }

    private static SharedMemory memory(
            org.apache.storm.generated.SharedMemory memory,
            Map.Entry<String, Set<String>> nameAndComponents) {
        return SharedMemory.newBuilder()
                .setName(nameAndComponents.getKey())
                .addAllComponents(nameAndComponents.getValue())
                .setOnHeapBytes(ClusterSnapshot.bytes(memory.get_on_heap()))
                .setOffHeapWorkerBytes(ClusterSnapshot.bytes(memory.get_off_heap_worker()))
                .setOffHeapSupervisorBytes(ClusterSnapshot.bytes(memory.get_off_heap_node()))
                .build();
    }
}
