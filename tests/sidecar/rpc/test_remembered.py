from eyewall_contracts.proto import scheduler_pb2 as pb
from nimbus_messages import PINS, by_digest_only, request, state_of, tag_and_count
from running_sidecar import RunningSidecar


def test_an_unchanged_state_is_known_by_its_digest(sidecar: RunningSidecar) -> None:
    definition = tag_and_count(pin=PINS)
    whole = request(state_of(definition), definition)
    assert sidecar.schedule(by_digest_only(whole)) == pb.ScheduleReply(
        contract_version=1, needs_state=True
    )
    first = sidecar.schedule(whole)
    assert sidecar.schedule(by_digest_only(whole)) == first


def test_a_digest_of_another_state_is_never_answered_with_the_old_one(
    sidecar: RunningSidecar,
) -> None:
    definition = tag_and_count(mode="off")
    whole = request(state_of(definition), definition)
    sidecar.schedule(whole)
    changed = by_digest_only(whole)
    changed.state_digest = b"another"
    reply = sidecar.schedule(changed)
    assert reply.needs_state
    assert not reply.decisions


def test_a_restarted_sidecar_asks_for_the_state_and_then_for_the_definitions(
    sidecar: RunningSidecar,
) -> None:
    definition = tag_and_count(pin=PINS)
    whole = request(state_of(definition), definition)
    assert sidecar.schedule(by_digest_only(whole)).needs_state
    without_definitions = request(state_of(definition))
    reply = sidecar.schedule(without_definitions)
    assert (reply.needs_state, list(reply.needs_definitions)) == (False, [definition.topology_id])
    assert not reply.decisions
    assert sidecar.schedule(whole).decisions[0].HasField("place")


def test_a_definition_that_changed_is_asked_for_again(sidecar: RunningSidecar) -> None:
    first, changed = tag_and_count(pin=PINS), tag_and_count(mode="off")
    sidecar.schedule(request(state_of(first), first))
    assert list(sidecar.schedule(request(state_of(changed))).needs_definitions) == [
        first.topology_id
    ]
    decision = sidecar.schedule(request(state_of(changed), changed)).decisions[0]
    assert decision.decline.reason == "eyewall.mode is off"


def test_what_one_nimbus_sent_is_not_known_of_another_and_few_are_remembered(
    sidecar: RunningSidecar,
) -> None:
    definition = tag_and_count(mode="off")
    state = state_of(definition)
    first = request(state, definition, nimbus="nimbus-0")
    sidecar.schedule(first)
    for number in range(1, 5):
        other = request(state, definition, nimbus=f"nimbus-{number}")
        assert sidecar.schedule(by_digest_only(other)).needs_state
        assert sidecar.schedule(other).decisions
    assert sidecar.schedule(by_digest_only(first)).needs_state
