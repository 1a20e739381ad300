from dataclasses import replace

from eyewall_contracts.proto import scheduler_pb2 as pb
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.rpc import decode, encode
from eyewall_sidecar.service.decision import Decision, Decline
from eyewall_sidecar.storm import SharedMemory
from storm_builders import chain, supervisor


def declined(error: str) -> Decision:
    failed = message(Code.FAILED, error=error)
    return Decision("count-1", b"", Decline(failed), failed)


def test_a_text_is_one_line_of_at_most_a_thousand_characters() -> None:
    encoded = encode.decision(declined("ValueError: 1 error\n  in line 3\n" + "x" * 5000))
    assert encoded.status.startswith("eyewall failed: ValueError: 1 error in line 3 xxx")
    assert encoded.status.endswith("x…")
    assert len(encoded.status) == 1000
    assert encoded.decline.reason == encoded.status


def test_a_short_text_is_sent_as_it_is() -> None:
    assert encode.decision(declined("OSError")).status == "eyewall failed: OSError"


def test_half_of_a_surrogate_pair_which_utf_8_cannot_express_is_sent_as_its_escape() -> None:
    encoded = encode.decision(declined("ValueError: \udcff"))
    assert encoded.status == encoded.decline.reason == r"eyewall failed: ValueError: \udcff"


def test_what_is_encoded_of_a_topology_and_a_supervisor_decodes_to_the_same() -> None:
    plain = chain(("source", 2), ("tag", 1), acker=True, max_heap_megabytes=768)
    topology = replace(
        plain,
        components=tuple(
            replace(
                it,
                generic=(("gpu.count", 1.0),),
                most_on_supervisor=2,
                incompatible=frozenset({"source"}),
            )
            for it in plain.components
        ),
        one_executor_per_worker=True,
        one_component_per_worker=True,
        strategy="org.example.Strategy",
        shared_memory=(SharedMemory("table", frozenset({"tag", "source"}), 1, 2, 3),),
    )
    assert decode.topology(encode.definition(topology)) == topology

    there = replace(supervisor("a", speed="2"), generic=(("gpu.count", 4.0),), greylisted=True)
    state = pb.ClusterState(supervisors=[encode.supervisor(there)])
    assert decode.cluster_state(state, {}).supervisors == (there,)
