from pathlib import Path

import pytest
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.trial_file import Trial

TEXT = """
version = 1
name = "mine"
cluster = "six-unequal"
seconds = 10
warm_up_seconds = 5
repetitions = 3
loads = [0.5, 1.0]
schedulers = ["default", "ras", "eyewall"]
[rate]
constant = 40
[[topologies]]
name = "chain"
shape = "chain"
"""


@pytest.fixture
def trial() -> Trial:
    return trial_file.parse(TEXT, Path("mine.toml"), 2)
