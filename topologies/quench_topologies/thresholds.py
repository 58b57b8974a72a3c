# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A paper's thresholds for its congested queues, and the profile that they make of a scheme."""

from dataclasses import asdict, dataclass
from typing import Any

from quench.errors import message_of
from quench.profiles.schemes import NAMED_SCHEMES

from quench_topologies.errors import TopologyError


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Depths as in the controller's YAML."""

    minth: str
    midth: str
    """The second threshold of mecn: midway where its paper is silent."""
    maxth: str
    becnthresh: tuple[str, ...]
    """The thresholds of ecn-becn, one run for each."""
    maxp: float = 0.1
    wq: float = 0.002
    byte_mode: bool = True
    mean_packet_bytes: int = 1000

    def profile(self, scheme: str, **more: Any) -> dict[str, Any]:
        """The profile of a scheme as the controller's YAML has it, with further settings. Raises TopologyError."""
        if scheme not in NAMED_SCHEMES:
            raise TopologyError(f"--scheme {scheme}: choose one of {', '.join(NAMED_SCHEMES)}")
        # Here and below: help and completion import this module, and need no pydantic.
        from quench.profiles.settings import scheme_of

        values: dict[str, Any] = {"scheme": scheme}
        for setting in scheme_of(scheme).setting_names():
            given = self.values(scheme, setting)
            if given:
                values[setting] = given[0]
        values |= more
        check_profile(f"--scheme {scheme}", values)
        return values

    def values(self, scheme: str, setting: str) -> tuple[Any, ...]:
        """The paper's values for a setting of a scheme; none where the paper has none."""
        from quench.profiles.settings import scheme_of

        name = scheme_of(scheme).depths_by_topology.get(setting, setting)
        found = asdict(self).get(name, ())
        return found if isinstance(found, tuple) else (found,)


def check_profile(where: str, values: dict[str, Any]) -> None:
    """Raise TopologyError, one line, for a profile that the controller would refuse."""
    from pydantic import ValidationError
    from quench.profiles import parse_settings

    try:
        parse_settings(values)
    except ValidationError as error:
        fault = error.errors()[0]
        # The first part of a place is the scheme's name, by which the model was chosen.
        place = ".".join(str(part) for part in fault["loc"][1:])
        message = message_of(fault)
        raise TopologyError(f"{where}: {place}: {message}" if place else f"{where}: {message}") from error
