package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, and the thread that starts them opens the spout. */
class EarlyProcessesTest {

    private static final long PATIENCE_SECONDS = 60;

    /** Works for a while, as one that imports does, then waits for its input. */
    private static final List<String> SPOUT =
            List.of("python3", "-c", "import sys, time\nwhile time.process_time() < 0.5: pass\n"
                    + "sys.stdout.write(sys.stdin.readline()); sys.stdout.flush(); sys.stdin.read()");

    @TempDir Path folder;

    private final EarlyProcesses early = EarlyProcesses.start(List.of());

    @AfterEach
    void end() {
        EarlyProcesses.end();
    }

    private ProcessBuilder builder() {
        return new ProcessBuilder(SPOUT).directory(folder.toFile());
    }

    private Process launched() throws IOException {
        return Handovers.startProcess(builder());
    }

    private void awaitImports() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!early.areWaiting()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(50);
        }
    }

    private static double usedCpu(Process process) {
        return process.info().totalCpuDuration().orElseThrow().toMillis() / 1000.0;
    }

    @Test
    void aProcessThatWaitsIsTheOneThatStormLaunches() throws Exception {
        early.start(SPOUT, folder.toFile());
        awaitImports();
        Process process = launched();
        assertThat(usedCpu(process)).isGreaterThan(0.3); // it has done its work before
        process.outputWriter().append("hello\n").flush();
        assertThat(process.inputReader().readLine()).isEqualTo("hello");
        EarlyProcesses.end();
        assertThat(process.isAlive()).isTrue();
        process.destroyForcibly();
    }

    @Test
    void itIsLaunchedOnce() throws Exception {
        early.start(SPOUT, folder.toFile());
        Process first = launched();
        Process second = launched();
        assertThat(second.pid()).isNotEqualTo(first.pid());
        first.destroyForcibly();
        second.destroyForcibly();
    }

    @Test
    void anotherCommandOrFolderIsAnotherProcess() throws Exception {
        early.start(SPOUT, folder.toFile());
        Process elsewhere = Handovers.startProcess(builder().directory(new File("/")));
        Process other = Handovers.startProcess(new ProcessBuilder("sleep", "600").directory(folder.toFile()));
        Process own = launched();
        assertThat(List.of(elsewhere.pid(), other.pid())).doesNotContain(own.pid());
        for (Process it : List.of(elsewhere, other, own)) {
            it.destroyForcibly();
        }
    }

    @Test
    void anotherEnvironmentIsAnotherProcess() throws Exception {
        early.start(SPOUT, folder.toFile());
        ProcessBuilder changed = builder();
        changed.environment().put("OF_ITS_OWN", "1");
        Process other = Handovers.startProcess(changed);
        Process own = launched();
        assertThat(own.info().startInstant()).isPresent();
        assertThat(own.info().startInstant().get())
                .isBeforeOrEqualTo(other.info().startInstant().orElseThrow());
        assertThat(own.pid()).isNotEqualTo(other.pid());
        other.destroyForcibly();
        own.destroyForcibly();
    }

    @Test
    void oneThatHasEndedIsStartedAgain() throws Exception {
        early.start(List.of("true"), null);
        awaitImports();
        Process again = Handovers.startProcess(new ProcessBuilder("true"));
        assertThat(again.waitFor()).isZero();
    }

    @Test
    void whatStormDoesNotTakeEnds() throws Exception {
        early.start(SPOUT, folder.toFile());
        Process own = launched();
        early.start(SPOUT, folder.toFile());
        EarlyProcesses.end();
        assertThat(own.isAlive()).isTrue();
        own.destroyForcibly();
        assertThat(
                        ProcessHandle.current()
                                .children()
                                .filter(it -> it.pid() != own.pid())
                                .map(it -> it.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()))
                .allMatch(it -> !it.isAlive());
    }

    @Test
    void aCommandThatCannotBeStartedIsLeftToStorm() {
        early.start(List.of("/no/such/command"), null);
        assertThat(early.areWaiting()).isTrue();
    }
}
