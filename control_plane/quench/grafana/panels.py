# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The contents of the dashboard: rows of panels, and the queries of each.

In a query a metric stands in braces by its key of ``metric_names``; ``[switches]`` and ``[ports]`` are what the viewer
has chosen.
"""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["pps", "Bps", "short", "ops", "s", "percentunit", "bool_yes_no"]
"""The units of a panel, by Grafana's names."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query in PromQL, and the name of what it finds, with labels in double braces."""

    expression: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart, or with ``kind`` stat one number for each switch."""

    title: str
    description: str
    unit: Unit
    queries: tuple[Query, ...]
    kind: Literal["timeseries", "stat"] = "timeseries"


def _per_port(title: str, description: str, *counters: tuple[str, str]) -> Panel:
    """Rates of the program's counters by port."""
    queries = tuple(
        Query(f"rate({{{name}}}[ports][$__rate_interval])", f"{{{{switch}}}} port {{{{port}}}}{words and ' ' + words}")
        for name, words in counters
    )
    return Panel(title, description, "pps", queries)


ROWS: dict[str, tuple[Panel, ...]] = {
    "Switches": (
        Panel(
            "Connected",
            "Whether the switch is connected and programmed.",
            "bool_yes_no",
            (Query("{connected}[switches]", "{{switch}}"),),
            "stat",
        ),
        Panel(
            "Primary",
            "Whether this controller may change the switch; a standby has 0.",
            "bool_yes_no",
            (Query("{primary}[switches]", "{{switch}}"),),
            "stat",
        ),
        Panel(
            "Programmed",
            "Times that the switch was programmed after connecting: it grows when a switch is restarted.",
            "short",
            (Query("{connections}[switches]", "{{switch}}"),),
            "stat",
        ),
    ),
    "Queues": (
        Panel(
            "Depth and average",
            "Packets in each queue, and the average that RED uses, as last reported, with its threshold maxth.",
            "short",
            (
                Query("{queue_depth}[ports]", "{{switch}} port {{port}}.{{queue}} depth"),
                Query("{queue_average}[ports]", "{{switch}} port {{port}}.{{queue}} average"),
                Query("{queue_maxth}[ports]", "{{switch}} port {{port}}.{{queue}} maxth"),
            ),
        ),
        _per_port("Packets", "Packets that were routed to the port.", ("port_seen", "")),
        _per_port(
            "Marks and drops",
            "Packets that were marked, dropped by chance, or dropped because the probability was 1.",
            ("port_marked", "marked"),
            ("port_dropped_early", "dropped early"),
            ("port_dropped_forced", "dropped forced"),
        ),
        _per_port(
            "Refused",
            "Packets that came by the port and were dropped: with a broken IP header or length, in a VLAN, or source "
            "quenches from outside of the domain.",
            ("port_dropped_invalid", "broken"),
            ("port_dropped_vlan", "VLAN"),
            ("port_dropped_isq", "ISQs from elsewhere"),
        ),
        Panel(
            "Share of packets marked",
            "Marks of all packets that were routed to the port: the probability that the marking curve gives.",
            "percentunit",
            (
                Query(
                    "rate({port_marked}[ports][$__rate_interval]) / rate({port_seen}[ports][$__rate_interval])",
                    "{{switch}} port {{port}}",
                ),
            ),
        ),
    ),
    "Source quenches": (
        Panel(
            "By the controller",
            "Source quenches sent, and those that a limit of the controller forbade.",
            "ops",
            (
                Query("rate({isqs_sent}[switches][$__rate_interval])", "{{switch}} about {{kind}} packets"),
                Query("rate({isqs_limited}[switches][$__rate_interval])", "{{switch}} over the limit: {{limit}}"),
            ),
        ),
        _per_port(
            "By the switch",
            "Copies for source quenches, those that became one, and those that the switch's meter forbade.",
            ("port_cloned", "copies"),
            ("port_isq_sent", "sent"),
            ("port_isq_limited", "over the limit"),
        ),
        _per_port(
            "None sent",
            "Packets about which no source quench is sent: IPv6, one sent by a switch upstream, forbidden by RFC 1122.",
            ("port_isq_ipv6", "IPv6"),
            ("port_isq_once_per_path", "sent upstream"),
            ("port_isq_refused", "refused"),
        ),
        Panel(
            "None sent by the controller",
            "Copies that no source quench may answer, by reason.",
            "ops",
            (Query("rate({isqs_refused}[switches][$__rate_interval])", "{{switch}} {{reason}}"),),
        ),
    ),
    "Packets to the controller": (
        Panel(
            "Packet-ins",
            "Copies from the switch, by reason.",
            "pps",
            (Query("rate({packet_ins}[switches][$__rate_interval])", "{{switch}} {{reason}}"),),
        ),
        Panel(
            "Age of packet-ins",
            "99 of 100 packet-ins are younger than this when the controller looks at them.",
            "s",
            (
                Query(
                    "histogram_quantile(0.99, sum by (switch, le) (rate({packet_in_age}[switches][$__rate_interval])))",
                    "{{switch}}",
                ),
            ),
        ),
        Panel(
            "Not answered",
            "Packet-ins that were lost, too old or could not be decoded, and messages that the switch refused.",
            "ops",
            (
                Query("rate({packet_ins_lost}[switches][$__rate_interval])", "{{switch}} lost"),
                Query("rate({packet_ins_stale}[switches][$__rate_interval])", "{{switch}} too old"),
                Query("rate({packet_ins_bad}[switches][$__rate_interval])", "{{switch}} not decoded"),
                Query("rate({stream_errors}[switches][$__rate_interval])", "{{switch}} refused by the switch"),
            ),
        ),
    ),
    "Your own counters": (
        Panel(
            "Packets",
            "Counters by port that you have added to the program.",
            "pps",
            (
                Query(
                    "rate({program_counter_packets}[ports][$__rate_interval])", "{{switch}} port {{port}} {{counter}}"
                ),
            ),
        ),
        Panel(
            "Bytes",
            "Counters by port that you have added to the program.",
            "Bps",
            (Query("rate({program_counter_bytes}[ports][$__rate_interval])", "{{switch}} port {{port}} {{counter}}"),),
        ),
    ),
}
