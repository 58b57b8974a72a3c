# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A small experiment in a file."""

from collections.abc import Sequence
from pathlib import Path

YAML = """\
title: An experiment of a test
paper: Quench
section: "nowhere"
about: One flow over a small bottleneck, to see what the runner does.
readings:
  - "Nothing is read into anything here."
topology: {{kind: n1, delay: 40ms}}
profile: {{minth: 15KB, maxth: 45KB}}
traffic:
  - {{group: ftp, count: $n, from: servers, to: clients, source: {{kind: ftp}}}}
schemes: {{plain: , ecn: }}
sweep: {{n: [1, 2]}}
seeds: {seeds}
duration: 10s
quick: {{seeds: [1, 2], schemes: [ecn], sweep: {{n: [2]}}}}
metrics:
  rate: {{title: Goodput, unit: kb/s, value: all.goodput_bps}}
quotes:
  - name: goodput of two
    text: two flows get 3 kb/s each
    value: 3
    unit: kb/s
    tolerance: {{percent: 10}}
    metric: rate
    at: {{scheme: ecn, n: 2}}
    ns2: {{value: 3.1, deviation: 0.1}}
  - name: one gets more
    text: one flow alone gets more than one of two
    metric: rate
    at: {{scheme: ecn, n: 1}}
    above: 100
    remark: The simulation of these tests knows no flows.
figures:
  - {{name: goodput, title: Goodput by flows, paper: figure 7, x: n, y: rate}}
"""


def write_experiment(folder: Path, seeds: Sequence[int], name: str = "small") -> Path:
    """The file. Its runs are two schemes with one and two flows, for each seed."""
    path = folder / f"{name}.yaml"
    path.write_text(YAML.format(seeds=list(seeds)))
    return path
