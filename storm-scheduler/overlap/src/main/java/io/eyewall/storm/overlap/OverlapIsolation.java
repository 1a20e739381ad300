package io.eyewall.storm.overlap;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.storm.Config;
import org.apache.storm.container.DefaultResourceIsolationManager;
import org.apache.storm.daemon.supervisor.ExitCodeCallback;
import org.apache.storm.utils.ConfigUtils;
import org.apache.storm.utils.ObjectReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a supervisor starts and ends workers: as Storm does by default, but those of topologies that ask
 * for it have the agent, and one that serves on is left to end itself.
 *
 * <p>A supervisor hears of a move before its workers look for it, so a worker has a moment to say
 * that it serves on. One that does not, as after {@code storm kill}, ends within that moment by
 * itself, or is ended after it.
 */
public class OverlapIsolation extends DefaultResourceIsolationManager {

    private static final Logger LOG = LoggerFactory.getLogger(OverlapIsolation.class);

    private static final String MOVES = "eyewall.moves";

    /** Only a worker's command has it, not that of the log writer before it. */
    private static final String WORKER_OPTION = "-Dstorm.conf.file=";

    /** Workers with the agent look for their assignment once a second; on a busy host it took 3. */
    private static final Duration MOMENT = Duration.ofSeconds(8);

    private static final Duration LOOK = Duration.ofMillis(200);

    /** More than a worker's own limits together. */
    private static final Duration LONGEST = Duration.ofSeconds(170);

    /** Workers that are about to end: those that are not to be killed yet. */
    private final Map<String, Thread> waiting = new ConcurrentHashMap<>();

    @Override
    public void launchWorkerProcess(
            String user,
            String topologyId,
            Map<String, Object> topoConf,
            int port,
            String workerId,
            List<String> command,
            Map<String, String> env,
            String logPrefix,
            ExitCodeCallback processExitCallback,
            File targetDir)
            throws IOException {
        super.launchWorkerProcess(
                user,
                topologyId,
                topoConf,
                port,
                workerId,
                "overlap".equals(topoConf.get(MOVES)) ? withAgent(command, ownJar()) : command,
                env,
                logPrefix,
                processExitCallback,
                targetDir);
    }

    /** The command of a worker, with the agent, which gives it more cores once it has started. */
    static List<String> withAgent(List<String> command, String jar) {
        List<String> result = new ArrayList<>(command);
        for (int place = 0; place < command.size(); place++) {
            if (command.get(place).startsWith(WORKER_OPTION)) {
                result.add(place, "-javaagent:" + jar);
                return StartingCores.confine(
                        result,
                        StartingCores.ofThisProcess(),
                        Runtime.getRuntime().availableProcessors(),
                        ThreadLocalRandom.current());
            }
        }
        LOG.warn("no worker is started by {}; moves are as without eyewall's agent", command);
        return result;
    }

    private static String ownJar() throws IOException {
        try {
            return Path.of(
                            OverlapIsolation.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void kill(String user, String workerId) throws IOException {
        if (!mark(workerId).isAnnounced()) {
            super.kill(user, workerId);
            return;
        }
        waiting.computeIfAbsent(
                workerId,
                it -> {
                    Thread thread = new Thread(() -> end(user, workerId), "eyewall-end-" + workerId);
                    thread.setDaemon(true);
                    thread.start();
                    return thread;
                });
    }

    @Override
    public void forceKill(String user, String workerId) throws IOException {
        if (!waiting.containsKey(workerId)) {
            super.forceKill(user, workerId);
        }
    }

    private void end(String user, String workerId) {
        try {
            if (waitFor(user, workerId)) {
                super.kill(user, workerId);
                // As long as Storm gives a worker before it kills it by force.
                Thread.sleep(shutdownSleep().toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            LOG.warn("worker {} could not be ended; it will be killed", workerId, e);
        } finally {
            waiting.remove(workerId);
        }
    }

    private ServingMark mark(String workerId) {
        return ServingMark.in(ConfigUtils.workerRoot(conf, workerId));
    }

    private Duration shutdownSleep() {
        Object seconds = conf.get(Config.SUPERVISOR_WORKER_SHUTDOWN_SLEEP_SECS);
        return Duration.ofSeconds(ObjectReader.getInt(seconds, 3));
    }

    /** False if it ended by itself. */
    private boolean waitFor(String user, String workerId)
            throws IOException, InterruptedException {
        ServingMark mark = mark(workerId);
        Instant began = Instant.now();
        Duration waited = Duration.ZERO;
        while (waited.compareTo(LONGEST) < 0) {
            if (areAllProcessesDead(user, workerId)) {
                return false;
            }
            boolean serves = mark.isFresh(began.plus(waited));
            if (!serves && waited.compareTo(MOMENT) > 0) {
                return true;
            }
            Thread.sleep(LOOK.toMillis());
            waited = Duration.between(began, Instant.now());
        }
        return true;
    }
}
