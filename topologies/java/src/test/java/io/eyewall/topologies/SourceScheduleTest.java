package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceScheduleTest {
    @TempDir
    private Path folder;

    @Test
    void aSourceThatIsStartedAgainGoesOnWithTheFirstStart() throws IOException {
        SourceSchedule first = new SourceSchedule("10", folder.resolve("start"), 0, 1);
        Files.writeString(folder.resolve("start"), "1000000");
        SourceSchedule again = new SourceSchedule("10", folder.resolve("start"), 0, 1);
        assertThat(first.due(0)).isNotEqualTo(again.due(0));
        assertThat(again.due(25)).isEqualTo(1_002_500_000); // 1,000 s, and 25 tuples at 10/s
    }

    @Test
    void severalTasksShareTheRate() throws IOException {
        Files.writeString(folder.resolve("start"), "0");
        SourceSchedule second = new SourceSchedule("10", folder.resolve("start"), 1, 2);
        assertThat(second.due(0)).isEqualTo(100_000); // tuple 1 of all
        assertThat(second.due(1)).isEqualTo(300_000); // tuple 3 of all
    }

    @Test
    void aProfileThatGrowsIsReadAgain() throws IOException {
        Files.writeString(folder.resolve("start"), "0");
        Path file = Files.writeString(folder.resolve("rate"), "0:10");
        SourceSchedule schedule = new SourceSchedule("@" + file, folder.resolve("start"), 0, 1);
        Files.writeString(file, "0:10,1:10,1:1");
        assertThat(schedule.look(Long.MAX_VALUE)).isTrue();
        assertThat(schedule.due(11)).isEqualTo(2_000_000); // ten within a second, then one a second
    }

    @Test
    void severalTopologiesMayShareTheStart() throws IOException {
        String shared = folder.resolve("shared").toString();
        Path own = folder.resolve("own");
        assertThat(SecondsFile.start(Map.of("measure.dir", own, "measure.start", shared)))
                .isEqualTo(Path.of(shared));
        assertThat(SecondsFile.start(Map.of("measure.dir", own))).isEqualTo(own.resolve("start"));
        assertThat(SecondsFile.start(Map.of())).isNull();
    }
}
