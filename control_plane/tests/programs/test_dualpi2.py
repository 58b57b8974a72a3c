# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The description of DualPI2: its rows, its scheduler, and what they cannot be."""

from pathlib import Path

import pytest
from lab import ROOT
from quench.errors import ConfigError
from quench.programs import load_program
from quench_switch.outside.units import Depth

DUALPI2 = ROOT / "p4src" / "dualpi2.yaml"
MBPS = 10**6


def row(buffer: Depth | None = None, **settings: object) -> dict[str, int]:
    """The arguments of the row of port 7."""
    (entry,) = load_program(DUALPI2).queue(7, 0, 40 * MBPS, settings, buffer)
    assert entry.match == {"port": 7}
    return dict(entry.action.args)


def test_the_defaults_are_linuxs() -> None:
    assert row() == {
        "target_us": 15_000,
        "update_us": 16_000,
        "alpha": 687,
        "beta": 13_744,
        "coupling": 2,
        "step_us": 1000,
        "step_pkts": 0,
        "mtu_bytes": 1500,
        "limit_bytes": 0,
        "is_early": 0,
        "is_any_ect": 0,
    }
    description = load_program(DUALPI2).description
    assert (description.queues, description.scheduler, description.weights) == (2, "scfq", (1, 9))


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"update": "0s"}, "update: 0s is 0, less than 1"),
        ({"target": "17s"}, "target: 17s is 17000000, more than 16777215"),
        ({"alpha": 100_000}, "alpha: 100000 is 429496730, more than 268435455"),
        ({"beta": -1}, "beta: "),
        ({"k": 0}, "k: 0 is 0, less than 1"),
        ({"k": 256}, "k: 256 is 256, more than 255"),
        ({"mtu": "0B"}, "mtu: 0B is 0, less than 1"),
        ({"mtu": "64KiB"}, "mtu: 64KiB is 65536, more than 65535"),
        ({"limit": "60001B"}, "limit: 60001B is 60001, more than the port's buffer, 60000"),
    ],
)
def test_a_setting_beyond_its_bounds_is_one_line(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        row(Depth(60_000, "bytes"), **settings)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("scheduler: scfq\n", "", r":\d+:\d+: weights: strict priority has no weights: give the scheduler drr or scfq"),
        ("scheduler: scfq", "scheduler: strict", r":\d+:\d+: weights: strict priority has no weights: give"),
        ("scheduler: scfq", "scheduler: wfq", r":\d+:\d+: scheduler: "),
        ("weights: [1, 9]", "weights: [1, 9, 1]", r":\d+:\d+: weights: there are 3 weights, and queues: 2"),
        ("weights: [1, 9]", "weights: [0, 9]", r":\d+:\d+: weights\.0: "),
        ("weights: [1, 9]", "weights: [1, 1000.1]", r":\d+:\d+: weights\.1: "),
        ("weights: [1, 9]", "weights: [.nan, 9]", r":\d+:\d+: weights\.0: "),
        ("weights: [1, 9]", "weights: [.inf, 9]", r":\d+:\d+: weights\.0: "),
        ("weights: [1, 9]", "weights: [many]", r":\d+:\d+: weights\.0: "),
    ],
)
def test_a_scheduler_that_no_switch_has_is_one_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    text = DUALPI2.read_text()
    assert old in text
    path = tmp_path / "dualpi2.yaml"
    path.write_text(text.replace("p4: dualpi2.p4", f"p4: {ROOT}/p4src/dualpi2.p4").replace(old, new, 1))
    with pytest.raises(ConfigError, match=fault) as caught:
        load_program(path)
    assert len(str(caught.value).splitlines()) == 1
