package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process for a worker. */
class OverlapIsolationTest {

    private static final String WORKER = "0f1e2d3c";
    private static final String USER = System.getProperty("user.name");
    private static final long PATIENCE_SECONDS = 60;

    @TempDir Path local;
    private final OverlapIsolation isolation = new OverlapIsolation();
    private Process process;
    private ServingMark mark;

    @BeforeEach
    void start() throws IOException {
        isolation.prepare(Map.of("storm.local.dir", local.toString()));
        Path folder = local.resolve("workers").resolve(WORKER);
        process = new ProcessBuilder("sleep", "600").start();
        Files.createDirectories(folder.resolve("pids"));
        Files.createFile(folder.resolve("pids").resolve(Long.toString(process.pid())));
        mark = ServingMark.in(folder.toString());
        mark.announce();
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private boolean endsWithin(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    @Test
    void aWorkerWithoutTheAgentIsEndedAtOnce() throws Exception {
        Files.delete(local.resolve("workers").resolve(WORKER).resolve("eyewall-agent"));
        mark.touch(); // it would be waited for
        isolation.kill(USER, WORKER);
        isolation.forceKill(USER, WORKER);
        assertThat(endsWithin(PATIENCE_SECONDS)).isTrue();
        assertThat(mark.isFresh(java.time.Instant.now())).isTrue();
    }

    private List<String> launched(Map<String, Object> topoConf) throws Exception {
        // As Storm has it: the log writer's command, which starts the worker's. Here it only writes.
        Path said = local.resolve("said");
        String write = "echo \"$@\" > " + said;
        List<String> command =
                List.of("sh", "-c", write, "org.apache.storm.LogWriter", "java", "-server",
                        "-Dstorm.conf.file=storm.yaml", "-cp", "a:b", "Worker");
        CountDownLatch ended = new CountDownLatch(1);
        isolation.launchWorkerProcess(
                USER, "wc-1-1000", topoConf, 6700, WORKER, command, Map.of(), "test",
                code -> ended.countDown(), local.toFile());
        assertThat(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new ArrayList<>(List.of(Files.readString(said).trim().split(" ")));
    }

    @Test
    void onlyWorkersOfTopologiesThatAskForItHaveTheAgent() throws Exception {
        List<String> plain =
                List.of("java", "-server", "-Dstorm.conf.file=storm.yaml", "-cp", "a:b", "Worker");
        assertThat(launched(Map.of())).isEqualTo(plain);
        assertThat(launched(Map.of("eyewall.moves", "restart"))).isEqualTo(plain);
        List<String> changed = launched(Map.of("eyewall.moves", "overlap"));
        // On a machine of several cores the worker starts on some of them.
        int java = changed.indexOf("java");
        assertThat(java > 0).isEqualTo(StartingCores.ofThisProcess().size() > 1);
        List<String> worker = changed.subList(java, changed.size());
        worker.removeIf(it -> it.startsWith("-Deyewall.cores=") || it.matches("[0-9,]+"));
        worker.removeIf(it -> it.startsWith("-XX:ActiveProcessorCount="));
        assertThat(worker.remove(2)).startsWith("-javaagent:");
        assertThat(worker).isEqualTo(plain);
    }

    @Test
    void aWorkerWithoutTheAgentKeepsItsCores() {
        // Nothing would give it more once it has started.
        List<String> other = List.of("java", "org.apache.storm.LogWriter", "java", "Worker");
        assertThat(OverlapIsolation.withAgent(other, "overlap.jar")).isEqualTo(other);
    }

    /** tests/monitor/agent/test_workers.py reads the same text. */
    @Test
    void anAgentLeavesItsContractAndItsVersion() throws Exception {
        Path agent = local.resolve("workers").resolve(WORKER).resolve("eyewall-agent");
        assertThat(agent).hasContent("1 unknown"); // these classes are in no jar
    }

    @Test
    void aWorkerThatSaysNothingIsEndedAfterAMoment() throws Exception {
        isolation.kill(USER, WORKER);
        assertThat(endsWithin(PATIENCE_SECONDS)).isTrue();
    }

    @Test
    void aWorkerThatServesOnIsNotEndedUntilItHasRemovedItsMark() throws Exception {
        mark.touch();
        isolation.kill(USER, WORKER);
        // Longer than one is waited for that says nothing.
        for (int second = 0; second < 11; second++) {
            mark.touch();
            isolation.forceKill(USER, WORKER); // as a supervisor does again and again
            assertThat(endsWithin(1)).isFalse();
        }
        mark.remove();
        assertThat(endsWithin(PATIENCE_SECONDS)).isTrue();
    }

    @Test
    void aWorkerThatHangsDoesNotServeOn() throws Exception {
        mark.touch();
        isolation.kill(USER, WORKER);
        // Nobody touches it again: after ServingMark.FRESH it is ended.
        assertThat(endsWithin(PATIENCE_SECONDS)).isTrue();
    }

    @Test
    void aWorkerThatDoesNotEndIsKilledByForceAsByStorm() throws Exception {
        process.destroyForcibly();
        process = new ProcessBuilder("sh", "-c", "trap '' TERM; sleep 600 & wait; wait").start();
        Path pids = local.resolve("workers").resolve(WORKER).resolve("pids");
        try (var listed = Files.list(pids)) {
            for (Path pid : listed.toList()) {
                Files.delete(pid);
            }
        }
        Files.createFile(pids.resolve(Long.toString(process.pid())));
        isolation.kill(USER, WORKER);
        boolean isDead = false;
        for (long waited = 0; waited < PATIENCE_SECONDS && !isDead; waited++) {
            isolation.forceKill(USER, WORKER);
            isDead = endsWithin(1);
        }
        assertThat(isDead).isTrue();
    }
}
