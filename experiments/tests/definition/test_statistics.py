# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
import math
import statistics

import pytest
from quench_experiments.definition.statistics import Sample, combine, divided


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (10, 2.2281), (29, 2.0452), (120, 1.9799)],
)
def test_students_t(degrees, quantile):
    """The 0.975 quantiles of every textbook's table, times the standard error of the mean."""
    values = [float(seed % 3) for seed in range(degrees + 1)]
    error = statistics.stdev(values) / math.sqrt(degrees + 1)
    assert Sample(dict(enumerate(values))).half_width == pytest.approx(quantile * error, rel=5e-5)


def test_confidence_interval():
    """Five seeds: mean 12, standard deviation sqrt(2.5); t(4) = 2.7764."""
    sample = Sample({1: 10.0, 2: 11.0, 3: 12.0, 4: 13.0, 5: 14.0})
    assert sample.mean == 12
    assert sample.half_width == pytest.approx(2.7764 * math.sqrt(2.5 / 5), abs=1e-4)


def test_one_seed_has_no_interval():
    assert Sample({1: 3.0}).half_width is None


def test_only_common_seeds_are_combined():
    assert combine(lambda a, b: a - b, Sample({1: 5.0, 2: 7.0}), Sample({2: 1.0, 3: 9.0})).values == {2: 6.0}


def test_what_is_of_no_seed_fits_every_seed():
    assert combine(lambda a, b: a * b, Sample({1: 5.0, 2: 7.0}), Sample({None: 2.0})).values == {1: 10.0, 2: 14.0}
    assert combine(lambda a, b: a + b, Sample({None: 1.0}), Sample({None: 2.0})).values == {None: 3.0}


def test_division_by_zero_is_no_number():
    assert math.isnan(divided(0.0, 0.0))
    assert divided(-1.0, 0.0) == -math.inf
    assert not Sample({1: math.nan})
    assert not Sample({})
