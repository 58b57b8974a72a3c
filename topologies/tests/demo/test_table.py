# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tables that people see."""

import io
from typing import Any

from quench_topologies.demo.screen import show_results
from quench_topologies.demo.table import COLUMNS, LINK_COLUMNS, link_rows, rows
from quench_topologies.demo.words import remarks
from rich.console import Console

SETTINGS = {"rate_bps": 10_000_000, "measured_s": 20.0, "warmup_s": 8.0, "target": "embedded", "tcp": "paper"}


def scheme(name: str, links: int = 1, **more: Any) -> dict[str, Any]:
    keys = {key for _, key, form in (*COLUMNS, *LINK_COLUMNS) if form not in ("q", "g")}
    depths = {f"queue_{kind}_{unit}": 32_800 for kind in ("mean", "sd") for unit in ("bytes", "pkts")}
    link = {**dict.fromkeys(keys, 123), **depths}
    group = {"algorithm": "ecn", "goodput_mean_bps": 400_000.0}
    values = {
        **link,
        "name": name,
        "groups": [group],
        "beside_algorithm": None,
        "gain_percent": None,
        "gain_error_percent": None,
        "longest_pause_s": 0.1,
        "links": [{**link, "name": f"link {number}"} for number in range(links)],
    }
    values |= {key: None for key in values if key.startswith("udp_")}
    return values | more


def test_what_no_scheme_has_is_left_out() -> None:
    headings = [row[0] for row in rows([scheme("red"), scheme("ecn")])]
    assert "goodput kb/s" in headings
    assert not {"gain %", "  of its own", "UDP loss %"} & set(headings)
    mixed = scheme("ecn + plain", gain_percent=12.34, gain_error_percent=5.0)
    mixed["groups"] = [{"goodput_mean_bps": 400_000.0}, {"goodput_mean_bps": 356_000.0}]
    cells = {row[0]: row[1:] for row in rows([scheme("red"), mixed])}
    assert cells["gain %"] == ["-", "+12.3"]
    assert (cells["  of its own"], cells["  of the others"]) == (["-", "400.0"], ["-", "356.0"])


def test_delays_are_in_milliseconds_and_depths_in_kilobytes() -> None:
    cells = {row[0]: row[1] for row in rows([scheme("ecn", udp_delay_mean_s=0.0123)])}
    assert cells["UDP delay ms"] == "12.3"
    assert cells["queue mean"] == "32.8 KB"
    in_pkts = {row[0]: row[1] for row in rows([scheme("ecn", queue_mean_bytes=None, queue_mean_pkts=7.25)])}
    assert in_pkts["queue mean"] == "7.2 pkts"


def test_several_links_have_a_table_of_their_own() -> None:
    assert link_rows([scheme("ecn")]) == []
    headings = [row[0] for row in link_rows([scheme("ecn", links=2)])]
    assert headings[0] == "link 0: utilisation %"
    assert len(headings) == 2 * len(LINK_COLUMNS)


def test_the_default_schemes_fit_into_80_columns() -> None:
    names = ["red", "ecn", "becn", "ecn-becn 20KB", "ecn-becn 40KB", "mecn", "ecn-mod"]
    output = io.StringIO()
    summary = {"settings": SETTINGS, "schemes": [scheme(name) for name in names]}
    show_results(Console(file=output, width=80), summary, [])
    lines = output.getvalue().splitlines()
    (heading,) = [line for line in lines if "mecn" in line]
    assert heading.split()[-4:] == ["20KB", "40KB", "mecn", "ecn-mod"]
    assert "…" not in output.getvalue()
    (queue,) = [line for line in lines if line.lstrip().startswith("queue mean")]
    assert queue.count("32.8 KB") == 7


def test_averages_of_a_chip_on_a_slow_link_have_a_remark() -> None:
    chip = {**SETTINGS, "target": "tna", "packet_bytes": 1000}
    (remark,) = remarks({"settings": chip, "schemes": [scheme("ecn")]})
    assert "averages are about 6 % below the queue" in remark
    assert remarks({"settings": {**chip, "rate_bps": 10_000_000_000}, "schemes": [scheme("ecn")]}) == []
