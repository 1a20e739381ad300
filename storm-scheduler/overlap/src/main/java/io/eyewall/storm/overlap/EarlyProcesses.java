package io.eyewall.storm.overlap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.storm.daemon.Task;
import org.apache.storm.spout.ShellSpout;
import org.apache.storm.utils.ShellProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of spouts in other languages that are started while their spouts wait for their turn.
 *
 * <p>Most of their start is what they import. After that they wait for Storm to shake hands, which it
 * does when the spout is opened: before its turn a spout must not even read how far its predecessor
 * has come. Storm opens a spout on the thread that waited for its turn.
 */
final class EarlyProcesses {

    private static final Logger LOG = LoggerFactory.getLogger(EarlyProcesses.class);

    private static final ThreadLocal<EarlyProcesses> OF_THREAD = new ThreadLocal<>();

    /** So many looks in a row at which a process has used no CPU, and it waits. */
    private static final int QUIET_LOOKS = 4;

    /** A process, and with what it was started. */
    private record Early(Process process, List<String> command, File folder) {}

    private final List<Early> processes = new ArrayList<>();
    private final Map<Long, String> lastLooks = new HashMap<>();
    private int quietLooks;

    /**
     * Starts those of the spouts of an executor, for this thread. Whatever goes wrong with that, they
     * start with their spouts.
     */
    static EarlyProcesses start(List<Task> tasks) {
        EarlyProcesses early = new EarlyProcesses();
        OF_THREAD.set(early);
        // Its being named here loads it, so that it is known whether it was changed.
        String launcher = ShellProcess.class.getName().replace('.', '/');
        if (!WorkerTransformer.isChanged(launcher)) {
            return early;
        }
        try {
            tasks.stream().filter(Objects::nonNull).forEach(early::start);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("processes start with their spouts", e);
        }
        return early;
    }

    /** In place of {@link ProcessBuilder#start} as Storm launches a process: one that runs, if it can. */
    static Process started(ProcessBuilder builder) throws IOException {
        EarlyProcesses early = OF_THREAD.get();
        Process found = early == null ? null : early.take(builder);
        return found == null ? builder.start() : found;
    }

    /** Ends what Storm did not take. */
    static void end() {
        EarlyProcesses early = OF_THREAD.get();
        if (early != null) {
            OF_THREAD.remove();
            early.processes.forEach(it -> it.process().destroyForcibly());
        }
    }

    private void start(Task task) {
        if (task.getTaskObject() instanceof ShellSpout spout) {
            boolean changes = spout.shouldChangeChildCWD();
            start(
                    WorkerInternals.command(spout),
                    changes ? new File(task.getUserContext().getCodeDir()) : null);
        }
    }

    void start(List<String> command, File folder) {
        try {
            Process process = new ProcessBuilder(command).directory(folder).start();
            processes.add(new Early(process, command, folder));
        } catch (IOException | OutOfMemoryError e) { // the latter for want of a thread
            LOG.warn("{} starts with its spout", command, e);
        }
    }

    /** Whether all have imported what they need, as far as can be seen; called again and again. */
    boolean areWaiting() {
        Map<Long, String> looks = new HashMap<>();
        for (Early it : processes) {
            looks.put(it.process().pid(), usedCpu(it.process().pid()));
        }
        quietLooks = looks.equals(lastLooks) ? quietLooks + 1 : 0;
        lastLooks.clear();
        lastLooks.putAll(looks);
        return processes.isEmpty() || quietLooks >= QUIET_LOOKS;
    }

    private Process take(ProcessBuilder builder) {
        for (Iterator<Early> all = processes.iterator(); all.hasNext(); ) {
            Early it = all.next();
            if (it.command().equals(builder.command())
                    && Objects.equals(it.folder(), builder.directory())
                    && builder.environment().equals(System.getenv())) {
                all.remove();
                return it.process().isAlive() ? it.process() : null;
            }
        }
        return null;
    }

    /** State and CPU time of a process; empty where the kernel has no such file. */
    private static String usedCpu(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return "S".equals(fields[0]) ? fields[11] + " " + fields[12] : "busy " + System.nanoTime();
        } catch (IOException e) {
            return "";
        }
    }
}
