from math import inf

import pytest
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.service.moving import relative_gain


def test_a_loss_is_told_by_part_of_what_it_was_as_a_gain_is() -> None:
    # R from 20 to 36 ms: (20 - 36) / 20; A from 0.9 to 0.99, the more the better: 0.09 / 0.9.
    assert relative_gain(Objective.parse("R=1"), 0.020, 0.036) == pytest.approx(-0.8)
    assert relative_gain(Objective.parse("A=1"), 0.9, 0.99) == pytest.approx(0.1)


def test_of_nothing_a_loss_is_no_part() -> None:
    assert relative_gain(Objective.parse("N=1"), 0.0, 0.7) == -inf
    assert relative_gain(Objective.parse("N=1"), 0.0, 0.0) == 0.0
