package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeenNumbersTest {
    @TempDir Path folder;

    @Test
    void numbersInARowAreARangeAndOneThatIsThereTwiceIsInTwo() {
        assertThat(SeenNumbers.ranges()).isEmpty();
        assertThat(SeenNumbers.ranges(5)).isEqualTo(" 5");
        assertThat(SeenNumbers.ranges(3, 4, 5, 7, 8, 8, 9)).isEqualTo(" 3-5 7-8 8-9");
    }

    @Test
    void whatIsNotWrittenYetIsWrittenAtTheEndInItsOrder() throws Exception {
        Path file = folder.resolve("sink.numbers");
        SeenNumbers numbers = new SeenNumbers(file);
        for (long number = 2_000; number > 0; number--) {
            numbers.add(number);
        }
        numbers.end();
        numbers.end(); // and once
        assertThat(Files.readString(file)).matches("\\d{10} 1-2000\n");
    }

    @Test
    void withoutAFileNothingIsKept() {
        SeenNumbers numbers = new SeenNumbers(null);
        numbers.add(1);
        numbers.end();
        assertThat(folder).isEmptyDirectory();
    }
}
