"""A placement problem as the text of a problem file: what `parse_problem` reads back."""

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from eyewall_sidecar.model import Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.problem_file.schema import LEAST


def write_problem(problem: PlacementProblem) -> str:
    """Return the problem's JSON text, an operator, stream, node or link on each line.

    What `docs/problem-format.md` takes for granted is left out. Amounts that are more than 0 and
    less than its least are written as that least: they are not 0.
    """
    sections = {
        "operators": map(_operator, problem.operators),
        "streams": map(_stream, problem.streams),
        "nodes": map(_node, problem.nodes),
        "links": _links(problem),
    }
    parts = ['"version": 1', *(f'"{name}": {_lines(its)}' for name, its in sections.items())]
    if problem.current is not None:
        parts.append(f'"current": {_text(dict(problem.current))}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(entries: Iterable[dict[str, Any]]) -> str:
    lines = [f"  {_text(it)}" for it in entries]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _operator(it: Operator) -> dict[str, Any]:
    return {
        "id": it.id,
        "cpu": _written(it.cpu),
        **_unless(0.0, memory=it.memory, execution_time=it.execution_time),
        **({} if it.candidates is None else {"candidates": it.candidates}),
    }


def _stream(it: Stream) -> dict[str, Any]:
    return {
        "from": it.source,
        "to": it.target,
        "rate": _written(it.rate),
        **({} if it.tuple_bytes is None else {"tuple_bytes": _written(it.tuple_bytes)}),
        **({"system": True} if it.system else {}),
    }


def _node(it: Node) -> dict[str, Any]:
    return {
        "id": it.id,
        **_limited(cpu=it.cpu, memory=it.memory),
        **({"operators": int(it.operators)} if isfinite(it.operators) else {}),
        **_unless(1.0, speedup=it.speedup, availability=it.availability),
        **({} if it.coordinates is None else {"coordinates": it.coordinates}),
    }


def _links(problem: PlacementProblem) -> Iterator[dict[str, Any]]:
    """Yield each link; the way back only where it differs, as the format has it."""
    nodes, matrix = problem.link_matrix.nodes, problem.link_matrix
    delays, availabilities = matrix.delays.tolist(), matrix.availabilities.tolist()
    bandwidths = matrix.bandwidths.tolist()
    for u, source in enumerate(nodes):
        for v, target in enumerate(nodes):
            link = delays[u][v], availabilities[u][v], bandwidths[u][v]
            back = delays[v][u], availabilities[v][u], bandwidths[v][u]
            if u < v or (u > v and link != back):
                yield {
                    "from": source,
                    "to": target,
                    "delay": _written(link[0]),
                    **_unless(1.0, availability=link[1]),
                    **_limited(bandwidth=link[2]),
                }


def _limited(**amounts: float) -> dict[str, float]:
    return {name: _written(it) for name, it in amounts.items() if isfinite(it)}


def _unless(usual: float, **amounts: float) -> dict[str, float]:
    return {name: _written(it) for name, it in amounts.items() if it != usual}


def _written(value: float) -> float:
    return LEAST if 0 < value < LEAST else value
