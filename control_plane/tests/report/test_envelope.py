# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The envelope of a curve holds all of its values, and their means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.report.envelope import envelope


def test_a_saw_has_its_teeth_as_edges() -> None:
    found = envelope([0, 1, 2, 3, 4], [0, 10, 0, 10, 5], 2)
    assert found.start == [0, 2]
    assert found.middle == [1, 3]
    assert (found.least, found.mean, found.greatest) == ([0, 0], [5, 5], [10, 10])


def test_spans_without_values_are_left_out() -> None:
    found = envelope([0.0, 0.1, 10.0], [1.0, 3.0, 7.0], 10)
    assert (found.start, found.mean) == ([0, 9], [2, 7])
    assert envelope([5.0, 5.0], [1.0, 2.0], 4).mean == [1.5]


@pytest.mark.parametrize(("x", "y", "spans"), [([], [], 3), ([1.0], [1.0, 2.0], 3), ([1.0], [1.0], 0)])
def test_there_is_none_of_nothing(x: list[float], y: list[float], spans: int) -> None:
    with pytest.raises(ValueError, match="no envelope"):
        envelope(x, y, spans)


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=200),
    st.integers(1, 50),
)
def test_every_value_lies_within(points: list[tuple[float, float]], spans: int) -> None:
    points.sort()
    x, y = [each for each, _ in points], [each for _, each in points]
    found = envelope(x, y, spans)
    assert len(found.start) <= spans
    assert (min(found.least), max(found.greatest)) == (min(y), max(y))
    edges = zip(found.least, found.mean, found.greatest, strict=True)
    assert all(low - 1e-6 <= mean <= high + 1e-6 for low, mean, high in edges)
    assert found.start[0] == x[0]
