package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartingCoresTest {

    private static final RandomGenerator RANDOM = new Random(1);

    private static final List<String> COMMAND =
            List.of("java", "-cp", "a", "org.apache.storm.LogWriter", "java", "-server", "Worker");

    @BeforeEach
    void needsTaskset() {
        List<Integer> one = List.of(0, 1);
        assumeTrue(StartingCores.confine(COMMAND, one, 2, RANDOM).size() > COMMAND.size(), "no taskset");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0,1 | 2 | 1",
                "0,1,2 | 3 | 2", // half of three is one and a half
                "0,1,2,3 | 4 | 2,3",
                "4,6,9,11,12 | 5 | 11,12",
            })
    void aWorkerStartsOnHalfOfTheCores(String cores, int processors, String half) {
        List<Integer> all = Stream.of(cores.split(",")).map(Integer::valueOf).toList();
        List<String> command = StartingCores.confine(COMMAND, all, processors, RANDOM);
        assertThat(command.subList(0, 6))
                .containsExactly(
                        "java", "-cp", "a", "org.apache.storm.LogWriter", "/bin/sh", "-c");
        String taskset = command.get(7);
        assertThat(taskset).endsWith("/taskset");
        assertThat(command.subList(8, command.size()))
                .containsExactly(
                        half,
                        "java",
                        "-Deyewall.cores=" + taskset + " " + cores,
                        "-XX:ActiveProcessorCount=" + processors,
                        "-server",
                        "Worker");
    }

    @Test
    void underAQuotaStartsDoNotMeetOnTheSameCores() {
        // Four of eight cores' time: a start takes two, each two that are neighbours.
        List<Integer> eight = List.of(0, 1, 2, 3, 4, 5, 6, 7);
        Set<String> seen = new HashSet<>();
        for (int start = 0; start < 200; start++) {
            seen.add(StartingCores.confine(COMMAND, eight, 4, RANDOM).get(8));
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "0,1", "1,2", "2,3", "3,4", "4,5", "5,6", "6,7", "0,7");
        // Of one core's time it takes all, on one core: its threads then count as one.
        assertThat(StartingCores.confine(COMMAND, eight, 1, RANDOM).get(8)).hasSize(1);
    }

    @Test
    void aHostOfOneCoreAndACommandOfAnotherFormStayAsTheyAre() {
        List<Integer> two = List.of(0, 1);
        assertThat(StartingCores.confine(COMMAND, List.of(0), 1, RANDOM)).isEqualTo(COMMAND);
        assertThat(StartingCores.confine(COMMAND, List.of(), 1, RANDOM)).isEqualTo(COMMAND);
        List<String> other = List.of("java", "-server", "Worker");
        assertThat(StartingCores.confine(other, two, 2, RANDOM)).isEqualTo(other);
        List<String> nothing = List.of("java", "org.apache.storm.LogWriter");
        assertThat(StartingCores.confine(nothing, two, 2, RANDOM)).isEqualTo(nothing);
    }

    @Test
    void aWorkerStartsWhereCoresCannotBeSet() throws Exception {
        // The kernel refuses a core that the machine does not have.
        List<String> command = List.of("env", "org.apache.storm.LogWriter", "echo", "started");
        List<String> worker = StartingCores.confine(command, List.of(0, 4_000), 2, RANDOM);
        Process process = new ProcessBuilder(worker.subList(2, worker.size())).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isZero();
        assertThat(said).endsWith(" started\n").doesNotContain("affinity");
    }

    /** A real JVM, on one of this machine's cores until it has started, and its child. */
    @ParameterizedTest
    @ValueSource(strings = {"started", "not-ready"})
    void aWorkerHasAllCoresOnceItHasStartedOrWasNotReadyForLong(String how) throws Exception {
        List<Integer> cores = StartingCores.ofThisProcess();
        assumeTrue(cores.size() > 1, "this machine has one core");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command =
                List.of("env", "org.apache.storm.LogWriter", java,
                        "-cp", System.getProperty("java.class.path"), Starting.class.getName(), how);
        List<String> worker = StartingCores.confine(command, cores, cores.size(), RANDOM);
        Process process =
                new ProcessBuilder(worker.subList(2, worker.size())).redirectErrorStream(true).start();
        try {
            // One that is never released would end after a minute, and say so.
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            String said = new String(process.getInputStream().readAllBytes());
            List<Integer> half = cores.subList(cores.size() - cores.size() / 2, cores.size());
            assertThat(said.lines())
                    .contains("before " + half, "child before " + half)
                    .contains("after " + cores, "child after " + cores, "later " + cores);
        } finally {
            process.destroyForcibly();
        }
    }

    /** What the JVM of that test runs. */
    static final class Starting {

        private static final Path SELF = Path.of("/proc/thread-self/status");

        private Starting() {}

        public static void main(String[] arguments) throws Exception {
            boolean starts = "started".equals(arguments[0]);
            Process child = new ProcessBuilder("sleep", "600").start();
            Path status = Path.of("/proc", Long.toString(child.pid()), "status");
            try {
                List<Integer> narrow = StartingCores.allowed(SELF);
                System.out.println("before " + narrow);
                System.out.println("child before " + StartingCores.allowed(status));
                StartingCores.releaseOnceStarted(Duration.ofSeconds(starts ? 600 : 1));
                if (starts) {
                    StartingCores.started();
                }
                for (int look = 0;
                        look < 600 && StartingCores.allowed(status).equals(narrow);
                        look++) {
                    Thread.sleep(100);
                }
                System.out.println("after " + StartingCores.allowed(SELF));
                System.out.println("child after " + StartingCores.allowed(status));
                Thread later =
                        new Thread(() -> System.out.println("later " + StartingCores.allowed(SELF)));
                later.start();
                later.join();
            } finally {
                child.destroyForcibly();
            }
        }
    }
}
