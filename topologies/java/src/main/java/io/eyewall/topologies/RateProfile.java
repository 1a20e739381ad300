package io.eyewall.topologies;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many tuples per second are due over time: points (seconds, tuples/s), straight lines between
 * them. Before the first point and after the last one the rate is that point's; two points at one
 * time are a step.
 *
 * <p>Tuple n is due when the integral of the rate reaches n, so its time follows from n alone.
 */
final class RateProfile {
    static final String MAXIMUM = "max";

    private final double[] times;
    private final double[] rates;
    /** Tuples due before each point. */
    private final double[] counts;

    private RateProfile(double[] times, double[] rates) {
        this.times = times;
        this.rates = rates;
        counts = new double[times.length];
        counts[0] = times[0] * rates[0];
        for (int i = 1; i < times.length; i++) {
            counts[i] = counts[i - 1] + (times[i] - times[i - 1]) * (rates[i - 1] + rates[i]) / 2;
        }
    }

    /**
     * Reads a profile: {@code 25} or points {@code 0:25,60:25,60:75}, separated by commas or white
     * space.
     *
     * @throws IllegalArgumentException with the offender, its value and what is allowed
     */
    static RateProfile parse(String text) {
        List<double[]> points = new ArrayList<>();
        for (String point : text.trim().split("[,\\s]+")) {
            double[] read = point(point);
            double last = points.isEmpty() ? 0 : points.get(points.size() - 1)[0];
            if (read[0] < last) {
                throw new IllegalArgumentException(
                        "rate point " + point + ": goes back in time; allowed is " + last + " s or later");
            }
            points.add(read);
        }
        return new RateProfile(
                points.stream().mapToDouble(point -> point[0]).toArray(),
                points.stream().mapToDouble(point -> point[1]).toArray());
    }

    /** Returns the seconds after the start at which {@code count} tuples have become due. */
    double timeOf(double count) {
        int found = Arrays.binarySearch(counts, count);
        int next = found < 0 ? -found - 1 : found;
        while (found >= 0 && next > 0 && counts[next - 1] == count) {
            next--; // The points of a step have one count, which is reached at the first of them.
        }
        if (found >= 0 && next > 0) {
            return times[next];
        }
        if (next == 0) {
            return rates[0] > 0 ? count / rates[0] : times[0];
        }
        int from = next - 1;
        double left = count - counts[from];
        if (next == times.length) {
            return rates[from] > 0 ? times[from] + left / rates[from] : Double.POSITIVE_INFINITY;
        }
        double slope = (rates[next] - rates[from]) / (times[next] - times[from]);
        double root = Math.sqrt(Math.max(0, rates[from] * rates[from] + 2 * slope * left));
        return times[from] + 2 * left / (rates[from] + root);
    }

    private static double[] point(String text) {
        String[] parts = text.split(":", -1);
        try {
            double time = parts.length == 2 ? Double.parseDouble(parts[0]) : 0;
            double rate = Double.parseDouble(parts[parts.length - 1]);
            if (parts.length <= 2 && time >= 0 && rate >= 0 && Double.isFinite(time + rate)) {
                return new double[] {time, rate};
            }
        } catch (NumberFormatException notNumber) {
            // Falls through to the one message for all that is no point.
        }
        throw new IllegalArgumentException(
                "rate point " + text + ": allowed are TUPLES_PER_SECOND and SECONDS:TUPLES_PER_SECOND, "
                        + "neither below 0");
    }
}
