package io.eyewall.storm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class SpoutTurnsTest {

    @Test
    void aWorkerRefusesConnectionsOnceItHasEnded() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        SpoutTurns.Holder holder;
        try (ServerSocket port = new ServerSocket(0, 1, here)) {
            holder = new SpoutTurns.Holder(here.getHostAddress(), port.getLocalPort());
            assertThat(holder.refuses()).isFalse();
        }
        assertThat(holder.refuses()).isTrue();
    }

    @Test
    void aWorkerWhoseHostHasNoAddressRefusesNothing() {
        assertThat(new SpoutTurns.Holder("no-such-host.invalid", 6700).refuses()).isFalse();
    }
}
