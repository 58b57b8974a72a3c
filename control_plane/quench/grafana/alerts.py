# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The alerts: rules of Prometheus over the controller's metrics.

In an expression a metric stands in braces by its key of ``metric_names``. What they mean and what to do about each is
in docs/how-to/grafana.md.
"""

from dataclasses import dataclass
from typing import Any, Literal

from quench.grafana.names import metric_names, named

JOB = "quench"
"""The job under which Prometheus asks controllers."""
RATE = "1m"
"""The time over which rates are means."""
_SEEN = f"rate({{port_seen}}[{RATE}])"
_SIGNALS = " + ".join(f"rate({{{name}}}[{RATE}])" for name in ("port_marked", "port_dropped_early"))
_DROPS = " + ".join(f"rate({{{name}}}[{RATE}])" for name in ("port_dropped_early", "port_dropped_forced"))
_ISQS = " or ".join(f"rate({{{name}}}[{RATE}])" for name in ("isqs_sent", "port_isq_sent"))
"""Those of the controller and those of the switch, which have other labels."""
_QUEUE = "{{ $labels.switch }} port {{ $labels.port }}"


@dataclass(frozen=True, slots=True)
class Alert:
    """A rule: it holds for that long before the alert fires."""

    name: str
    expression: str
    lasts: str
    severity: Literal["critical", "warning"]
    summary: str


ALERTS = (
    Alert(
        "QuenchControllerDown",
        f'up{{job="{JOB}"}} == 0',
        "30s",
        "critical",
        "No controller answers at {{ $labels.instance }}",
    ),
    Alert(
        "QuenchSwitchDisconnected",
        # A standby is connected to none of its switches.
        "max by (switch) ({connected}) == 0",
        "30s",
        "critical",
        "No controller is connected to {{ $labels.switch }}",
    ),
    Alert(
        "QuenchSwitchRestarts",
        "increase({connections}[15m]) > 2",
        "0s",
        "warning",
        '{{ $labels.switch }} was programmed {{ $value | printf "%.0f" }} times within 15 minutes',
    ),
    Alert(
        "QuenchQueueAboveMaxth",
        # A queue without packets keeps its last average.
        f"{{queue_average}} > {{queue_maxth}} and on (switch, port) {_SEEN} > 0",
        "2m",
        "warning",
        f'{_QUEUE}: queue {{{{ $labels.queue }}}} is above maxth, {{{{ $value | printf "%.0f" }}}} packets on average',
    ),
    Alert(
        "QuenchForcedDrops",
        f"rate({{port_dropped_forced}}[{RATE}]) > 0",
        "1m",
        "warning",
        f'{_QUEUE} drops {{{{ $value | printf "%.1f" }}}} packets a second because the probability is 1',
    ),
    Alert(
        "QuenchLoss",
        f"({_DROPS}) / {_SEEN} > 0.05",
        "5m",
        "warning",
        f"{_QUEUE} drops {{{{ $value | humanizePercentage }}}} of its packets",
    ),
    Alert(
        "QuenchSendersDoNotReact",
        f"({_SIGNALS}) / {_SEEN} > 0.3",
        "5m",
        "warning",
        f"{_QUEUE} marks or drops {{{{ $value | humanizePercentage }}}} of its packets, and senders do not react",
    ),
    Alert(
        "QuenchManySourceQuenches",
        f"sum by (switch) ({_ISQS}) > 0.1 * sum by (switch) ({_SEEN})",
        "1m",
        "warning",
        '{{ $labels.switch }}: {{ $value | printf "%.0f" }} source quenches a second, for one packet in ten',
    ),
    Alert(
        "QuenchSourceQuenchesLimited",
        f"sum by (switch, limit) (rate({{isqs_limited}}[{RATE}])) > 0",
        "1m",
        "warning",
        '{{ $labels.switch }}: the limit "{{ $labels.limit }}" forbids source quenches',
    ),
    Alert(
        "QuenchPacketInsLost",
        f"rate({{packet_ins_lost}}[{RATE}]) > 0 or rate({{packet_ins_stale}}[{RATE}]) > 0",
        "1m",
        "warning",
        "{{ $labels.switch }}: the controller is too slow for its packet-ins",
    ),
    Alert(
        "QuenchBrokenPackets",
        f"rate({{port_dropped_invalid}}[{RATE}]) > 0 or rate({{port_dropped_vlan}}[{RATE}]) > 0",
        "5m",
        "warning",
        f"{_QUEUE}: packets arrive that are broken or in a VLAN",
    ),
    Alert(
        "QuenchForeignSourceQuenches",
        f"rate({{port_dropped_isq}}[{RATE}]) > 0",
        "5m",
        "warning",
        f"{_QUEUE}: source quenches arrive from outside of the domain",
    ),
)


def rule_file() -> dict[str, Any]:
    """The content of a file of Prometheus's ``rule_files``."""
    names = metric_names()
    rules = [
        {
            "alert": each.name,
            "expr": named(each.expression, names),
            "for": each.lasts,
            "labels": {"severity": each.severity},
            "annotations": {"summary": each.summary},
        }
        for each in ALERTS
    ]
    return {"groups": [{"name": "quench", "rules": rules}]}
