"""The text of a trial file, and what comes of texts like it."""

from pathlib import Path

import pytest
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.trial_file import Trial, TrialFileError

TRIAL = """
version = 1
name = "mine"
cluster = "six-unequal"
seconds = 60
schedulers = ["ras", { scheduler = "eyewall", name = "quick", policy = "greedy" }]
[rate]
constant = 40
[[topologies]]
name = "chain"
shape = "chain"
arguments = { cpu-us = 500 }
"""


def parse(text: str = TRIAL, cores: int = 2) -> Trial:
    """Read a trial file of this text, on a machine with so many cores."""
    return trial_file.parse(text, Path("folder/mine.toml"), cores)


def refusal(text: str, cores: int = 2) -> str:
    """Return why a trial file of this text is refused."""
    with pytest.raises(TrialFileError) as caught:
        parse(text, cores)
    return str(caught.value)
