# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulations that are quick, fail, die or never end, as the seed says. Other processes import this module."""

import io
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from quench.places import PROGRAM
from quench_experiments.runner.environment import engine_loaded, info_of
from quench_experiments.runner.work import Progress, Task, unseen
from quench_experiments.simulation.scenario import Scenario

RED = {"scheme": "red", "minth": "15KB", "maxth": "45KB"}
FAILS, DIES, KILLED, ENDS, HANGS = 1000, 2000, 2300, 2600, 3000
"""Seeds from here on: an exception, an end with status 9, by SIGKILL (as out of memory), with status 0, and no end."""

WAITS, SEEN = 500, "seen"
"""This seed's run is a quarter done until there is a file of this name beside the program."""


class Result:
    """The result of a simulation."""

    def __init__(self, scenario: Scenario, program: Path) -> None:
        self.scenario = scenario
        self.program = program.read_bytes() + info_of(program).read_bytes()

    def metrics(self) -> dict[str, float]:
        return {"all.goodput_bps": 2.0 * self.scenario.seed, "program_bytes": float(len(self.program))}

    def parquet(self, only: Collection[str] | None = None) -> dict[str, bytes]:
        times_s = [1.0 * self.scenario.seed, 2.0 * self.scenario.seed]
        columns = {"distribution": ["all.file_time"] * 2, "share": [0.0, 1.0], "time_s": times_s}
        file = io.BytesIO()
        pq.write_table(pa.table(columns), file)
        series = {"series.parquet": f"of seed {self.scenario.seed}".encode()} if only is None else {}
        return {"metrics.parquet": b"", "distributions.parquet": file.getvalue(), **series}


PROGRAM_BYTES = 2 + info_of(PROGRAM).stat().st_size
"""The size of what ``write_program`` writes."""


def simulate(scenario: Scenario, program: Path, progress: Progress = unseen) -> Result:
    if scenario.seed == WAITS:
        progress(0.25)
        while not (program.parent / SEEN).exists():
            time.sleep(0.01)
    if scenario.seed >= HANGS:
        while True:
            signal.pause()
    if scenario.seed >= ENDS:
        os._exit(0)
    if scenario.seed >= KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    if scenario.seed >= DIES:
        os._exit(9)
    if scenario.seed >= FAILS:
        raise ValueError(f"seed {scenario.seed}\nis refused")
    return Result(scenario, program)


def simulate_all(scenario: Scenario, program: Path, progress: Progress = unseen) -> Result:
    """A result for every seed."""
    return Result(scenario, program)


def write_program(folder: Path) -> Path:
    """Two bytes that stand for a P4 program, and the P4Info of Quench's."""
    path = folder / "quench.json"
    path.write_text("{}")
    info_of(path).write_bytes(info_of(PROGRAM).read_bytes())
    return path


def task(seed: int, key: str | None = None, **changes: object) -> Task:
    """A run of the code that is there."""
    return Task(key or f"key{seed}", scenario(seed, **changes), engine_loaded())


def scenario(seed: int = 1, **changes: object) -> Scenario:
    """A router between two hosts."""
    values = {
        "seed": seed,
        "duration_s": 10,
        "hosts": [{"name": "s", "address": "10.0.0.1"}, {"name": "c", "address": "10.0.1.1"}],
        "routers": [{"name": "r", "profiles": {"out.ab": RED}}],
        "links": [
            {"name": "in", "a": "s", "b": "r", "delay_s": 0.001},
            {"name": "out", "a": "r", "b": "c", "delay_s": 0.01, "ab": {"rate_bps": 1e6}},
        ],
        **changes,
    }
    return Scenario.parse(values)
