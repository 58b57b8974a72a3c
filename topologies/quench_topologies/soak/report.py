# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The campaign's table and its JSON file."""

from collections import Counter
from statistics import median
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from quench_topologies.soak.campaign import Record
from quench_topologies.soak.faults import FAULTS

GOALS_S = {"controller killed": 1.0, "switch killed": 2.0}
"""The goals at the median, on a quiet machine."""


def summarise(record: Record) -> dict[str, Any]:
    """The contents of the JSON file, apart from the settings. Times are seconds."""
    dropped: Counter[str] = Counter()
    for each in record.accounts:
        dropped.update(each.dropped_pkts)
    return {
        "faults": [_of_fault(record, fault.name, fault.what, fault.sign) for fault in FAULTS],
        "packets": {
            "intervals": len(record.accounts),
            "sent_by_hosts_pkts": sum(each.sent_by_hosts_pkts for each in record.accounts),
            "received_by_hosts_pkts": sum(each.received_by_hosts_pkts for each in record.accounts),
            "dropped_pkts": dict(sorted(dropped.items())),
            "intervals_hidden_by_kill": sum(bool(each.hidden_by_kill) for each in record.accounts),
            "datagrams_sent_pkts": record.datagrams_sent_pkts,
            "datagrams_received_pkts": record.datagrams_received_pkts,
            "source_quenches_pkts": record.source_quenches,
        },
        "readers": [
            {"protocol": name, "visits": tally.visits, "answered": tally.answered}
            for name, tally in record.readers.items()
        ],
        "events": [
            {"fault": each.fault, "began_s": each.began_s, "recovered_after_s": each.seconds}
            for each in record.recoveries
        ],
        "broken": record.broken,
    }


def _of_fault(record: Record, name: str, what: str, sign: str) -> dict[str, Any]:
    mine = [each.seconds for each in record.recoveries if each.fault == name]
    known = [seconds for seconds in mine if seconds is not None]
    return {
        "name": name,
        "what": what,
        "sign": sign,
        "times": len(mine),
        "recovered": len(known),
        "median_s": median(known) if known else None,
        "worst_s": max(known) if known else None,
        "goal_median_s": GOALS_S.get(name),
    }


def show(console: Console, summary: dict[str, Any]) -> None:
    """The tables."""
    table = Table("fault", "times", "first sign", "median", "worst", "goal", box=SIMPLE)
    for each in summary["faults"]:
        table.add_row(
            each["name"],
            str(each["times"]),
            each["sign"],
            _seconds(each["median_s"]),
            _seconds(each["worst_s"]),
            _goal(each["median_s"], each["goal_median_s"]),
        )
    console.print(table)
    packets = summary["packets"]
    console.print(
        f"{packets['sent_by_hosts_pkts']} packets sent by hosts, {packets['received_by_hosts_pkts']} received, in "
        f"{packets['intervals']} intervals, of which {packets['intervals_hidden_by_kill']} with a killed switch; "
        f"{packets['source_quenches_pkts']} source quenches; {packets['datagrams_sent_pkts']} datagrams sent, "
        f"{packets['datagrams_received_pkts']} received."
    )
    dropped = packets["dropped_pkts"]
    console.print("Dropped: " + (", ".join(f"{name} {count}" for name, count in dropped.items()) or "nothing") + ".")
    readers = (f"{each['protocol']} {each['visits']} ({each['answered']})" for each in summary["readers"])
    console.print(f"Visits of hostile readers (honest questions answered): {', '.join(readers) or 'none'}.")
    for line in summary["broken"]:
        console.print(f"[red]broken:[/] {line}", highlight=False)
    if not summary["broken"]:
        console.print("Every packet is accounted for; nothing is left; no log has an error that was not foreseen.")


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f} s"


def _goal(median_s: float | None, goal_s: float | None) -> str:
    if goal_s is None or median_s is None:
        return ""
    return f"{goal_s:g} s: {'[green]met[/]' if median_s <= goal_s else '[yellow]missed[/]'}"
