package io.eyewall.topologies;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A line of text at a time to and from a test driver (Ecker et al., paper 002, section 6.1.3).
 *
 * <p>The driver's socket is a file: all hosts of an emulated cluster reach it, whatever network each
 * of them is in, and what goes over it is not delayed. The first line says who speaks.
 */
final class DriverConnection implements Closeable {
    private final SocketChannel channel;
    private final BufferedReader reader;
    private final BufferedWriter writer;

    /**
     * Connects to a driver.
     *
     * @param role {@code source} or {@code sink}
     */
    DriverConnection(String socket, String role) {
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(Path.of(socket)));
            reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII));
            writer = new BufferedWriter(Channels.newWriter(channel, StandardCharsets.US_ASCII));
            send(role);
        } catch (IOException error) {
            throw new UncheckedIOException("driver " + socket, error);
        }
    }

    /** Sends a line at once. */
    void send(String line) {
        try {
            writer.write(line);
            writer.write('\n');
            writer.flush();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Waits for a line; null once the driver has ended. */
    String receive() throws IOException {
        return reader.readLine();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
