package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingHeartbeatTest {

    private static final Duration LONGEST = Duration.ofSeconds(150);
    private static final int PATIENCE_LOOKS = 1_000;
    private static final FileTime LONG_AGO = FileTime.fromMillis(0);

    @TempDir Path folder;
    private long now;
    private ServingMark mark;
    private ServingHeartbeat heartbeat;

    @BeforeEach
    void start() {
        mark = ServingMark.in(folder.toString());
        heartbeat = new ServingHeartbeat(mark, () -> now);
    }

    @AfterEach
    void stop() {
        heartbeat.stop();
    }

    private void age() throws IOException {
        Files.setLastModifiedTime(mark.file(), LONG_AGO);
    }

    private boolean isFresh() {
        return mark.isFresh(Instant.now());
    }

    @Test
    void theMarkIsTouchedAtOnceAndAgainWhateverTheWorkersTimerWaitsFor() throws Exception {
        heartbeat.start(LONGEST);
        assertThat(isFresh()).isTrue();
        age();
        for (int look = 0; look < PATIENCE_LOOKS && !isFresh(); look++) {
            Thread.sleep(20);
        }
        assertThat(isFresh()).isTrue();
    }

    @Test
    void aWorkerThatServesOnForTooLongTouchesItNoMore() throws Exception {
        heartbeat.start(LONGEST);
        age();
        now = LONGEST.toMillis();
        heartbeat.beat();
        assertThat(isFresh()).isFalse();
    }

    @Test
    void aWorkerThatIsMovedAgainServesOnForAsLongAgain() throws Exception {
        heartbeat.start(LONGEST);
        now = LONGEST.toMillis();
        heartbeat.start(LONGEST);
        age();
        now = 2 * LONGEST.toMillis() - 1;
        heartbeat.beat();
        assertThat(isFresh()).isTrue();
    }

    @Test
    void aBeatAfterTheEndDoesNotBringTheMarkBack() {
        heartbeat.start(LONGEST);
        heartbeat.stop();
        heartbeat.beat();
        assertThat(mark.file()).doesNotExist();
    }
}
