package io.eyewall.topologies;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Operations between one source and one sink, and the streams between them.
 *
 * @param streams in the order given; without those of {@code back} they close no cycle
 * @param back streams from an operation to an earlier one: their target spends its time on a tuple and
 *     passes nothing on, since a tuple would go round for ever where a cycle emits as much as it gets
 * @param selectivities tuples that an operation emits for each one, where it is not the usual number
 */
record OperationGraph(List<Stream> streams, List<Stream> back, Map<String, Double> selectivities) {
    static final String SOURCE = "source";
    static final String SINK = "sink";
    static final String USUAL = "source:operator,operator:sink";
    static final double MOST_SELECTIVITY = 100;

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
    private static final Pattern NUMBER =
            Pattern.compile("[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?");

    /** All tuples of one operation go to the other. */
    record Stream(String from, String to) implements Serializable {
        @Override
        public String toString() {
            return from + ":" + to;
        }
    }

    /**
     * Reads {@code source:a,a:sink}, the same of streams back, and {@code a=0.5,b=2}.
     *
     * @throws IllegalArgumentException with the offender, its value and what is allowed
     */
    static OperationGraph parse(String graph, String back, String selectivities) {
        OperationGraph parsed = new OperationGraph(
                streams("graph", graph), streams("back", back), factors(selectivities));
        parsed.check();
        return parsed;
    }

    /** Returns the operations, without source and sink, in the order in which streams name them. */
    Set<String> operations() {
        Set<String> found = new LinkedHashSet<>();
        for (Stream stream : streams) {
            found.add(stream.from());
            found.add(stream.to());
        }
        found.remove(SOURCE);
        found.remove(SINK);
        return found;
    }

    /** Returns the operations whose tuples an operation passes on no more. */
    Set<String> absorbed(String operation) {
        Set<String> found = new HashSet<>();
        for (Stream stream : back) {
            if (stream.to().equals(operation)) {
                found.add(stream.from());
            }
        }
        return found;
    }

    private void check() {
        Set<String> operations = operations();
        Set<Stream> seen = new HashSet<>();
        for (Stream stream : streams) {
            require(!stream.to().equals(SOURCE), "graph", stream, "streams to operations or the sink");
            require(!stream.from().equals(SINK), "graph", stream, "streams from operations or the source");
            require(seen.add(stream), "graph", stream, "each stream once");
        }
        Set<String> behind = reached(SOURCE, true);
        Set<String> before = reached(SINK, false);
        require(behind.contains(SINK), "graph", streams, "a way from source to sink");
        for (String operation : operations) {
            boolean lies = behind.contains(operation) && before.contains(operation);
            require(lies, "graph", operation, "operations on a way from source to sink");
            require(!reached(operation, true).contains(operation), "graph", operation,
                    "streams that close no cycle; those that do are of --back");
        }
        for (Stream stream : back) {
            boolean known = operations.contains(stream.from()) && operations.contains(stream.to());
            boolean closes = stream.from().equals(stream.to())
                    || reached(stream.to(), true).contains(stream.from());
            require(known && closes && seen.add(stream), "back", stream,
                    "streams from an operation to itself or one before it, each once");
        }
        for (String operation : selectivities.keySet()) {
            require(operations.contains(operation), "selectivities", operation, operations);
        }
    }

    /** Returns what lies on ways from here, or on ways to here. */
    private Set<String> reached(String operation, boolean forward) {
        Set<String> found = new HashSet<>();
        List<String> open = new ArrayList<>(List.of(operation));
        while (!open.isEmpty()) {
            String here = open.remove(open.size() - 1);
            for (Stream stream : streams) {
                String next = forward ? stream.to() : stream.from();
                if (here.equals(forward ? stream.from() : stream.to()) && found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    private static List<Stream> streams(String argument, String text) {
        List<Stream> found = new ArrayList<>();
        for (String part : parts(text)) {
            String[] ends = part.split(":", -1);
            boolean named = ends.length == 2
                    && NAME.matcher(ends[0]).matches()
                    && NAME.matcher(ends[1]).matches();
            require(named, argument, part, "FROM:TO, names of small letters, digits and -");
            found.add(new Stream(ends[0], ends[1]));
        }
        return List.copyOf(found);
    }

    private static Map<String, Double> factors(String text) {
        Map<String, Double> found = new TreeMap<>();
        for (String part : parts(text)) {
            String[] sides = part.split("=", -1);
            double factor = sides.length == 2 ? number(sides[1]) : Double.NaN;
            require(factor >= 0 && factor <= MOST_SELECTIVITY, "selectivities", part,
                    "OPERATION=NUMBER, from 0 to " + MOST_SELECTIVITY);
            require(found.put(sides[0], factor) == null, "selectivities", part, "each operation once");
        }
        return found;
    }

    private static double number(String text) {
        return NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
    }

    private static String[] parts(String text) {
        return text.isEmpty() ? new String[0] : text.split(",", -1);
    }

    private static void require(boolean holds, String argument, Object value, Object allowed) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "--" + argument + " " + value + ": allowed are " + allowed);
        }
    }
}
