import json
from pathlib import Path

import eyewall_sidecar
import jsonschema
import pytest
from eyewall_sidecar.problem_file.schema import schema_text

PACKAGE = Path(eyewall_sidecar.__file__).parent
EXAMPLES = sorted((PACKAGE.parents[1] / "examples").glob("*.json"))


def test_the_schema_that_is_kept_is_the_models() -> None:
    # To renew it: python -m eyewall_sidecar.problem_file > …/eyewall_sidecar/problem.schema.json
    assert (PACKAGE / "problem.schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_obeys_the_schema(example: Path) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    assert [it.message for it in validator.iter_errors(json.loads(example.read_text()))] == []


def test_the_schema_refuses_what_it_does_not_know() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    basic = json.loads((EXAMPLES[0].parent / "basic.json").read_text())
    assert not validator.is_valid(basic | {"link": []})
    for delay in (-1, 1e-310, 86_401, 1e300):
        basic["links"][0]["delay"] = delay
        assert not validator.is_valid(basic)
    for delay in (0, 1e-9, 86_400):
        basic["links"][0]["delay"] = delay
        assert validator.is_valid(basic)
