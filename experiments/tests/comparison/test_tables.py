# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two simulators' runs, averaged and side by side."""

from quench_experiments.comparison.cases import all_cases
from quench_experiments.comparison.ns2 import Extended, Measured, Reference
from quench_experiments.comparison.outcome import GroupOutcome, Outcome, over_seeds
from quench_experiments.comparison.side_by_side import rows
from quench_experiments.comparison.tables import extra_table, main_table

CASES = {case.key: case for case in all_cases()}
REFERENCE = Reference(
    measured=Measured(version="test", seeds=[1], cases={"n1-40ms-45-ecn": {"loss": (0.01, 0.0)}}),
    extended=Extended(how="test", cases={"n1-250ms-45-becn": {"loss": 0.0, "gain_over_ecn": (0.19, 0.002)}}),
)


def outcome(loss: float, goodput_bps: float = 200e3, plain: GroupOutcome | None = None) -> Outcome:
    groups = {"ecn": GroupOutcome(flows=20, goodput_bps=goodput_bps, loss=loss)}
    return Outcome(
        utilisation=0.99,
        loss=loss,
        mean_queue_bytes=40000,
        sd_queue_bytes=10000,
        mean_average_bytes=39000,
        marked_pkts=2000,
        groups=groups | ({"plain": plain} if plain else {}),
    )


def test_runs_are_averaged_over_seeds() -> None:
    spread = over_seeds([outcome(0.01), outcome(0.03)])["loss"]
    assert round(spread.mean, 6) == 0.02
    assert round(spread.sd, 6) == 0.014142


def test_competing_groups_give_a_gain_and_each_its_loss() -> None:
    metrics = outcome(0.01, 280e3, GroupOutcome(flows=20, goodput_bps=200e3, loss=0.05)).metrics()
    assert round(metrics["gain"], 6) == 0.4
    assert (metrics["signalled_loss"], metrics["plain_loss"]) == (0.01, 0.05)


def test_recorded_numbers_stand_in_where_ns2_did_not_run() -> None:
    case = CASES["n1-40ms-45-ecn"]
    (row,) = rows([case], {("ours", case.key): over_seeds([outcome(0.02)])}, REFERENCE)
    assert (row.basis, row.within) == ("recorded", False)
    assert "| n1-40ms-45-ecn (recorded) | - / 99.00 | 1.00 / 2.00 |" in main_table([row])
    assert "**no**: loss +100.0%" in main_table([row])


def test_the_gain_over_ecn_is_ours_over_ours() -> None:
    ecn, becn = CASES["n1-250ms-45-ecn"], CASES["n1-250ms-45-becn"]
    measured = {
        ("ours", ecn.key): over_seeds([outcome(0.0, 200e3)]),
        ("ours", becn.key): over_seeds([outcome(0.0, 240e3)]),
    }
    row = rows([ecn, becn], measured, REFERENCE)[1]
    assert row.basis == "extended"
    assert "| n1-250ms-45-becn | goodput over ECN % | 19.00 ± 0.20 | 20.00 |" in extra_table([row])
