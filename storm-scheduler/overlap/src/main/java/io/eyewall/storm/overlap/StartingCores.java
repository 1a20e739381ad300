package io.eyewall.storm.overlap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cores of a worker that starts: half of its host's at most, so that what runs there keeps the
 * others.
 *
 * <p>A start takes all the CPU that it gets for seconds, in dozens of threads. A low priority would
 * need a privilege to be raised again; cores need none. Pools that count cores once, as OpenMP's in
 * Python, stay as large as half of them; those of the JVM do not.
 */
final class StartingCores {

    /** By which a worker knows that it is kept to some cores: {@code /usr/bin/taskset 0,1}. */
    static final String PROPERTY = "eyewall.cores";

    /** For which one is that does not get ready: as its bolts may prepare for long. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final String LOG_WRITER = "org.apache.storm.LogWriter";

    /** Where that cannot be done the worker starts on all cores; a shell becomes the worker. */
    private static final String START = "\"$0\" -p -c \"$1\" $$ >/dev/null 2>&1; shift; exec \"$@\"";

    /** A process that another one has just started may be missed. */
    private static final int TRIES = 5;

    private static final long RETRY_MILLIS = 500;

    private static final CountDownLatch STARTED = new CountDownLatch(1);

    private StartingCores() {}

    /**
     * The command of a worker, on its starting cores; unchanged where there is but one core, or
     * nothing to set cores with.
     *
     * <p>Where there is no quota all starts share one half. A quota is often a container's, of a
     * machine that has others: their starts are not to meet on the same cores.
     *
     * @param command the log writer's, which starts the worker's; the worker has the agent
     * @param cores those of the supervisor
     * @param processors what the supervisor's JVM counts: less than cores where a quota allows less
     * @param random chooses cores under a quota
     */
    static List<String> confine(
            List<String> command, List<Integer> cores, int processors, RandomGenerator random) {
        int place = command.indexOf(LOG_WRITER) + 1;
        Optional<Path> taskset = taskset();
        if (cores.size() < 2 || place == 0 || place + 1 >= command.size() || taskset.isEmpty()) {
            return command;
        }
        String some = list(some(cores, processors, random));
        List<String> result = new ArrayList<>(command.subList(0, place));
        result.addAll(List.of("/bin/sh", "-c", START, taskset.get().toString(), some));
        result.add(command.get(place));
        result.add("-D%s=%s %s".formatted(PROPERTY, taskset.get(), list(cores)));
        // Collectors and compilers are to have the threads that they have otherwise.
        result.add("-XX:ActiveProcessorCount=" + processors);
        result.addAll(command.subList(place + 1, command.size()));
        return result;
    }

    private static List<Integer> some(
            List<Integer> cores, int processors, RandomGenerator random) {
        int all = cores.size();
        int most = Math.max(1, Math.min(all, processors) / 2);
        int first = processors < all ? random.nextInt(all) : all - most;
        return IntStream.range(first, first + most).mapToObj(it -> cores.get(it % all)).sorted().toList();
    }

    /** The cores that this process may use; none where the kernel does not say. */
    static List<Integer> ofThisProcess() {
        return allowed(Path.of("/proc/self/status"));
    }

    /** Gives this worker all cores once it has started. */
    static void releaseOnceStarted() {
        releaseOnceStarted(LONGEST);
    }

    /** The same, after so long at the latest. */
    static void releaseOnceStarted(Duration longest) {
        String property = System.getProperty(PROPERTY);
        if (property == null) {
            return;
        }
        int space = property.lastIndexOf(' ');
        if (parse(property.substring(space + 1)).equals(ofThisProcess())) {
            return; // cores could not be set
        }
        Release release =
                new Release(
                        property.substring(0, space),
                        property.substring(space + 1),
                        ofThisProcess());
        Thread thread = new Thread(() -> release.await(longest), "eyewall-starting-cores");
        thread.setDaemon(true);
        thread.start();
    }

    /** This worker works on tuples, or waits for nothing but its predecessor. */
    static void started() {
        STARTED.countDown();
    }

    /**
     * From some cores to all.
     *
     * @param some what threads have that are to be released: others' cores were set by someone else
     */
    private record Release(String taskset, String all, List<Integer> some) {

        void await(Duration longest) {
            try {
                boolean hasStarted = STARTED.await(longest.toMillis(), TimeUnit.MILLISECONDS);
                // Not before: a worker has no log yet when its agent begins.
                Logger log = LoggerFactory.getLogger(StartingCores.class);
                boolean isDone = release();
                if (isDone && !hasStarted) {
                    log.info("not ready after {}; it may use the cores {} now", longest, all);
                } else if (!isDone) {
                    log.warn("some threads may still use the cores {} alone, of {}", some, all);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException | OutOfMemoryError e) { // no thread, for one
                LoggerFactory.getLogger(StartingCores.class)
                        .warn("this worker may still use the cores {} alone, of {}", some, all, e);
            }
        }

        private boolean release() throws IOException, InterruptedException {
            for (int tries = 0; tries < TRIES; tries++) {
                List<Long> kept = processes().filter(this::isKept).toList();
                if (kept.isEmpty()) {
                    return true;
                }
                for (long process : kept) {
                    new ProcessBuilder(taskset, "-a", "-p", "-c", all, Long.toString(process))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor();
                }
                Thread.sleep(RETRY_MILLIS);
            }
            return processes().noneMatch(this::isKept);
        }

        private boolean isKept(long process) {
            Path folder = Path.of("/proc", Long.toString(process), "task");
            try (Stream<Path> threads = Files.list(folder)) {
                return threads.anyMatch(it -> allowed(it.resolve("status")).equals(some));
            } catch (IOException e) {
                return false; // it has ended
            }
        }

        /** This one, and those of other languages that it has started. */
        private static Stream<Long> processes() {
            ProcessHandle self = ProcessHandle.current();
            return Stream.concat(Stream.of(self), self.descendants()).map(ProcessHandle::pid);
        }
    }

    /** Of a process or thread by its status file; empty where there is none, or no more. */
    static List<Integer> allowed(Path status) {
        String name = "Cpus_allowed_list:";
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(it -> it.startsWith(name))
                    .flatMap(it -> parse(it.substring(name.length()).trim()).stream())
                    .toList();
        } catch (IOException | RuntimeException e) {
            return List.of();
        }
    }

    private static List<Integer> parse(String list) {
        return Stream.of(list.split(","))
                .map(it -> it.split("-"))
                .flatMapToInt(
                        it ->
                                IntStream.rangeClosed(
                                        Integer.parseInt(it[0]),
                                        Integer.parseInt(it[it.length - 1])))
                .boxed()
                .toList();
    }

    private static String list(List<Integer> cores) {
        return cores.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    /** With its whole path, as the worker may have another PATH. */
    private static Optional<Path> taskset() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(it -> Path.of(it, "taskset"))
                .filter(it -> it.isAbsolute() && Files.isRegularFile(it) && Files.isExecutable(it))
                .findFirst();
    }
}
