package io.eyewall.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** Writes what has come up to a file, a moment after the end of each second. */
final class EverySecond {
    private static final long MILLIS_AFTER_SECOND = 20;

    private EverySecond() {}

    /** Begins to; {@code lines} are asked for in a thread of this name. */
    static void append(Path file, String name, Supplier<String> lines) {
        Thread writer = new Thread(() -> appendForever(file, lines), name);
        writer.setDaemon(true);
        writer.start();
    }

    private static void appendForever(Path file, Supplier<String> lines) {
        try {
            while (true) {
                long millis = System.currentTimeMillis();
                Thread.sleep(1_000 - millis % 1_000 + MILLIS_AFTER_SECOND);
                appendNow(file, lines);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what there is. */
    static void appendNow(Path file, Supplier<String> lines) {
        try {
            Files.writeString(
                    file, lines.get(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new UncheckedIOException("cannot write " + file, error);
        }
    }
}
