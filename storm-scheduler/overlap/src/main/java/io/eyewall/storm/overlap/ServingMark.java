package io.eyewall.storm.overlap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A file by which a worker tells its supervisor that it serves on: touched again and again while it
 * does, so that one that hangs or died does not hold its slot.
 */
record ServingMark(Path file) {

    static final String NAME = "eyewall-serving";

    /**
     * There for as long as a worker with the agent is: others are not waited for. The monitor agent
     * reads the agent's contract and version from it.
     */
    private static final String AGENT = "eyewall-agent";

    /** There where the agent does not know Storm's code: the monitor agent reads the release from it. */
    private static final String UNKNOWN_STORM = "eyewall-unknown-storm";

    static final Duration FRESH = Duration.ofSeconds(10);

    /** In the worker's own folder, which the supervisor removes with it. */
    static ServingMark in(String workerFolder) {
        return new ServingMark(Path.of(workerFolder, NAME));
    }

    /** In the folder of this JVM's worker; empty where it is none. */
    static Optional<ServingMark> ofThisProcess() {
        String local = System.getProperty("storm.local.dir");
        String worker = System.getProperty("worker.id");
        return local == null || worker == null
                ? Optional.empty()
                : Optional.of(in(Path.of(local, "workers", worker).toString()));
    }

    /** Says that the worker has the agent. */
    void announce() {
        write(AGENT, OverlapAgent.CONTRACT + " " + OverlapAgent.version() + "\n");
    }

    /** Says that the worker's agent does nothing, as it does not know this release of Storm. */
    void announceUnknown(String release) {
        write(UNKNOWN_STORM, release + "\n");
    }

    private void write(String name, String text) {
        try {
            Files.writeString(file.resolveSibling(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAnnounced() {
        return Files.exists(file.resolveSibling(AGENT));
    }

    void touch() {
        try {
            if (Files.notExists(file)) {
                Files.createFile(file);
            }
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isFresh(Instant now) {
        try {
            Instant touched = Files.getLastModifiedTime(file).toInstant();
            return Duration.between(touched, now).compareTo(FRESH) < 0;
        } catch (IOException e) {
            return false; // there is none
        }
    }
}
