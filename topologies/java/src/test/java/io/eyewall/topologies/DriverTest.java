package io.eyewall.topologies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.storm.spout.ISpoutOutputCollector;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.IOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.tuple.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A source and a sink that talk to a test driver's socket. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class DriverTest {
    @TempDir
    Path folder;

    private String socket;
    private ServerSocketChannel server;
    private final List<List<Object>> emitted = new ArrayList<>();

    @BeforeEach
    void listen() throws Exception {
        socket = folder.resolve("driver.sock").toString();
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void whatTheDriverSendsIsEmittedWithItsTimestampAndAckedByItsNumber() throws Exception {
        DriverSource source = opened();
        try (SocketChannel channel = server.accept()) {
            BufferedReader lines = lines(channel);
            assertThat(lines.readLine()).isEqualTo("source");
            write(channel, "7 1790000000000001\n8 1790000000000002\n");
            emit(source, 2);
            assertThat(numbers()).containsExactly(7L, 8L);
            byte[] payload = (byte[]) emitted.get(1).get(1);
            assertThat(payload).hasSize(100);
            assertThat(ByteBuffer.wrap(payload).getLong()).isEqualTo(1_790_000_000_000_002L);
            source.ack(8L);
            assertThat(lines.readLine()).isEqualTo("8");
        }
        source.close();
    }

    @Test
    void whatFailsIsEmittedAgainAndAnAckThatComesTwiceIsSentOnce() throws Exception {
        DriverSource source = opened();
        try (SocketChannel channel = server.accept()) {
            BufferedReader lines = lines(channel);
            lines.readLine();
            write(channel, "7 1000\n8 2000\n");
            emit(source, 2);
            source.fail(7L);
            emit(source, 3);
            assertThat(numbers()).containsExactly(7L, 8L, 7L);
            source.ack(7L);
            source.ack(7L);
            source.ack(8L);
            assertThat(lines.readLine()).isEqualTo("7");
            assertThat(lines.readLine()).isEqualTo("8");
        }
        source.close();
    }

    @Test
    void aSinkSendsEachTuplesTimestampAndAcksIt() throws Exception {
        DriverSink sink = new DriverSink(socket);
        List<String> calls = new ArrayList<>();
        sink.prepare(Map.of(), null, new OutputCollector(recording(IOutputCollector.class, calls)));
        try (SocketChannel channel = server.accept()) {
            sink.execute(tuple(1_790_000_000_000_003L));
            BufferedReader lines = lines(channel);
            assertThat(lines.readLine()).isEqualTo("sink");
            assertThat(lines.readLine()).isEqualTo("1790000000000003");
        }
        assertThat(calls).containsExactly("ack");
        sink.cleanup();
    }

    @Test
    void aDriverThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> new DriverConnection(folder + "/none.sock", "sink"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("none.sock");
    }

    private DriverSource opened() {
        DriverSource source = new DriverSource(socket, 100);
        ISpoutOutputCollector collector = (ISpoutOutputCollector) Proxy.newProxyInstance(
                DriverTest.class.getClassLoader(), new Class<?>[] {ISpoutOutputCollector.class},
                (proxy, method, arguments) -> {
                    emitted.add(List.copyOf((List<?>) arguments[1]));
                    return null;
                });
        source.open(Map.of(), null, new SpoutOutputCollector(collector));
        return source;
    }

    /** Asks for tuples until so many have been emitted: they are read by another thread. */
    private void emit(DriverSource source, int count) throws InterruptedException {
        while (emitted.size() < count) {
            source.nextTuple();
            Thread.sleep(1);
        }
    }

    private List<Object> numbers() {
        return emitted.stream().map(values -> values.get(0)).toList();
    }

    private static Tuple tuple(long timestamp) {
        byte[] payload = ByteBuffer.allocate(20).putLong(timestamp).array();
        return (Tuple) Proxy.newProxyInstance(
                DriverTest.class.getClassLoader(), new Class<?>[] {Tuple.class},
                (proxy, method, arguments) ->
                        method.getName().equals("getBinary") ? payload : null);
    }

    private static <T> T recording(Class<T> type, List<String> calls) {
        return type.cast(Proxy.newProxyInstance(
                DriverTest.class.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return null;
                }));
    }

    private static BufferedReader lines(SocketChannel channel) {
        return new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII));
    }

    private static void write(SocketChannel channel, String lines) throws Exception {
        channel.write(StandardCharsets.US_ASCII.encode(lines));
    }
}
