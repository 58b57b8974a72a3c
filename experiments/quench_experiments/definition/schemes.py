# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Schemes by name: the routers' profiles and the hosts' algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quench.profiles.settings import NAMED_SCHEMES, SCHEMES, ProfileSettings, fields_of, parse_settings, scheme_of

from quench_experiments.simulation.stack import Stack


@dataclass(frozen=True, slots=True)
class Preset:
    """A scheme as the papers use it."""

    router: str
    """The profile's scheme (docs/schemes.md)."""
    algorithm: str
    """The hosts' (docs/hosts.md)."""
    transport: str | None = None
    """The hosts' transport in place of TCP, which alone has algorithms."""


_PAPER_NAMES = {"red": "plain"}
"""The papers name RED after its hosts' TCP."""
PRESETS: Mapping[str, Preset] = {
    _PAPER_NAMES.get(name, name): Preset(name, scheme_of(name).host_algorithm) for name in NAMED_SCHEMES
}
TCP = "tcp"
"""The transport of a stack that names none."""
PROFILE_FIELDS = frozenset().union(*(fields_of(scheme) for scheme in SCHEMES)) - {"scheme"}


def profile(preset: Preset, common: Mapping[str, Any], own: Mapping[str, Any]) -> ProfileSettings:
    """The queue's settings: the common ones that the scheme knows, and the scheme's own. Raises ValidationError."""
    known = fields_of(preset.router)
    fitting = {name: value for name, value in common.items() if name in known}
    # The average is read from the register; reports to the controller would only take time.
    return parse_settings({"scheme": preset.router, "report_interval": 0, **fitting, **own})


def stack(preset: Preset, common: Mapping[str, Any], own: Mapping[str, Any]) -> Stack:
    """The hosts' settings: the preset's over the common ones, the scheme's own over both. Raises ValidationError.

    Common settings with a ``preset``, which TCP alone has, are not for hosts of another transport.
    """
    transport = own.get("transport", preset.transport or common.get("transport", TCP))
    if transport != TCP:
        shared = {} if "preset" in common else common
        return Stack.model_validate({**shared, "transport": transport, **own})
    values = {**common, "algorithm": preset.algorithm, **own}
    both = common.get("parameters", {}), own.get("parameters", {})
    # The model refuses a value that is no mapping.
    if all(isinstance(each, Mapping) for each in both):
        values["parameters"] = {**both[0], **both[1]}
    return Stack.model_validate(values)
