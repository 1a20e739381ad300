package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcePositionTest {
    @TempDir
    private Path folder;

    @Test
    void aSourceThatIsStartedAgainBeginsWithTheFirstTupleThatWasNotAcked() throws IOException {
        SourcePosition position = position();
        assertThat(position.first()).isZero();
        position.settle(0);
        position.settle(2);
        position.keep(0);
        assertThat(position().first()).isEqualTo(1);
        position.settle(1);
        assertThat(position.first()).isEqualTo(3);
        position.keep(1_000_000);
        assertThat(position().first()).isEqualTo(3);
    }

    @Test
    void itIsKeptOnceASecond() throws IOException {
        SourcePosition position = position();
        position.keep(0);
        position.settle(0);
        position.keep(999_999);
        assertThat(position().first()).isZero();
    }

    @Test
    void ofASourceThatIsNotActiveItIsKeptWithEveryAck() throws IOException {
        SourcePosition position = position();
        position.settle(0);
        position.deactivate();
        assertThat(position().first()).isEqualTo(1);
        position.settle(1);
        assertThat(position().first()).isEqualTo(2);
        position.activate();
        position.settle(2);
        assertThat(position().first()).isEqualTo(2);
    }

    @Test
    void itDoesNotGoBackOnceASuccessorIsFurtherOn() throws IOException {
        SourcePosition old = position();
        old.deactivate();
        SourcePosition successor = position();
        successor.settle(0);
        successor.settle(1);
        successor.keep(0);
        old.settle(0);
        assertThat(position().first()).isEqualTo(2);
    }

    @Test
    void withoutAFileNothingIsKept() throws IOException {
        SourcePosition position = new SourcePosition(null);
        position.settle(0);
        position.deactivate();
        assertThat(position.first()).isEqualTo(1);
    }

    private SourcePosition position() throws IOException {
        return new SourcePosition(folder.resolve("source-0.position"));
    }
}
