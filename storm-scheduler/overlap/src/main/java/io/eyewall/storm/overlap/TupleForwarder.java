package io.eyewall.storm.overlap;

import java.util.List;
import org.apache.storm.tuple.Tuple;

/** Sends tuples to tasks of another worker. Used by one thread at a time. */
interface TupleForwarder {

    void forward(int task, Tuple tuple);

    /** Sends values as if the task {@code source} had emitted them. */
    void send(int task, int source, String stream, List<Object> values);
}
