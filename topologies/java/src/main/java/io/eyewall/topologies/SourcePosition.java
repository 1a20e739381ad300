package io.eyewall.topologies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.BitSet;
import java.util.UUID;

/**
 * Up to where the tuples of a source were acked, kept in a file for the source that follows it.
 *
 * <p>It is kept once a second; of a source that is not active with every ack, as consumers of a log
 * commit when they are deactivated: one that takes over once all is acked emits nothing again.
 */
final class SourcePosition {
    private static final long KEEP_MICROS = 1_000_000;

    private final Path file;
    /** Those that were acked, from {@code first} on. */
    private BitSet acked = new BitSet();
    private long first;
    private long due;
    private boolean isActive = true;

    /**
     * Reads the position.
     *
     * @param file null to begin with the first tuple, and to keep nothing
     */
    SourcePosition(Path file) throws IOException {
        this.file = file;
        first = file == null ? 0 : read();
    }

    /** Returns the first tuple that is not acked, or that no ack is waited for of. */
    long first() {
        return first;
    }

    /** Notes that nothing is left to do for a tuple. */
    void settle(long number) throws IOException {
        acked.set((int) (number - first));
        int gone = acked.nextClearBit(0);
        if (gone > 0) {
            acked = acked.get(gone, Math.max(gone, acked.length()));
            first += gone;
        }
        if (!isActive) {
            write();
        }
    }

    /** Keeps it if it was not kept within the last second; {@code now} is in microseconds. */
    void keep(long now) throws IOException {
        if (now >= due) {
            due = now + KEEP_MICROS;
            write();
        }
    }

    void activate() {
        isActive = true;
    }

    void deactivate() throws IOException {
        isActive = false;
        write();
    }

    /** Replaces what is kept, unless that is further on: a successor may have begun already. */
    private void write() throws IOException {
        if (file == null || first < read()) {
            return;
        }
        // Two workers may write at the same time.
        Path fresh = file.resolveSibling("." + file.getFileName() + "-" + UUID.randomUUID());
        Files.writeString(fresh, Long.toString(first));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private long read() throws IOException {
        return Files.exists(file) ? Long.parseLong(Files.readString(file).trim()) : 0;
    }
}
