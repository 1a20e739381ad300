package io.eyewall.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.rpc.Input;
import java.util.List;
import org.apache.storm.Thrift;
import org.apache.storm.generated.Grouping;
import org.apache.storm.generated.JavaObject;
import org.apache.storm.grouping.PartialKeyGrouping;
import org.apache.storm.grouping.ShuffleGrouping;
import org.apache.storm.tuple.Fields;
import org.apache.storm.utils.Utils;
import org.junit.jupiter.api.Test;

class GroupingsTest {

    @Test
    void everyGroupingOfStormHasItsWord() {
        assertThat(Groupings.of(Thrift.prepareShuffleGrouping())).isEqualTo(Input.Grouping.SHUFFLE);
        assertThat(Groupings.of(Thrift.prepareNoneGrouping())).isEqualTo(Input.Grouping.NONE);
        assertThat(Groupings.of(Thrift.prepareAllGrouping())).isEqualTo(Input.Grouping.ALL);
        assertThat(Groupings.of(Thrift.prepareGlobalGrouping())).isEqualTo(Input.Grouping.GLOBAL);
        assertThat(Groupings.of(Thrift.prepareDirectGrouping())).isEqualTo(Input.Grouping.DIRECT);
        assertThat(Groupings.of(Thrift.prepareFieldsGrouping(List.of("word"))))
                .isEqualTo(Input.Grouping.FIELDS);
        assertThat(Groupings.of(Thrift.prepareLocalOrShuffleGrouping()))
                .isEqualTo(Input.Grouping.LOCAL_OR_SHUFFLE);
    }

    @Test
    void partialKeyIsToldFromOtherCustomGroupings() {
        PartialKeyGrouping partialKey = new PartialKeyGrouping(new Fields("word"));

        assertThat(Groupings.of(serialized(partialKey))).isEqualTo(Input.Grouping.PARTIAL_KEY);
        assertThat(Groupings.of(serialized(new ShuffleGrouping()))).isEqualTo(Input.Grouping.CUSTOM);
    }

    @Test
    void aCustomGroupingThatCannotBeReadIsCustom() {
        assertThat(Groupings.of(Grouping.custom_serialized(new byte[] {1, 2})))
                .isEqualTo(Input.Grouping.CUSTOM);
        assertThat(Groupings.of(Grouping.custom_object(new JavaObject("a.B", List.of()))))
                .isEqualTo(Input.Grouping.CUSTOM);
    }

    private static Grouping serialized(Object grouping) {
        return Grouping.custom_serialized(Utils.javaSerialize(grouping));
    }
}
