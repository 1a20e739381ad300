import gzip
import json
from math import inf
from pathlib import Path
from typing import Any

import pytest
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file import parse_problem, read_problem


def file(**changes: Any) -> str:
    """Return a problem file: a → b on n1 and n2; a change of None takes the key away."""
    whole: dict[str, Any] = {
        "version": 1,
        "operators": [{"id": "a"}, {"id": "b"}],
        "streams": [{"from": "a", "to": "b"}],
        "nodes": [{"id": "n1"}, {"id": "n2"}],
        "links": [{"from": "n1", "to": "n2", "delay": 0.02}],
    }
    return json.dumps({key: value for key, value in (whole | changes).items() if value is not None})


def refusal(text: str, folder: Path = Path()) -> str:
    with pytest.raises(ProblemError) as refused:
        parse_problem(text, folder)
    return str(refused.value)


def test_what_is_not_given_has_its_default() -> None:
    problem = parse_problem(file(), Path()).problem
    operator, stream, node = problem.operators[0], problem.streams[0], problem.nodes[0]
    assert (operator.cpu, operator.memory, operator.execution_time) == (1, 0, 0)
    assert (stream.rate, stream.tuple_bytes, stream.system) == (1, None, False)
    assert (node.cpu, node.memory, node.operators) == (inf, inf, inf)
    assert (node.speedup, node.availability) == (1, 1)
    assert (problem.availability("n1", "n2"), problem.bandwidth("n1", "n2")) == (1, inf)
    assert problem.current is None


def test_a_link_holds_in_both_directions_unless_the_other_one_is_listed() -> None:
    there = {"from": "n1", "to": "n2", "delay": 0.02, "availability": 0.9}
    problem = parse_problem(file(links=[there]), Path()).problem
    assert problem.link("n2", "n1") == problem.link("n1", "n2")
    back = {"from": "n2", "to": "n1", "delay": 0.03}
    problem = parse_problem(file(links=[there, back]), Path()).problem
    assert problem.delay("n1", "n2") == 0.02
    assert problem.delay("n2", "n1") == 0.03
    assert problem.availability("n2", "n1") == 1


def test_pinned_to_several_nodes_means_candidates() -> None:
    operators = [{"id": "a", "pinned_to": ["n2"]}, {"id": "b", "pinned_to": ["n1", "n2"]}]
    problem = parse_problem(file(operators=operators), Path()).problem
    assert problem.candidates("a") == ("n2",)
    assert problem.candidates("b") == ("n1", "n2")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"version": 2}, "version is 2; it must be 1"),
        ({"nodes": None}, "the problem has no nodes; it needs at least one"),
        ({"operators": None}, "the problem: operators is missing"),
        ({"operators": []}, "operators is []; it must have at least 1"),
        (
            {"link": []},
            (
                "the problem: unknown key link; keys are version, operators, streams, nodes, "
                "links, delays, current, load, objects, servers, machine_link (did you mean links?)"
            ),
        ),
        (
            {"operators": [{"id": "a", "cpus": 1}, {"id": "b"}]},
            (
                "operators[0]: unknown key cpus; keys are id, cpu, memory, execution_time, "
                "candidates, pinned_to, executors, demand, demand_error, reserved, "
                "resources, objects (did you mean cpu?)"
            ),
        ),
        (
            {"links": [{"from": "n1", "to": "n2", "delay": -0.02}]},
            "links[0].delay is -0.02; it must be ≥ 0",
        ),
        ({"links": [{"from": "n1", "to": "n2"}]}, "links[0]: delay is missing"),
        (
            {"operators": [{"id": "a", "cpu": "1"}, {"id": "b"}]},
            "operators[0].cpu is '1'; it must be a number",
        ),
        (
            {"nodes": [{"id": "n1", "operators": 1.5}, {"id": "n2"}]},
            "nodes[0].operators is 1.5; it must be a whole number",
        ),
        (
            {"nodes": [{"id": "n1", "speedup": 0}, {"id": "n2"}]},
            "nodes[0].speedup is 0; it must be ≥ 1e-06",
        ),
        (
            {"nodes": [{"id": "n1", "availability": 1.1}, {"id": "n2"}]},
            "nodes[0].availability is 1.1; it must be ≤ 1",
        ),
        (
            {"streams": [{"from": "a", "to": "b", "grouping": "shufle"}]},
            (
                "streams[0].grouping is 'shufle'; it must be 'shuffle', 'fields', 'partial_key', "
                "'all', 'global', 'local_or_shuffle', 'direct' or 'custom'"
            ),
        ),
        (
            {"links": [{"from": "n1", "to": "cloud-9", "delay": 0.1}]},
            "delay between n1 and cloud-9: no node cloud-9; nodes are n1, n2",
        ),
        (
            {"links": None},
            "no delay for n1 → n2, n2 → n1; every ordered pair of nodes needs one",
        ),
        (
            {"links": [{"from": "n1", "to": "n2", "delay": 0.1}] * 2},
            "link n1 → n2 is listed twice",
        ),
        (
            {"links": [{"from": "n1", "to": "n2", "delay": 0.1, "bandwidth": 1000}]},
            (
                "stream a → b: tuple_bytes is not given, but the bandwidth from n1 to n2 is "
                "limited; give tuple_bytes for every stream (unknown is not zero)"
            ),
        ),
        (
            {"operators": [{"id": "a", "pinned_to": ["n1"], "candidates": ["n1"]}, {"id": "b"}]},
            "operator a: give pinned_to or candidates, not both",
        ),
        (
            {"operators": [{"id": "a", "pinned_to": ["n3"]}, {"id": "b"}]},
            "candidates of operator a: no node n3; nodes are n1, n2",
        ),
        (
            {"streams": [{"from": "a", "to": "c"}]},
            "stream a → c: no operator c; operators are a, b",
        ),
        (
            {"delays": {"file": "m.tsv", "unit": "ms", "kind": "rtt"}},
            "give links or delays, not both",
        ),
        (
            {"load": {"headrom": 1}},
            (
                "load: unknown key headrom; keys are headroom, executors_per_worker, worker_cpu, "
                "crossing_cpu, crossing_half_rate, polling_cpu, send_cpu, receive_cpu, "
                "crossing_seconds, burstiness, sharing, uncertainty (did you mean headroom?)"
            ),
        ),
        ({"current": {"c": "n1"}}, "current: no operator c; operators are a, b"),
        ({"current": 1}, "current is 1; it must be an object"),
        ({"current": {"a": 1}}, "current.a is 1; it must be a node or a list of nodes"),
        ({"current": {"str": None}}, "current.str is None; it must be a node or a list of nodes"),
        ({"current": {"a": ""}}, "current.a is ''; it must not be empty"),
        ({"current": {"a": []}}, "current.a is []; it must have at least 1"),
        ({"current": {"a": ["n1", 1]}}, "current.a[1] is 1; it must be a text"),
        (
            {"current": {"a": ["n1", "n2"]}},
            "current of operator a: 2 nodes for 1 executors",
        ),
    ],
)
def test_a_file_that_breaks_the_format_is_refused_with_offender_value_and_what_is_allowed(
    changes: dict[str, Any], complaint: str
) -> None:
    assert refusal(file(**changes)) == complaint


@pytest.mark.parametrize(
    ("section", "key", "value", "allowed"),
    [
        ("operators", "cpu", 2e15, "≤ 1e+15"),
        ("operators", "cpu", 1e-310, "0 or ≥ 1e-09"),
        ("operators", "execution_time", 86401, "≤ 86400"),
        ("operators", "executors", 100_001, "≤ 100000"),
        ("streams", "rate", 1.7e308, "≤ 1e+15"),
        ("nodes", "operators", 10**400, "≤ 1e+15"),
        ("nodes", "memory", 1e-10, "0 or ≥ 1e-09"),
        ("nodes", "speedup", 1e-310, "≥ 1e-06"),
        ("nodes", "speedup", 1e7, "≤ 1e+06"),
        ("nodes", "availability", 1e-320, "0 or ≥ 1e-09"),
        ("links", "delay", 1e300, "≤ 86400"),
        ("links", "delay", 1e-310, "0 or ≥ 1e-09"),
        ("links", "bandwidth", 1e-310, "0 or ≥ 1e-09"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_number_beyond_any_cluster_is_refused_before_it_overflows(
    section: str, key: str, value: float, allowed: str
) -> None:
    changed = json.loads(file())
    changed[section][0][key] = value
    said = refusal(json.dumps(changed))
    assert said.startswith(f"{section}[0].{key} is {str(value)[:50]}")
    assert said.endswith(f"; it must be {allowed}")


def test_the_least_and_the_most_are_allowed() -> None:
    changed = json.loads(file())
    changed["links"][0] |= {"delay": 86_400, "bandwidth": 0, "availability": 0}
    changed["nodes"][0] |= {"cpu": 1e15, "memory": 1e-9, "operators": 10**15, "speedup": 1e-6}
    changed["streams"][0] |= {"tuple_bytes": 0}
    problem = parse_problem(json.dumps(changed), Path()).problem
    assert problem.delay("n1", "n2") == 86_400
    assert problem.node("n1").memory == 1e-9


def test_several_mistakes_are_told_at_once_but_not_more_than_five() -> None:
    operators = [{"id": f"o{i}", "cpu": -1} for i in range(7)]
    lines = refusal(file(operators=operators)).splitlines()
    assert lines[0] == "operators[0].cpu is -1; it must be ≥ 0"
    assert len(lines) == 6
    assert lines[-1] == "… and 2 more"


def test_what_is_no_json_is_said_so() -> None:
    assert refusal("{").startswith("not JSON: EOF while parsing")
    assert refusal("3") == "the problem is 3; it must be an object"


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="cannot be read"):
        read_problem(tmp_path / "nothing.json")


class TestDelaysFile:
    """A matrix in place of links: row i, column j is from node i to node j."""

    TEXT = "0\t20\n30\t0\n"

    def delays(self, folder: Path, content: str | bytes, **changes: str) -> str:
        raw = content.encode() if isinstance(content, str) else content
        (folder / "m.tsv").write_bytes(raw)
        entry = {"file": "m.tsv", "unit": "ms", "kind": "one_way"} | changes
        return file(links=None, delays=entry)

    @pytest.mark.parametrize(
        ("unit", "kind", "there", "back"),
        [
            ("ms", "one_way", 0.020, 0.030),
            ("ms", "rtt", 0.010, 0.015),
            ("s", "one_way", 20.0, 30.0),
        ],
    )
    def test_unit_and_kind_are_heeded(
        self, tmp_path: Path, unit: str, kind: str, there: float, back: float
    ) -> None:
        text = self.delays(tmp_path, self.TEXT, unit=unit, kind=kind)
        problem = parse_problem(text, tmp_path).problem
        assert problem.delay("n1", "n2") == pytest.approx(there)
        assert problem.delay("n2", "n1") == pytest.approx(back)

    def test_it_may_be_compressed(self, tmp_path: Path) -> None:
        text = self.delays(tmp_path, gzip.compress(self.TEXT.encode()))
        assert parse_problem(text, tmp_path).problem.delay("n1", "n2") == pytest.approx(0.020)

    def test_the_diagonal_is_not_looked_at(self, tmp_path: Path) -> None:
        text = self.delays(tmp_path, "0.3\t20\n30\t\n")
        assert parse_problem(text, tmp_path).problem.delay("n1", "n1") == 0

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            ("0\t20\nnan\t0\n", "delays file m.tsv: no delay for n2 → n1"),
            (
                "0\t20\n-3\t0\n",
                "delays file m.tsv, n2 → n1: delay is -3; it must be 0 or from 1e-06 to 8.64e+07",
            ),
            ("0\t20\n1e300\t0\n", "delays file m.tsv, n2 → n1: delay is 1e+300; "),
            ("0\t20\n1e-300\t0\n", "delays file m.tsv, n2 → n1: delay is 1e-300; "),
            ("0\t20\n-inf\t0\n", "delays file m.tsv, n2 → n1: delay is -inf; "),
            ("0\t20\nfar\t0\n", "delays file m.tsv, n2 → n1: 'far' is not a number"),
            ("0\t20\n", "delays file m.tsv: 1 rows of 2 columns; 2 nodes need 2 × 2"),
        ],
    )
    def test_a_matrix_that_lacks_something_is_refused(
        self, tmp_path: Path, content: str, complaint: str
    ) -> None:
        assert refusal(self.delays(tmp_path, content), tmp_path).startswith(complaint)

    @pytest.mark.parametrize("name", ["no.tsv", "a\0b", ".", "x" * 5000])
    def test_a_matrix_that_cannot_be_read_is_said_so(self, tmp_path: Path, name: str) -> None:
        text = file(links=None, delays={"file": name, "unit": "s", "kind": "rtt"})
        assert ": cannot be read: " in refusal(text, tmp_path)

    def test_a_compressed_matrix_that_is_damaged_is_said_so(self, tmp_path: Path) -> None:
        damaged = bytearray(gzip.compress(b"0\t1\n1\t0\n" * 100))
        damaged[12:20] = b"\xff" * 8
        text = self.delays(tmp_path, bytes(damaged))
        assert "m.tsv: cannot be read: Error -3 while decompressing" in refusal(text, tmp_path)


@pytest.mark.parametrize(
    ("changes", "offender"),
    [
        ({"nodes": [{"id": "n1", "card": 1e9}, {"id": "n2"}]}, "node n1 has a card"),
        ({"nodes": [{"id": "n1", "price": 5}, {"id": "n2"}]}, "node n1 has a price"),
        ({"operators": [{"id": "a", "objects": ["o"]}, {"id": "b"}]}, "operator a has objects"),
        ({"objects": [{"id": "o", "size": 1}]}, "object o is given"),
        ({"servers": [{"id": "s", "objects": []}]}, "server s is given"),
        ({"machine_link": 1e9}, "machine_link is given"),
    ],
)
def test_what_only_provisioning_looks_at_is_not_left_out_in_silence(
    changes: dict[str, Any], offender: str
) -> None:
    said = refusal(file(**changes))
    assert said == f"{offender}: only `eyewall provision` takes that into account"
