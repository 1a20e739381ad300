package io.eyewall.topologies;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * When each tuple of one source task is due, in microseconds since the epoch.
 *
 * <p>All source tasks share the start, which the first one writes to a file, so that a source that is
 * started again goes on where it was: what became due meanwhile is late. Of several
 * tasks each has every n-th tuple.
 */
final class SourceSchedule {
    private static final double MICROS = 1e6;
    private static final long LOOK_MICROS = 500_000;

    private final Path profileFile;
    private final boolean unlimited;
    private final long start;
    private final int task;
    private final int tasks;
    private RateProfile profile;
    private String profileText = "";
    private long nextLook;

    /**
     * Makes the schedule of one task.
     *
     * @param rate a profile, {@code max}, or {@code @FILE} with a profile that may grow
     * @param startFile holds the start, or will; null for a start that is now
     */
    SourceSchedule(String rate, Path startFile, int task, int tasks) throws IOException {
        unlimited = rate.equals(RateProfile.MAXIMUM);
        profileFile = rate.startsWith("@") ? Path.of(rate.substring(1)) : null;
        this.task = task;
        this.tasks = tasks;
        start = (startFile == null ? nextSecond() : readStart(startFile)) * 1_000;
        if (profileFile == null && !unlimited) {
            profile = RateProfile.parse(rate);
        } else if (profileFile != null) {
            look(WallClock.micros());
        }
    }

    /** Whether a source emits as much as goes: each tuple is due when it is emitted. */
    boolean isUnlimited() {
        return unlimited;
    }

    /** Returns the start of the schedule. */
    long start() {
        return start;
    }

    /** Returns when this task's tuple of that number is due; the largest long if never. */
    long due(long number) {
        double seconds = profile.timeOf((double) number * tasks + task);
        return Double.isInfinite(seconds) ? Long.MAX_VALUE : start + (long) (seconds * MICROS);
    }

    /** Reads the profile's file again, twice a second; returns whether it has changed. */
    boolean look(long now) throws IOException {
        if (profileFile == null || now < nextLook) {
            return false;
        }
        nextLook = now + LOOK_MICROS;
        String text = Files.readString(profileFile);
        if (text.equals(profileText)) {
            return false;
        }
        profile = RateProfile.parse(text);
        profileText = text;
        return true;
    }

    /** Returns a whole second, so that the profile's seconds are those of {@link SecondsFile}. */
    private static long nextSecond() {
        return (System.currentTimeMillis() / 1_000 + 1) * 1_000;
    }

    private static long readStart(Path file) throws IOException {
        Path own = file.resolveSibling("." + file.getFileName() + "-" + UUID.randomUUID());
        Files.writeString(own, Long.toString(nextSecond()));
        try {
            Files.createLink(file, own); // Only one of several can; the file is complete at once.
        } catch (FileAlreadyExistsException another) {
            // Another task, or an earlier worker of this one, has set the start.
        } finally {
            Files.delete(own);
        }
        return Long.parseLong(Files.readString(file).trim());
    }
}
