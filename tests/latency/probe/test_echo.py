import socket
from collections.abc import Iterator

import pytest
from eyewall_latency.probe import Prober, Target, open_prober


@pytest.fixture
def tcp() -> Iterator[Prober]:
    prober = open_prober("tcp")
    yield prober
    prober.close()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_a_handshake_is_timed(tcp: Prober, listener: socket.socket) -> None:
    target = Target("127.0.0.1", listener.getsockname()[1])
    assert tcp.method == "tcp"
    answers = tcp.probe([target], timeout=60.0)
    assert list(answers) == [target]
    assert 0.0 <= answers[target] < 10.0


def test_a_port_that_refuses_has_answered_too(tcp: Prober, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()
    assert list(tcp.probe([Target("127.0.0.1", port)], timeout=60.0))


def test_nobody_asked_nobody_answers(tcp: Prober) -> None:
    assert tcp.probe([], timeout=0.2) == {}


def icmp_or_skip() -> Prober:
    try:
        return open_prober("icmp")
    except OSError:
        pytest.skip("the kernel allows no ICMP socket here")


def test_an_echo_is_timed_where_the_kernel_allows_icmp() -> None:
    prober = icmp_or_skip()
    target = Target("127.0.0.1", 1)
    answers = prober.probe([target], timeout=60.0)
    prober.close()
    assert list(answers) == [target]


def test_a_host_whose_network_drops_icmp_is_probed_by_tcp_from_then_on(
    listener: socket.socket,
) -> None:
    # A datagram socket in place of ICMP's: it sends, and nothing ever comes back.
    mute = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    mute.connect(("127.0.0.1", 9))
    mute.close()
    prober = Prober(mute)
    target = Target("127.0.0.1", listener.getsockname()[1])
    lost = [prober.probe([target], timeout=0.05) for _ in range(3)]
    assert lost == [{}, {}, {}]
    assert list(prober.probe([target], timeout=60.0)) == [target]
    prober.forget({"10.0.0.1"})
    assert prober.probe([target], timeout=0.05) == {}
