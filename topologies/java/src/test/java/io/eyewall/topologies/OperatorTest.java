package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.metrics2.StormMetricRegistry;
import org.apache.storm.task.IOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.tuple.Tuple;
import org.junit.jupiter.api.Test;

class OperatorTest {
    @Test
    void whatComesBackIsAckedAndNotPassedOn() {
        List<String> calls = new ArrayList<>();
        Operator operator = new Operator(0, 3, Set.of("later"));
        operator.prepare(Map.of(), context(), new OutputCollector(recording(calls)));
        operator.execute(from("earlier"));
        operator.execute(from("later"));
        assertThat(calls).containsExactly("emit", "emit", "emit", "ack", "ack");
    }

    private static Tuple from(String component) {
        return (Tuple) Proxy.newProxyInstance(
                OperatorTest.class.getClassLoader(), new Class<?>[] {Tuple.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getSourceComponent" -> component;
                    case "getLong" -> 7L;
                    default -> null;
                });
    }

    private static IOutputCollector recording(List<String> calls) {
        return (IOutputCollector) Proxy.newProxyInstance(
                OperatorTest.class.getClassLoader(), new Class<?>[] {IOutputCollector.class},
                (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return null;
                });
    }

    private static TopologyContext context() {
        return new TopologyContext(null, Map.of(), Map.of(1, "operator"), Map.of(), Map.of(), Map.of(),
                "t-1-1", "", "", 1, 6700, List.of(1), Map.of(), Map.of(), Map.of(), Map.of(),
                new AtomicBoolean(), new StormMetricRegistry());
    }
}
