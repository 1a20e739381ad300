package io.eyewall.storm.overlap;

import java.util.List;
import java.util.function.Supplier;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.messaging.TaskMessage;
import org.apache.storm.serialization.KryoTupleSerializer;
import org.apache.storm.task.WorkerTopologyContext;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;

/**
 * Tasks of another worker, by the connection that there is to it when something is sent: the agent
 * closes one that breaks, and connects again.
 */
final class RemoteTasks implements TupleForwarder {

    private final Supplier<IConnection> connection;
    private final WorkerTopologyContext context;
    private final KryoTupleSerializer serializer;

    RemoteTasks(WorkerState worker, Supplier<IConnection> connection) {
        this.connection = connection;
        context = worker.getWorkerTopologyContext();
        serializer = new KryoTupleSerializer(worker.getTopologyConf(), context);
    }

    @Override
    public void forward(int task, Tuple tuple) {
        TaskMessage message = new TaskMessage(task, serializer.serialize(tuple));
        connection.get().send(List.of(message).iterator());
    }

    @Override
    public void send(int task, int source, String stream, List<Object> values) {
        String component = context.getComponentId(source);
        forward(task, new TupleImpl(context, values, component, source, stream));
    }
}
