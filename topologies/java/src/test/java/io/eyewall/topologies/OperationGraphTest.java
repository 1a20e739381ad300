package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.storm.generated.GlobalStreamId;
import org.apache.storm.generated.StormTopology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperationGraphTest {
    private static final String DIAMOND = "source:a,a:b,a:c,b:d,c:d,d:sink";

    @Test
    void operationsAreBoltsWithTheStreamsThatAreGiven() {
        StormTopology topology = LoadTopology.builder(LoadOptions.parse(
                        "--shape", "graph", "--graph", DIAMOND, "--back", "d:b", "--parallelism", "2"))
                .createTopology();
        assertThat(topology.get_spouts().keySet()).containsExactly("source");
        assertThat(topology.get_bolts().keySet()).containsExactlyInAnyOrder("a", "b", "c", "d", "sink");
        assertThat(inputs(topology, "b")).containsExactlyInAnyOrder("a", "d");
        assertThat(inputs(topology, "d")).containsExactlyInAnyOrder("b", "c");
        assertThat(inputs(topology, "sink")).containsExactly("d");
        assertThat(topology.get_bolts().get("a").get_common().get_parallelism_hint()).isEqualTo(2);
        assertThat(topology.get_bolts().get("sink").get_common().get_parallelism_hint()).isEqualTo(1);
    }

    @Test
    void selectivitiesAreOfSingleOperations() {
        OperationGraph graph = OperationGraph.parse(DIAMOND, "", "a=0.5,d=2");
        assertThat(graph.selectivities()).isEqualTo(Map.of("a", 0.5, "d", 2.0));
    }

    @Test
    void whatComesBackEndsThere() {
        OperationGraph graph = OperationGraph.parse(DIAMOND, "d:b", "");
        assertThat(graph.absorbed("b")).isEqualTo(Set.of("d"));
        assertThat(graph.absorbed("d")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            source:a,a:sink,a:source | | | --graph a:source: allowed are streams to operations or the sink
            source:a,a:sink,sink:a | | | --graph sink:a: allowed are streams from operations or the source
            source:a,a:sink,source:a | | | --graph source:a: allowed are each stream once
            source:a,b:sink | | | --graph [source:a, b:sink]: allowed are a way from source to sink
            source:a,a:sink,a:b | | | --graph b: allowed are operations on a way from source to sink
            source:a,a:b,b:a,b:sink | | | --graph a: allowed are streams that close no cycle
            source:a,a:sink, | | | --graph : allowed are FROM:TO
            source:a,a:sink:b | | | --graph a:sink:b: allowed are FROM:TO
            Source:sink | | | --graph Source:sink: allowed are FROM:TO
            source:a,a:b,b:sink | a:b | | --back a:b: allowed are streams from an operation to itself or
            source:a,a:b,b:sink | b:c | | --back b:c: allowed are streams from an operation to itself or
            source:a,a:b,b:sink | sink:a | | --back sink:a: allowed are streams from an operation to
            source:a,a:b,b:sink | b:a,b:a | | --back b:a: allowed are streams from an operation to itself
            source:a,a:sink | | b=1 | --selectivities b: allowed are [a]
            source:a,a:sink | | a=x | --selectivities a=x: allowed are OPERATION=NUMBER, from 0 to 100
            source:a,a:sink | | a=1_0 | --selectivities a=1_0: allowed are OPERATION=NUMBER
            source:a,a:sink | | a=1d | --selectivities a=1d: allowed are OPERATION=NUMBER
            source:a,a:sink | | a=101 | --selectivities a=101: allowed are OPERATION=NUMBER
            source:a,a:sink | | a=1,a=2 | --selectivities a=2: allowed are each operation once
            """)
    void whatIsNotAGraphFromASourceToASinkIsRefused(
            String graph, String back, String selectivities, String says) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OperationGraph.parse(graph, given(back), given(selectivities)))
                .withMessageStartingWith(says);
    }

    @Test
    void aGraphWithoutOperationsOnlyHasASink() {
        assertThat(OperationGraph.parse("source:sink", "", "").operations()).isEmpty();
    }

    private static String given(String text) {
        return text == null ? "" : text;
    }

    private static Set<String> inputs(StormTopology topology, String bolt) {
        return topology.get_bolts().get(bolt).get_common().get_inputs().keySet().stream()
                .map(GlobalStreamId::get_componentId)
                .collect(Collectors.toSet());
    }
}
