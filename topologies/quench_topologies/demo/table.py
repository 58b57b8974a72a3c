# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's numbers as tables for people."""

from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("utilisation %", "utilisation_percent", ".2f"),
    ("goodput kb/s", "goodput_mean_bps", "k"),
    ("  of its own", "groups.0", "g"),
    ("  of the others", "groups.1", "g"),
    ("gain %", "gain_percent", "+.1f"),
    ("  error of gain", "gain_error_percent", ".1f"),
    ("fairness", "fairness_index", ".3f"),
    ("marks", "marked_pkts", "d"),
    ("  out as ECT(1)", "crossed_ect1_pkts", "d"),
    ("  out as CE", "crossed_ce_pkts", "d"),
    ("early drops", "dropped_early_pkts", "d"),
    ("forced drops", "dropped_forced_pkts", "d"),
    ("overflow", "dropped_overflow_pkts", "d"),
    ("loss %", "loss_percent", ".2f"),
    ("ISQs sent", "isqs_sent_pkts", "d"),
    ("ISQs/100 marks", "isqs_per_100_marks", ".1f"),
    ("limited", "isqs_limited_pkts", "d"),
    ("accepted", "isqs_accepted_by_hosts_pkts", "d"),
    ("acted on", "host_reactions_to_isq", "d"),
    ("queue mean", "queue_mean", "q"),
    ("queue sd", "queue_sd", "q"),
    ("UDP sent", "udp_sent_pkts", "d"),
    ("UDP loss %", "udp_loss_percent", ".2f"),
    ("UDP delay ms", "udp_delay_mean_s", "ms"),
    ("UDP late ms", "udp_delay_late_s", "ms"),
    ("UDP jitter ms", "udp_jitter_s", "ms"),
)
"""Heading, key of the summary, format. Headings are short: seven schemes fit into 80 columns."""
LINK_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("utilisation %", "utilisation_percent", ".2f"),
    ("marks", "marked_pkts", "d"),
    ("drops", "dropped_pkts", "d"),
    ("queue mean", "queue_mean", "q"),
    ("queue sd", "queue_sd", "q"),
)
_NOTHING = "-"


def rows(schemes: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """A row for each column of COLUMNS that says something, headed by its name: schemes side by side."""
    found = [[heading, *(_text(scheme, key, form) for scheme in schemes)] for heading, key, form in COLUMNS]
    return [row for row in found if any(cell != _NOTHING for cell in row[1:])]


def link_rows(schemes: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The same for each bottleneck, where there are several."""
    names = [link["name"] for link in schemes[0]["links"]]
    if len(names) < 2:
        return []
    return [
        [f"{name}: {heading}", *(_text(scheme["links"][index], key, form) for scheme in schemes)]
        for index, name in enumerate(names)
        for heading, key, form in LINK_COLUMNS
    ]


def _text(values: Mapping[str, Any], key: str, form: str) -> str:
    if form == "q":
        in_bytes, in_pkts = values[f"{key}_bytes"], values[f"{key}_pkts"]
        if in_bytes is not None:
            return f"{in_bytes / 1000:.1f} KB"
        return _NOTHING if in_pkts is None else f"{in_pkts:.1f} pkts"
    if form == "g":
        return _of_group(values["groups"], int(key.rpartition(".")[2]))
    value = values[key]
    if value is None:
        return _NOTHING
    scale = {"k": 1e-3, "ms": 1e3}.get(form)
    return format(value, form) if scale is None else f"{value * scale:.1f}"


def _of_group(groups: Sequence[Mapping[str, Any]], index: int) -> str:
    """Nothing where all flows are of one kind: the mean of all is in the table."""
    if len(groups) < 2:
        return _NOTHING
    return f"{groups[index]['goodput_mean_bps'] / 1000:.1f}"
