package io.eyewall.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.eyewall.storm.ShimSettings.Address;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShimSettingsTest {

    @Test
    void withoutAnyKeyTheDefaultsHold() {
        assertThat(ShimSettings.read(Map.of("storm.scheduler", "ours")))
                .isEqualTo(
                        new ShimSettings(
                                List.of(new Address("127.0.0.1", 7077)),
                                ShimSettings.Inner.RESOURCE_AWARE,
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(1),
                                true,
                                Duration.ofSeconds(2),
                                List.of()));
    }

    @Test
    void everyKeyIsRead() {
        assertThat(
                        ShimSettings.read(
                                Map.of(
                                        "eyewall.sidecar.addresses", List.of("a:1", "[::1]:2"),
                                        "eyewall.scheduler.inner", "default",
                                        "eyewall.deadline.first.ms", 3000,
                                        "eyewall.deadline.round.ms", 100L,
                                        "eyewall.push.assignments", false,
                                        "eyewall.push.timeout.ms", 500)))
                .isEqualTo(
                        new ShimSettings(
                                List.of(new Address("a", 1), new Address("::1", 2)),
                                ShimSettings.Inner.DEFAULT,
                                Duration.ofSeconds(3),
                                Duration.ofMillis(100),
                                false,
                                Duration.ofMillis(500),
                                List.of()));
    }

    @Test
    void aBadValueIsNamedAndItsDefaultHolds() {
        ShimSettings settings =
                ShimSettings.read(
                        Map.of(
                                "eyewall.scheduler.inner", "fifo",
                                "eyewall.deadline.round.ms", -5,
                                "eyewall.push.assignments", "yes"));

        assertThat(settings.inner()).isEqualTo(ShimSettings.Inner.RESOURCE_AWARE);
        assertThat(settings.roundDeadline()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.pushAssignments()).isTrue();
        assertThat(settings.complaints())
                .containsExactlyInAnyOrder(
                        "eyewall.scheduler.inner: fifo is not resource-aware or default;"
                                + " going on with resource-aware",
                        "eyewall.deadline.round.ms: -5 is not a whole number of milliseconds"
                                + " from 1 to 60000; going on with 1000",
                        "eyewall.push.assignments: yes is not true or false; going on with true");
    }

    @Test
    void addressesWithoutAPortAreLeftOut() {
        ShimSettings settings =
                ShimSettings.read(
                        Map.of("eyewall.sidecar.addresses", List.of("sidecar-1", "b:7", "c:70000")));

        assertThat(settings.addresses()).containsExactly(new Address("b", 7));
        assertThat(settings.complaints())
                .containsExactly(
                        "eyewall.sidecar.addresses: sidecar-1 is not host:port,"
                                + " e.g. sidecar-1:7077; going on with the others",
                        "eyewall.sidecar.addresses: c:70000 is not host:port,"
                                + " e.g. sidecar-1:7077; going on with the others");
    }

    @Test
    void anUnknownKeyIsNamedUnlessItIsATopologys() {
        ShimSettings settings =
                ShimSettings.read(Map.of("eyewall.sidecar.adresses", "a:1", "eyewall.mode", "auto"));

        assertThat(settings.complaints())
                .singleElement()
                .asString()
                .startsWith(
                        "unknown key eyewall.sidecar.adresses, it does nothing; the scheduler's keys are [eyewall.")
                .contains("], defaults for topologies are [eyewall.budget.per.mb, ");
    }
}
