# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Schemes by name: what the routers do and what the hosts do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quench.profiles.settings import SCHEMES, ProfileSettings, fields_of, parse_settings

from quench_experiments.simulation.stack import Stack

HOST_FIELDS = frozenset({"c1", "c2"})
"""Settings of ecn-mod that router and hosts must agree on; the scheme gives them once."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A scheme as the papers use it."""

    router: str
    """The profile's scheme (docs/schemes.md)."""
    algorithm: str
    """The hosts' (docs/hosts.md)."""
    ecn: str
    """What the hosts' TCP negotiates and echoes."""


PRESETS: Mapping[str, Preset] = {
    "taildrop": Preset("taildrop", "plain", "off"),
    "plain": Preset("red", "plain", "off"),
    "ecn": Preset("ecn", "ecn", "rfc3168"),
    "becn": Preset("becn", "becn", "off"),
    "ecn-becn": Preset("ecn-becn", "ecn-becn", "rfc3168"),
    "mecn": Preset("mecn", "mecn", "mecn"),
    "ecn-mod": Preset("ecn-mod", "ecn-mod", "accurate"),
}
PROFILE_FIELDS = frozenset().union(*(fields_of(scheme) for scheme in SCHEMES)) - {"scheme"}


def profile(preset: Preset, common: Mapping[str, Any], own: Mapping[str, Any]) -> ProfileSettings:
    """The queue's settings: the common ones that the scheme knows, and the scheme's own. Raises ValidationError."""
    known = fields_of(preset.router)
    fitting = {name: value for name, value in common.items() if name in known}
    # The average is read from the register; reports to the controller would only take time.
    return parse_settings({"scheme": preset.router, "report_interval": 0, **fitting, **own})


def stack(preset: Preset, common: Mapping[str, Any], own: Mapping[str, Any]) -> Stack:
    """The hosts' settings: the preset's over the common ones, the scheme's own over both. Raises ValidationError."""
    parameters = {**common.get("parameters", {}), **own.get("parameters", {})}
    values = {"algorithm": preset.algorithm, "ecn": preset.ecn}
    return Stack.model_validate({**common, **values, **own, "parameters": parameters})
