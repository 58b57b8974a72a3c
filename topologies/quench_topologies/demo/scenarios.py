# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demo can run: a scheme of the switch with the TCP of the hosts that belongs to it."""

from dataclasses import dataclass
from typing import Any

from quench.units import parse_depth

from quench_topologies.dumbbell import N1_PROFILE
from quench_topologies.errors import TopologyError

REPORT_INTERVAL = "20ms"
DEFAULT_SCHEMES = ("red", "ecn", "becn", "ecn-becn")
DEFAULT_BECN_THRESHOLDS = ("20KB", "40KB")
_HOST_ALGORITHMS = {"taildrop": "plain", "red": "plain", "ecn": "ecn", "becn": "becn", "ecn-becn": "ecn-becn"}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the demo."""

    scheme: str
    """As in the controller's profiles."""
    becnthresh: str | None = None
    """Depth from which ecn-becn sends source quenches."""

    @property
    def name(self) -> str:
        """For people."""
        return self.scheme if self.becnthresh is None else f"{self.scheme} {self.becnthresh}"

    @property
    def host_algorithm(self) -> str:
        """The algorithm of quench-host."""
        return _HOST_ALGORITHMS[self.scheme]

    @property
    def becnthresh_bytes(self) -> int | None:
        """The threshold in bytes (of packets of 1000 bytes, where it was given in packets)."""
        return None if self.becnthresh is None else round(parse_depth(self.becnthresh).in_pkts(1000) * 1000)

    @property
    def sends_isqs(self) -> bool:
        """Whether the scheme sends source quenches at all."""
        return self.scheme in ("becn", "ecn-becn")

    def profile(self) -> dict[str, Any]:
        """The congestion profile of the bottleneck queue, with the thresholds of N1."""
        if self.scheme == "taildrop":
            return {"scheme": self.scheme, "wq": N1_PROFILE["wq"], "report_interval": REPORT_INTERVAL}
        profile: dict[str, Any] = {"scheme": self.scheme, **N1_PROFILE, "report_interval": REPORT_INTERVAL}
        if self.becnthresh is not None:
            profile["becnthresh"] = self.becnthresh
        return profile


def parse_scenarios(texts: list[str]) -> tuple[Scenario, ...]:
    """From ``SCHEME`` or ``ecn-becn:DEPTH``; ecn-becn alone stands for both thresholds of N1. Raises TopologyError."""
    scenarios: list[Scenario] = []
    for text in texts or DEFAULT_SCHEMES:
        scheme, _, depth = text.partition(":")
        if scheme not in _HOST_ALGORITHMS or (depth and scheme != "ecn-becn"):
            raise TopologyError(
                f"--scheme {text}: choose one of {', '.join(_HOST_ALGORITHMS)}, or ecn-becn:DEPTH such as ecn-becn:20KB"
            )
        if depth:
            _check_depth(text, depth)
        depths = (depth,) if depth else DEFAULT_BECN_THRESHOLDS if scheme == "ecn-becn" else (None,)
        scenarios += [Scenario(scheme, each) for each in depths]
    return tuple(dict.fromkeys(scenarios))


def _check_depth(text: str, depth: str) -> None:
    try:
        parse_depth(depth)
    except ValueError as error:
        raise TopologyError(f"--scheme {text}: {error}") from error
