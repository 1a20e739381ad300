package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.storm.grouping.Load;
import org.apache.storm.messaging.IConnection;
import org.apache.storm.messaging.TaskMessage;
import org.apache.storm.messaging.netty.BackPressureStatus;
import org.junit.jupiter.api.Test;

class LingeringConnectionTest {

    private final List<String> events = new ArrayList<>();
    private final List<Runnable> due = new ArrayList<>();
    private final LingeringConnection connection =
            new LingeringConnection(
                    new ToOldWorker(), due::add, () -> events.add("said that it is closed"));

    @Test
    void itIsOpenUntilSomeTimeAfterItWasClosed() {
        connection.close();
        connection.sendBackPressureStatus(null);
        assertThat(events).containsExactly("sent");
        due.forEach(Runnable::run);
        assertThat(events).contains("closed");
    }

    @Test
    void itSaysWhenItIsClosed() {
        connection.close();
        due.forEach(Runnable::run);
        assertThat(events).containsExactly("closed", "said that it is closed");
    }

    @Test
    void itStaysOpenIfItIsWantedAgain() {
        connection.close();
        assertThat(connection.reopen()).isTrue();
        due.forEach(Runnable::run);
        assertThat(events).isEmpty();
    }

    @Test
    void closedAgainItLingersFromThenOn() {
        connection.close();
        connection.reopen();
        connection.close();
        due.get(0).run();
        assertThat(events).isEmpty();
        due.get(1).run();
        assertThat(events).contains("closed");
    }

    @Test
    void onceItIsClosedItCannotBeHadAgain() {
        connection.close();
        due.forEach(Runnable::run);
        assertThat(connection.reopen()).isFalse();
        assertThat(connection.isClosed()).isTrue();
    }

    private final class ToOldWorker implements IConnection {

        @Override
        public void sendLoadMetrics(Map<Integer, Double> loads) {}

        @Override
        public void sendBackPressureStatus(BackPressureStatus status) {
            events.add("sent");
        }

        @Override
        public void send(Iterator<TaskMessage> messages) {}

        @Override
        public Map<Integer, Load> getLoad(Collection<Integer> tasks) {
            return Map.of();
        }

        @Override
        public int getPort() {
            return 6700;
        }

        @Override
        public void close() {
            events.add("closed");
        }
    }
}
