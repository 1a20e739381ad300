"""What is new in a decision is told: in the log, in the records, in the status of Storm UI."""

import logging
from dataclasses import replace

from eyewall_sidecar.service import wording
from eyewall_sidecar.service.decision import Decline, Keep, Place
from eyewall_sidecar.service.memory import Memory
from eyewall_sidecar.service.outcome import Outcome, Round
from eyewall_sidecar.service.recording import Found, Recorder
from eyewall_sidecar.storm import TopologyState

LOG = logging.getLogger("eyewall.decisions")


def written_down(
    recorder: Recorder, seed: int, topology: TopologyState, outcome: Outcome, round_: Round
) -> Memory:
    """Log what is new, and record it once it is settled; return what is remembered of that."""
    memory, said = outcome.memory, outcome.said
    if not said:
        return memory
    name = topology.topology.id
    line = f"{name}: {type(outcome.verdict).__name__.lower()}: {said}"
    news = _is_news(line, memory.logged, outcome.verdict)
    if news:
        LOG.info("%s", line)
    if not isinstance(outcome.verdict, Place):
        settled = outcome.solution is not None or memory.job is None or outcome.failed
        news = settled and _is_news(line, memory.recorded, outcome.verdict)
    memory = replace(memory, logged=line)
    if not news:
        return memory
    if outcome.order is not None:
        recorder.record_again(topology, outcome.order.record)
    else:
        found = _found(seed, memory, outcome, round_, name)
        recorder.record(topology, outcome.verdict, said, found)
    return replace(memory, recorded=line)


def _found(seed: int, memory: Memory, outcome: Outcome, round_: Round, name: str) -> Found:
    asked, solution = memory.asked, outcome.solution
    if asked is not None and asked.state is not round_.state:
        asked = None  # of an earlier round: this one did not get so far
    if solution is not None and outcome.older:
        solution = replace(solution, bound=None, gap=None)  # which hold for another problem
    return Found(asked, solution, outcome.before, seed, round_.measured.rates_age.get(name))


def _is_news(line: str, last: str, verdict: Place | Keep | Decline) -> bool:
    """Whether a line is worth another one: ages and confidences differ in every round."""
    alike = not isinstance(verdict, Place) and wording.is_alike(line, last)
    return line != last and not alike


def status(verdict: Place | Keep | Decline, memory: Memory) -> str:
    """Return the line that Storm UI shows."""
    match verdict:
        case Place():
            return memory.decided_status
        case Keep(reason):
            line = memory.status or ("kept as it is" if memory.troubled else "")
            return reason or "; ".join(it for it in (line, memory.held_back) if it)
        case Decline(reason):
            return reason
