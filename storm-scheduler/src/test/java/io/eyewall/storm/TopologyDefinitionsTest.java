package io.eyewall.storm;

import static io.eyewall.storm.Fixture.requesting;
import static io.eyewall.storm.Fixture.topology;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.eyewall.storm.rpc.Component;
import io.eyewall.storm.rpc.Executor;
import io.eyewall.storm.rpc.Input;
import io.eyewall.storm.rpc.SharedMemory;
import io.eyewall.storm.rpc.TopologyDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.scheduler.TopologyDetails;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyDefinitionsTest {

    private static final long HEAP = 128L * 1024 * 1024;

    private final TopologyDefinitions definitions = new TopologyDefinitions(Map.of());

    @Test
    void everyExecutorIsDefinedThoseOfTheAckersIncluded() {
        // 10 % CPU are 0.1 cores.
        TopologyDefinition definition = define(topology("t", 3));

        assertThat(definition.getName()).isEqualTo("T");
        assertThat(definition.getRequestedWorkers()).isEqualTo(3);
        assertThat(definition.getWorkerMaxHeapBytes()).isEqualTo(768L * 1024 * 1024);
        assertThat(definition.getComponentsList())
                .extracting(Component::getId)
                .containsExactly("__acker", "count", "spout");
        assertThat(definition.getComponentsList())
                .extracting(Component::getKind)
                .containsExactly(
                        Component.Kind.SYSTEM, Component.Kind.BOLT, Component.Kind.SPOUT);
        assertThat(definition.getComponents(1).getExecutorsList())
                .containsExactly(executor(2), executor(3));
        assertThat(definition.getComponentsList())
                .allSatisfy(
                        component -> {
                            assertThat(component.getCpuCores()).isEqualTo(0.1);
                            assertThat(component.getOnHeapBytes()).isEqualTo(HEAP);
                            assertThat(component.getOffHeapBytes()).isZero();
                        });
    }

    @Test
    void whatTheResourceAwareSchedulerPromisesIsPartOfTheDefinition() {
        Map<String, Object> constraints =
                Map.of(
                        "count",
                        Map.of(
                                "maxNodeCoLocationCnt",
                                2,
                                "incompatibleComponents",
                                List.of("spout")));
        TopologyDefinition definition =
                define(
                        topology(
                                "t",
                                1,
                                Map.of(
                                        Config.TOPOLOGY_RAS_CONSTRAINTS,
                                        constraints,
                                        Config.TOPOLOGY_RAS_ONE_COMPONENT_PER_WORKER,
                                        true)));

        Component count = component(definition, "count");
        assertThat(count.getMostOnSupervisor()).isEqualTo(2);
        assertThat(count.getIncompatibleList()).containsExactly("spout");
        // Storm reads it in both directions.
        assertThat(component(definition, "spout").getIncompatibleList()).containsExactly("count");
        assertThat(component(definition, "spout").getMostOnSupervisor()).isZero();
        assertThat(definition.getOneComponentPerWorker()).isTrue();
        assertThat(definition.getOneExecutorPerWorker()).isFalse();
    }

    @Test
    void genericResourcesAreThoseOfOneExecutorWithoutCpuAndMemory() {
        TopologyDefinition definition =
                define(requesting("t", "topology.component.resources.map", "{\"gpu.count\": 2.0}"));

        assertThat(component(definition, "count").getGenericResourcesMap())
                .isEqualTo(Map.of("gpu.count", 2.0));
        assertThat(component(definition, "spout").getGenericResourcesMap()).isEmpty();
    }

    @Test
    void sharedMemoryIsPartOfTheDefinitionWithTheComponentsThatDeclareIt() {
        org.apache.storm.generated.SharedMemory memory =
                new org.apache.storm.generated.SharedMemory("table");
        memory.set_on_heap(1);
        memory.set_off_heap_worker(2);
        memory.set_off_heap_node(3);
        TopologyDetails topology = Fixture.sharing("t", memory);
        // Nobody declares it, so that Storm does not count it.
        topology.getTopology()
                .put_to_shared_memory(
                        "unused", new org.apache.storm.generated.SharedMemory("unused"));

        assertThat(define(topology).getSharedMemoryList())
                .containsExactly(
                        SharedMemory.newBuilder()
                                .setName("table")
                                .addComponents("count")
                                .setOnHeapBytes(1 << 20)
                                .setOffHeapWorkerBytes(2 << 20)
                                .setOffHeapSupervisorBytes(3 << 20)
                                .build());
        assertThat(define(topology("u", 1)).getSharedMemoryList()).isEmpty();
    }

    @Test
    void theStrategyIsTheClassByWhichStormPlacesIt() {
        String strategy =
                "org.apache.storm.scheduler.resource.strategies.scheduling.RoundRobinResourceAwareStrategy";
        Map<String, Object> own = Map.of(Config.TOPOLOGY_SCHEDULER_STRATEGY, strategy);

        assertThat(define(topology("t", 1, own)).getStrategy()).isEqualTo(strategy);
        assertThat(define(topology("t", 1)).getStrategy()).endsWith("DefaultResourceAwareStrategy");
        Map<String, Object> bad = Map.of(Config.TOPOLOGY_SCHEDULER_STRATEGY, 7);
        assertThat(define(topology("t", 1, bad)).getStrategy()).isEmpty();
    }

    @Test
    void constraintsThatCannotBeReadLeaveTheRestOfTheDefinition() {
        TopologyDefinition definition =
                define(topology("t", 1, Map.of(Config.TOPOLOGY_RAS_CONSTRAINTS, 7)));

        assertThat(definition.getComponentsCount()).isEqualTo(3);
        assertThat(component(definition, "count").getIncompatibleList()).isEmpty();
    }

    @Test
    void theMessageTimeoutIsTheTopologysOwn() {
        Map<String, Object> own = Map.of(Config.TOPOLOGY_MESSAGE_TIMEOUT_SECS, 10);
        Map<String, Object> bad = Map.of(Config.TOPOLOGY_MESSAGE_TIMEOUT_SECS, "soon");

        assertThat(define(topology("t", 1, own)).getMessageTimeoutSeconds()).isEqualTo(10.0);
        assertThat(define(topology("t", 1, bad)).getMessageTimeoutSeconds()).isZero();
    }

    @Test
    void loadAwareMessagingIsOnUnlessTheTopologySwitchesItOff() {
        Map<String, Object> off = Map.of(Config.TOPOLOGY_DISABLE_LOADAWARE_MESSAGING, true);

        assertThat(define(topology("t", 1, off)).getLoadAwareMessagingDisabled()).isTrue();
        assertThat(define(topology("t", 1)).getLoadAwareMessagingDisabled()).isFalse();
    }

    @Test
    void streamsToAndFromTheAckersAreInputsLikeAnyOther() {
        TopologyDefinition definition = define(topology("t", 1));

        assertThat(definition.getComponents(0).getInputsList())
                .containsExactly(
                        input("count", "__ack_ack", Input.Grouping.FIELDS),
                        input("count", "__ack_fail", Input.Grouping.FIELDS),
                        input("count", "__ack_reset_timeout", Input.Grouping.FIELDS),
                        input("spout", "__ack_init", Input.Grouping.FIELDS));
        assertThat(definition.getComponents(1).getInputsList())
                .containsExactly(input("spout", "default", Input.Grouping.FIELDS));
        assertThat(definition.getComponents(2).getInputsList())
                .containsExactly(
                        input("__acker", "__ack_ack", Input.Grouping.DIRECT),
                        input("__acker", "__ack_fail", Input.Grouping.DIRECT),
                        input("__acker", "__ack_reset_timeout", Input.Grouping.DIRECT));
    }

    @Test
    void settingsAreJsonTextInTheOrderOfTheirKeys() {
        Map<String, Object> pins = new LinkedHashMap<>();
        pins.put("spout", List.of("edge-1"));
        pins.put("count", List.of("label:big", "site:cloud"));

        TopologyDefinition definition =
                define(
                        topology(
                                "t",
                                1,
                                Map.of(
                                        "eyewall.pin",
                                        pins,
                                        "eyewall.objective",
                                        "R=1",
                                        "eyewall.executors.per.slot",
                                        4)));

        assertThat(definition.getSettingsMap())
                .containsOnly(
                        entry("eyewall.executors.per.slot", "4"),
                        entry("eyewall.objective", "\"R=1\""),
                        entry(
                                "eyewall.pin",
                                "{\"count\":[\"label:big\",\"site:cloud\"],\"spout\":[\"edge-1\"]}"));
    }

    @Test
    void keysOfTheSchedulerThatATopologyInheritsFromNimbusAreNotItsSettings() {
        TopologyDefinition definition =
                define(topology("t", 1, Map.of("eyewall.sidecar.addresses", List.of("a:1"))));

        assertThat(definition.getSettingsMap()).isEmpty();
    }

    @Test
    void aKeyThatNimbusMisspellsIsNoSettingOfTheTopologiesThatTookItOver() {
        // Nimbus's own values are YAML's, those of a topology went through JSON.
        TopologyDefinitions underNimbus =
                new TopologyDefinitions(
                        Map.of(
                                "eyewall.deadline.first", 3000,
                                "eyewall.sidecar.adresses", List.of("a:1"),
                                "eyewall.policy", "greedy"));
        Map<String, Object> tookOver =
                Map.of(
                        "eyewall.deadline.first", 3000L,
                        "eyewall.sidecar.adresses", List.of("a:1"),
                        "eyewall.policy", "greedy");

        assertThat(settings(underNimbus, tookOver))
                .containsOnly(entry("eyewall.policy", "\"greedy\""));
    }

    @Test
    void aKeyThatATopologyMisspellsItselfIsHandedOnForTheSidecarToName() {
        TopologyDefinitions underNimbus =
                new TopologyDefinitions(Map.of("eyewall.objektive", "R=1"));

        assertThat(settings(underNimbus, Map.of("eyewall.objektive", "N=1", "eyewall.mod", "off")))
                .containsOnly(
                        entry("eyewall.objektive", "\"N=1\""), entry("eyewall.mod", "\"off\""));
    }

    @Test
    void anUnchangedTopologyIsNotReadAgain() {
        TopologyDefinition first = define(topology("t", 1));

        assertThat(define(topology("t", 1))).isSameAs(first);
    }

    @Test
    void aRebalanceThatChangesTheRequestedWorkersIsAnotherDefinition() {
        TopologyDefinition first = define(topology("t", 1));
        TopologyDefinition second = define(topology("t", 2));

        assertThat(second.getRequestedWorkers()).isEqualTo(2);
        assertThat(second.getDigest()).isNotEqualTo(first.getDigest());
    }

    @Test
    void theDigestIsThatOfTheDefinitionWithoutIt() {
        TopologyDefinition definition = define(topology("t", 1));

        assertThat(Digest.of(definition.toBuilder().clearDigest().build()))
                .isEqualTo(definition.getDigest());
        assertThat(definition.getDigest().size()).isEqualTo(32);
    }

    @ParameterizedTest
    @CsvSource({
        "topology.component.cpu.pcore.percent, -10, % CPU, -10.0",
        "topology.component.resources.onheap.memory.mb, -64, MB on heap, -64.0",
        "topology.component.resources.offheap.memory.mb, -0.5, MB off heap, -0.5",
        "topology.component.cpu.pcore.percent, 1e999, % CPU, Infinity",
        "topology.component.resources.onheap.memory.mb, NaN, MB on heap, NaN",
    })
    void aRequestThatIsNoAmountCountsAsNothingAndThatIsSaidOnce(
            String key, String value, String what, String shown) {
        try (Logged log = new Logged()) {
            TopologyDefinition definition = define(requesting("t", key, value));
            define(requesting("t", key, value));

            Component count = definition.getComponents(1);
            assertThat(count.getCpuCores()).isEqualTo(key.contains("cpu") ? 0 : 0.1);
            assertThat(count.getOnHeapBytes()).isEqualTo(key.contains("onheap") ? 0 : HEAP);
            assertThat(count.getOffHeapBytes()).isZero();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN topology t: count requests %s %s; allowed are finite amounts from 0 on, it is counted as 0"
                                    .formatted(shown, what));
        }
    }

    private static Map<String, String> settings(
            TopologyDefinitions definitions, Map<String, Object> conf) {
        return definitions.of(List.of(topology("t", 1, conf))).get("t").getSettingsMap();
    }

    private static Component component(TopologyDefinition definition, String id) {
        return definition.getComponentsList().stream()
                .filter(it -> it.getId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private TopologyDefinition define(TopologyDetails topology) {
        return definitions.of(List.of(topology)).get(topology.getId());
    }

    private static Executor executor(int task) {
        return Executor.newBuilder().setFirstTask(task).setLastTask(task).build();
    }

    private static Input input(String source, String stream, Input.Grouping grouping) {
        return Input.newBuilder()
                .setSourceComponent(source)
                .setStream(stream)
                .setGrouping(grouping)
                .build();
    }
}
