from eyewall_sidecar.rpc import encode
from eyewall_sidecar.service import Decision, Decline


def test_a_text_is_one_line_of_at_most_a_thousand_characters() -> None:
    said = "eyewall failed: ValueError: 1 error\n  in line 3\n" + "x" * 5000
    message = encode.decision(Decision("count-1", b"", Decline(said), said))
    assert message.status.startswith("eyewall failed: ValueError: 1 error in line 3 xxx")
    assert message.status.endswith("x…")
    assert len(message.status) == 1000
    assert message.decline.reason == message.status


def test_a_short_text_is_told_as_it_is() -> None:
    said = "placed by eyewall: odp, optimal, R 41 ms"
    assert encode.decision(Decision("count-1", b"", Decline(said), said)).status == said
