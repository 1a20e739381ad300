package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void eachLatencyIsInABucketThatIsAtMost1Point6PercentWide() {
        for (long micros = 0; micros < 100_000_000; micros += 1 + micros / 97) {
            int bucket = LatencyHistogram.bucket(micros);
            long least = least(bucket);
            long beyond = least(bucket + 1);
            assertThat(micros).isBetween(least, beyond - 1);
            assertThat(beyond - least).isLessThanOrEqualTo(Math.max(1, least / 64));
        }
    }

    @Test
    void theReaderInPythonHasTheSameBuckets() {
        // tests/deploy/measure/test_load_samples.py has these pairs, too.
        assertThat(LatencyHistogram.bucket(63)).isEqualTo(63);
        assertThat(LatencyHistogram.bucket(1_000)).isEqualTo(3 * 64 + 125); // 1000 / 2³
        assertThat(LatencyHistogram.bucket(1_000_000)).isEqualTo(13 * 64 + 122); // 10⁶ / 2¹³ = 122.07
    }

    @Test
    void countsAreAJsonObject() {
        LatencyHistogram histogram = new LatencyHistogram();
        histogram.add(5);
        histogram.add(7);
        histogram.add(5);
        assertThat(histogram.toJson()).isEqualTo("{\"5\":2,\"7\":1}");
    }

    private static long least(int bucket) {
        int power = Math.max(0, bucket / 64 - 1);
        return (long) (bucket - power * 64) << power;
    }
}
