from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.rpc import encode
from eyewall_sidecar.service.decision import Decision, Decline


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
