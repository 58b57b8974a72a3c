# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's settings and remarks in words, for the terminal and for the report alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from quench.targets import TARGETS
from quench_switch.outside.text import counted

from quench_topologies.papers.catalogue import TOPOLOGIES

Summary = Mapping[str, Any]
PAUSE_LIMIT_S = 0.25
"""A sample, due every 0.1 s, may be late by so much before the demo warns of its numbers."""
SLOW_BPS = 2_000_000
"""Below this rate a run has a few dozen round trips, and chance decides much."""
SLOW_LINK = (
    "At this rate the queue changes slowly: the papers measured for minutes of simulated time. "
    "Raise --seconds for numbers to rely on."
)
SWEEP_S = 2**23 / 1.22e9
"""Tofino's hardware puts a sample of 0 into each filter so often (softswitch/docs/tna.md#time)."""
NOTHING_EXPECTED = "The papers claim nothing about what ran here."
LEAST_SWEPT = 0.01
"""The share of an average that is worth a remark."""
_ISQ_MAKERS = {"cpu": "from the controller", "dataplane": "from the switches themselves", "off": "none"}
_TCP = {"paper": "as in the papers", "modern": "as Linux has it but for the algorithm"}
_FIRST = ("k", "minth", "becnthresh", "midth", "maxth", "maxp", "c1", "c2", "wq")
_NOT_SHOWN = ("scheme", "points", "report_interval", "mean_packet_bytes")
_WORDS = {
    "mark_at": {"head": "marks at departure", "tail": "marks on arrival"},
    "depth": {"average": "", "now": "by the bytes of the moment"},
}
"""The usual has no words."""


def settings_in_words(summary: Summary) -> list[tuple[str, str]]:
    """The settings of the run, as pairs of a name and a text with units."""
    settings, versions = summary["settings"], summary["versions"]
    found = [
        ("Network", f"{settings['topology']}, {TOPOLOGIES[settings['topology']].title}"),
        ("Congested link", f"{rate(settings['rate_bps'])}, {settings['delay_one_way_ns'] / 1e6:g} ms one way"),
        ("Flows", _flows(summary)),
        ("TCP", f"{_TCP[settings['tcp']]}, IP packets of {settings['packet_bytes']} bytes"),
        ("Source quenches", _ISQ_MAKERS[settings["isq_mode"]]),
        ("Measured", f"{settings['measured_s']:g} s of each scheme, after {settings['warmup_s']:g} s of warm-up"),
    ]
    if settings["reverse_loss"]:
        found.append(("Lost on the way back", f"{100 * settings['reverse_loss']:g} % of the packets"))
    if settings["scheduler"] is not None:
        found.append(("Voice and best effort", f"share the link by {settings['scheduler']}"))
    switch = f"{TARGETS[settings['target']].title} {versions['switch']}"
    found += [
        ("Versions", f"Quench {versions['quench']}, {switch}, Linux {versions['kernel']}, Python {versions['python']}"),
        ("Seed", str(settings["seed"])),
        ("Finished", versions["finished_at"].replace("T", " ").replace("Z", " UTC")),
    ]
    return found


def _flows(summary: Summary) -> str:
    settings = summary["settings"]
    pairs = f"{settings['pairs']} pairs of hosts" if settings["pairs"] > 1 else "a pair of hosts"
    text = f"{settings['flows']} of TCP; {pairs} where flows enter"
    if any(scheme["beside_algorithm"] is not None for scheme in summary["schemes"]):
        text += f"; in a mixed run {100 * settings['mix']:g} % of them are the others"
    return text


def rate(rate_bps: float) -> str:
    """A rate with its unit."""
    for unit, size in (("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if rate_bps >= size:
            return f"{rate_bps / size:g} {unit}"
    return f"{rate_bps:g} b/s"


def profile_in_words(scheme: Mapping[str, Any]) -> str:
    """A scheme's settings on the switch and on the hosts, the thresholds first."""
    profile = dict(scheme["profile"])
    first = {name: profile[name] for name in _FIRST if name in profile}
    shown = [
        _WORDS[name].get(str(value), str(value)) if name in _WORDS else f"{name} {value}"
        for name, value in (first | profile).items()
        if name not in _NOT_SHOWN and not isinstance(value, bool | None) and (name, value) != ("advice", "none")
    ]
    if "points" in profile:
        shown.insert(0, f"a curve of {counted(len(profile['points']), 'point')}")
    shown = list(filter(None, shown))
    shown.append(f"mean packet {profile['mean_packet_bytes']} bytes")
    shown += [name.replace("_", " ") for name, value in profile.items() if value is True]
    hosts = f"hosts: {scheme['host_algorithm']}"
    if scheme["beside_algorithm"] is not None:
        hosts += f", and beside them {scheme['beside_algorithm']}"
    return f"{scheme['scheme']}: {', '.join(shown)}; {hosts}"


def legend(schemes: Sequence[Mapping[str, Any]]) -> str:
    """The meaning of the table's rows whose names do not say it."""
    parts = ["Goodput is per flow"]
    if any(each["beside_algorithm"] for each in schemes):
        parts.append("the gain is of the scheme's flows over the others, with its standard error")
    if any(each["marked_pkts"] for each in schemes):
        parts.append(
            "marks are counted where the switch makes them, and packets with ECT(1) and CE at the far end of the link, "
            "so those that are under way at the beginning and at the end of the measured time make a small difference"
        )
    if any(each["udp_sent_pkts"] for each in schemes):
        parts.append("99 % of the datagrams come no later than 'UDP late'")
    return "; ".join(parts) + "."


def too_busy(summary: Summary) -> str | None:
    """A warning, where the machine did not let the demo run for a while."""
    pause_s = max(scheme["longest_pause_s"] for scheme in summary["schemes"])
    if pause_s <= PAUSE_LIMIT_S:
        return None
    return (
        f"The machine was too busy: once nothing of the demo ran for {pause_s:.1f} s, so the numbers say little. "
        "Run it again on a quieter machine."
    )


def remarks(summary: Summary) -> list[str]:
    """Everything else that a reader of the numbers has to know."""
    settings = summary["settings"]
    found = [SLOW_LINK] if settings["rate_bps"] < SLOW_BPS else []
    target = TARGETS[settings["target"]]
    if not target.has_links:
        found.append("BMv2 does not delay, does not count overflows, and its queue is known by its reports only.")
    if target.architecture.has_clock:
        lost = _swept(settings["packet_bytes"] * 8 / settings["rate_bps"])
        if lost > LEAST_SWEPT:
            found.append(
                "Tofino's hardware counts an empty queue into each average every 6.9 ms: at this rate averages are "
                f"about {100 * lost:.0f} % below the queue (softswitch/docs/tna.md#time)."
            )
    return found


def _swept(packet_s: float) -> float:
    """The share of an average that is lost: after a while a filter counts the next sample, a packet's or a sweep's."""
    return packet_s / SWEEP_S / 2 if packet_s < SWEEP_S else 1 - SWEEP_S / packet_s / 2
