"""An answer is taken: its slots are chosen, and the decision is worded."""

from dataclasses import replace

from eyewall_sidecar.model import ProblemError, Solution, Status
from eyewall_sidecar.service import wording
from eyewall_sidecar.service.decision import Decline, Place
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.service.outcome import Outcome, Round, as_it_is
from eyewall_sidecar.storm import Mode, Settings, TopologyProblem, TopologyState, choose_slots


def placed(
    memory: Memory,
    answer: Solution,
    asked: TopologyProblem,
    topology: TopologyState,
    settings: Settings,
    round_: Round,
) -> Outcome:
    """Take the answer to where executors without a slot belong, or say why there is none."""
    if answer.placement is None:
        reason = wording.nothing(answer, asked.assumptions)
        if answer.status is Status.TIMED_OUT:
            memory = replace(memory, question=None, answer=None)
        return Outcome(Decline(reason), memory, reason, answer)
    remarks = [it for it in (*asked.assumptions, asked.delays_assumed) if it]
    status = wording.placed(answer, settings.objective, remarks=remarks)
    return in_slots(memory, answer, status, asked, topology, round_)


def in_slots(
    memory: Memory,
    answer: Solution,
    status: str,
    asked: TopologyProblem,
    topology: TopologyState,
    round_: Round,
) -> Outcome:
    """Choose the slots and word the decision."""
    placement = answer.placement
    if placement is None:
        raise ValueError(f"{topology.topology.id}: an answer without a placement cannot be applied")
    if memory.asked is None:
        raise ValueError(f"{topology.topology.id}: nothing was asked that this could answer")
    on = asked.on_supervisors(placement)
    try:
        choice = choose_slots(on, topology, memory.asked.rooms, asked.per_slot)
    except ProblemError as error:
        return Outcome(as_it_is(topology, Mode.AUTO, str(error)), memory, str(error), answer)
    host_of = {it.id: it.host for it in round_.state.supervisors}
    for remark in wording.reused(choice.reused, host_of):
        status += f"; {remark}"
    if doubt := round_.delays.doubt():
        status += f"; {doubt}"
    memory = replace(memory, decided=choice.assignment, decided_status=status)
    moves = wording.counted(answer.moves, "move")
    said = f"{status} ({answer.seconds:.2f} s, {moves}; {wording.looked_at(answer)})"
    return Outcome(Place(choice.assignment), memory, said, answer)
