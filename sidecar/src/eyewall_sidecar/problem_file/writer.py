"""A placement problem as the text of a problem file: what `parse_problem` reads back."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from eyewall_sidecar.model import Link, LoadModel, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.generic_resources import Amounts
from eyewall_sidecar.problem_file.schema import LEAST


def write_problem(problem: PlacementProblem) -> str:
    """Return the problem's JSON text, an operator, stream, node or link on each line.

    What `docs/user/problem-format.md` takes for granted is left out. Amounts that are more than 0
    and less than its least are written as that least: they are not 0.
    """
    return _file(problem, [f'"links": {_list(_links(problem))}'])


def write_without_links(problem: PlacementProblem) -> str:
    """Return the same without links, which `eyewall provision` needs only if they have limits."""
    return _file(problem, [])


def _file(problem: PlacementProblem, links: list[str]) -> str:
    parts = [
        '"version": 1',
        f'"operators": {_list(_text(_operator(it)) for it in problem.operators)}',
        f'"streams": {_list(_text(_stream(it)) for it in problem.streams)}',
        f'"nodes": {_list(_text(_node(it)) for it in problem.nodes)}',
        *links,
    ]
    if problem.current is not None:
        parts.append(f'"current": {_text(dict(problem.current))}')
    if load := _load(problem.load):
        parts.append(f'"load": {_text(load)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _list(entries: Iterable[str]) -> str:
    lines = ",\n  ".join(entries)
    return f"[\n  {lines}\n]" if lines else "[]"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _operator(it: Operator) -> dict[str, Any]:
    return {
        "id": it.id,
        "cpu": _written(it.cpu),
        **_unless(0.0, memory=it.memory, execution_time=it.execution_time),
        **({} if it.candidates is None else {"candidates": it.candidates}),
        **({} if it.demand is None else {"demand": _written(it.demand)}),
        **_unless(0.0, demand_error=it.demand_error, reserved=it.reserved),
        **_resources(it.generic),
    }


def _stream(it: Stream) -> dict[str, Any]:
    return {
        "from": it.source,
        "to": it.target,
        "rate": _written(it.rate),
        **({} if it.tuple_bytes is None else {"tuple_bytes": _written(it.tuple_bytes)}),
        **({"system": True} if it.system else {}),
        **({} if it.shuffle is None else {"shuffle": it.shuffle}),
    }


def _node(it: Node) -> dict[str, Any]:
    return {
        "id": it.id,
        **_limited(cpu=it.cpu, memory=it.memory),
        **({"operators": int(it.operators)} if isfinite(it.operators) else {}),
        **_unless(1.0, speedup=it.speedup, availability=it.availability),
        **({} if it.coordinates is None else {"coordinates": it.coordinates}),
        **_unless(0.0, background=it.background),
        **({} if it.cores is None else {"cores": _written(it.cores)}),
        **_limited(reserved=it.reserved),
        **_resources(it.generic),
    }


def _resources(generic: Amounts) -> dict[str, Any]:
    return {"resources": {name: _written(it) for name, it in generic}} if generic else {}


def _load(it: LoadModel) -> dict[str, float]:
    usual = asdict(LoadModel())
    return {name: _written(value) for name, value in asdict(it).items() if value != usual[name]}


def _links(problem: PlacementProblem) -> Iterator[str]:
    """Yield each link's text; the way back only where it differs, as the format has it.

    A thousand nodes have half a million links: only the few that need it are made a dictionary.
    """
    matrix = problem.link_matrix
    names = [_text(it) for it in matrix.nodes]
    delays = matrix.delays.tolist()
    perfect = ((matrix.availabilities == 1) & np.isinf(matrix.bandwidths)).tolist()
    same = (matrix.delays == matrix.delays.T) & (matrix.availabilities == matrix.availabilities.T)
    back = (same & (matrix.bandwidths == matrix.bandwidths.T)).tolist()
    for u, source in enumerate(names):
        for v, target in enumerate(names):
            if u == v or (u > v and back[u][v]):
                continue
            limits = (
                "" if perfect[u][v] else _limits(problem.links[matrix.nodes[u], matrix.nodes[v]])
            )
            delay = _written(delays[u][v])
            yield f'{{"from": {source}, "to": {target}, "delay": {delay!r}{limits}}}'


def _limits(link: Link) -> str:
    """Return the text of what a link has beside its delay."""
    beside = {**_unless(1.0, availability=link.availability), **_limited(bandwidth=link.bandwidth)}
    return f", {_text(beside)[1:-1]}"


def _limited(**amounts: float) -> dict[str, float]:
    return {name: _written(it) for name, it in amounts.items() if isfinite(it)}


def _unless(usual: float, **amounts: float) -> dict[str, float]:
    return {name: _written(it) for name, it in amounts.items() if it != usual}


def _written(value: float) -> float:
    return LEAST if 0 < value < LEAST else value
