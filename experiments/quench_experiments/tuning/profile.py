# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A recommendation as the profile that a switch takes."""

from typing import Any

import yaml
from quench.profiles import ProfileSettings
from quench.profiles.settings import parse_settings

from quench_experiments.tuning.recommend import Recommendation

_ORDER = ("scheme", "minth", "midth", "becnthresh", "maxth", "maxp")


def profile_of(found: Recommendation, mean_packet_bytes: int) -> ProfileSettings:
    """The settings of the recommended profile; what the theory does not know is left at its default."""
    marking = found.marking
    depths = {
        "minth": marking.minth,
        "midth": marking.midth,
        "becnthresh": found.becnthresh,
        "maxth": marking.maxth,
    }
    return parse_settings(
        {
            "scheme": found.scheme,
            **{name: f"{value:.12g}pkts" for name, value in depths.items() if value is not None},
            "maxp": marking.maxp,
            "wq": found.wq,
            "mean_packet_bytes": mean_packet_bytes,
        }
    )


def as_yaml(settings: ProfileSettings) -> str:
    """The profile as a file for ``quench thresholds set --file`` or, under a name, for a controller's ``profiles``."""
    values = as_values(settings)
    return yaml.safe_dump(values, sort_keys=False)


def as_values(settings: ProfileSettings) -> dict[str, Any]:
    """What was set, in the order in which people write it."""
    values = settings.model_dump(mode="json", exclude_unset=True)
    first = [name for name in _ORDER if name in values]
    return {name: values[name] for name in [*first, *(name for name in values if name not in first)]}
