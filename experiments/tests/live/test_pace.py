# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The time of a simulation beside that of the wall."""

import pytest
from quench_experiments.live.pace import MOST_BEHIND_S, Achieved, interval_s, shown_every, wanted_s


def test_a_machine_that_was_away_is_not_caught_up_with() -> None:
    assert wanted_s(0.1, 10) == pytest.approx(1)
    assert wanted_s(3600, 10) == 10 * MOST_BEHIND_S


@pytest.mark.parametrize(("speed", "look_s", "every"), [(0.1, 0.1, 1), (1, 0.1, 1), (10, 0.5, 1), (100, 1.0, 5)])
def test_looks_are_close_and_samples_are_few(speed: float, look_s: float, every: int) -> None:
    assert (interval_s(speed), shown_every(speed)) == (look_s, every)
    assert speed / (look_s * every) <= 20


def test_a_machine_that_is_too_slow_says_so_until_it_is_not() -> None:
    achieved = Achieved()
    remarks = []
    for ran_s in [0.3] * 8 + [1.25] * 8:
        achieved.add(0.25, ran_s, 5.0)
        remarks.append(achieved.remark)
    assert remarks == [""] * 7 + [", at 1 of the wished 5 times"] * 8 + [""]
    achieved.add(2.0, 0.0, 5.0)
    assert achieved.remark == ", at 0 of the wished 5 times"
    achieved.add(1.9, 0.0, 5.0)
    achieved.begin()
    achieved.add(0.25, 1.25, 5.0)
    assert achieved.remark == ", at 0 of the wished 5 times", "what was before a pause does not count"
