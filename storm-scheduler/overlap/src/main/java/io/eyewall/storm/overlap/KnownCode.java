package io.eyewall.storm.overlap;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * The classes of Storm that are changed here, as its releases have them.
 *
 * <p>What is not in this table is left alone: a method that does something else must not be changed
 * as if it did the same.
 */
final class KnownCode {

    private static final Map<String, String> WORKER_STATE =
            Map.of(
                    "fa3a2ecd0bf4fc771e08", "2.8.1, 2.8.2, 2.8.3, 2.8.4",
                    "a74396ee6b8ff815bd29", "2.8.0");

    private static final Map<String, String> ACKER =
            Map.of("f700fa6b7f7b60b4d924", "2.8.0, 2.8.1, 2.8.2, 2.8.3, 2.8.4");
    private static final Map<String, String> SPOUT_EXECUTOR =
            Map.of("cc9bb3956e1ba5f5c738", "2.8.0, 2.8.1, 2.8.2, 2.8.3, 2.8.4");

    private static final Map<String, String> SHELL_PROCESS =
            Map.of(
                    "1759ddbfe16adecfbf6d", "2.8.1, 2.8.2, 2.8.3, 2.8.4",
                    "8e811d74eab552da19cd", "2.8.0");

    static final String WORKER_STATE_CLASS = "org/apache/storm/daemon/worker/WorkerState";
    static final String ACKER_CLASS = "org/apache/storm/daemon/Acker";
    static final String SPOUT_EXECUTOR_CLASS = "org/apache/storm/executor/spout/SpoutExecutor";

    static final String SHELL_PROCESS_CLASS = "org/apache/storm/utils/ShellProcess";

    /** Without it spouts in other languages start later, and all else is as with it. */
    private static final Set<String> OPTIONAL = Set.of(SHELL_PROCESS_CLASS);

    /** Class → the first digits of its file's SHA-256 → the releases that have it. */
    private static final Map<String, Map<String, String>> RELEASES =
            Map.of(
                    WORKER_STATE_CLASS, WORKER_STATE,
                    ACKER_CLASS, ACKER,
                    SPOUT_EXECUTOR_CLASS, SPOUT_EXECUTOR,
                    SHELL_PROCESS_CLASS, SHELL_PROCESS);

    private KnownCode() {}

    /** Whether a class, by its internal name, is one that the agent changes where it is known. */
    static boolean isTarget(String className) {
        return className != null && RELEASES.containsKey(className);
    }

    /** Whether moves need a class that the agent changes. */
    static boolean isNeeded(String className) {
        return !OPTIONAL.contains(className);
    }

    /** Whether this file of such a class is one that is known. */
    static boolean isKnown(String className, byte[] classFile) {
        return RELEASES.get(className).containsKey(digest(classFile));
    }

    /** Whether all classes that moves need are known as this class loader has them. */
    static boolean isStormKnown(ClassLoader loader) {
        return RELEASES.keySet().stream()
                .filter(KnownCode::isNeeded)
                .allMatch(it -> isKnown(it, loader));
    }

    private static boolean isKnown(String className, ClassLoader loader) {
        try (InputStream file = loader.getResourceAsStream(className + ".class")) {
            return file != null && isKnown(className, file.readAllBytes());
        } catch (IOException e) {
            return false; // as one that is not there
        }
    }

    /** Storm's release, as it says itself. */
    static String release(ClassLoader loader) {
        Properties about = new Properties();
        try (InputStream file =
                loader.getResourceAsStream("storm-client-version-info.properties")) {
            if (file != null) {
                about.load(file);
            }
        } catch (IOException e) {
            LoggerFactory.getLogger(OverlapAgent.class).warn("Storm's release is not known", e);
        }
        return about.getProperty("version", "of an unknown release");
    }

    static String digest(byte[] classFile) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(classFile);
            return HexFormat.of().formatHex(hash).substring(0, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
