package io.eyewall.topologies;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The arguments of {@link LoadTopology}, by name.
 *
 * @param rate tuples/s of all sources together: see {@link RateProfile}; or {@code max}, {@code @FILE}
 * @param settleSeconds how long what is late is left out, see {@link Source}
 * @param cpuMicros CPU time that each operator spends on a tuple
 * @param selectivity tuples that an operator emits for each one
 * @param stages operators in a row, or branches
 * @param parallelism executors of each operator
 * @param pending tuples that a source task may have under way
 * @param declared percent of a core that each executor asks for; 0 for none
 * @param workers 0 for Storm's own number
 * @param heavyFactor how many times the CPU time of the others a heavy tuple costs
 * @param graph of the shape of that name
 * @param driver the socket of a test driver, which source and sink of the graph talk to in place of
 *     a schedule and files; empty for none
 */
record LoadOptions(
        String shape,
        String name,
        String rate,
        int settleSeconds,
        double cpuMicros,
        int payloadBytes,
        double selectivity,
        int stages,
        int parallelism,
        int ackers,
        int pending,
        double declared,
        int workers,
        int timeoutSeconds,
        int memoryMegabytes,
        int words,
        int vocabulary,
        double skew,
        double heavyShare,
        double heavyFactor,
        OperationGraph graph,
        String driver) {

    static final List<String> SHAPES =
            List.of("chain", "fan-out", "fan-in", "diamond", "word-count", "mix", "graph");

    /**
     * Reads {@code --name value} pairs.
     *
     * @throws IllegalArgumentException with the offender, its value and what is allowed
     */
    static LoadOptions parse(String... arguments) {
        Values values = new Values(arguments);
        String shape = values.text("shape", "chain");
        if (!SHAPES.contains(shape)) {
            throw new IllegalArgumentException("--shape " + shape + ": allowed are " + SHAPES);
        }
        LoadOptions options = new LoadOptions(
                shape,
                values.text("name", shape),
                values.text("rate", "10"),
                values.whole("settle", 0, 0, 86_400),
                values.number("cpu-us", 1_000, 0, 1e7),
                values.whole("payload", 100, 0, 1_000_000),
                values.number("selectivity", 1, 0, 100),
                values.whole("stages", 3, 1, 64),
                values.whole("parallelism", 2, 1, 1_000),
                values.whole("ackers", 1, 0, 1_000),
                values.whole("pending", 500, 1, 1_000_000),
                values.number("declared", 0, 0, 10_000),
                values.whole("workers", 0, 0, 1_000),
                values.whole("timeout", 10, 1, 3_600),
                values.whole("memory-mb", 96, 16, 65_536),
                values.whole("words", 5, 1, 1_000),
                values.whole("vocabulary", 1_000, 1, 1_000_000),
                values.number("skew", 1, 0, 10),
                values.number("heavy-share", 0.1, 0, 1),
                values.number("heavy-factor", 10, 0, 1_000),
                OperationGraph.parse(
                        values.text("graph", OperationGraph.USUAL),
                        values.text("back", ""),
                        values.text("selectivities", "")),
                values.text("driver", ""));
        values.rejectOthers();
        if (!options.driver.isEmpty() && !shape.equals("graph")) {
            throw new IllegalArgumentException(
                    "--driver " + options.driver + ": allowed is --shape graph, not " + shape);
        }
        if (!options.rate.equals(RateProfile.MAXIMUM) && !options.rate.startsWith("@")) {
            RateProfile.parse(options.rate);
        }
        return options;
    }

    private static final class Values {
        private final Map<String, String> given = new TreeMap<>();
        private final List<String> known = new ArrayList<>();

        Values(String... arguments) {
            for (int i = 0; i < arguments.length; i += 2) {
                if (!arguments[i].startsWith("--") || i + 1 == arguments.length) {
                    throw new IllegalArgumentException(
                            Arrays.asList(arguments).subList(i, arguments.length)
                                    + ": arguments are --NAME VALUE");
                }
                given.put(arguments[i].substring(2), arguments[i + 1]);
            }
        }

        String text(String name, String otherwise) {
            known.add(name);
            String value = given.remove(name);
            return value == null ? otherwise : value;
        }

        double number(String name, double otherwise, double least, double most) {
            String text = text(name, Double.toString(otherwise));
            try {
                double value = Double.parseDouble(text);
                if (value >= least && value <= most) {
                    return value;
                }
            } catch (NumberFormatException notNumber) {
                // Falls through to the one message for all that is not allowed.
            }
            throw new IllegalArgumentException(
                    String.format("--%s %s: allowed is a number from %s to %s", name, text, least, most));
        }

        int whole(String name, int otherwise, int least, int most) {
            String text = text(name, Integer.toString(otherwise));
            try {
                int value = Integer.parseInt(text);
                if (value >= least && value <= most) {
                    return value;
                }
            } catch (NumberFormatException notNumber) {
                // Falls through to the one message for all that is not allowed.
            }
            throw new IllegalArgumentException(String.format(
                    "--%s %s: allowed is a whole number from %d to %d", name, text, least, most));
        }

        void rejectOthers() {
            for (Map.Entry<String, String> other : given.entrySet()) {
                throw new IllegalArgumentException(
                        "--" + other.getKey() + " " + other.getValue() + ": allowed are " + known);
            }
        }
    }
}
