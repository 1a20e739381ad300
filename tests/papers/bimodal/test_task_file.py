import copy
import json
import re
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import eyewall_papers
import jsonschema
import pytest
from eyewall_papers.bimodal.network import DedicatedLink
from eyewall_papers.bimodal.task_file import TaskFile, parse_task, read_task
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file import parse_problem
from eyewall_sidecar.problem_file.schema import schema_text

EXAMPLE = Path(eyewall_papers.__file__).parents[2] / "examples" / "map" / "two-kinds-of-links.json"
FILE: dict[str, Any] = {
    "version": 1,
    "operators": [
        {"id": "out", "pinned_to": ["n"]},
        {"id": "work", "candidates": ["m", "n"]},
        {"id": "in", "pinned_to": ["m"], "cpu": 0.5},
    ],
    "streams": [
        {"from": "work", "to": "out", "rate": 2, "tuple_bytes": 5},
        {"from": "in", "to": "work", "rate": 3, "tuple_bytes": 10, "budget": 2},
    ],
    "nodes": [{"id": "m", "cpu": 2, "uplink": 7}, {"id": "n", "downlink": 8}],
    "links": [
        {"kind": "dedicated", "from": "m", "to": "n", "delay": 0.1, "bandwidth": 9, "price": 4},
        {"kind": "public", "from": "m", "to": "n", "delay": 0.3},
    ],
}


def parsed(file: dict[str, Any]) -> TaskFile:
    return parse_task(json.dumps(file), Path(), max_null=1)


def test_a_file_is_a_task_in_the_order_of_its_streams_and_a_network() -> None:
    file = parsed(FILE)
    task, network = file.task, file.network
    assert [it.id for it in task.operators] == ["in", "work", "out"]
    assert [task.bandwidth(it) for it in range(2)] == [30, 10]
    assert (task.source, task.sink, task.budgets, task.max_null) == ("m", "n", (2, inf), 1)
    assert network.dedicated == (DedicatedLink("m", "n", 9, 0.1, 4),)
    assert network.public is not None
    assert network.public.delay("n", "m") == 0.3
    assert network.uplinks == {"m": 7, "n": inf}
    assert network.downlinks == {"m": inf, "n": 8}
    assert task.candidates(1, network) == ("m", "n")


def test_without_a_link_of_that_kind_there_is_no_public_network() -> None:
    assert parsed(FILE | {"links": FILE["links"][:1]}).network.public is None


def test_the_example_is_read_and_obeys_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    assert validator.is_valid(json.loads(EXAMPLE.read_text(encoding="utf-8")))
    assert read_task(EXAMPLE, 2).task.operators[0].id == "camera"


def test_a_problem_to_solve_refuses_what_only_a_mapping_takes_into_account() -> None:
    with pytest.raises(ProblemError, match="link m → n is dedicated: only `eyewall map`"):
        parse_problem(json.dumps(FILE), Path())


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    file = copy.deepcopy(FILE)
    change(file)
    return file


def put(section: str, place: int, **keys: object) -> Callable[[dict[str, Any]], None]:
    return lambda file: file[section][place].update(keys)


def add(section: str, **keys: object) -> Callable[[dict[str, Any]], None]:
    return lambda file: file[section].append({it.removesuffix("_"): keys[it] for it in keys})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            add("streams", from_="in", to="out", tuple_bytes=1),
            "operator in has two outputs, to work and out; eyewall map takes applications that",
        ),
        (
            add("operators", id="alone"),
            "operators alone are not on the way from one source to one sink",
        ),
        (
            put("operators", 2, pinned_to=["m", "n"]),
            "operator in: candidates are m, n; source and sink of a path must be pinned",
        ),
        (
            lambda file: file["operators"][0].pop("pinned_to"),
            "operator out: it has no candidates; source and sink of a path must be pinned",
        ),
        (
            lambda file: file["streams"][0].pop("tuple_bytes"),
            "stream work → out: tuple_bytes is not given",
        ),
        (put("links", 0, kind="leased"), "links[0].kind is 'leased'; it must be 'dedicated' or"),
        (
            add("links", kind="dedicated", from_="n", to="m", delay=0.1),
            "dedicated link n – m is listed twice",
        ),
        (
            add("links", from_="m", to="n", delay=0.1),
            "link m → n is listed twice",
        ),
        (put("links", 1, price=1), "link m → n: price is not taken into account by eyewall map"),
        (put("links", 1, bandwidth=1), "link m → n: bandwidth is not taken into account"),
        (put("links", 0, availability=0.5), "link m → n: availability is not taken into account"),
        (put("nodes", 0, memory=1), "node m: memory is not taken into account by eyewall map"),
        (put("nodes", 0, operators=1), "node m: operators is not taken into account"),
        (put("operators", 1, executors=2), "operator work: executors is not taken into account"),
        (put("streams", 0, system=True), "stream work → out: system is not taken into account"),
        (lambda file: file.update(current={"in": "m"}), "current is not taken into account"),
        (put("operators", 1, candidates=["x"]), "services: no node x; nodes are m, n"),
        (put("operators", 0, pinned_to=["x"]), "sink: no node x; nodes are m, n"),
    ],
)
def test_what_a_mapping_cannot_take_is_refused_by_name(
    change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    with pytest.raises(ProblemError, match=re.escape(complaint)):
        parsed(changed(change))
