# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a paper says of its congested queues, for every scheme that may be tried there."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from quench.profiles import parse_settings

from quench_topologies.errors import TopologyError

SCHEMES = ("taildrop", "red", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod")
"""Those that thresholds are enough for; a curve has its own points."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Depths as in the controller's YAML."""

    minth: str
    midth: str
    """Of mecn: midway where its paper is silent."""
    maxth: str
    becnthresh: tuple[str, ...]
    """Of ecn-becn, one run for each."""
    maxp: float = 0.1
    wq: float = 0.002
    byte_mode: bool = True
    mean_packet_bytes: int = 1000

    def profile(self, scheme: str, **more: Any) -> dict[str, Any]:
        """The profile of a scheme as the controller's YAML has it, with further settings. Raises TopologyError."""
        values: dict[str, Any] = {"scheme": scheme, "wq": self.wq, "mean_packet_bytes": self.mean_packet_bytes}
        if scheme not in SCHEMES:
            raise TopologyError(f"--scheme {scheme}: choose one of {', '.join(SCHEMES)}")
        if scheme != "taildrop":
            values |= {"minth": self.minth, "maxth": self.maxth, "maxp": self.maxp, "byte_mode": self.byte_mode}
        if scheme == "mecn":
            values["midth"] = self.midth
        if scheme == "ecn-becn":
            values["becnthresh"] = self.becnthresh[0]
        values |= more
        check_profile(f"--scheme {scheme}", values)
        return values


def check_profile(where: str, values: dict[str, Any]) -> None:
    """Raise TopologyError, one line, for a profile that the controller would refuse."""
    try:
        parse_settings(values)
    except ValidationError as error:
        fault = error.errors()[0]
        # The first part of a place is the scheme's name, by which the model was chosen.
        place = ".".join(str(part) for part in fault["loc"][1:])
        message = fault["msg"].removeprefix("Value error, ")
        raise TopologyError(f"{where}: {place}: {message}" if place else f"{where}: {message}") from error
