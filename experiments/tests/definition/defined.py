# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Small experiments of the tests, and results that nobody had to simulate."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from quench_experiments.definition import Experiment, Results, Run, load

SMALL = """\
title: A small experiment
paper: Quench
section: none
about: Something small that the tests can change.
readings: ["There is no paper to read anything into."]
topology: {kind: n1, delay: $delay}
profile: {minth: 15KB, maxth: 45KB, mark_at: tail}
stack: {preset: ns2-2001}
traffic:
  - {group: plain, count: $n / 2, from: servers, to: clients, start: [0s, 5s], stack: plain, source: {kind: ftp}}
  - {group: test, count: $n / 2, from: servers, to: clients, start: [0s, 5s], source: {kind: ftp}}
schemes: {ecn: , becn: }
sweep: {delay: [40ms, 250ms], n: [4, 8]}
seeds: 3
duration: 20s
warmup: 5s
quick: {seeds: 2, duration: 10s, sweep: {n: [8]}}
metrics:
  gain: {title: Gain, unit: "%", value: {gain: group.test.goodput_bps, over: group.plain.goodput_bps}}
quotes:
  - {name: gain, text: it gains, value: 10, tolerance: {absolute: 1}, above: 0, metric: gain, at: $AT}
figures:
  - {name: gain, title: Gain, x: n, y: gain, at: {delay: 40ms}}
""".replace("$AT", "{scheme: becn, delay: 40ms, n: 8}")


def small(folder: Path, *changes: tuple[str, str]) -> Experiment:
    """The small experiment; each change is an old text and the new one in its place."""
    text = SMALL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "small.yaml"
    path.write_text(text)
    return load(path)


def runs_by_labels(runs: list[Run], **labels: object) -> list[Run]:
    """Those with these labels."""
    return [run for run in runs if all(run.labels.get(name) == value for name, value in labels.items())]


class AnyMetrics(Mapping[str, float]):
    """A number from 1 to 2 for every name, another one for each run."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id

    def __getitem__(self, name: str) -> float:
        digest = hashlib.sha256(f"{self._run_id} {name}".encode()).digest()
        return 1 + int.from_bytes(digest[:4], "big") / 2**32

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def any_results(experiment: Experiment, quick: bool = False) -> Results:
    """Results of all runs."""
    return {run_id: AnyMetrics(run_id) for run_id in experiment.labels(quick)}
