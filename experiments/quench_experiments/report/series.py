# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Time series of a run, from its Parquet files."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

from quench_experiments.simulation.result import Series

TABLE = "series.parquet"
"""As simulation.result writes it."""


def read_series(tables: Mapping[str, Path], name: str) -> Series | None:
    """The series ``LINK.ab.COLUMN`` or ``SOURCE.COLUMN``; None where the run has none of this name."""
    if TABLE not in tables:
        return None
    table = pq.read_table(tables[TABLE], columns=["time_s", "value"], filters=[("series", "=", name)])
    if not len(table):
        return None
    return Series(table.column("time_s").to_numpy(), table.column("value").to_numpy())
