# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's numbers as a table for people."""

from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("utilisation %", "utilisation_percent", ".2f"),
    ("goodput/flow kb/s", "goodput_mean_bps", "k"),
    ("fairness", "fairness_index", ".3f"),
    ("marks", "marked_pkts", "d"),
    ("early drops", "dropped_early_pkts", "d"),
    ("forced drops", "dropped_forced_pkts", "d"),
    ("overflow", "dropped_overflow_pkts", "d"),
    ("loss %", "loss_percent", ".2f"),
    ("ISQs sent", "isqs_sent_pkts", "d"),
    ("ISQs/100 marks", "isqs_per_100_marks", ".1f"),
    ("suppressed", "isqs_suppressed_pkts", "d"),
    ("accepted", "isqs_accepted_by_hosts_pkts", "d"),
    ("acted on", "host_reactions_to_isq", "d"),
    ("queue mean", "queue_mean", "q"),
    ("queue sd", "queue_sd", "q"),
)
"""Heading, key of the summary, format."""


def rows(schemes: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """A row for each column of COLUMNS, headed by its name: schemes side by side."""
    return [[heading, *(_text(scheme, key, form) for scheme in schemes)] for heading, key, form in COLUMNS]


def _text(scheme: Mapping[str, Any], key: str, form: str) -> str:
    if form == "q":
        in_bytes, in_pkts = scheme[f"{key}_bytes"], scheme[f"{key}_pkts"]
        if in_bytes is not None:
            return f"{in_bytes / 1000:.1f} KB"
        return "-" if in_pkts is None else f"{in_pkts:.1f} pkts"
    value = scheme[key]
    if value is None:
        return "-"
    return f"{value / 1000:.1f}" if form == "k" else format(value, form)
