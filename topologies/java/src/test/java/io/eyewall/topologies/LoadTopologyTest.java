package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.apache.storm.generated.StormTopology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadTopologyTest {
    @ParameterizedTest
    @CsvSource({"chain,1,4", "fan-out,1,7", "fan-in,3,2", "diamond,1,6", "word-count,1,2", "mix,1,4"})
    void eachShapeHasItsSourcesAndBolts(String shape, int sources, int bolts) {
        // With three stages: a chain is three operators and a sink; a fan-out an operator, and three
        // branches with a sink each; a diamond an operator, three branches, a join and a sink.
        StormTopology topology =
                LoadTopology.builder(LoadOptions.parse("--shape", shape)).createTopology();
        assertThat(topology.get_spouts()).hasSize(sources);
        assertThat(topology.get_bolts()).hasSize(bolts);
    }

    @Test
    void limitsAreInTheConfiguration() {
        LoadOptions options = LoadOptions.parse(
                "--ackers", "3", "--pending", "50", "--timeout", "20", "--workers", "6");
        assertThat(LoadTopology.configuration(options)).isEqualTo(Map.of(
                "topology.acker.executors", 3,
                "topology.max.spout.pending", 50,
                "topology.message.timeout.secs", 20,
                "topology.workers", 6));
    }

    @Test
    void cpuIsDeclaredOnlyIfAskedFor() {
        assertThat(requests("--shape", "chain")).doesNotContain("cpu.pcore");
        assertThat(requests("--shape", "chain", "--declared", "15"))
                .contains("\"topology.component.cpu.pcore.percent\":15.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--shape ring", "--driver x.sock", "--rate 0:5,3:5,2:9", "--payload -1", "--cpu-us x",
            "--stages 0", "--colour blue", "--rate"})
    void whatIsNotAllowedIsRefusedWithTheOffender(String arguments) {
        String[] parts = arguments.split(" ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadOptions.parse(parts))
                .withMessageContaining(parts[0].substring(2))
                .withMessageMatching("(?s).*(allowed|arguments are).*");
    }

    @Test
    void frequentWordsAreFrequentAsZipfsLawHasIt() {
        // Of 3 words with skew 1 the weights are 1, 1/2 and 1/3, together 11/6: up to 6/11, 9/11, 1.
        double[] cumulative = SplitWords.cumulative(3, 1);
        assertThat(SplitWords.word(cumulative, 0.54)).isEqualTo(0);
        assertThat(SplitWords.word(cumulative, 0.55)).isEqualTo(1);
        assertThat(SplitWords.word(cumulative, 0.99)).isEqualTo(2);
    }

    @Test
    void theSameTupleMeetsTheSameFateAgainAndOthersAreSpreadEvenly() {
        int below = 0;
        for (long number = 0; number < 10_000; number++) {
            assertThat(Chance.of(number, 3)).isEqualTo(Chance.of(number, 3));
            below += Chance.of(number, 3) < 0.25 ? 1 : 0;
        }
        assertThat(below).isBetween(2_300, 2_700);
    }

    private static String requests(String... arguments) {
        return LoadTopology.builder(LoadOptions.parse(arguments))
                .createTopology()
                .get_bolts()
                .get("operator-1")
                .get_common()
                .get_json_conf();
    }
}
