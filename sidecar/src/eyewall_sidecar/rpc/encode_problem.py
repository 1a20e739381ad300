"""From a running topology's problem to the contract's message."""

from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.problem_file.writing import write_problem
from eyewall_sidecar.service.running_problem import RunningProblem


def problem(it: RunningProblem) -> pb.Problem:
    """Encode the problem as the text of a problem file, and how well it is known."""
    return pb.Problem(
        topology_id=it.topology.topology.id,
        topology=it.topology.topology.name,
        json=write_problem(it.bridged.problem),
        measured=it.measured,
        assumptions=it.assumptions,
        shared=it.shared,
    )
