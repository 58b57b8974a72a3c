# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A recommendation as the profile that a switch takes."""

import yaml
from quench.profiles import ProfileSettings
from quench.profiles.settings import parse_settings

from quench_experiments.tuning.recommend import Recommendation


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
    values = settings.model_dump(mode="json", exclude_unset=True)
    return yaml.safe_dump(values, sort_keys=False)
