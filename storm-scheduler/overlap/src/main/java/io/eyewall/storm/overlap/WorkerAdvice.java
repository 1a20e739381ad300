package io.eyewall.storm.overlap;

import java.util.List;
import net.bytebuddy.asm.Advice;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.Task;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.executor.IRunningExecutor;
import org.apache.storm.executor.spout.SpoutExecutor;
import org.apache.storm.generated.Assignment;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;

/**
 * What is added to methods of Storm's worker. Byte Buddy copies it into them; whatever goes
 * wrong here is suppressed, and the method does what it always did.
 */
final class WorkerAdvice {

    private WorkerAdvice() {}

    /** Of {@code getLocalAssignment}, by which a worker decides where to send, and whether to end. */
    static final class LocalAssignment {

        private LocalAssignment() {}

        @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
        static void exit(
                @Advice.This WorkerState worker,
                @Advice.Return(readOnly = false) Assignment assignment,
                @Advice.Thrown(readOnly = false) Throwable thrown) {
            if (thrown == null) {
                assignment = Overlap.inForce(worker, assignment);
                return;
            }
            assignment = Overlap.inForceUnread(worker, thrown);
            if (assignment != null) {
                thrown = null;
            }
        }
    }

    /** Of {@code refreshConnections}, which follows an assignment that changed. */
    static final class Connections {

        private Connections() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This WorkerState worker) {
            Overlap.refreshed(worker);
        }
    }

    /** Of {@code refreshLoad}, which reports the load of executors to workers that send to them. */
    static final class Load {

        private Load() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This WorkerState worker) {
            YoungLoad.holdBack(worker);
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(
                @Advice.This WorkerState worker,
                @Advice.Argument(0) List<IRunningExecutor> executors) {
            Backlog.of(executors);
            YoungLoad.report(worker, executors);
        }
    }

    /** Of {@code refreshStormActive}, which sets whether the topology's spouts emit. */
    static final class Active {

        private Active() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This WorkerState worker) {
            Overlap.activated(worker);
        }
    }

    /** Of {@link Acker}'s {@code prepare}. */
    static final class AckerPrepare {

        private AckerPrepare() {}

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(
                @Advice.This Acker acker, @Advice.Argument(1) TopologyContext context) {
            Handovers.prepared(acker, context.getThisTaskId());
        }
    }

    /** Of {@link Acker}'s {@code execute}: skipped for what was sent on. */
    static final class AckerExecute {

        private AckerExecute() {}

        @Advice.OnMethodEnter(
                suppress = Throwable.class,
                skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Acker acker, @Advice.Argument(0) Tuple tuple) {
            return Handovers.begins(acker, tuple);
        }

        @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
        static void exit(@Advice.This Acker acker) {
            Handovers.ends(acker);
        }
    }

    /** Of {@link SpoutExecutor}'s {@code init}, which opens its spouts. */
    static final class SpoutInit {

        private SpoutInit() {}

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(
                @Advice.This SpoutExecutor executor, @Advice.Argument(0) List<Task> tasks) {
            Handovers.opens(executor, tasks);
        }

        @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
        static void exit() {
            Handovers.opened();
        }
    }

    /** Of {@link SpoutExecutor}'s {@code tupleActionFn}: skipped for what was sent on. */
    static final class SpoutTuple {

        private SpoutTuple() {}

        @Advice.OnMethodEnter(
                suppress = Throwable.class,
                skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(
                @Advice.This SpoutExecutor executor,
                @Advice.Argument(0) int task,
                @Advice.Argument(1) TupleImpl tuple) {
            return Handovers.forwards(executor, task, tuple);
        }
    }
}
