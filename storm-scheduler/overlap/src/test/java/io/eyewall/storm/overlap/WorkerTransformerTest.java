package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
import org.apache.storm.daemon.Acker;
import org.apache.storm.daemon.worker.WorkerState;
import org.apache.storm.utils.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerTransformerTest {

    private static final ClassLoader STORM = WorkerState.class.getClassLoader();

    private final WorkerTransformer transformer = new WorkerTransformer();

    private static byte[] classFile(String name) throws IOException {
        try (InputStream in = STORM.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        }
    }

    private byte[] transformed(String name, byte[] file) {
        return transformer.transform(STORM, name, null, null, file);
    }

    /** The JVM verifies it: frames and types must be right, whatever was copied in. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                KnownCode.WORKER_STATE_CLASS,
                KnownCode.ACKER_CLASS,
                KnownCode.SPOUT_EXECUTOR_CLASS,
                KnownCode.SHELL_PROCESS_CLASS
            })
    void aClassOfThisStormIsKnownAndTheJvmAcceptsWhatItIsChangedTo(String name) throws Exception {
        byte[] file = classFile(name);
        assertThat(KnownCode.isKnown(name, file)).isTrue();
        byte[] changed = transformed(name, file);
        assertThat(changed).isNotNull().isNotEqualTo(file);
        String className = name.replace('/', '.');
        ClassLoader loader =
                new ByteArrayClassLoader.ChildFirst(
                        STORM,
                        Map.of(className, changed),
                        ByteArrayClassLoader.PersistenceHandler.MANIFEST);
        Class<?> loaded = Class.forName(className, true, loader);
        assertThat(loaded.getClassLoader()).isSameAs(loader);
        assertThat(loaded.getDeclaredMethods()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {KnownCode.WORKER_STATE_CLASS, KnownCode.ACKER_CLASS})
    void aStormOfWhichOneClassIsNotKnownIsNotKnown(String name) throws Exception {
        assertThat(KnownCode.isStormKnown(STORM)).isTrue();
        byte[] other = classFile(name);
        other[other.length - 1]++;
        ClassLoader loader =
                new ByteArrayClassLoader.ChildFirst(
                        STORM,
                        Map.of(name.replace('/', '.'), other),
                        ByteArrayClassLoader.PersistenceHandler.MANIFEST);
        assertThat(KnownCode.isStormKnown(loader)).isFalse();
    }

    @Test
    void aProcessIsLaunchedByWayOfTheAgent() throws Exception {
        String name = KnownCode.SHELL_PROCESS_CLASS;
        String changed = new String(transformed(name, classFile(name)), StandardCharsets.ISO_8859_1);
        // The method that is called, by its name in the constant pool.
        assertThat(changed).contains("io/eyewall/storm/overlap/Handovers").contains("startProcess");
        assertThat(WorkerTransformer.isChanged(name)).isTrue();
    }

    @Test
    void movesDoNotNeedWhatOnlyMakesSpoutsStartSooner() throws Exception {
        byte[] other = classFile(KnownCode.SHELL_PROCESS_CLASS);
        other[other.length - 1]++;
        ClassLoader loader =
                new ByteArrayClassLoader.ChildFirst(
                        STORM,
                        Map.of(KnownCode.SHELL_PROCESS_CLASS.replace('/', '.'), other),
                        ByteArrayClassLoader.PersistenceHandler.MANIFEST);
        assertThat(KnownCode.isStormKnown(loader)).isTrue();
    }

    @Test
    void aWorkerThatIsNotKnownIsLeftAlone() {
        byte[] other = new ByteBuddy().redefine(WorkerState.class).make().getBytes();
        assertThat(KnownCode.isKnown(KnownCode.WORKER_STATE_CLASS, other)).isFalse();
        assertThat(transformed(KnownCode.WORKER_STATE_CLASS, other)).isNull();
    }

    @Test
    void aReleaseThatIsNotKnownIsSaidInTheWorkersFolder(@TempDir Path local) throws IOException {
        Path folder = Files.createDirectories(local.resolve("workers").resolve("w-1"));
        byte[] other = new ByteBuddy().redefine(Acker.class).make().getBytes();
        System.setProperty("storm.local.dir", local.toString());
        System.setProperty("worker.id", "w-1");
        try {
            transformed(KnownCode.ACKER_CLASS, other);
        } finally {
            System.clearProperty("storm.local.dir");
            System.clearProperty("worker.id");
        }
        assertThat(folder.resolve("eyewall-unknown-storm"))
                .hasContent(VersionInfo.getVersion());
        assertThat(folder.resolve("eyewall-agent")).doesNotExist();
    }

    @Test
    void otherClassesAreLeftAlone() throws IOException {
        String other = "org/apache/storm/daemon/worker/Worker";
        assertThat(transformed(other, classFile(other))).isNull();
        assertThat(transformed(null, classFile(other))).isNull();
    }
}
